/*
 * entity_view.c
 *	  The definition of an entity view, and whether it shows an item.
 */
#include "postgres.h"

#include "item/json.h"
#include "view/entity_view.h"
#include "view/kind.h"

static void
ReadColumn(ValueRef v, EntityColumn *column)
{
	if (ValueTypeOf(v) != VALUE_M)
		StoredError("A column is not a map.");
	column->name = StoredString(v, "column");
	column->attribute = StoredString(v, "attribute");
	if (column->name.len == 0 || column->attribute.len == 0 || column->attribute.len > ITEM_MAX_NAME)
		StoredError("A column has no name, or no attribute with a possible name.");
}

static void
ReadColumns(EntityViewDef *def, ValueRef list)
{
	Container	columns;

	if (ValueIsMissing(list))
		return;
	ContainerOpen(list, &columns);
	def->ncolumns = (int) columns.count;
	def->columns = palloc(sizeof(EntityColumn) * Max(columns.count, 1));
	for (uint32 i = 0; i < columns.count; i++)
		ReadColumn(ListElement(&columns, i), &def->columns[i]);
}

EntityViewDef *
EntityViewDefRead(const char *text)
{
	ValueRef	root = ItemRoot(ItemFromJson(text, strlen(text), NULL));
	EntityViewDef *def = palloc0(sizeof(EntityViewDef));

	ReadColumns(def, StoredMember(root, "columns", VALUE_L));
	def->entity = StoredString(root, "entity");
	def->invalid = SliceIs(StoredString(root, "invalid"), "null") ? INVALID_VALUES_NULL : INVALID_VALUES_ERROR;
	def->declared = !ValueIsMissing(StoredMember(root, "declared", VALUE_BOOL));
	return def;
}

int
EntityColumnNumber(const EntityViewDef *def, const char *column)
{
	for (int i = 0; i < def->ncolumns; i++)
	{
		if (SliceIs(def->columns[i].name, column))
			return i;
	}
	return -1;
}

Slice
EntityColumnAttribute(const EntityViewDef *def, int column)
{
	if (column < 0 || column >= def->ncolumns)
		return MISSING_SLICE;
	return def->columns[column].attribute;
}

bool
EntityViewShows(const EntityViewDef *def, const TableDef *table, ValueRef item)
{
	const Entity *entity;

	if (def->entity.data == NULL)
		return true;
	entity = table->entities == NULL ? NULL : EntityOfItem(table->entities, item);
	return entity != NULL && SliceEqual(entity->name, def->entity) && EntityKeyIsComposed(entity, item);
}
