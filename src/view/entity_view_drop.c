/*
 * entity_view_drop.c
 *	  Drops the entity views of a table with it, or with their entity.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/lsyscache.h"

#include "ddl/ddl.h"
#include "ddl/feature.h"
#include "extension_objects.h"
#include "table/ddl_statement.h"
#include "view/entity_view.h"

/*
 * The entity views of a table and their definitions: they depend on it,
 * have the extension's trigger, and belong to its owner or the user.  DROP TABLE
 * reports other views.
 */
static const char entity_views_query[] =
"SELECT DISTINCT v.oid, "
"  CASE WHEN t.tgnargs OPERATOR(pg_catalog.=) 1 THEN pg_catalog.convert_from("
"    pg_catalog.substr(t.tgargs, 1, pg_catalog.length(t.tgargs) OPERATOR(pg_catalog.-) 1), 'UTF8') END "
"FROM pg_catalog.pg_depend d "
"JOIN pg_catalog.pg_rewrite r ON r.oid OPERATOR(pg_catalog.=) d.objid "
"JOIN pg_catalog.pg_trigger t ON t.tgrelid OPERATOR(pg_catalog.=) r.ev_class "
"JOIN pg_catalog.pg_class v ON v.oid OPERATOR(pg_catalog.=) r.ev_class "
"JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) d.refobjid "
"  AND (v.relowner OPERATOR(pg_catalog.=) c.relowner OR v.relowner OPERATOR(pg_catalog.=) $3 OR $4) "
"WHERE d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_rewrite'::pg_catalog.regclass "
"AND d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass "
"AND d.refobjid OPERATOR(pg_catalog.=) $1 AND t.tgfoid OPERATOR(pg_catalog.=) $2 ORDER BY 1";

static bool
IsOfEntity(const char *definition, const char *entity_name)
{
	Slice		entity = definition == NULL ? MISSING_SLICE : EntityViewDefRead(definition)->entity;

	return entity.data != NULL && SliceIs(entity, entity_name);
}

static List *
FindEntityViews(Oid relid, const char *entity_name, bool of_anyone)
{
	Oid			types[4] = {OIDOID, OIDOID, OIDOID, BOOLOID};
	Datum		args[4] = {
		ObjectIdGetDatum(relid),
		ObjectIdGetDatum(SystemFunctionOid(FUNCTION_ENTITY_VIEW_WRITE)),
		ObjectIdGetDatum(GetUserId()),
		BoolGetDatum(of_anyone)
	};
	List	   *views = NIL;
	bool		isnull;

	if (SPI_execute_with_args(entity_views_query, 4, types, args, NULL, true, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not read the entity views of a table");
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		HeapTuple	tuple = SPI_tuptable->vals[i];

		if (entity_name == NULL || IsOfEntity(SPI_getvalue(tuple, SPI_tuptable->tupdesc, 2), entity_name))
			views = lappend_oid(views, DatumGetObjectId(SPI_getbinval(tuple, SPI_tuptable->tupdesc, 1, &isnull)));
	}
	return views;
}

List *
EntityViewsOf(Oid relid, const char *entity_name)
{
	return FindEntityViews(relid, entity_name, false);
}

List *
EntityViewsOfAnyone(Oid relid)
{
	return FindEntityViews(relid, NULL, true);
}

/* Drops a view, unless another session has done so since it was found. */
static void
DropView(Oid view)
{
	char	   *name;

	LockRelationOid(view, AccessExclusiveLock);
	name = get_rel_name(view);
	if (name != NULL)
		RunStatement("DROP VIEW %s", QualifiedName(get_rel_namespace(view), name));
}

void
EntityViewsDrop(Oid relid, const char *entity_name)
{
	ListCell   *cell;

	foreach(cell, EntityViewsOf(relid, entity_name))
		DropView(lfirst_oid(cell));
}

static void
DropWithTable(Oid relid)
{
	EntityViewsDrop(relid, NULL);
}

static const DdlFeature entity_views = {.leave_table = DropWithTable, .leave_columns = EntityViewsLeaveColumns};

void
EntityViewInit(void)
{
	DdlFeatureRegister(&entity_views);
	EntityViewRightsInit();
	EntityViewPlanInit();
}
