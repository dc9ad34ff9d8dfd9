/*
 * build_sql.c
 *	  dynamo.build_indexes and dynamo.build_statements: build unfinished
 *	  indexes, and wait for them.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "nodes/parsenodes.h"
#include "storage/latch.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"
#include "utils/wait_event.h"

#include "ddl/build_lock.h"
#include "index/build.h"
#include "table/table_list.h"
#include "table/table_name.h"

#define POLL_MILLISECONDS		100
#define REPORT_MILLISECONDS		5000

/* After this time, a registered worker has started. */
#define START_MILLISECONDS		5000

/*
 * How long to look for a free worker.  The worker registered last may be for
 * this table.
 */
#define SEEK_MILLISECONDS		1000

/* How long a call for several tables waits for a build that is blocked. */
#define PATIENCE_MILLISECONDS	10000

void
CheckMayCommit(FunctionCallInfo fcinfo, const char *procedure)
{
	if (fcinfo->context == NULL || !IsA(fcinfo->context, CallContext) ||
		castNode(CallContext, fcinfo->context)->atomic)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TRANSACTION_TERMINATION),
				 errmsg("dynamo.%s cannot be called inside a transaction block", procedure),
				 errdetail("The procedure commits after each batch of rows.")));
	if (IsolationUsesXactSnapshot())
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("dynamo.%s must be called in isolation level READ COMMITTED", procedure)));
}

/* ---- waiting ---- */

/* A table whose builds we wait for. */
typedef struct Awaited
{
	Oid			relid;
	char	   *name;			/* for messages */
	TimestampTz began;			/* when the waiting began */
	TimestampTz launched;		/* 0 if there is no worker yet */
	TimestampTz updated;		/* time of the last state seen */
	TimestampTz moved;			/* when the build last made progress */
	TimestampTz reported;
	bool		over;
} Awaited;

/*
 * The tables we wait for.  If there are several, they can have other owners,
 * and one of them must not block the rest.
 */
typedef struct Awaiting
{
	bool		several;
	bool		running;		/* whether any build was running */
	MemoryContext context;		/* memory of one poll */
} Awaiting;

static void
ReportState(const BuildState *state)
{
	static const char *const doing[] = {
		"looking at rows", "building the btree", "waiting for older transactions", "done"
	};

	ereport(NOTICE,
			(errmsg("building index \"%s\": %s, " INT64_FORMAT " items done (block %u of %u)",
					state->index_name, doing[state->phase], state->rows,
					(uint32) state->block, (uint32) state->blocks)));
}

static void
ReportStopped(const Awaited *a, const BuildState *state, bool several)
{
	ereport(several ? WARNING : ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 several ?
			 errmsg("building index \"%s\" of table \"%s\" stopped: %s",
					state->index_name, a->name, state->error) :
			 errmsg("building index \"%s\" stopped: %s", state->index_name, state->error),
			 errhint("The worker will try again; see dynamo.index_progress.")));
}

static void
ReportStuck(const Awaited *a)
{
	if (a->launched == 0)
		ereport(WARNING,
				(errmsg("no background worker is free to build the indexes of table \"%s\"", a->name),
				 errhint("CALL dynamo.build_indexes('%s') to build them without a worker, or raise \"max_worker_processes\".",
						 a->name)));
	else
		ereport(WARNING,
				(errmsg("the indexes of table \"%s\" are still being built", a->name),
				 errdetail("The build waits for other transactions."),
				 errhint("The worker continues; see dynamo.index_progress.")));
}

static void
BuildHere(Oid relid)
{
	Builder		builder = {.worker = false, .context = CurrentMemoryContext};

	builder.index_name = makeStringInfo();
	if (!BuildIndexes(&builder, relid))
		ereport(WARNING,
				(errmsg("index \"%s\" has a part that must be built concurrently",
						builder.index_name->data),
				 errdetail("No background worker is free."),
				 errhint("In psql: SELECT * FROM dynamo.build_statements() \\gexec")));
}

static void
SleepUntilPoll(void)
{
	(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
					 POLL_MILLISECONDS, PG_WAIT_EXTENSION);
	ResetLatch(MyLatch);
	CHECK_FOR_INTERRUPTS();
}

static bool
HasPassed(TimestampTz since, int milliseconds)
{
	return TimestampDifferenceExceeds(since, GetCurrentTimestamp(), milliseconds);
}

/* Starts a worker for a table; false if none is available. */
static bool
LaunchBuilder(Awaited *a)
{
	BuildStateForgetErrors(a->relid);
	SPI_commit();
	if (!BuildNow(a->relid))
		return false;
	a->launched = a->moved = GetCurrentTimestamp();
	return true;
}

/* Whether a build has made progress since the last poll. */
static bool
HasMoved(Awaited *a, const BuildState *state, bool running)
{
	bool		updated = state->updated != a->updated;

	a->updated = state->updated;
	return updated ||
		(running && (state->phase == PHASE_FILLING || state->phase == PHASE_BUILDING) &&
		 !BuilderWaits(a->relid));
}

static void
ReportAwaited(Awaited *a, const BuildState *state)
{
	if (state->index_name == NULL || !HasPassed(a->reported, REPORT_MILLISECONDS))
		return;
	ReportState(state);
	a->reported = GetCurrentTimestamp();
}

/* Whether the wait for a table is over; reports the result. */
static bool
CheckAwaited(Awaited *a, Awaiting *all, bool *running)
{
	BuildState	state;

	/*
	 * With several tables, definitions are not read: other users wrote them.
	 */
	if (!(all->several ? TableHasFeature(a->relid, FEATURE_PENDING_BUILD) :
		  TableHasPendingBuild(a->relid)))
		return true;
	BuildStateReadLatest(a->relid, &state);
	if (a->launched != 0 && state.error != NULL)
	{
		ReportStopped(a, &state, all->several);
		return true;
	}
	*running = BuildIsRunning(a->relid);
	if (*running)
		a->launched = GetCurrentTimestamp();
	else if ((a->launched == 0 || HasPassed(a->launched, START_MILLISECONDS)) &&
			 !LaunchBuilder(a) && !all->several && HasPassed(a->began, SEEK_MILLISECONDS))
	{
		BuildHere(a->relid);
		return true;
	}
	if (HasMoved(a, &state, *running) || (!*running && all->running))
		a->moved = GetCurrentTimestamp();
	else if (all->several && HasPassed(a->moved, PATIENCE_MILLISECONDS))
	{
		ReportStuck(a);
		return true;
	}
	ReportAwaited(a, &state);
	return false;
}

/* Checks each table whose wait is not over; false if none is left. */
static bool
LookAtAll(Awaiting *all, Awaited *tables, int n)
{
	MemoryContext old = MemoryContextSwitchTo(all->context);
	bool		any_running = false;
	bool		waiting = false;

	for (int i = 0; i < n; i++)
	{
		bool		running = false;

		if (tables[i].over)
			continue;
		tables[i].over = CheckAwaited(&tables[i], all, &running);
		any_running |= running;
		waiting |= !tables[i].over;
	}
	all->running = any_running;
	MemoryContextSwitchTo(old);
	MemoryContextReset(all->context);
	return waiting;
}

static char *
NameForMessages(Oid relid)
{
	char	   *name = get_rel_name(relid);

	return name == NULL ? pstrdup("") :
		psprintf("%s.%s", get_namespace_name(get_rel_namespace(relid)), name);
}

static void
AwaitBuilds(const List *relids, bool several)
{
	int			n = list_length(relids);
	Awaited    *tables = palloc0(sizeof(Awaited) * Max(n, 1));
	Awaiting	all = {.several = several};

	all.context = AllocSetContextCreate(CurrentMemoryContext, "dynamo build wait",
										ALLOCSET_SMALL_SIZES);
	for (int i = 0; i < n; i++)
	{
		tables[i].relid = list_nth_oid(relids, i);
		tables[i].name = NameForMessages(tables[i].relid);
		tables[i].began = tables[i].moved = tables[i].reported = GetCurrentTimestamp();
	}
	SPI_commit();				/* a commit can start a worker */
	while (LookAtAll(&all, tables, n))
	{
		SPI_commit();
		SleepUntilPoll();
	}
	MemoryContextDelete(all.context);
}

void
BuildAndWait(Oid relid)
{
	AwaitBuilds(list_make1_oid(relid), false);
}

/* ---- the procedure ---- */

static bool
IsBuilder(Oid relid)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relid));
	bool		is_builder;

	if (!HeapTupleIsValid(tuple))
		return false;
	is_builder = has_privs_of_role(GetUserId(), ((Form_pg_class) GETSTRUCT(tuple))->relowner);
	ReleaseSysCache(tuple);
	return is_builder;
}

/*
 * Returns the user's tables with indexes to build: the one with this name, or
 * all.
 */
static List *
PendingTables(const char *table_name)
{
	List	   *relids = NIL;
	ListCell   *cell;

	if (table_name != NULL)
	{
		Relation	rel = OpenTableForDdl(table_name, AccessShareLock);

		relids = list_make1_oid(RelationGetRelid(rel));
		table_close(rel, AccessShareLock);
		return relids;
	}
	foreach(cell, TablesWithFeature(FEATURE_PENDING_BUILD))
	{
		if (IsBuilder(lfirst_oid(cell)))
			relids = lappend_oid(relids, lfirst_oid(cell));
	}
	return relids;
}

static char *
TableNameArgument(FunctionCallInfo fcinfo)
{
	return PG_ARGISNULL(0) ? NULL : TableArgument(fcinfo, 0);
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
	if (PG_ARGISNULL(1) || PG_GETARG_BOOL(1))
		AwaitBuilds(relids, table_name == NULL);
	else
	{
		foreach(cell, relids)
		{
			if (TableHasFeature(lfirst_oid(cell), FEATURE_PENDING_BUILD))
				BuildAtCommit(lfirst_oid(cell));
		}
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
	char	   *call = psprintf("CALL dynamo.build_indexes(%s::pg_catalog.regclass)",
								quote_literal_cstr(QualifiedName(schema, get_rel_name(def->relid))));
	List	   *statements = NIL;
	ListCell   *cell;

	PutStatement(result, call);
	if (index->status == INDEX_CREATING && index->kind->build_statements != NULL)
		statements = index->kind->build_statements(def, index);
	foreach(cell, statements)
		PutStatement(result, lfirst(cell));
	if (statements != NIL)
		PutStatement(result, call);
}

static void
PutTableStatements(ReturnSetInfo *result, Oid relid)
{
	Relation	rel = try_table_open(relid, AccessShareLock);
	const TableDef *def = rel != NULL ? TableDefCopy(rel) : NULL;

	for (int i = 0; def != NULL && i < def->nindexes; i++)
	{
		if (def->indexes[i].status != INDEX_ACTIVE)
			PutStatementsFor(result, def, &def->indexes[i]);
	}
	if (rel != NULL)
		table_close(rel, AccessShareLock);
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
		PutTableStatements(result, lfirst_oid(cell));
	SPI_finish();
	return (Datum) 0;
}
