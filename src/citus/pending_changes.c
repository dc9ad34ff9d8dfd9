/*
 * pending_changes.c
 *	  Changes of distributed tables that index tables have yet to get: how many there are,
 *	  and waiting for them.
 *
 * Change tables belong to the owner of their table, as whom they are read.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_type_d.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "storage/latch.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/timestamp.h"
#include "utils/wait_event.h"

#include "citus/apply.h"
#include "compat.h"
#include "extension_objects.h"
#include "security/owner.h"
#include "table/distribution.h"
#include "table/table_name.h"

#define POLL_MILLISECONDS	50

/* ---- statements on a change table ---- */

/* A statement with one time as its parameter, and one row as its result. */
static Datum
ReadChangeTable(Oid changes, const char *format, TimestampTz time, int column, bool *isnull)
{
	Oid			types[] = {TIMESTAMPTZOID};
	Datum		values[] = {TimestampTzGetDatum(time)};
	const char *sql = psprintf(format, QualifiedName(get_rel_namespace(changes), get_rel_name(changes)));
	OwnerScope	scope;
	int			code;

	OwnerScopeEnter(&scope, RelationOwner(changes));
	code = SPI_execute_with_args(sql, 1, types, values, NULL, false, 0);
	OwnerScopeLeave(&scope);
	if (code != SPI_OK_SELECT || SPI_processed != 1)
		elog(ERROR, "could not read changes: %s", SPI_result_code_string(code));
	return SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, column, isnull);
}

/* Whether a change table has changes up to a time. */
static bool
HasPendingChanges(Oid changes, TimestampTz until)
{
	bool		isnull;

	SPI_connect();
	(void) ReadChangeTable(changes, "SELECT pg_catalog.min(dynamo_time) FROM %s WHERE dynamo_time OPERATOR(pg_catalog.<=) $1",
						   until, 1, &isnull);
	SPI_finish();
	return !isnull;
}

/* The time of the newest change; false if there is none. */
static bool
FindNewestChange(Oid changes, TimestampTz *newest)
{
	Datum		value;
	bool		isnull;

	SPI_connect();
	value = ReadChangeTable(changes, "SELECT pg_catalog.max(dynamo_time) FROM %s WHERE $1 IS NOT NULL", 0, 1, &isnull);
	*newest = isnull ? 0 : DatumGetTimestampTz(value);
	SPI_finish();
	return !isnull;
}

/* ---- waiting ---- */

/* Opens a table for a role that may read it. */
static Relation
OpenReadableTable(const char *table_name)
{
	Relation	rel = TableNameOpen(table_name, AccessShareLock, false);
	AclResult	result = pg_class_aclcheck(RelationGetRelid(rel), GetUserId(), ACL_SELECT);

	if (result != ACLCHECK_OK)
		aclcheck_error(result, OBJECT_TABLE, RelationGetRelationName(rel));
	return rel;
}

/* Returns the change table that an index follows; InvalidOid if each write maintains it. */
static Oid
ChangesOfIndex(const char *table_name, const char *index_name)
{
	Relation	rel = OpenReadableTable(table_name);
	TableDef   *def = TableDefAcquire(rel);
	const IndexDef *index = TableDefIndex(def, index_name);
	Oid			changes = InvalidOid;

	if (index == NULL)
		FailNoIndex(def, table_name, index_name);
	if (def->distributed && index->kind->own_entries)
		changes = FindChangeTable(def->relid);
	TableDefRelease(def);
	table_close(rel, NoLock);
	return changes;
}

static void
SleepBeforePoll(void)
{
	(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, POLL_MILLISECONDS,
					 PG_WAIT_EXTENSION);
	ResetLatch(MyLatch);
	CHECK_FOR_INTERRUPTS();
}

/*
 * Waits until the changes that are committed now are applied.  Those that the same
 * transaction has made are never applied before it ends.
 */
static bool
WaitForChanges(Oid changes, TimestampTz deadline)
{
	TimestampTz newest;

	if (!FindNewestChange(changes, &newest))
		return true;
	while (HasPendingChanges(changes, newest))
	{
		if (GetCurrentTimestamp() >= deadline)
			return false;
		SleepBeforePoll();
	}
	return true;
}

DYNAMO_FUNCTION(dynamo_wait_for_index);
Datum
dynamo_wait_for_index(PG_FUNCTION_ARGS)
{
	TimestampTz deadline = DatumGetTimestampTz(DirectFunctionCall2(timestamptz_pl_interval,
																   TimestampTzGetDatum(GetCurrentTimestamp()),
																   PG_GETARG_DATUM(2)));
	Oid			changes;

	if (IsolationUsesXactSnapshot())
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("dynamo.wait_for_index must be called in isolation level READ COMMITTED")));
	changes = ChangesOfIndex(TableArgument(fcinfo, 0), text_to_cstring(PG_GETARG_TEXT_PP(1)));
	PG_RETURN_BOOL(!OidIsValid(changes) || WaitForChanges(changes, deadline));
}

/* ---- lag ---- */

/* Reads the number and the age of a table's changes; false if it has no change table. */
static bool
ReadPendingChanges(Oid table, Datum *values, bool *nulls)
{
	Oid			changes = RelationIsDistributed(table) ? FindChangeTable(table) : InvalidOid;

	if (!OidIsValid(changes))
		return false;
	SPI_connect();
	values[0] = ReadChangeTable(changes, "SELECT pg_catalog.count(*), pg_catalog.min(dynamo_time) FROM %s WHERE $1 IS NOT NULL",
								0, 1, &nulls[0]);
	values[1] = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 2, &nulls[1]);
	SPI_finish();
	return true;
}

DYNAMO_FUNCTION(dynamo_pending_changes);
Datum
dynamo_pending_changes(PG_FUNCTION_ARGS)
{
	Oid			table = PG_GETARG_OID(0);
	Datum		values[2] = {0};
	bool		nulls[2] = {true, true};
	TupleDesc	desc;

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	if (get_rel_relkind(table) == '\0' || !MaySeeAllRows(table) || !ReadPendingChanges(table, values, nulls))
		nulls[0] = nulls[1] = true;
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc), values, nulls)));
}
