/*
 * entity_view_nodes.c
 *	  Entity views of tables that Citus distributes, on all nodes.
 *
 * Citus creates the views of a table on the other nodes when it distributes the table, and
 * creates them anew here when the table comes back: without triggers, privileges and
 * defaults of columns.  These statements make up for it.  So does the SQL function
 * dynamo.complete_entity_views, on nodes that were added later.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/table.h"
#include "catalog/indexing.h"
#include "catalog/objectaccess.h"
#include "catalog/pg_trigger.h"
#include "catalog/pg_type_d.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/guc.h"
#include "utils/inval.h"
#include "utils/rel.h"

#include "citus/entity_view_nodes.h"
#include "citus/session.h"
#include "compat.h"
#include "extension_objects.h"
#include "table/distribution.h"
#include "table/table_list.h"
#include "view/entity_view.h"

/*
 * The statements for a view $1, in their order.  $2 is the trigger function, $3 the events of
 * the trigger.  They are written and run with a restricted search_path, because of the
 * expressions of defaults.
 */
static const char statements_query[] =
"WITH v AS (SELECT c.oid, c.relowner, c.relacl, pg_catalog.format('%I.%I', n.nspname, c.relname) AS name "
"  FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace "
"  WHERE c.oid OPERATOR(pg_catalog.=) $1), "
"t AS (SELECT v.name, t.oid, t.tgname, pg_catalog.convert_from("
"    pg_catalog.substr(t.tgargs, 1, pg_catalog.length(t.tgargs) OPERATOR(pg_catalog.-) 1), 'UTF8') AS definition "
"  FROM v JOIN pg_catalog.pg_trigger t ON t.tgrelid OPERATOR(pg_catalog.=) v.oid "
"  WHERE t.tgfoid OPERATOR(pg_catalog.=) $2 AND t.tgnargs OPERATOR(pg_catalog.=) 1), "
"a AS (SELECT v.name, v.relowner, NULL::pg_catalog.name AS attname, e.* FROM v CROSS JOIN LATERAL pg_catalog.aclexplode(v.relacl) e "
"  UNION ALL SELECT v.name, v.relowner, c.attname, e.* FROM v "
"  JOIN pg_catalog.pg_attribute c ON c.attrelid OPERATOR(pg_catalog.=) v.oid "
"  CROSS JOIN LATERAL pg_catalog.aclexplode(c.attacl) e) "
"SELECT s.statement FROM ("
"  SELECT 1 AS part, pg_catalog.format('CREATE OR REPLACE TRIGGER %I INSTEAD OF %s ON %s "
"    FOR EACH ROW EXECUTE FUNCTION " SYSTEM_SCHEMA "." FUNCTION_ENTITY_VIEW_WRITE "(%L)', t.tgname, $3, t.name, t.definition) AS statement FROM t "
"  UNION ALL SELECT 2, pg_catalog.format('ALTER TRIGGER %I ON %s DEPENDS ON EXTENSION dynamo', t.tgname, t.name) FROM t "
"    WHERE EXISTS (SELECT FROM pg_catalog.pg_depend d "
"      WHERE d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_trigger'::pg_catalog.regclass "
"      AND d.objid OPERATOR(pg_catalog.=) t.oid AND d.deptype OPERATOR(pg_catalog.=) 'x') "
"  UNION ALL SELECT 3, pg_catalog.format('GRANT %s%s ON %s TO %s%s', a.privilege_type, "
"      CASE WHEN a.attname IS NULL THEN '' ELSE pg_catalog.format(' (%I)', a.attname) END, a.name, "
"      CASE WHEN a.grantee OPERATOR(pg_catalog.=) 0 THEN 'PUBLIC' ELSE pg_catalog.format('%I', pg_catalog.pg_get_userbyid(a.grantee)) END, "
"      CASE WHEN a.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END) FROM a "
"    WHERE a.grantee OPERATOR(pg_catalog.<>) a.relowner "
"  UNION ALL SELECT 4, pg_catalog.format('ALTER VIEW %s ALTER COLUMN %I SET DEFAULT %s', v.name, c.attname, "
"      pg_catalog.pg_get_expr(d.adbin, d.adrelid)) "
"    FROM v JOIN pg_catalog.pg_attrdef d ON d.adrelid OPERATOR(pg_catalog.=) v.oid "
"    JOIN pg_catalog.pg_attribute c ON c.attrelid OPERATOR(pg_catalog.=) d.adrelid AND c.attnum OPERATOR(pg_catalog.=) d.adnum"
") s ORDER BY s.part USING OPERATOR(pg_catalog.<)";

/* Adds the statements of a view.  SPI is connected. */
static List *
AddStatements(List *statements, Oid view, const char *events, MemoryContext context)
{
	Oid			types[] = {OIDOID, OIDOID, TEXTOID};
	Datum		values[] = {
		ObjectIdGetDatum(view),
		ObjectIdGetDatum(SystemFunctionOid(FUNCTION_ENTITY_VIEW_WRITE)),
		CStringGetTextDatum(events)
	};
	MemoryContext caller;

	if (SPI_execute_with_args(statements_query, lengthof(types), types, values, NULL, true, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not read the definition of a view");
	caller = MemoryContextSwitchTo(context);
	for (uint64 i = 0; i < SPI_processed; i++)
		statements = lappend(statements, SPI_getvalue(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1));
	MemoryContextSwitchTo(caller);
	return statements;
}

List *
StatementsOfViewsOf(Oid table, const char *events)
{
	MemoryContext context = CurrentMemoryContext;
	int			level = NewGUCNestLevel();
	List	   *statements = NIL;
	ListCell   *cell;

	SPI_connect();
	RestrictSearchPath();
	foreach(cell, EntityViewsOf(table, NULL))
		statements = AddStatements(statements, lfirst_oid(cell), events, context);
	SPI_finish();
	AtEOXact_GUC(true, level);
	return statements;
}

#define WRITES_OF_VIEW	(TRIGGER_TYPE_ROW | TRIGGER_TYPE_INSTEAD | TRIGGER_TYPE_INSERT | TRIGGER_TYPE_UPDATE)

/* Makes the triggers of a function that write to a view delete from it, too. */
static void
LetTriggersDelete(Relation view, Oid function)
{
	Relation	triggers = table_open(TriggerRelationId, RowExclusiveLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;

	ScanKeyInit(&key, Anum_pg_trigger_tgrelid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(RelationGetRelid(view)));
	scan = systable_beginscan(triggers, TriggerRelidNameIndexId, true, NULL, 1, &key);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		Form_pg_trigger form = (Form_pg_trigger) GETSTRUCT(tuple);

		if (form->tgfoid != function || form->tgtype != WRITES_OF_VIEW)
			continue;
		tuple = heap_copytuple(tuple);
		form = (Form_pg_trigger) GETSTRUCT(tuple);
		form->tgtype |= TRIGGER_TYPE_DELETE;
		CatalogTupleUpdate(triggers, &tuple->t_self, tuple);
		InvokeObjectPostAlterHook(TriggerRelationId, form->oid, 0);
		heap_freetuple(tuple);
	}
	systable_endscan(scan);
	table_close(triggers, RowExclusiveLock);
	CacheInvalidateRelcache(view);
}

/*
 * The views may belong to others than the table: statements would need their rights, and
 * could be made to fail.
 */
void
LetViewsDelete(Oid table)
{
	Oid			function = SystemFunctionOid(FUNCTION_ENTITY_VIEW_WRITE);
	ListCell   *cell;

	foreach(cell, EntityViewsOfAnyone(table))
	{
		Relation	view = try_relation_open(lfirst_oid(cell), AccessExclusiveLock);

		if (view == NULL)		/* dropped meanwhile */
			continue;
		LetTriggersDelete(view, function);
		relation_close(view, NoLock);
	}
}

/* ---- nodes that were added later ---- */

/* Whether the user may change a table, which is distributed.  Keeps it from being dropped. */
static bool
LockOwnDistributed(Oid table)
{
	Relation	rel = try_table_open(table, AccessShareLock);
	bool		found;

	if (rel == NULL)
		return false;
	found = RelationIsDistributed(table) && RelationOwnercheck(table, GetUserId());
	table_close(rel, found ? NoLock : AccessShareLock);
	return found;
}

DYNAMO_FUNCTION(dynamo_complete_entity_views);
Datum
dynamo_complete_entity_views(PG_FUNCTION_ARGS)
{
	ListCell   *table;
	ListCell   *statement;

	RequireCoordinator("entity views are completed from the Citus coordinator");
	foreach(table, TablesWithFeature(FEATURE_NONE))
	{
		if (!LockOwnDistributed(lfirst_oid(table)))
			continue;
		foreach(statement, StatementsOfViewsOf(lfirst_oid(table), VIEW_EVENTS_DISTRIBUTED))
			CitusSessionTellWorkers(lfirst(statement));
	}
	PG_RETURN_VOID();
}
