/*
 * entity_view_drop.c
 *	  Drops the entity views of a table with it, or with their entity.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"

#include "ddl/feature.h"
#include "table/ddl_statement.h"
#include "table/objects.h"
#include "view/entity_view.h"

/*
 * Returns the entity views of a table and their definitions: they depend on it,
 * have the extension's trigger, and belong to its owner or the user.  DROP TABLE
 * reports other views.
 */
static const char entity_views_query[] =
"SELECT DISTINCT pg_catalog.format('%I.%I', n.nspname, v.relname), "
"  CASE WHEN t.tgnargs OPERATOR(pg_catalog.=) 1 THEN pg_catalog.convert_from("
"    pg_catalog.substr(t.tgargs, 1, pg_catalog.length(t.tgargs) OPERATOR(pg_catalog.-) 1), 'UTF8') END "
"FROM pg_catalog.pg_depend d "
"JOIN pg_catalog.pg_rewrite r ON r.oid OPERATOR(pg_catalog.=) d.objid "
"JOIN pg_catalog.pg_trigger t ON t.tgrelid OPERATOR(pg_catalog.=) r.ev_class "
"JOIN pg_catalog.pg_class v ON v.oid OPERATOR(pg_catalog.=) r.ev_class "
"JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) d.refobjid "
"  AND (v.relowner OPERATOR(pg_catalog.=) c.relowner OR v.relowner OPERATOR(pg_catalog.=) $3) "
"JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) v.relnamespace "
"WHERE d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_rewrite'::pg_catalog.regclass "
"AND d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass "
"AND d.refobjid OPERATOR(pg_catalog.=) $1 AND t.tgfoid OPERATOR(pg_catalog.=) $2";

static bool
IsOfEntity(const char *definition, const char *entity_name)
{
	Slice		entity = definition == NULL ? MISSING_SLICE : EntityViewDefRead(definition)->entity;

	return entity.data != NULL && SliceIs(entity, entity_name);
}

void
EntityViewsDrop(Oid relid, const char *entity_name)
{
	Oid			types[3] = {OIDOID, OIDOID, OIDOID};
	Datum		args[3] = {
		ObjectIdGetDatum(relid),
		ObjectIdGetDatum(DynamoFunctionOid(FUNCTION_ENTITY_VIEW_WRITE)),
		ObjectIdGetDatum(GetUserId())
	};
	SPITupleTable *views;

	if (SPI_execute_with_args(entity_views_query, 3, types, args, NULL, true, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not read the entity views of a table");
	views = SPI_tuptable;
	for (uint64 i = 0; i < views->numvals; i++)
	{
		if (entity_name == NULL || IsOfEntity(SPI_getvalue(views->vals[i], views->tupdesc, 2), entity_name))
			RunStatement("DROP VIEW %s", SPI_getvalue(views->vals[i], views->tupdesc, 1));
	}
}

static void
DropWithTable(Oid relid)
{
	EntityViewsDrop(relid, NULL);
}

static const DdlFeature entity_views = {.leave_table = DropWithTable};

void
EntityViewInit(void)
{
	DdlFeatureRegister(&entity_views);
	EntityViewRightsInit();
}
