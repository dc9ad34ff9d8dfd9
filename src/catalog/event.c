/*
 * event.c
 *	  Event triggers: what ordinary DDL does to dynamo tables.
 *
 * A definition names columns and relations.  A statement that takes one of
 * them away (ALTER TABLE ... RENAME COLUMN, DROP COLUMN, ALTER TYPE) would
 * make the table unusable; it is refused when it ends.
 */
#include "postgres.h"

#include "access/relation.h"
#include "access/table.h"
#include "catalog/pg_class.h"
#include "commands/event_trigger.h"
#include "executor/spi.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "catalog/table.h"

/* The tables the ending command worked on, directly or by their triggers. */
static const char *const altered_tables =
"SELECT DISTINCT CASE c.classid "
"         WHEN 'pg_catalog.pg_class'::pg_catalog.regclass THEN c.objid "
"         ELSE t.tgrelid END "
"FROM pg_catalog.pg_event_trigger_ddl_commands() c "
"LEFT JOIN pg_catalog.pg_trigger t "
"  ON c.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_trigger'::pg_catalog.regclass "
"  AND t.oid OPERATOR(pg_catalog.=) c.objid "
"WHERE c.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass "
"   OR t.oid IS NOT NULL";

static void
CheckProtocol(FunctionCallInfo fcinfo)
{
	if (!CALLED_AS_EVENT_TRIGGER(fcinfo))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_EVENT_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("this function is an event trigger")));
}

/* Raises an error if the table's definition no longer fits it. */
static void
CheckTable(Oid relid)
{
	char		kind = get_rel_relkind(relid);
	Relation	rel;

	if (kind != RELKIND_RELATION && kind != RELKIND_PARTITIONED_TABLE)
		return;
	rel = table_open(relid, AccessShareLock);
	if (rel->trigdesc != NULL && RelationIsDynamoTable(rel))
		TableDefRelease(TableDefAcquire(rel));
	table_close(rel, AccessShareLock);
}

DYNAMO_FUNCTION(dynamo_ddl_command_end);

Datum
dynamo_ddl_command_end(PG_FUNCTION_ARGS)
{
	CheckProtocol(fcinfo);
	SPI_connect();
	if (SPI_execute(altered_tables, false, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not read the commands of an event trigger");
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		bool		isnull;
		Datum		relid = SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc,
										  1, &isnull);

		if (!isnull)
			CheckTable(DatumGetObjectId(relid));
	}
	SPI_finish();
	PG_RETURN_NULL();
}
