/*
 * pattern_sql.c
 *	  The query that an access pattern's function is.
 *
 * Rows are read from the table in the order of one of its btrees:
 *
 *		SELECT <the columns of the view> FROM public.shop t
 *		WHERE t."PK" = dynamo.pattern_key('=', 'CUSTOMER#{customer_id}', 'customer_id', $1)
 *		  AND dynamo.begins_with(t."SK", 'ORDER#') AND dynamo.has_type(t.item, 'kind', 'order')
 *		ORDER BY t."SK" DESC LIMIT 10
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

/* Returns $n; a bound that is not given is null. */
static char *
ParameterReference(const AccessPattern *pattern, const char *name)
{
	int			i = PatternParameterFind(pattern, name);

	return i < 0 ? "NULL::pg_catalog.text" : psprintf("$%d", i + 1);
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
	appendStringInfo(&out, "dynamo.pattern_key(%s, %s", TextLiteral(KeyComparisonName(value->comparison)),
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

static void
AppendKeyTest(Body *b, const PatternKey *key)
{
	const AttributeDef *attr = FindAttributeColumn(b, SliceOf(key->attribute));
	const char *column = quote_identifier(attr->column);
	const char *type = attr->type == VALUE_S ? "" : attr->type == VALUE_N ? "::pg_catalog.numeric" : "::pg_catalog.bytea";
	char	   *value = ValueExpression(b->pattern, &key->values[0]);

	if (key->op == KEY_BEGINS_WITH)
		appendStringInfo(&b->sql, "dynamo.begins_with(t.%s, %s)", column, value);
	else if (key->op == KEY_BETWEEN)
	{
		AppendComparison(b, column, ">=", value, type);
		appendStringInfoString(&b->sql, " AND ");
		AppendComparison(b, column, "<=", ValueExpression(b->pattern, &key->values[1]), type);
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

/* Appends the order of the index: its sort keys, then the table's key. */
static void
AppendOrder(Body *b)
{
	const KeySchema *key = b->target->key;
	const KeySchema *table_key = &b->target->table->key;
	const char *direction = b->pattern->backward ? " DESC" : "";
	bool		first = true;

	for (int i = key->npartition; i < KeyCount(key); i++, first = false)
		appendStringInfo(&b->sql, "%st.%s%s", first ? " ORDER BY " : ", ",
						 quote_identifier(FindAttributeColumn(b, key->attributes[i].name)->column), direction);
	for (int i = 0; b->target->index != NULL && i < KeyCount(table_key); i++, first = false)
		appendStringInfo(&b->sql, "%st.%s%s", first ? " ORDER BY " : ", ",
						 quote_identifier(FindAttributeColumn(b, table_key->attributes[i].name)->column), direction);
}

/*
 * Of items in the range only those of the view's entity become rows.  An entity
 * without type attribute is known by its key.
 */
static void
AppendKindTest(Body *b, const char *relation)
{
	const Entity *entity = b->target->entities[0];

	if (entity->type_attribute.data != NULL)
		appendStringInfo(&b->sql, "dynamo.has_type(t.item, %s, %s)", SliceLiteral(entity->type_attribute),
						 SliceLiteral(entity->type_value));
	else
		appendStringInfo(&b->sql, "dynamo.is_entity(%s, %s, t.item)", relation, SliceLiteral(entity->name));
}

static void
AppendFilter(Body *b)
{
	appendStringInfoString(&b->sql, " AND ");
	AppendKindTest(b, "t.tableoid");
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
	appendStringInfo(&b->sql, "dynamo.pattern_holds(%s::pg_catalog.regclass, %s)", quote_literal_cstr(b->pattern->relation),
					 TextLiteral(b->pattern->basis));
}

static void
AppendRowsOfTable(Body *b)
{
	appendStringInfo(&b->sql, " FROM %s t WHERE ", b->pattern->relation);
	AppendHolds(b);
	appendStringInfoString(&b->sql, " AND ");
	for (int i = 0; i < b->pattern->nkeys; i++)
	{
		if (i > 0)
			appendStringInfoString(&b->sql, " AND ");
		AppendKeyTest(b, &b->pattern->keys[i]);
	}
	AppendNotNull(b);
	AppendFilter(b);
	AppendOrder(b);
	AppendLimit(b);
}

/* ---- by dynamo.query ---- */

/*
 * Appends that the pattern finds all items, and that the values to compare with are
 * not null, because no key equals null.
 */
static void
AppendGuard(Body *b)
{
	ListCell   *cell;

	appendStringInfoString(&b->sql, " WHERE ");
	AppendHolds(b);

	foreach(cell, PatternPlaceholders(b->pattern))
	{
		const PatternPlaceholder *p = lfirst(cell);

		if (p->constant != NULL)
			continue;
		appendStringInfo(&b->sql, " AND %s IS NOT NULL", PlaceholderExpression(b->pattern, p));
	}
}

static void
AppendCall(Body *b, const char *function, const char *size, const char *start)
{
	const AccessPattern *p = b->pattern;

	appendStringInfo(&b->sql, "%s(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)", function,
					 TableLiteral(p), TextLiteral(PatternKeyExpression(p)), ValuesItem(p, false),
					 JsonLiteral(PatternNames(p)), TextLiteral(p->index), p->backward ? "false" : "true", size, start,
					 TextLiteral(PatternFilterExpression(p)), TextLiteral(p->projection));
}

static void
AppendQuery(Body *b)
{
	const AccessPattern *p = b->pattern;

	AppendCall(b, "dynamo.query", p->limit > 0 ? psprintf("%d", p->limit) : "NULL::pg_catalog.int4", "NULL::dynamo.item");
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
	AppendCall(b, "dynamo.query_page", psprintf("$%d", n + 1), psprintf("$%d", n + 2));
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
