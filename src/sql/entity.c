/*
 * entity.c
 *	  The definition of an entity view, and whether an item belongs to the
 *	  view.
 */
#include "postgres.h"

#include "item/json.h"
#include "sql/entity.h"

/* ---- reading a definition ---- */

/*
 * The definition is the argument of a trigger, which the owner of the view can
 * write.  Everything in it is therefore checked.
 */
static void DefinitionError(const char *detail) pg_attribute_noreturn();

static void
DefinitionError(const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATA_CORRUPTED),
			 errmsg("invalid definition of entities"),
			 errdetail("%s", detail)));
}

/* Returns a member that has this type; MISSING_VALUE if it is absent. */
static ValueRef
Member(ValueRef v, const char *name, ValueType type)
{
	ValueRef	found = AttributeFind(v, name, strlen(name));

	if (!ValueIsMissing(found) && ValueTypeOf(found) != type)
		DefinitionError(psprintf("Member \"%s\" has type %s, not %s.", name,
								 ValueTypeName(ValueTypeOf(found)), ValueTypeName(type)));
	return found;
}

static Slice
StringMember(ValueRef v, const char *name)
{
	ValueRef	found = Member(v, name, VALUE_S);

	return ValueIsMissing(found) ? MISSING_SLICE : ValuePayload(found);
}

/* Returns a member that is a map of strings. */
static ValueRef
StringsMember(ValueRef v, const char *name)
{
	ValueRef	found = Member(v, name, VALUE_M);
	Container	entries;

	if (ValueIsMissing(found))
		return found;
	ContainerOpen(found, &entries);
	for (uint32 i = 0; i < entries.count; i++)
	{
		Slice		entry;

		if (ValueTypeOf(MapEntry(&entries, i, &entry)) != VALUE_S)
			DefinitionError(psprintf("Member \"%s\" holds something that is no string: %.*s.",
									 name, (int) entry.len, entry.data));
	}
	return found;
}

static ValueRef
TemplatesMember(ValueRef v, const char *name)
{
	ValueRef	found = StringsMember(v, name);
	Container	entries;

	if (ValueIsMissing(found))
		return found;
	ContainerOpen(found, &entries);
	for (uint32 i = 0; i < entries.count; i++)
	{
		Slice		entry;
		const char *problem;

		if (TemplateRead(ValuePayload(MapEntry(&entries, i, &entry)), &problem) == NULL)
			DefinitionError(psprintf("The template of \"%.*s\" is malformed: %s.",
									 (int) entry.len, entry.data, problem));
	}
	return found;
}

static void
ReadColumn(ValueRef v, EntityColumn *column)
{
	if (ValueTypeOf(v) != VALUE_M)
		DefinitionError("A column is not a map.");
	column->name = StringMember(v, "column");
	column->attribute = StringMember(v, "attribute");
	if (column->name.len == 0 || column->attribute.len == 0)
		DefinitionError("A column has no name or no attribute.");
}

static void
ReadColumns(EntityDef *def, ValueRef list)
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

EntityDef *
EntityDefRead(const char *text)
{
	ValueRef	root = ItemRoot(ItemFromJson(text, strlen(text), NULL));
	EntityDef  *def = palloc0(sizeof(EntityDef));

	ReadColumns(def, Member(root, "columns", VALUE_L));
	def->keys = TemplatesMember(root, "keys");
	def->prefix = StringsMember(root, "prefix");
	def->attributes = Member(root, "attributes", VALUE_M);
	def->condition = StringMember(root, "condition");
	def->values = Member(root, "values", VALUE_M);
	def->names = StringsMember(root, "names");
	def->entity = StringMember(root, "entity");
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
	for (int i = 0; i < KeyCount(&table->key); i++)
	{
		Slice		name = table->key.attributes[i].name;
		Slice		template = EntityTemplate(def, name);
		ValueRef	value = AttributeFind(item, name.data, name.len);
		StringInfoData key;
		ComposeProblem problem;

		if (template.data == NULL)
			continue;
		initStringInfo(&key);
		if (TemplateCompose(TemplateGet(template), item, &key, &problem) != COMPOSE_OK ||
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

/* For views of a table's entity: whether an item is of this entity. */
static bool
IsOfTablesEntity(const EntityDef *def, const TableDef *table, ValueRef item)
{
	const Entity *entity = table->entities == NULL ? NULL : EntityOfItem(table->entities, item);

	return entity != NULL && SliceEqual(entity->name, def->entity) && EntityKeyIsComposed(entity, item);
}

bool
EntityMatches(const EntityDef *def, const TableDef *table, ValueRef item)
{
	if (def->entity.data != NULL)
		return IsOfTablesEntity(def, table, item);
	return HasComposedKeys(def, table, item) && EntityIsOfKind(def, item);
}
