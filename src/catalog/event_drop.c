/*
 * event_drop.c
 *	  The event trigger after DROP: what holds an index is not dropped beside
 *	  it; index tables and settings go with their table.  Streams are closed
 *	  with it.
 */
#include "postgres.h"

#include "utils/lsyscache.h"

#include "catalog/ddl.h"
#include "catalog/event.h"
#include "catalog/objects.h"
#include "catalog/settings.h"
#include "catalog/stream.h"

/*
 * Dropped index tables that the definition of a table still names: guards
 * were dropped with them.  Anybody can name another's table, who is not to be
 * hindered: what holds an index is its table's owner's.  The owner of the
 * schema may drop that, too, but the table as well.  A btree is dropped with a
 * column of its table (event.c), or by DROP INDEX (event_start.c).
 */
static EventPlan missed_relations = {
"SELECT t.table_name, i OPERATOR(pg_catalog.->>) 'name', d.object_name "
"FROM pg_catalog.pg_event_trigger_dropped_objects() d "
"JOIN pg_catalog.pg_namespace n ON n.nspname OPERATOR(pg_catalog.=) d.schema_name::pg_catalog.name "
"JOIN dynamo.tables t ON t.schema_name OPERATOR(pg_catalog.=) n.nspname "
"CROSS JOIN LATERAL pg_catalog.jsonb_array_elements(t.definition OPERATOR(pg_catalog.->) 'indexes') i "
"WHERE d.object_type OPERATOR(pg_catalog.=) 'table' "
"AND " DROPPED_WITH_TRIGGER(TRIGGER_GUARD_INDEX) " "
"AND (i OPERATOR(pg_catalog.->>) 'storage') OPERATOR(pg_catalog.=) 'table' "
"AND (i OPERATOR(pg_catalog.->>) 'relation') OPERATOR(pg_catalog.=) d.object_name "
"AND (pg_catalog.pg_has_role(t.owner, 'USAGE') OR pg_catalog.pg_has_role(n.nspowner, 'USAGE')) "
"ORDER BY d.object_name"
};

/* Index tables of dropped tables that the user may drop. */
static EventPlan orphaned_index_tables = {
"SELECT DISTINCT c.oid "
"FROM pg_catalog.pg_event_trigger_dropped_objects() d "
"JOIN pg_catalog.pg_namespace n ON n.nspname OPERATOR(pg_catalog.=) d.schema_name::pg_catalog.name "
"JOIN pg_catalog.pg_class c ON c.relnamespace OPERATOR(pg_catalog.=) n.oid "
"JOIN pg_catalog.pg_trigger t ON t.tgrelid OPERATOR(pg_catalog.=) c.oid "
"WHERE d.object_type OPERATOR(pg_catalog.=) 'table' AND NOT c.relispartition "
"AND t.tgfoid OPERATOR(pg_catalog.=) $1 "
"AND pg_catalog.pg_has_role(c.relowner, 'USAGE') "
"AND " FIRST_ARGUMENT_NAMES_OBJECT
};

void
RefuseDropOfIndex(const char *relation, const char *index_name, const char *table_name)
{
	ereport(ERROR,
			(errcode(ERRCODE_DEPENDENT_OBJECTS_STILL_EXIST),
			 errmsg("cannot drop \"%s\", which holds index \"%s\" of table \"%s\"",
					relation, index_name, table_name),
			 errhint("Use dynamo.drop_index.")));
}

static void
RefuseMissedRelations(void)
{
	SPITupleTable *result;

	if (StatementIsOurs())
		return;
	EventQuery(&missed_relations, 0, NULL);
	if (SPI_processed == 0)
		return;
	result = SPI_tuptable;
	RefuseDropOfIndex(SPI_getvalue(result->vals[0], result->tupdesc, 3),
					  SPI_getvalue(result->vals[0], result->tupdesc, 2),
					  SPI_getvalue(result->vals[0], result->tupdesc, 1));
}

DYNAMO_FUNCTION(dynamo_sql_drop);

Datum
dynamo_sql_drop(PG_FUNCTION_ARGS)
{
	ListCell   *cell;

	(void) EventTriggerCall(fcinfo);
	SPI_connect();
	RefuseMissedRelations();
	RefuseDroppedStreams();
	CloseDroppedStreams();
	DroppedSettingsForget();
	EventQuery(&orphaned_index_tables, 1,
			   (Datum[]) {ObjectIdGetDatum(DynamoFunctionOid(FUNCTION_GUARD_INDEX))});
	foreach(cell, ResultOids())
		RunStatement("DROP TABLE %s", QualifiedName(get_rel_namespace(lfirst_oid(cell)),
													get_rel_name(lfirst_oid(cell))));
	SPI_finish();
	PG_RETURN_NULL();
}
