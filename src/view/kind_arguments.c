/*
 * kind_arguments.c
 *	  Reads and checks SQL arguments that describe kinds of items.
 */
#include "postgres.h"

#include "utils/jsonb.h"

#include "ddl/ddl.h"
#include "entity/template.h"
#include "errors.h"
#include "item/convert.h"
#include "view/kind.h"

/* ---- arguments ---- */

ValueRef
KindJsonArgument(FunctionCallInfo fcinfo, int n, const char *name)
{
	Jsonb	   *object = JsonObjectArgument(fcinfo, n, name);
	ItemBuilder *b;

	if (object == NULL)
		return MISSING_VALUE;
	b = ItemBuilderCreate(0, DUPLICATE_NAME_ERROR);
	ItemBuilderJsonb(b, object);
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
KindArguments(FunctionCallInfo fcinfo, int n, ItemKind *kind)
{
	kind->prefix = KindJsonArgument(fcinfo, n, "key_prefix");
	kind->attributes = ItemArgument(fcinfo, n + 1);
	if (!PG_ARGISNULL(n + 2))
	{
		text	   *condition = PG_GETARG_TEXT_PP(n + 2);

		kind->condition = SliceOfVarlena(condition);
	}
	kind->values = ItemArgument(fcinfo, n + 3);
	kind->names = NamesArgument(fcinfo, n + 4);
	if (kind->condition.data == NULL &&
		(!ValueIsMissing(kind->values) || !ValueIsMissing(kind->names)))
		InvalidArgument("expression attribute values or names are given without a condition_expression");
}

/* ---- checks ---- */

static void
CheckKeyAttribute(const TableDef *table, Slice name, ValueRef text)
{
	int			i = TableDefAttribute(table, name);

	if (i < 0)
		InvalidArgument("\"%.*s\" is not a key attribute of the table or its indexes",
					(int) name.len, name.data);
	if (table->attributes[i].type != VALUE_S)
		InvalidArgument("key attribute \"%.*s\" is not of type S", (int) name.len, name.data);
	if (ValueTypeOf(text) != VALUE_S)
		InvalidArgument("\"%.*s\" must be a string", (int) name.len, name.data);
}

void
KindCheckTemplates(const TableDef *table, ValueRef templates, bool complete)
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
			InvalidArgument("key attribute \"%.*s\" has no template", (int) name.len, name.data);
	}
	if (entries.count > (uint32) nkeys)
		InvalidArgument("there are templates for attributes that are not in the key of the table");
}

void
KindCheck(const TableDef *table, const ItemKind *kind)
{
	Container	entries;

	if (!ValueIsMissing(kind->prefix))
	{
		ContainerOpen(kind->prefix, &entries);
		for (uint32 i = 0; i < entries.count; i++)
		{
			Slice		name;
			ValueRef	text = MapEntry(&entries, i, &name);

			CheckKeyAttribute(table, name, text);
		}
	}
	if (kind->condition.data != NULL)
		KindCheckCondition(kind);
}

/* ---- the stored form ---- */

void
KindBuild(ItemBuilder *b, const ItemKind *kind)
{
	ItemBuilderMember(b, "keys", kind->keys);
	ItemBuilderMember(b, "prefix", kind->prefix);
	ItemBuilderMember(b, "attributes", kind->attributes);
	ItemBuilderStringMember(b, "condition", kind->condition);
	ItemBuilderMember(b, "values", kind->values);
	ItemBuilderMember(b, "names", kind->names);
}
