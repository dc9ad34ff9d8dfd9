/*
 * build_sql.c
 *	  dynamo.build_indexes and dynamo.build_statements: building what waits to
 *	  be built, and waiting for it.
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "nodes/parsenodes.h"
#include "storage/latch.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"
#include "utils/wait_event.h"

#include "access/table.h"
#include "catalog/build_lock.h"
#include "index/build.h"

#define POLL_MILLISECONDS		100
#define REPORT_MILLISECONDS		5000

/* A worker that was registered has begun by then. */
#define START_MILLISECONDS		5000

void
CheckMayCommit(FunctionCallInfo fcinfo, const char *procedure)
{
	if (fcinfo->context == NULL || !IsA(fcinfo->context, CallContext) ||
		castNode(CallContext, fcinfo->context)->atomic)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TRANSACTION_TERMINATION),
				 errmsg("dynamo.%s cannot be called inside a transaction block", procedure),
				 errdetail("It commits after each batch of rows.")));
	if (IsolationUsesXactSnapshot())
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("dynamo.%s must be called in isolation level READ COMMITTED", procedure)));
}

/* ---- waiting ---- */

/* The state of the index of a table that is being built; false if none is. */
static bool
ReadPendingState(Oid relid, char **index_name, BuildState *state)
{
	Relation	rel = try_table_open(relid, AccessShareLock);
	TableDef   *def;

	*index_name = NULL;
	if (rel == NULL)
		return false;
	if (RelationIsDynamoTable(rel))
	{
		def = TableDefAcquire(rel);
		for (int i = 0; i < def->nindexes && *index_name == NULL; i++)
		{
			if (def->indexes[i].status != INDEX_ACTIVE)
				*index_name = pstrdup(def->indexes[i].name);
		}
		TableDefRelease(def);
	}
	table_close(rel, AccessShareLock);
	if (*index_name == NULL)
		return false;
	BuildStateRead(relid, *index_name, state);
	return true;
}

static void
ReportState(const char *index_name, const BuildState *state)
{
	static const char *const doing[] = {
		"looking at rows", "building the btree", "waiting for older transactions", "done"
	};

	ereport(NOTICE,
			(errmsg("building index \"%s\": %s, " INT64_FORMAT " items done (block %u of %u)",
					index_name, doing[state->phase], state->rows,
					(uint32) state->block, (uint32) state->blocks)));
}

static void
BuildHere(Oid relid, const char *index_name)
{
	Builder		builder = {.worker = false, .context = CurrentMemoryContext};

	if (!BuildIndexes(&builder, relid))
		ereport(WARNING,
				(errmsg("index \"%s\" waits for its btree, which must be built concurrently", index_name),
				 errdetail("No background worker is free."),
				 errhint("In psql: SELECT * FROM dynamo.build_statements() \\gexec")));
}

static void
Poll(void)
{
	(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
					 POLL_MILLISECONDS, PG_WAIT_EXTENSION);
	ResetLatch(MyLatch);
	CHECK_FOR_INTERRUPTS();
}

void
BuildAndWait(Oid relid)
{
	TimestampTz reported = GetCurrentTimestamp();
	TimestampTz launched = 0;
	char	   *index_name;
	BuildState	state;

	SPI_commit();				/* with a worker to come, perhaps */
	while (ReadPendingState(relid, &index_name, &state))
	{
		TimestampTz now = GetCurrentTimestamp();

		if (launched != 0 && state.error != NULL)
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("building index \"%s\" stopped: %s", index_name, state.error),
					 errhint("The worker tries again; dynamo.index_progress shows how it goes.")));
		if (BuildIsRunning(relid))
			launched = now;
		else if (launched == 0 ||
				 TimestampDifferenceExceeds(launched, now, START_MILLISECONDS))
		{
			BuildStateError(relid, NULL);
			SPI_commit();
			if (!BuildNow(relid))
			{
				BuildHere(relid, index_name);
				return;
			}
			launched = now;
		}
		if (TimestampDifferenceExceeds(reported, now, REPORT_MILLISECONDS))
		{
			ReportState(index_name, &state);
			reported = now;
		}
		SPI_commit();
		Poll();
	}
}

/* ---- the procedure ---- */

/* Tables of the user with indexes to be built, of this name or all. */
static List *
PendingTables(const char *table_name)
{
	List	   *relids = NIL;

	if (table_name != NULL)
	{
		Relation	rel = OpenTableForDdl(table_name, AccessShareLock);

		relids = list_make1_oid(RelationGetRelid(rel));
		table_close(rel, AccessShareLock);
		return relids;
	}
	if (SPI_execute("SELECT t.relation::pg_catalog.oid FROM dynamo.tables t "
					"WHERE pg_catalog.pg_has_role(t.owner, 'USAGE') AND EXISTS (SELECT FROM "
					"pg_catalog.jsonb_array_elements(t.definition OPERATOR(pg_catalog.->) 'indexes') i "
					"WHERE i OPERATOR(pg_catalog.->>) 'status' OPERATOR(pg_catalog.<>) 'ACTIVE') "
					"ORDER BY 1", true, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not read dynamo.tables");
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		bool		isnull;

		relids = lappend_oid(relids, DatumGetObjectId(SPI_getbinval(SPI_tuptable->vals[i],
																	SPI_tuptable->tupdesc,
																	1, &isnull)));
	}
	return relids;
}

static char *
TableNameArgument(FunctionCallInfo fcinfo)
{
	return PG_ARGISNULL(0) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(0));
}

DYNAMO_FUNCTION(dynamo_build_indexes);

Datum
dynamo_build_indexes(PG_FUNCTION_ARGS)
{
	char	   *table_name = TableNameArgument(fcinfo);
	List	   *relids;
	ListCell   *cell;

	CheckMayCommit(fcinfo, "build_indexes");
	SPI_connect_ext(SPI_OPT_NONATOMIC);
	relids = PendingTables(table_name);
	foreach(cell, relids)
	{
		if (PG_ARGISNULL(1) || PG_GETARG_BOOL(1))
			BuildAndWait(lfirst_oid(cell));
		else if (TableHasPendingBuild(lfirst_oid(cell)))
			BuildAtCommit(lfirst_oid(cell));
	}
	SPI_finish();
	PG_RETURN_VOID();
}

/* ---- statements for \gexec ---- */

static void
PutStatement(ReturnSetInfo *result, const char *sql)
{
	Datum		value = CStringGetTextDatum(sql);
	bool		isnull = false;

	tuplestore_putvalues(result->setResult, result->setDesc, &value, &isnull);
}

static void
PutStatementsFor(ReturnSetInfo *result, const TableDef *def, const IndexDef *index)
{
	Oid			schema = get_rel_namespace(def->relid);
	char	   *call = psprintf("CALL dynamo.build_indexes(%s)",
								quote_literal_cstr(psprintf("%s.%s", get_namespace_name(schema),
															get_rel_name(def->relid))));
	bool		valid;
	Oid			found;

	PutStatement(result, call);
	if (index->status != INDEX_CREATING || index->storage != STORAGE_INLINE)
		return;
	found = FindInlineIndex(def, index, &valid);
	if (OidIsValid(found) && !valid)
		PutStatement(result, psprintf("DROP INDEX CONCURRENTLY IF EXISTS %s",
									  QualifiedName(schema, index->relation)));
	PutStatement(result, InlineIndexStatement(def->relid, def, index, true));
	PutStatement(result, call);
}

DYNAMO_FUNCTION(dynamo_build_statements);

Datum
dynamo_build_statements(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	ListCell   *cell;
	List	   *relids;

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	SPI_connect();
	relids = PendingTables(TableNameArgument(fcinfo));
	foreach(cell, relids)
	{
		Relation	rel = table_open(lfirst_oid(cell), AccessShareLock);
		TableDef   *def = TableDefAcquire(rel);

		for (int i = 0; i < def->nindexes; i++)
		{
			if (def->indexes[i].status != INDEX_ACTIVE)
				PutStatementsFor(result, def, &def->indexes[i]);
		}
		TableDefRelease(def);
		table_close(rel, AccessShareLock);
	}
	SPI_finish();
	return (Datum) 0;
}
