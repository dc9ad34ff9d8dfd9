/*
 * pattern_sql.c
 *	  The query that an access pattern's function is.
 *
 * Rows are read from the table in the order of one of its btrees:
 *
 *		SELECT <the columns of the view> FROM public.shop t
 *		WHERE t."PK" = dynamo_system.pattern_key('=', 'CUSTOMER#{customer_id}', 'customer_id', $1)
 *		  AND dynamo.begins_with(t."SK", 'ORDER#') AND dynamo_system.has_type(t.item, 'kind', 'order')
 *		ORDER BY t."SK" DESC LIMIT 10
 *
 * Of a list, the keys of each element are computed first, each once, and joined:
 *
 *		FROM (SELECT DISTINCT dynamo_system.pattern_key('=', 'STATUS#{status}', 'status', e.v) AS k0
 *			FROM unnest(dynamo_system.pattern_list($1)) e(v)) k, public.shop t WHERE t."PK" = k.k0
 *
 * PostgreSQL expands such a function in the statement that calls it.  Items,
 * pages and documents, and rows of an index that is a table of its own, are read
 * by dynamo.query.  All names and types are qualified, and what the user has
 * written is in literals.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/rel.h"

#include "pattern/pattern.h"
#include "table/ddl_statement.h"
#include "view/entity_view.h"
#include "view/kind.h"

typedef struct Body
{
	const AccessPattern *pattern;
	const PatternTarget *target;
	Relation	view;			/* the view's columns; NULL for items */
	StringInfoData sql;
	const PatternVersions *versions;	/* those that are read; NULL for the pattern alone */
} Body;

static char *
TextLiteral(const char *text)
{
	return text == NULL ? "NULL::pg_catalog.text" : SliceLiteral(SliceOf(text));
}

/* The table as an argument: nothing else can take its place, as in FROM. */
static char *
TableLiteral(const AccessPattern *pattern)
{
	return psprintf("%s::pg_catalog.regclass", quote_literal_cstr(pattern->relation));
}

static bool
IsList(const AccessPattern *pattern, const char *name)
{
	int			i = PatternParameterFind(pattern, name);

	return i >= 0 && pattern->parameters[i].list;
}

/* Returns $n, or an element of the list; a bound that is not given is null. */
static char *
ParameterReference(const AccessPattern *pattern, const char *name)
{
	int			i = PatternParameterFind(pattern, name);

	return i < 0 ? "NULL::pg_catalog.text" : pattern->parameters[i].list ? "e.v" : psprintf("$%d", i + 1);
}

/* Returns the elements of the list as a relation. */
static char *
ListElements(const AccessPattern *pattern)
{
	return psprintf("pg_catalog.unnest(dynamo_system.pattern_list($%d)) e(v)", PatternListFind(pattern) + 1);
}

static char *
ValueExpression(const AccessPattern *pattern, const PatternValue *value)
{
	StringInfoData out;
	ListCell   *part;
	ListCell   *parameter;

	if (value->constant != NULL)
		return TextLiteral(value->constant);
	if (value->template == NULL)
		return ParameterReference(pattern, linitial(value->parameters));
	initStringInfo(&out);
	appendStringInfo(&out, "dynamo_system.pattern_key(%s, %s", TextLiteral(KeyComparisonName(value->comparison)),
					 TextLiteral(value->template));
	forboth(part, value->parts, parameter, value->parameters)
		appendStringInfo(&out, ", %s, %s", TextLiteral(lfirst(part)), ParameterReference(pattern, lfirst(parameter)));
	appendStringInfoChar(&out, ')');
	return out.data;
}

/* ---- values of the expressions ---- */

static char *
PlaceholderExpression(const AccessPattern *pattern, const PatternPlaceholder *p)
{
	return p->key != NULL ? ValueExpression(pattern, p->key) :
		p->constant != NULL ? TextLiteral(p->constant) : ParameterReference(pattern, p->parameter);
}

/*
 * Returns dynamo.build_item(':v', value, ...) of the values of the filter without the
 * test of the kinds, or of all.
 */
static char *
ValuesItem(const AccessPattern *pattern, bool filter_only)
{
	StringInfoData out;
	ListCell   *cell;

	initStringInfo(&out);
	foreach(cell, PatternPlaceholders(pattern))
	{
		const PatternPlaceholder *p = lfirst(cell);

		if (filter_only && p->placeholder[1] == '_' && p->placeholder[2] != 'f')
			continue;
		appendStringInfo(&out, "%s%s, %s", out.len == 0 ? "dynamo.build_item(" : ", ", TextLiteral(p->placeholder),
						 PlaceholderExpression(pattern, p));
	}
	if (out.len == 0)
		return "NULL::dynamo.item";
	appendStringInfoChar(&out, ')');
	return out.data;
}

static char *
JsonLiteral(const char *json)
{
	return json == NULL ? "NULL::pg_catalog.jsonb" : psprintf("%s::pg_catalog.jsonb", quote_literal_cstr(json));
}

/* ---- rows of a table ---- */

static const AttributeDef *
FindAttributeColumn(const Body *b, Slice attribute)
{
	return &b->target->table->attributes[TableDefAttribute(b->target->table, attribute)];
}

static void
AppendComparison(Body *b, const char *column, const char *operator, const char *value, const char *type)
{
	appendStringInfo(&b->sql, "t.%s OPERATOR(pg_catalog.%s) %s%s", column, operator, value, type);
}

/* Whether a value is another one for each element of the list. */
static bool
DependsOnList(const AccessPattern *pattern, const PatternValue *value)
{
	ListCell   *cell;

	foreach(cell, value->parameters)
	{
		if (IsList(pattern, lfirst(cell)))
			return true;
	}
	return false;
}

/* Returns value j of the condition on key i. */
static char *
KeyValueExpression(const AccessPattern *pattern, int i, int j)
{
	const PatternValue *value = &pattern->keys[i].values[j];

	return DependsOnList(pattern, value) ? psprintf("k.k%d%s", i, j == 0 ? "" : "b") : ValueExpression(pattern, value);
}

/* Appends the keys of the elements of the list, each once. */
static void
AppendListKeys(Body *b)
{
	const AccessPattern *p = b->pattern;
	const char *separator = "(SELECT DISTINCT ";

	for (int i = 0; i < p->nkeys; i++)
	{
		for (int j = 0; j < p->keys[i].nvalues; j++)
		{
			const PatternValue *value = &p->keys[i].values[j];

			if (!DependsOnList(p, value))
				continue;
			appendStringInfo(&b->sql, "%s%s AS k%d%s", separator, ValueExpression(p, value), i, j == 0 ? "" : "b");
			separator = ", ";
		}
	}
	appendStringInfo(&b->sql, " FROM %s) k", ListElements(p));
}

static void
AppendKeyTest(Body *b, int i)
{
	const PatternKey *key = &b->pattern->keys[i];
	const AttributeDef *attr = FindAttributeColumn(b, SliceOf(key->attribute));
	const char *column = quote_identifier(attr->column);
	const char *type = attr->type == VALUE_S ? "" : attr->type == VALUE_N ? "::pg_catalog.numeric" : "::pg_catalog.bytea";
	char	   *value = KeyValueExpression(b->pattern, i, 0);

	if (key->op == KEY_BEGINS_WITH)
		appendStringInfo(&b->sql, "dynamo.begins_with(t.%s, %s)", column, value);
	else if (key->op == KEY_BETWEEN)
	{
		AppendComparison(b, column, ">=", value, type);
		appendStringInfoString(&b->sql, " AND ");
		AppendComparison(b, column, "<=", KeyValueExpression(b->pattern, i, 1), type);
	}
	else
		AppendComparison(b, column, KeyOperatorName(key->op), value, type);
}

/*
 * Appends that the keys of the index are not null: an index has no items
 * without all its keys.
 */
static void
AppendNotNull(Body *b)
{
	for (int i = b->pattern->nkeys; i < KeyCount(b->target->key); i++)
		appendStringInfo(&b->sql, " AND t.%s IS NOT NULL",
						 quote_identifier(FindAttributeColumn(b, b->target->key->attributes[i].name)->column));
}

/*
 * Appends a key attribute to order by.  Where items are under either of two keys, the order of those of
 * the pattern's key that change is that of the one which their entity composes now.
 */
static void
AppendOrderKey(Body *b, const KeySchema *key, int i)
{
	Slice		attribute = key->attributes[i].name;

	if (key == b->target->key && b->versions != NULL && b->versions->templates[0][i] != NULL)
		appendStringInfo(&b->sql, "dynamo_system.pattern_order(t.tableoid, t.item, %s) COLLATE pg_catalog.\"C\"", SliceLiteral(attribute));
	else
		appendStringInfo(&b->sql, "t.%s", quote_identifier(FindAttributeColumn(b, attribute)->column));
}

/* Appends attributes first, ... of a key to ORDER BY. */
static void
AppendOrderBy(Body *b, const KeySchema *key, int first, int n, const char **separator)
{
	for (int i = first; i < n; i++)
	{
		appendStringInfoString(&b->sql, *separator);
		AppendOrderKey(b, key, i);
		appendStringInfoString(&b->sql, b->pattern->backward ? " DESC" : "");
		*separator = ", ";
	}
}

/*
 * Appends the order of the index: its sort keys, then the table's key.  Of several
 * partitions, their keys stand between.
 */
static void
AppendOrder(Body *b, bool partitions)
{
	const KeySchema *key = b->target->key;
	const KeySchema *table_key = &b->target->table->key;
	const char *separator = " ORDER BY ";

	AppendOrderBy(b, key, key->npartition, KeyCount(key), &separator);
	if (partitions)
		AppendOrderBy(b, key, 0, key->npartition, &separator);
	if (b->target->index != NULL)
		AppendOrderBy(b, table_key, 0, KeyCount(table_key), &separator);
}

/*
 * Of items in the range only those of the view's entity become rows.  An entity
 * without type attribute is known by its key, and one whose items get another type by
 * either of both.
 */
static void
AppendKindTest(Body *b, const char *relation)
{
	const Entity *entity = b->target->entities[0];

	if (entity->type_attribute.data != NULL && entity->other_type.data == NULL)
		appendStringInfo(&b->sql, "dynamo_system.has_type(t.item, %s, %s)", SliceLiteral(entity->type_attribute),
						 SliceLiteral(entity->type_value));
	else
		appendStringInfo(&b->sql, "dynamo_system.is_entity(%s, %s, t.item)", relation, SliceLiteral(entity->name));
}

/* Appends that an item is of the view's entity or, where items are read, of the kind that the filter would test. */
static void
AppendMeantKind(Body *b)
{
	const AccessPattern *p = b->pattern;

	if (b->view != NULL)
	{
		appendStringInfoString(&b->sql, " AND ");
		AppendKindTest(b, "t.tableoid");
	}
	else if (p->kind_attribute != NULL)
		appendStringInfo(&b->sql, " AND dynamo_system.has_type(t.item, %s, %s)", TextLiteral(p->kind_attribute),
						 TextLiteral(linitial(p->kinds)));
}

static void
AppendFilter(Body *b)
{
	if (PatternRowFilter(b->pattern) != NULL)
		appendStringInfo(&b->sql, " AND dynamo.matches(t.item, %s, %s, %s)", TextLiteral(PatternRowFilter(b->pattern)),
						 ValuesItem(b->pattern, true), JsonLiteral(PatternFilterNames(b->pattern)));
}

static void
AppendLimit(Body *b)
{
	if (b->pattern->limit > 0)
		appendStringInfo(&b->sql, " LIMIT %d", b->pattern->limit);
}

/* Appends that the pattern finds all items, which is tested once. */
static void
AppendHolds(Body *b)
{
	appendStringInfo(&b->sql, "dynamo_system.pattern_holds(%s::pg_catalog.regclass, %s)", quote_literal_cstr(b->pattern->relation),
					 TextLiteral(b->pattern->basis));
}

/* Appends that an item is in the range of the pattern's plan, and passes its filter. */
static void
AppendRange(Body *b)
{
	for (int i = 0; i < b->pattern->nkeys; i++)
	{
		if (i > 0)
			appendStringInfoString(&b->sql, " AND ");
		AppendKeyTest(b, i);
	}
	AppendNotNull(b);
	AppendMeantKind(b);
	AppendFilter(b);
}

/*
 * Appends that an item is under the key of one version and in the range of its plan.  The ranges alone
 * could also have items that are under the key of the other one.
 */
static void
AppendVersion(Body *b, int version)
{
	Body		arm = *b;

	arm.pattern = b->versions->plans[version];
	AppendRange(&arm);
	b->sql = arm.sql;
	for (int i = 0; i < KeyCount(b->target->key); i++)
	{
		if (b->versions->templates[version][i] != NULL)
			appendStringInfo(&b->sql, " AND dynamo.parse_key(t.%s, %s) IS NOT NULL",
							 quote_identifier(FindAttributeColumn(b, b->target->key->attributes[i].name)->column),
							 TextLiteral(b->versions->templates[version][i]));
	}
}

/* Appends that the parameters of the filter are not null, as where items are read by dynamo.query. */
static void
AppendNotNullParameters(Body *b)
{
	ListCell   *cell;

	foreach(cell, PatternPlaceholders(b->pattern))
	{
		const PatternPlaceholder *p = lfirst(cell);

		if (p->parameter != NULL && !IsList(b->pattern, p->parameter))
			appendStringInfo(&b->sql, " AND %s IS NOT NULL", ParameterReference(b->pattern, p->parameter));
	}
}

static void
AppendVersions(Body *b)
{
	appendStringInfoString(&b->sql, "((");
	AppendVersion(b, 0);
	appendStringInfoString(&b->sql, ") OR (");
	AppendVersion(b, 1);
	appendStringInfoString(&b->sql, "))");
	if (b->view == NULL)
		AppendNotNullParameters(b);
}

static void
AppendRangeOfTable(Body *b)
{
	appendStringInfo(&b->sql, "%s t WHERE ", b->pattern->relation);
	AppendHolds(b);
	appendStringInfoString(&b->sql, " AND ");
	if (b->versions != NULL)
		AppendVersions(b);
	else
		AppendRange(b);
}

/*
 * Appends the items of a list in two versions, which have keys of their own for each element.  Where both
 * keys can be the same text, an item is in both ranges.
 */
static void
AppendListOfVersions(Body *b)
{
	const char *separator = "SELECT DISTINCT ON (";

	appendStringInfoString(&b->sql, " FROM (");
	for (int i = 0; i < KeyCount(&b->target->table->key); i++)
	{
		appendStringInfo(&b->sql, "%st.%s", separator, quote_identifier(FindAttributeColumn(b, b->target->table->key.attributes[i].name)->column));
		separator = ", ";
	}
	appendStringInfoString(&b->sql, ") t.* FROM (");
	for (int version = 0; version < 2; version++)
	{
		Body		arm = *b;

		appendStringInfo(&b->sql, "%sSELECT t.*, t.tableoid FROM ", version == 0 ? "" : " UNION ALL ");
		arm.pattern = b->versions->plans[version];
		arm.sql = b->sql;
		AppendListKeys(&arm);
		appendStringInfo(&arm.sql, ", %s t WHERE ", b->pattern->relation);
		b->sql = arm.sql;
		AppendHolds(b);
		appendStringInfoString(&b->sql, " AND ");
		AppendVersion(b, version);
		if (b->view == NULL)
			AppendNotNullParameters(b);
	}
	appendStringInfoString(&b->sql, ") t) t");
	AppendOrder(b, true);
	AppendLimit(b);
}

/* With a limit, no more rows than that are read of each range. */
static void
AppendRowsOfTable(Body *b)
{
	bool		list = PatternListFind(b->pattern) >= 0;

	appendStringInfoString(&b->sql, " FROM ");
	if (list)
		AppendListKeys(b);
	if (list && b->pattern->limit > 0)
	{
		appendStringInfoString(&b->sql, " CROSS JOIN LATERAL (SELECT t.*, t.tableoid FROM ");
		AppendRangeOfTable(b);
		AppendOrder(b, false);
		AppendLimit(b);
		appendStringInfoString(&b->sql, ") t");
	}
	else
	{
		appendStringInfoString(&b->sql, list ? ", " : "");
		AppendRangeOfTable(b);
	}
	AppendOrder(b, list);
	AppendLimit(b);
}

/* ---- by dynamo.query ---- */

/* Returns " AND ..." that the values to compare with are not null, because no key equals null. */
static char *
NoNullValues(const AccessPattern *pattern)
{
	StringInfoData out;
	ListCell   *cell;

	initStringInfo(&out);
	foreach(cell, PatternPlaceholders(pattern))
	{
		const PatternPlaceholder *p = lfirst(cell);

		if (p->constant == NULL)
			appendStringInfo(&out, " AND %s IS NOT NULL", PlaceholderExpression(pattern, p));
	}
	return out.data;
}

/* Appends that the pattern finds all items and, unless for each element of a list, has all values. */
static void
AppendGuard(Body *b)
{
	appendStringInfoString(&b->sql, " WHERE ");
	AppendHolds(b);
	if (PatternListFind(b->pattern) < 0)
		appendStringInfoString(&b->sql, NoNullValues(b->pattern));
}

/* Returns the values of the request, or of those for each element of the list. */
static char *
RequestValues(const AccessPattern *p)
{
	char	   *values = ValuesItem(p, false);

	return PatternListFind(p) < 0 ? values :
		psprintf("ARRAY(SELECT %s FROM %s WHERE true%s)", values, ListElements(p), NoNullValues(p));
}

static void
AppendCall(Body *b, const char *function, const char *size, const char *start)
{
	const AccessPattern *p = b->pattern;

	appendStringInfo(&b->sql, "%s(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)", function,
					 TableLiteral(p), TextLiteral(PatternKeyExpression(p)), RequestValues(p),
					 JsonLiteral(PatternNames(p)), TextLiteral(p->index), p->backward ? "false" : "true", size, start,
					 TextLiteral(PatternFilterExpression(p)), TextLiteral(p->projection));
}

static void
AppendQuery(Body *b)
{
	const AccessPattern *p = b->pattern;

	AppendCall(b, PatternListFind(p) < 0 ? "dynamo.query" : "dynamo.query_each", p->limit > 0 ? psprintf("%d", p->limit) : "NULL::pg_catalog.int4", "NULL::dynamo.item");
}

/*
 * Selects a row for each item, with the columns that the view's expressions
 * read, as a row of the table.
 */
static void
AppendRowsOfItems(Body *b)
{
	const TableDef *table = b->target->table;

	appendStringInfo(&b->sql, " FROM (SELECT q.item, %s::pg_catalog.oid AS tableoid", TableLiteral(b->pattern));
	for (int i = 0; i < table->nattributes; i++)
	{
		const AttributeDef *attr = &table->attributes[i];

		appendStringInfo(&b->sql, ", (q.item OPERATOR(dynamo.->%s) %s)%s AS %s", attr->type == VALUE_B ? "" : ">",
						 SliceLiteral(attr->name), attr->type == VALUE_S ? "" :
						 attr->type == VALUE_N ? "::pg_catalog.numeric" : "::pg_catalog.bytea",
						 quote_identifier(attr->column));
	}
	appendStringInfoString(&b->sql, " FROM (SELECT ");
	AppendQuery(b);
	appendStringInfoString(&b->sql, " AS item");
	AppendGuard(b);
	appendStringInfoString(&b->sql, " OFFSET 0) q) t WHERE ");
	AppendKindTest(b, psprintf("%s::pg_catalog.oid", TableLiteral(b->pattern)));
}

static void
AppendItems(Body *b)
{
	appendStringInfoString(&b->sql, "SELECT ");
	AppendQuery(b);
	AppendGuard(b);
}

static void
AppendPage(Body *b)
{
	int			n = b->pattern->nparameters;

	appendStringInfoString(&b->sql, "SELECT p.items, p.count, p.scanned_count, p.last_evaluated_key FROM ");
	AppendCall(b, PatternListFind(b->pattern) < 0 ? "dynamo.query_page" : "dynamo.query_each_page", psprintf("$%d", n + 1), psprintf("$%d", n + 2));
	appendStringInfoString(&b->sql, " p");
	AppendGuard(b);
}

/* Reads the item at the other end of the range, which a limit may leave out. */
static void
AppendOtherEnd(Body *b)
{
	AccessPattern other = *b->pattern;
	Body		end = {&other, b->target, b->view};

	other.backward = !other.backward;
	other.limit = 1;
	initStringInfo(&end.sql);
	AppendItems(&end);
	appendStringInfo(&b->sql, ", ARRAY(%s)", end.sql.data);
}

static void
AppendDocument(Body *b)
{
	appendStringInfo(&b->sql, "SELECT dynamo.nest_items(%s, %s, ARRAY(", TableLiteral(b->pattern),
					 TextLiteral(linitial(b->pattern->entities)));
	AppendItems(b);
	appendStringInfoChar(&b->sql, ')');
	if (b->pattern->backward || b->pattern->limit > 0)
		appendStringInfo(&b->sql, ", %s", b->pattern->backward ? "true" : "false");
	if (b->pattern->limit > 0)
		AppendOtherEnd(b);
	appendStringInfoChar(&b->sql, ')');
}

/* ---- the whole ---- */

static void
AppendRows(Body *b)
{
	appendStringInfoString(&b->sql, "SELECT ");
	EntityViewAppendColumns(&b->sql, b->view, b->target->table, false);
	/* a distributed table is not planned in an SQL function with parameters */
	if (!b->target->table->distributed &&
		(b->target->index == NULL || b->target->index->kind->whole_items))
		AppendRowsOfTable(b);
	else
		AppendRowsOfItems(b);
}

char *
PatternBody(const AccessPattern *pattern, const PatternTarget *target, Relation view)
{
	Body		b = {pattern, target, view};

	initStringInfo(&b.sql);
	if (view != NULL)
		AppendRows(&b);
	else if (strcmp(pattern->returns, "page") == 0)
		AppendPage(&b);
	else if (strcmp(pattern->returns, "document") == 0)
		AppendDocument(&b);
	else
		AppendItems(&b);
	return b.sql.data;
}

char *
PatternBodyOfEither(const AccessPattern *pattern, const PatternTarget *target, Relation view,
					const PatternVersions *versions)
{
	Body		b = {pattern, target, view, .versions = versions};

	initStringInfo(&b.sql);
	appendStringInfoString(&b.sql, "SELECT ");
	if (view != NULL)
		EntityViewAppendColumns(&b.sql, view, target->table, false);
	else
		appendStringInfoString(&b.sql, "t.item");
	if (PatternListFind(pattern) >= 0)
		AppendListOfVersions(&b);
	else
		AppendRowsOfTable(&b);
	return b.sql.data;
}
