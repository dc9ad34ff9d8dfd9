/*
 * unique.c
 *	  dynamo.add_unique_constraint: attributes that are unique within a kind of
 *	  items.
 *
 * The constraint is a partial unique index.  If it must be deferrable it is an
 * exclusion constraint, because unique indexes cannot be deferred.  An
 * attribute that is part of a table or index key has a column, which the
 * constraint uses.  For other attributes the index contains the value itself.
 *
 * A comment on the index or the constraint says with what the function was called, as
 * an item like the stored form of a kind (kind.h), with the attributes in "unique".
 */
#include "postgres.h"

#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "parser/scansup.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "compat.h"
#include "ddl/ddl.h"
#include "item/builder.h"
#include "item/json.h"
#include "store/plan.h"
#include "table/moves.h"
#include "table/table_name.h"
#include "view/kind.h"

/*
 * Appends one attribute as an index element; with exclude, also its operator.
 */
static void
AppendIndexElement(StringInfo sql, const TableDef *table, Datum name, bool exclude)
{
	text	   *attribute = DatumGetTextPP(name);
	Slice		slice = SliceOfVarlena(attribute);
	int			i = TableDefAttribute(table, slice);

	if (i >= 0)
		appendStringInfoString(sql, quote_identifier(table->attributes[i].column));
	else
		appendStringInfo(sql, "(item OPERATOR(dynamo.->) %s)", SliceLiteral(slice));
	if (exclude)
		appendStringInfo(sql, " WITH OPERATOR(%s.=)", i >= 0 ? "pg_catalog" : "dynamo");
}

static void
AppendElements(StringInfo sql, const TableDef *table, ArrayType *attributes, bool exclude)
{
	Datum	   *names;
	bool	   *nulls;
	int			n;

	deconstruct_array(attributes, TEXTOID, -1, false, TYPALIGN_INT, &names, &nulls, &n);
	if (n == 0)
		InvalidArgument("a unique constraint needs an attribute");
	for (int i = 0; i < n; i++)
	{
		if (nulls[i])
			InvalidArgument("the name of an attribute must not be null");
		appendStringInfoString(sql, i == 0 ? "(" : ", ");
		AppendIndexElement(sql, table, names[i], exclude);
	}
	appendStringInfoChar(sql, ')');
}

static char *
MakeConstraintStatement(Relation rel, const TableDef *table, const char *name,
					ArrayType *attributes, const ItemKind *kind,
					bool deferrable, bool initially_deferred)
{
	char	   *relation = RelationSqlName(RelationGetRelid(rel));
	StringInfoData sql;
	StringInfoData tests;
	bool		first = true;

	initStringInfo(&sql);
	if (deferrable)
		appendStringInfo(&sql, "ALTER TABLE %s ADD CONSTRAINT %s EXCLUDE USING btree ",
						 relation, quote_identifier(name));
	else
		appendStringInfo(&sql, "CREATE UNIQUE INDEX %s ON %s ",
						 quote_identifier(name), relation);
	AppendElements(&sql, table, attributes, deferrable);

	initStringInfo(&tests);
	AppendKindTests(&tests, &first, "", table, kind);
	if (!first)					/* exclusion constraints require parentheses */
		appendStringInfo(&sql, " WHERE (%s)", tests.data + strlen(" WHERE "));
	if (deferrable)
		appendStringInfo(&sql, " DEFERRABLE INITIALLY %s",
						 initially_deferred ? "DEFERRED" : "IMMEDIATE");
	return sql.data;
}

static char *
PrintUnique(ArrayType *attributes, const ItemKind *kind)
{
	ItemBuilder *b = ItemBuilderCreate(0, DUPLICATE_NAME_ERROR);
	StringInfoData out;
	Datum	   *names;
	bool	   *nulls;
	int			n;

	deconstruct_array(attributes, TEXTOID, -1, false, TYPALIGN_INT, &names, &nulls, &n);
	ItemBuilderBeginMap(b);
	ItemBuilderName(b, "unique", strlen("unique"));
	ItemBuilderBeginList(b);
	for (int i = 0; i < n; i++)
	{
		text	   *attribute = DatumGetTextPP(names[i]);
		Slice		name = SliceOfVarlena(attribute);

		ItemBuilderString(b, name.data, name.len);
	}
	ItemBuilderEnd(b);
	KindBuild(b, kind);
	ItemBuilderEnd(b);
	initStringInfo(&out);
	appendStringInfoString(&out, UNIQUE_COMMENT);
	ItemToJson(&out, ItemRoot(ItemBuilderFinish(b)));
	return out.data;
}

static void
CommentOnUnique(Oid relid, const char *name, bool deferrable, const char *comment)
{
	if (deferrable)
		RunStatement("COMMENT ON CONSTRAINT %s ON %s IS %s", quote_identifier(name), RelationSqlName(relid), quote_literal_cstr(comment));
	else
		RunStatement("COMMENT ON INDEX %s IS %s", RelationSqlName(get_relname_relid(name, get_rel_namespace(relid))), quote_literal_cstr(comment));
}

/*
 * add_unique_constraint(table_name text, constraint_name text,
 *		attributes text[], key_prefix jsonb, kind_attributes item,
 *		condition_expression text, expression_attribute_values item,
 *		expression_attribute_names jsonb, is_deferrable, initially_deferred)
 */
DYNAMO_FUNCTION(dynamo_add_unique_constraint);
Datum
dynamo_add_unique_constraint(PG_FUNCTION_ARGS)
{
	bool		initially_deferred = !PG_ARGISNULL(9) && PG_GETARG_BOOL(9);
	bool		deferrable = initially_deferred || (!PG_ARGISNULL(8) && PG_GETARG_BOOL(8));
	ItemKind	kind = {0};
	Relation	rel;
	TableDef   *table;
	Oid			relid;
	char	   *name;
	char	   *statement;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(2))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("table_name, constraint_name and attributes must not be null")));
	KindArguments(fcinfo, 3, &kind);
	rel = OpenTableForDdl(TableArgument(fcinfo, 0), ShareRowExclusiveLock);
	table = TableDefAcquire(rel);
	RefuseWhileMoving(table, "create unique constraints beside");
	KindCheck(table, &kind);
	relid = RelationGetRelid(rel);
	name = text_to_cstring(PG_GETARG_TEXT_PP(1));
	truncate_identifier(name, strlen(name), true);
	statement = MakeConstraintStatement(rel, table, name, PG_GETARG_ARRAYTYPE_P(2), &kind,
										deferrable, initially_deferred);
	TableDefRelease(table);
	table_close(rel, NoLock);

	SPI_connect();
	RunStatement("%s", statement);
	CommandCounterIncrement();
	CommentOnUnique(relid, name, deferrable, PrintUnique(PG_GETARG_ARRAYTYPE_P(2), &kind));
	SPI_finish();
	PG_RETURN_VOID();
}
