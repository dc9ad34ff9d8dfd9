/*
 * housekeeping.c
 *	  A background worker that does what the service does by itself.
 *
 * Now and then it goes through the tables that have a time to live and the
 * streams.  Each is a transaction of its own, with the rights of the table's
 * owner: deleting fires triggers, and an owner may have written any.  Builds of
 * indexes that the end of a process has interrupted are begun again.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_class.h"
#include "commands/extension.h"
#include "executor/spi.h"
#include "jit/jit.h"
#include "libpq/pqsignal.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/bgworker.h"
#include "postmaster/interrupt.h"
#include "storage/latch.h"
#include "storage/lmgr.h"
#include "storage/proc.h"
#include "tcop/tcopprot.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"
#include "utils/timeout.h"
#include "utils/timestamp.h"

#include "catalog/table_list.h"
#include "compat.h"
#include "http/housekeeping.h"
#include "http/identity.h"
#include "http/settings.h"
#include "index/build.h"
#include "op/op.h"
#include "stream/stream.h"

/* What one transaction does at most; the rest is done after the others. */
#define ITEMS_AT_ONCE	1000
#define RECORDS_AT_ONCE	10000

/* How often that is, before tables that are new have their turn. */
#define MAX_ROUNDS		100

typedef struct Task
{
	Oid			relid;
	Oid			owner;
	bool		stream;			/* to be trimmed; or a table with expired items */
	bool		done;
} Task;

/*
 * No table may keep the worker from the others for ever: with its locks, with
 * its triggers.
 */
static void
SetDefaults(void)
{
	SetConfigOption("lock_timeout", "2s", PGC_USERSET, PGC_S_DYNAMIC_DEFAULT);
	SetConfigOption("statement_timeout", "10min", PGC_USERSET, PGC_S_DYNAMIC_DEFAULT);
	SetConfigOption("application_name", "dynamo housekeeping", PGC_USERSET, PGC_S_DYNAMIC_DEFAULT);
}

/* What signals have asked for, between transactions: there is none to cancel. */
static void
HandleInterrupts(void)
{
	QueryCancelPending = false;
	CHECK_FOR_INTERRUPTS();
	if (ConfigReloadPending)
	{
		ConfigReloadPending = false;
		ProcessConfigFile(PGC_SIGHUP);
		SetDefaults();
	}
}

/* ---- what there is to do ---- */

static List *
Streams(void)
{
	List	   *relids = NIL;

	if (SPI_execute("SELECT stream_relation::pg_catalog.oid FROM dynamo.streams", true, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not read dynamo.streams");
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		bool		isnull;

		relids = lappend_oid(relids, DatumGetObjectId(SPI_getbinval(SPI_tuptable->vals[i],
																	SPI_tuptable->tupdesc,
																	1, &isnull)));
	}
	return relids;
}

/* Adds those of the relations that are still there. */
static int
AddTasks(Task *tasks, int n, const List *relids, bool stream)
{
	ListCell   *cell;

	foreach(cell, relids)
	{
		HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(lfirst_oid(cell)));

		if (!HeapTupleIsValid(tuple))
			continue;
		tasks[n++] = (Task) {
			.relid = lfirst_oid(cell),
			.owner = ((Form_pg_class) GETSTRUCT(tuple))->relowner,
			.stream = stream
		};
		ReleaseSysCache(tuple);
	}
	return n;
}

/* Reads the tasks into a memory context. */
static Task *
ReadTasks(MemoryContext context, int *n)
{
	List	   *tables;
	List	   *streams;
	Task	   *tasks;

	SPI_connect();
	tables = TablesWithFeature(FEATURE_TIME_TO_LIVE);
	streams = Streams();
	tasks = MemoryContextAllocZero(context, (list_length(tables) + list_length(streams) + 1) *
								   sizeof(Task));
	*n = AddTasks(tasks, 0, tables, false);
	*n = AddTasks(tasks, *n, streams, true);
	SPI_finish();
	return tasks;
}

static void
AssumeSuperuser(void)
{
	Identity	superuser = {.role = BOOTSTRAP_SUPERUSERID, .superuser = true};

	if (!IdentityIsAssumed(&superuser))
		IdentityAssume(&superuser);
}

/* A standby, and a database without the extension, have nothing to do. */
static bool
HasTables(void)
{
	return !XactReadOnly && OidIsValid(get_extension_oid("dynamo", true));
}

static Task *
FindTasks(MemoryContext context, int *n)
{
	Task	   *tasks = NULL;

	*n = 0;
	AssumeSuperuser();
	StartTransactionCommand();
	if (HasTables())
	{
		PushActiveSnapshot(GetTransactionSnapshot());
		tasks = ReadTasks(context, n);
		PopActiveSnapshot();
	}
	CommitTransactionCommand();
	return tasks;
}

/* ---- doing it ---- */

static Identity
OwnerIdentity(Oid owner)
{
	Identity	identity = {.role = owner};

	StartTransactionCommand();
	identity.superuser = superuser_arg(owner);
	CommitTransactionCommand();
	return identity;
}

/* Locks the table; whether it is still there, and the same owner's. */
static bool
IsOwned(const Task *task)
{
	HeapTuple	tuple;
	bool		same;

	LockRelationOid(task->relid, AccessShareLock);
	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(task->relid));
	if (!HeapTupleIsValid(tuple))
		return false;
	same = ((Form_pg_class) GETSTRUCT(tuple))->relowner == task->owner;
	ReleaseSysCache(tuple);
	return same;
}

/* Whether nothing is left to do. */
static bool
DoTask(const Task *task)
{
	TimestampTz cutoff = TimestampTzPlusMilliseconds(GetCurrentTimestamp(),
													 -1000 * (int64) http_stream_retention);

	if (task->stream)
		return StreamTrim(task->relid, cutoff, RECORDS_AT_ONCE) < RECORDS_AT_ONCE;
	return ExpireItems(task->relid, ITEMS_AT_ONCE) < ITEMS_AT_ONCE;
}

/* A table and a role may have been dropped since the tasks were read. */
static bool
RunTask(const Task *task)
{
	Identity	identity = OwnerIdentity(task->owner);
	bool		done = true;

	if (!IdentityIsAssumed(&identity))
		IdentityAssume(&identity);
	SetCurrentStatementStartTimestamp();
	StartTransactionCommand();
	IdentityEnter();
	if (StatementTimeout > 0)
		enable_timeout_after(STATEMENT_TIMEOUT, StatementTimeout);
	if (IsOwned(task))
	{
		PushActiveSnapshot(GetTransactionSnapshot());
		done = DoTask(task);
		PopActiveSnapshot();
	}
	disable_timeout(STATEMENT_TIMEOUT, false);
	CommitTransactionCommand();
	IdentityLeave();
	return done;
}

static void
Rollback(void)
{
	HOLD_INTERRUPTS();
	disable_all_timeouts(false);
	QueryCancelPending = false;
	EmitErrorReport();
	FlushErrorState();
	AbortCurrentTransaction();
	jit_reset_after_error();
	IdentityLeave();
	RESUME_INTERRUPTS();
}

static void
ResumeBuilds(void)
{
	AssumeSuperuser();
	StartTransactionCommand();
	if (HasTables())
	{
		PushActiveSnapshot(GetTransactionSnapshot());
		BuildsResume();
		PopActiveSnapshot();
	}
	CommitTransactionCommand();
}

static void
TryResumeBuilds(void)
{
	PG_TRY();
	{
		ResumeBuilds();
	}
	PG_CATCH();
	{
		Rollback();
	}
	PG_END_TRY();
}

/* What fails is logged and tried again the next time. */
static bool
TryTask(const Task *task)
{
	volatile bool done = true;

	PG_TRY();
	{
		done = RunTask(task);
	}
	PG_CATCH();
	{
		Rollback();
	}
	PG_END_TRY();
	return done;
}

/* Once for every task; whether all is done. */
static bool
RunTasks(Task *tasks, int n)
{
	bool		all = true;

	for (int i = 0; i < n; i++)
	{
		HandleInterrupts();
		if (!tasks[i].done)
			tasks[i].done = TryTask(&tasks[i]);
		all = all && tasks[i].done;
	}
	return all;
}

static void
CleanUp(MemoryContext context)
{
	Task	   *tasks;
	int			n;

	pgstat_report_activity(STATE_RUNNING, "housekeeping");
	TryResumeBuilds();
	tasks = FindTasks(context, &n);
	for (int i = 0; i < MAX_ROUNDS && !RunTasks(tasks, n); i++)
		pgstat_report_stat(false);
	MemoryContextReset(context);
	pgstat_report_stat(true);
	pgstat_report_activity(STATE_IDLE, NULL);
}

/* ---- the loop ---- */

/* Waits for the time or a signal; whether it was time. */
static bool
Wait(void)
{
	bool		never = http_housekeeping_interval == 0;
	int			events = WaitLatch(MyLatch,
								   WL_LATCH_SET | WL_EXIT_ON_PM_DEATH | (never ? 0 : WL_TIMEOUT),
								   never ? -1L : http_housekeeping_interval * 1000L,
								   PG_WAIT_EXTENSION);

	if (events & WL_LATCH_SET)
		ResetLatch(MyLatch);
	HandleInterrupts();
	return (events & WL_TIMEOUT) != 0;
}

void
dynamo_http_housekeeping_main(Datum arg)
{
	MemoryContext context;

	pqsignal(SIGTERM, die);
	pqsignal(SIGHUP, SignalHandlerForConfigReload);
	BackgroundWorkerUnblockSignals();
	BackgroundWorkerInitializeConnection(http_database, NULL, 0);
	SetDefaults();
	BuildsResumeEverywhere();
	pgstat_report_activity(STATE_IDLE, NULL);
	context = AllocSetContextCreate(TopMemoryContext, "dynamo housekeeping", ALLOCSET_SMALL_SIZES);
	for (;;)
	{
		if (Wait())
			CleanUp(context);
	}
}
