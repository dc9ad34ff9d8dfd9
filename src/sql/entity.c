/*
 * entity.c
 *	  The definition of an entity view, and whether an item is of its kind.
 */
#include "postgres.h"

#include "item/json.h"
#include "sql/entity.h"
#include "sql/template.h"

/* ---- reading a definition ---- */

static ValueRef
Member(ValueRef v, const char *name)
{
	return AttributeFind(v, name, strlen(name));
}

static Slice
StringMember(ValueRef v, const char *name)
{
	ValueRef	found = Member(v, name);

	if (ValueIsMissing(found) || ValueTypeOf(found) != VALUE_S)
		return MISSING_SLICE;
	return ValuePayload(found);
}

static ValueRef
MapMember(ValueRef v, const char *name)
{
	ValueRef	found = Member(v, name);

	if (ValueIsMissing(found) || ValueTypeOf(found) != VALUE_M)
		return MISSING_VALUE;
	return found;
}

static void
ReadColumns(EntityDef *def, ValueRef list)
{
	Container	columns;

	if (ValueIsMissing(list) || ValueTypeOf(list) != VALUE_L)
		return;
	ContainerOpen(list, &columns);
	def->ncolumns = (int) columns.count;
	def->columns = palloc(sizeof(EntityColumn) * Max(columns.count, 1));
	for (uint32 i = 0; i < columns.count; i++)
	{
		ValueRef	column = ListElement(&columns, i);

		def->columns[i].name = StringMember(column, "column");
		def->columns[i].attribute = StringMember(column, "attribute");
	}
}

EntityDef *
EntityDefRead(const char *text)
{
	ValueRef	root = ItemRoot(ItemFromJson(text, strlen(text)));
	EntityDef  *def = palloc0(sizeof(EntityDef));

	ReadColumns(def, Member(root, "columns"));
	def->keys = MapMember(root, "keys");
	def->prefix = MapMember(root, "prefix");
	def->attributes = MapMember(root, "attributes");
	def->condition = StringMember(root, "condition");
	def->values = MapMember(root, "values");
	def->names = MapMember(root, "names");
	return def;
}

int
EntityColumnNumber(const EntityDef *def, const char *column)
{
	for (int i = 0; i < def->ncolumns; i++)
	{
		if (SliceIs(def->columns[i].name, column))
			return i;
	}
	return -1;
}

Slice
EntityColumnAttribute(const EntityDef *def, int column)
{
	if (column < 0 || column >= def->ncolumns)
		return MISSING_SLICE;
	return def->columns[column].attribute;
}

Slice
EntityTemplate(const EntityDef *def, Slice attribute)
{
	ValueRef	found = AttributeFind(def->keys, attribute.data, attribute.len);

	return ValueIsMissing(found) ? MISSING_SLICE : ValuePayload(found);
}

/* ---- matching ---- */

static bool
HasAttributes(const EntityDef *def, ValueRef item)
{
	Container	wanted;

	if (ValueIsMissing(def->attributes))
		return true;
	ContainerOpen(def->attributes, &wanted);
	for (uint32 i = 0; i < wanted.count; i++)
	{
		Slice		name;
		ValueRef	value = MapEntry(&wanted, i, &name);

		if (!ValueEqual(AttributeFind(item, name.data, name.len), value))
			return false;
	}
	return true;
}

static bool
HasPrefixes(const EntityDef *def, ValueRef item)
{
	Container	wanted;

	if (ValueIsMissing(def->prefix))
		return true;
	ContainerOpen(def->prefix, &wanted);
	for (uint32 i = 0; i < wanted.count; i++)
	{
		Slice		name;
		Slice		prefix = ValuePayload(MapEntry(&wanted, i, &name));
		ValueRef	value = AttributeFind(item, name.data, name.len);

		if (ValueIsMissing(value) || ValueTypeOf(value) != VALUE_S ||
			!SliceBeginsWith(ValuePayload(value), prefix))
			return false;
	}
	return true;
}

static bool
HasComposedKeys(const EntityDef *def, const TableDef *table, ValueRef item)
{
	for (int i = 0; i < table->key.npartition + table->key.nsort; i++)
	{
		Slice		name = table->key.attributes[i].name;
		Slice		template = EntityTemplate(def, name);
		ValueRef	value = AttributeFind(item, name.data, name.len);
		StringInfoData key;
		Slice		missing;

		if (template.data == NULL)
			continue;
		initStringInfo(&key);
		if (!TemplateRender(template, item, &key, &missing) ||
			ValueIsMissing(value) ||
			SliceCompare(ValuePayload(value), (Slice) {key.data, key.len}) != 0)
			return false;
	}
	return true;
}

static Condition *
BindCondition(const EntityDef *def, ExprBindings **bindings)
{
	Container	names;

	*bindings = ExprBindingsCreate(def->values);
	if (!ValueIsMissing(def->names))
	{
		ContainerOpen(def->names, &names);
		for (uint32 i = 0; i < names.count; i++)
		{
			Slice		placeholder;
			ValueRef	name = MapEntry(&names, i, &placeholder);

			ExprBindingsAddName(*bindings, placeholder, ValuePayload(name));
		}
	}
	ExprBindingsCheck(*bindings, !ValueIsMissing(def->names));
	return ConditionBind(EXPR_CONDITION,
						 ExprParse(EXPR_CONDITION, def->condition.data, def->condition.len),
						 *bindings);
}

void
EntityCheckCondition(const EntityDef *def)
{
	ExprBindings *bindings;

	BindCondition(def, &bindings);
	ExprBindingsCheckUnused(bindings);
}

static bool
MeetsCondition(const EntityDef *def, ValueRef item)
{
	ExprBindings *bindings;

	return def->condition.data == NULL ||
		ConditionMatches(BindCondition(def, &bindings), item);
}

bool
EntityIsOfKind(const EntityDef *def, ValueRef item)
{
	return HasAttributes(def, item) && HasPrefixes(def, item) &&
		MeetsCondition(def, item);
}

bool
EntityMatches(const EntityDef *def, const TableDef *table, ValueRef item)
{
	return HasComposedKeys(def, table, item) && EntityIsOfKind(def, item);
}
