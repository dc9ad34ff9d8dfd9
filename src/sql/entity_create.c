/*
 * entity_create.c
 *	  dynamo.create_entity_view: makes the view and its trigger.
 *
 * Ordinary statements run as the caller.  The view runs with the rights of
 * whoever uses it (security_invoker), so that it opens no door of its own.
 * Every name in its query is qualified.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "parser/parse_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "catalog/ddl.h"
#include "catalog/objects.h"
#include "compat.h"
#include "item/json.h"
#include "sql/attribute.h"
#include "sql/entity.h"

#define ENTITY_TRIGGER	"dynamo_entity_view"

/* The parameters, null ones as NULL or MISSING_VALUE. */
typedef struct EntitySpec
{
	char	   *view_name;
	char	   *table_name;
	Datum		columns;		/* json */
	EntityDef	def;			/* all but its columns */
} EntitySpec;

typedef struct ViewColumn
{
	char	   *name;
	char	   *attribute;
	Oid			type;
	int32		typmod;
} ViewColumn;

/* ---- columns ---- */

/* In the order given, which jsonb would not keep. */
static const char columns_query[] =
"SELECT e.key, k.kind, "
"  CASE WHEN k.kind OPERATOR(pg_catalog.=) 'string' THEN e.value OPERATOR(pg_catalog.#>>) '{}' "
"    WHEN k.kind OPERATOR(pg_catalog.=) 'object' THEN e.value OPERATOR(pg_catalog.->>) 'type' END, "
"  CASE WHEN k.kind OPERATOR(pg_catalog.=) 'object' THEN e.value OPERATOR(pg_catalog.->>) 'attribute' END "
"FROM pg_catalog.json_each($1) e, pg_catalog.json_typeof(e.value) k(kind)";

static void
ReadColumn(HeapTuple tuple, TupleDesc desc, ViewColumn *column)
{
	char	   *kind = SPI_getvalue(tuple, desc, 2);
	char	   *type = SPI_getvalue(tuple, desc, 3);
	char	   *attribute = SPI_getvalue(tuple, desc, 4);

	column->name = SPI_getvalue(tuple, desc, 1);
	if (strcmp(kind, "string") != 0 && strcmp(kind, "object") != 0)
		EntityError("column \"%s\" must be described by a type or by {\"type\": ..., \"attribute\": ...}", column->name);
	if (type == NULL)
		EntityError("column \"%s\" has no type", column->name);
	if (column->name[0] == '\0' || strlen(column->name) >= NAMEDATALEN)
		EntityError("invalid column name \"%s\"", column->name);

	column->attribute = (attribute != NULL) ? attribute : column->name;
	ParseTypeName(type, &column->type, &column->typmod);
	if (!TypeCanHoldAttribute(column->type))
		EntityError("column \"%s\" cannot have type %s", column->name, type);
}

static ViewColumn *
ReadColumns(Datum json, int *n)
{
	Oid			types[1] = {JSONOID};
	ViewColumn *columns;

	if (SPI_execute_with_args(columns_query, 1, types, &json, NULL, true, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not read the columns of an entity view");
	*n = (int) SPI_processed;
	columns = palloc(sizeof(ViewColumn) * (*n + 1));
	for (int i = 0; i < *n; i++)
		ReadColumn(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, &columns[i]);
	return columns;
}

static bool
HasColumnFor(const ViewColumn *columns, int n, Slice attribute)
{
	for (int i = 0; i < n; i++)
	{
		if (SliceIs(attribute, columns[i].attribute))
			return true;
	}
	return false;
}

/* The columns of the view: the table's key first where the user has not named it. */
static ViewColumn *
AddKeyColumns(const TableDef *table, const ViewColumn *given, int ngiven, int *n)
{
	ViewColumn *columns = palloc(sizeof(ViewColumn) * (ngiven + 2));

	*n = 0;
	for (int i = 0; i < table->key.npartition + table->key.nsort; i++)
	{
		const AttributeDef *attr = &table->attributes[table->key_attributes[i]];

		if (HasColumnFor(given, ngiven, attr->name))
			continue;
		columns[*n].name = pstrdup(attr->column);
		columns[*n].attribute = pnstrdup(attr->name.data, attr->name.len);
		columns[*n].type = KeyColumnType(attr->type);
		columns[*n].typmod = -1;
		(*n)++;
	}
	memcpy(columns + *n, given, sizeof(ViewColumn) * ngiven);
	*n += ngiven;
	return columns;
}

/* ---- the definition ---- */

static char *
PrintDefinition(const EntitySpec *spec, const ViewColumn *columns, int n)
{
	ItemBuilder *b = ItemBuilderCreate(0, DUPLICATE_NAME_ERROR);
	StringInfoData text;

	ItemBuilderBeginMap(b);
	ItemBuilderName(b, "columns", strlen("columns"));
	ItemBuilderBeginList(b);
	for (int i = 0; i < n; i++)
	{
		ItemBuilderBeginMap(b);
		EntityBuildString(b, "column", columns[i].name);
		EntityBuildString(b, "attribute", columns[i].attribute);
		ItemBuilderEnd(b);
	}
	ItemBuilderEnd(b);
	EntityBuild(b, &spec->def);
	ItemBuilderEnd(b);

	initStringInfo(&text);
	ItemToJson(&text, ItemRoot(ItemBuilderFinish(b)));
	return text.data;
}

/* ---- the view's query ---- */

/* A key attribute is read from its column, so that indexes serve the view. */
static void
AppendColumn(StringInfo sql, const TableDef *table, const ViewColumn *column)
{
	int			i = TableDefAttribute(table, (Slice) {column->attribute, strlen(column->attribute)});

	if (i >= 0)
	{
		appendStringInfo(sql, "t.%s", quote_identifier(table->attributes[i].column));
		if (KeyColumnType(table->attributes[i].type) != column->type)
			appendStringInfo(sql, "::%s",
							 format_type_extended(column->type, column->typmod,
												  FORMAT_TYPE_TYPEMOD_GIVEN | FORMAT_TYPE_FORCE_QUALIFY));
	}
	else
		AppendAttributeExpression(sql, column->attribute, column->type, column->typmod);
	appendStringInfo(sql, " AS %s", quote_identifier(column->name));
}

static char *
ViewStatement(const EntitySpec *spec, const TableDef *table, const char *view,
			  const char *relation, const ViewColumn *columns, int n)
{
	StringInfoData sql;
	bool		first = true;

	initStringInfo(&sql);
	appendStringInfo(&sql, "CREATE VIEW %s WITH (security_invoker = true) AS SELECT ", view);
	for (int i = 0; i < n; i++)
	{
		appendStringInfoString(&sql, i == 0 ? "" : ", ");
		AppendColumn(&sql, table, &columns[i]);
	}
	appendStringInfo(&sql, " FROM %s t", relation);
	AppendComposedKeyTests(&sql, &first, table, &spec->def);
	AppendKindTests(&sql, &first, "t.", table, &spec->def);
	return sql.data;
}

/* ---- the function ---- */

static void
ReadSpec(FunctionCallInfo fcinfo, EntitySpec *spec)
{
	for (int i = 0; i < 3; i++)
	{
		if (PG_ARGISNULL(i))
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("view_name, table_name and columns must not be null")));
	}
	spec->view_name = text_to_cstring(PG_GETARG_TEXT_PP(0));
	spec->table_name = text_to_cstring(PG_GETARG_TEXT_PP(1));
	spec->columns = PG_GETARG_DATUM(2);
	spec->def.keys = EntityJsonArgument(fcinfo, 3, "keys");
	EntityKindArguments(fcinfo, 4, &spec->def);
}

static Oid
CurrentSchema(void)
{
	List	   *path = fetch_search_path(false);

	if (path == NIL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_SCHEMA),
				 errmsg("no schema has been selected to create in")));
	return linitial_oid(path);
}

DYNAMO_FUNCTION(dynamo_create_entity_view);
Datum
dynamo_create_entity_view(PG_FUNCTION_ARGS)
{
	Oid			schema = CurrentSchema();
	EntitySpec	spec = {0};
	Relation	rel;
	TableDef   *table;
	ViewColumn *given;
	ViewColumn *columns;
	char	   *view;
	int			ngiven;
	int			n;

	ReadSpec(fcinfo, &spec);
	view = QualifiedName(schema, spec.view_name);
	rel = TableNameOpen(spec.table_name, AccessShareLock, false);
	table = TableDefAcquire(rel);
	EntityCheckTemplates(table, spec.def.keys, false);
	EntityCheckKind(table, &spec.def);

	SPI_connect();
	given = ReadColumns(spec.columns, &ngiven);
	columns = AddKeyColumns(table, given, ngiven, &n);
	RunStatement("%s", ViewStatement(&spec, table, view,
									 QualifiedName(RelationGetNamespace(rel), RelationGetRelationName(rel)),
									 columns, n));
	RunStatement("CREATE TRIGGER %s INSTEAD OF INSERT OR UPDATE OR DELETE ON %s "
				 "FOR EACH ROW EXECUTE FUNCTION dynamo.%s(%s)",
				 ENTITY_TRIGGER, view, FUNCTION_ENTITY_VIEW_WRITE,
				 quote_literal_cstr(PrintDefinition(&spec, columns, n)));
	SPI_finish();

	TableDefRelease(table);
	table_close(rel, NoLock);
	PG_RETURN_OID(get_relname_relid(spec.view_name, schema));
}
