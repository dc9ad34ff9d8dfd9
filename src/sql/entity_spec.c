/*
 * entity_spec.c
 *	  Reads and checks SQL arguments that describe kinds of items.
 */
#include "postgres.h"

#include "utils/jsonb.h"

#include "entity/template.h"
#include "errors.h"
#include "item/convert.h"
#include "sql/entity.h"

void
EntityError(const char *format,...)
{
	va_list		args;
	char	   *text;

	va_start(args, format);
	text = DynamoFormat(format, args);
	va_end(args);
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg_internal("%s", text)));
}

/* ---- arguments ---- */

ValueRef
EntityJsonArgument(FunctionCallInfo fcinfo, int n, const char *name)
{
	ItemBuilder *b;

	if (PG_ARGISNULL(n))
		return MISSING_VALUE;
	if (!JB_ROOT_IS_OBJECT(PG_GETARG_JSONB_P(n)))
		EntityError("%s must be an object", name);
	b = ItemBuilderCreate(0, DUPLICATE_NAME_ERROR);
	ItemBuilderJsonb(b, PG_GETARG_JSONB_P(n));
	return ItemRoot(ItemBuilderFinish(b));
}

static ValueRef
ItemArgument(FunctionCallInfo fcinfo, int n)
{
	return PG_ARGISNULL(n) ? MISSING_VALUE : PG_GETARG_VALUE(n);
}

/* Returns the argument expression_attribute_names as a map of strings. */
static ValueRef
NamesArgument(FunctionCallInfo fcinfo, int n)
{
	ItemBuilder *b;
	NamePair   *pairs;
	int			npairs;

	if (PG_ARGISNULL(n))
		return MISSING_VALUE;
	npairs = ExprNamesFromJsonb(&PG_GETARG_JSONB_P(n)->root, &pairs);
	b = ItemBuilderCreate(0, DUPLICATE_NAME_ERROR);
	ItemBuilderBeginMap(b);
	for (int i = 0; i < npairs; i++)
	{
		ItemBuilderName(b, pairs[i].placeholder.data, pairs[i].placeholder.len);
		ItemBuilderString(b, pairs[i].name.data, pairs[i].name.len);
	}
	ItemBuilderEnd(b);
	return ItemRoot(ItemBuilderFinish(b));
}

void
EntityKindArguments(FunctionCallInfo fcinfo, int n, EntityDef *def)
{
	def->prefix = EntityJsonArgument(fcinfo, n, "key_prefix");
	def->attributes = ItemArgument(fcinfo, n + 1);
	if (!PG_ARGISNULL(n + 2))
	{
		text	   *condition = PG_GETARG_TEXT_PP(n + 2);

		def->condition = SliceOfVarlena(condition);
	}
	def->values = ItemArgument(fcinfo, n + 3);
	def->names = NamesArgument(fcinfo, n + 4);
	if (def->condition.data == NULL &&
		(!ValueIsMissing(def->values) || !ValueIsMissing(def->names)))
		EntityError("expression attribute values or names are given without a condition_expression");
}

/* ---- checks ---- */

static void
CheckKeyAttribute(const TableDef *table, Slice name, ValueRef text)
{
	int			i = TableDefAttribute(table, name);

	if (i < 0)
		EntityError("\"%.*s\" is no key attribute of the table or its indexes",
					(int) name.len, name.data);
	if (table->attributes[i].type != VALUE_S)
		EntityError("key attribute \"%.*s\" is not of type S", (int) name.len, name.data);
	if (ValueTypeOf(text) != VALUE_S)
		EntityError("\"%.*s\" must be a string", (int) name.len, name.data);
}

void
EntityCheckTemplates(const TableDef *table, ValueRef templates, bool complete)
{
	int			nkeys = KeyCount(&table->key);
	Container	entries;

	if (ValueIsMissing(templates))
		return;
	ContainerOpen(templates, &entries);
	for (uint32 i = 0; i < entries.count; i++)
	{
		Slice		name;
		ValueRef	text = MapEntry(&entries, i, &name);

		CheckKeyAttribute(table, name, text);
		(void) TemplateGet(ValuePayload(text));
	}
	if (!complete)
		return;
	for (int i = 0; i < nkeys; i++)
	{
		Slice		name = table->key.attributes[i].name;

		if (ValueIsMissing(AttributeFind(templates, name.data, name.len)))
			EntityError("key attribute \"%.*s\" has no template", (int) name.len, name.data);
	}
	if (entries.count > (uint32) nkeys)
		EntityError("there are templates for attributes that are not in the key of the table");
}

void
EntityCheckKind(const TableDef *table, const EntityDef *def)
{
	Container	entries;

	if (!ValueIsMissing(def->prefix))
	{
		ContainerOpen(def->prefix, &entries);
		for (uint32 i = 0; i < entries.count; i++)
		{
			Slice		name;
			ValueRef	text = MapEntry(&entries, i, &name);

			CheckKeyAttribute(table, name, text);
		}
	}
	if (def->condition.data != NULL)
		EntityCheckCondition(def);
}

/* ---- the stored form ---- */

static void
BuildSlice(ItemBuilder *b, const char *name, Slice text)
{
	if (text.data == NULL)
		return;
	ItemBuilderName(b, name, strlen(name));
	ItemBuilderString(b, text.data, text.len);
}

static void
BuildMap(ItemBuilder *b, const char *name, ValueRef map)
{
	if (ValueIsMissing(map))
		return;
	ItemBuilderName(b, name, strlen(name));
	ItemBuilderValue(b, map);
}

void
EntityBuildString(ItemBuilder *b, const char *name, const char *text)
{
	BuildSlice(b, name, (Slice) {text, strlen(text)});
}

void
EntityBuild(ItemBuilder *b, const EntityDef *def)
{
	BuildMap(b, "keys", def->keys);
	BuildMap(b, "prefix", def->prefix);
	BuildMap(b, "attributes", def->attributes);
	BuildSlice(b, "condition", def->condition);
	BuildMap(b, "values", def->values);
	BuildMap(b, "names", def->names);
	BuildSlice(b, "entity", def->entity);
}
