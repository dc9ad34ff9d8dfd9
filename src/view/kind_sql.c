/*
 * kind_sql.c
 *	  The tests of a kind of items in SQL, for index predicates and
 *	  constraints.
 */
#include "postgres.h"

#include "utils/builtins.h"
#include "utils/jsonb.h"

#include "item/convert.h"
#include "item/json.h"
#include "view/kind.h"

char *
SliceLiteral(Slice s)
{
	return psprintf("%s::pg_catalog.text",
					quote_literal_cstr(text_to_cstring(SliceToText(s))));
}

static void
BeginTest(StringInfo sql, bool *first)
{
	appendStringInfoString(sql, *first ? " WHERE " : " AND ");
	*first = false;
}

static const char *
ColumnOfKey(const TableDef *table, Slice name)
{
	int			i = TableDefAttribute(table, name);

	if (i < 0)
		InvalidArgument("\"%.*s\" is not a key attribute of the table or its indexes",
					(int) name.len, name.data);
	return quote_identifier(table->attributes[i].column);
}

static void
AppendPrefixTest(StringInfo sql, bool *first, const char *qualifier,
				 const char *column, Slice prefix)
{
	if (prefix.len == 0)
		return;
	BeginTest(sql, first);
	appendStringInfo(sql, "dynamo.begins_with(%s%s, %s)", qualifier, column,
					 SliceLiteral(prefix));
}

static void
AppendPrefixTests(StringInfo sql, bool *first, const char *qualifier,
				  const TableDef *table, ValueRef prefix)
{
	Container	entries;

	if (ValueIsMissing(prefix))
		return;
	ContainerOpen(prefix, &entries);
	for (uint32 i = 0; i < entries.count; i++)
	{
		Slice		name;
		Slice		text = ValuePayload(MapEntry(&entries, i, &name));

		AppendPrefixTest(sql, first, qualifier, ColumnOfKey(table, name), text);
	}
}

static void
AppendAttributeTests(StringInfo sql, bool *first, const char *qualifier,
					 ValueRef attributes)
{
	Container	entries;

	if (ValueIsMissing(attributes))
		return;
	ContainerOpen(attributes, &entries);
	for (uint32 i = 0; i < entries.count; i++)
	{
		Slice		name;
		ValueRef	value = MapEntry(&entries, i, &name);
		StringInfoData text;

		initStringInfo(&text);
		ValueToJson(&text, value);
		BeginTest(sql, first);
		appendStringInfo(sql, "(%sitem OPERATOR(dynamo.->) %s) OPERATOR(dynamo.=) %s::dynamo.value",
						 qualifier, SliceLiteral(name), quote_literal_cstr(text.data));
	}
}

/* Returns a literal of a map as an item, or null. */
static char *
ItemLiteral(ValueRef map)
{
	StringInfoData text;

	if (ValueIsMissing(map))
		return "NULL::dynamo.item";
	initStringInfo(&text);
	ItemToJson(&text, map);
	return psprintf("%s::dynamo.item", quote_literal_cstr(text.data));
}

static char *
JsonbLiteral(ValueRef map)
{
	if (ValueIsMissing(map))
		return "NULL::pg_catalog.jsonb";
	return psprintf("%s::pg_catalog.jsonb",
					quote_literal_cstr(JsonbToCString(NULL, &ValueToJsonb(map)->root, 0)));
}

void
AppendKindTests(StringInfo sql, bool *first, const char *qualifier,
				const TableDef *table, const ItemKind *kind)
{
	AppendPrefixTests(sql, first, qualifier, table, kind->prefix);
	AppendAttributeTests(sql, first, qualifier, kind->attributes);
	if (kind->condition.data != NULL)
	{
		BeginTest(sql, first);
		appendStringInfo(sql, "dynamo.matches(%sitem, %s, %s, %s)",
						 qualifier, SliceLiteral(kind->condition), ItemLiteral(kind->values),
						 JsonbLiteral(kind->names));
	}
}
