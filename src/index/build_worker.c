/*
 * build_worker.c
 *	  The background worker that builds the indexes of a table.
 *
 * It is registered just before the transaction commits that has created the
 * index, and waits for the end of that transaction, whichever it is.  So
 * nothing can fail after the commit, and a rollback needs no care: the worker
 * finds nothing to build.
 *
 * The worker connects as the session's user and takes the role that was
 * current.  After an error it tries again, later and later; it ends when it is
 * cancelled.  It is not restarted after a crash of the server: the next DDL on
 * the table, DescribeTable or dynamo.build_indexes starts another.
 */
#include "postgres.h"

#include <signal.h>

#include "access/xact.h"
#include "access/xlog.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/bgworker.h"
#include "postmaster/interrupt.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/lock.h"
#include "storage/proc.h"
#include "tcop/tcopprot.h"
#include "utils/acl.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/wait_event.h"

#include "catalog/build_lock.h"
#include "index/build.h"

#define RETRY_MILLISECONDS		5000
#define RETRY_MILLISECONDS_MAX	300000

/* What the worker is told, in bgw_extra. */
typedef struct WorkerTask
{
	Oid			database;
	Oid			session_user;
	Oid			role;
	Oid			relid;
	VirtualTransactionId launcher;
} WorkerTask;

StaticAssertDecl(sizeof(WorkerTask) <= BGW_EXTRALEN, "task does not fit");

PGDLLEXPORT void dynamo_build_worker_main(Datum arg);

/* ---- registering ---- */

/* Tables whose indexes are to be built after this transaction. */
static List *requested;

bool
BuildNow(Oid relid)
{
	BackgroundWorker worker = {0};
	BackgroundWorkerHandle *handle;
	WorkerTask	task = {0};

	task.database = MyDatabaseId;
	task.session_user = GetSessionUserId();
	task.role = GetUserId();
	task.relid = relid;
	GET_VXID_FROM_PGPROC(task.launcher, *MyProc);
	worker.bgw_flags = BGWORKER_SHMEM_ACCESS | BGWORKER_BACKEND_DATABASE_CONNECTION;
	worker.bgw_start_time = BgWorkerStart_RecoveryFinished;
	worker.bgw_restart_time = BGW_NEVER_RESTART;
	snprintf(worker.bgw_library_name, BGW_MAXLEN, "dynamo");
	snprintf(worker.bgw_function_name, BGW_MAXLEN, "dynamo_build_worker_main");
	snprintf(worker.bgw_name, BGW_MAXLEN, "dynamo index build of relation %u", relid);
	snprintf(worker.bgw_type, BGW_MAXLEN, "dynamo index build");
	memcpy(worker.bgw_extra, &task, sizeof(task));
	return RegisterDynamicBackgroundWorker(&worker, &handle);
}

void
BuildAtCommit(Oid relid)
{
	MemoryContext old = MemoryContextSwitchTo(TopTransactionContext);

	requested = list_append_unique_oid(requested, relid);
	MemoryContextSwitchTo(old);
}

void
BuildIfPending(Relation rel, const TableDef *def)
{
	Oid			relid = RelationGetRelid(rel);

	if (HasPendingBuild(def) && !RecoveryInProgress() && !XactReadOnly &&
		RelationOwnercheck(relid, GetUserId()) && !BuildIsRunning(relid))
		BuildAtCommit(relid);
}

static void
LaunchRequested(XactEvent event, void *arg)
{
	ListCell   *cell;

	if (event == XACT_EVENT_PRE_COMMIT)
	{
		foreach(cell, requested)
		{
			if (!BuildNow(lfirst_oid(cell)))
				ereport(NOTICE,
						(errmsg("no background worker is free to build the index"),
						 errhint("CALL dynamo.build_indexes() after this transaction, or set \"max_worker_processes\" higher.")));
		}
	}
	/* the list goes with its transaction */
	if (event != XACT_EVENT_PARALLEL_PRE_COMMIT)
		requested = NIL;
}

void
BuildWorkerInit(void)
{
	RegisterXactCallback(LaunchRequested, NULL);
	DefineCustomIntVariable("dynamo.in_place_build_limit",
							"Largest table on which create_index builds at once, under an exclusive lock.",
							"Larger ones are built in the background while they are read and written; -1 builds all at once.",
							&in_place_build_limit, 8192, -1, INT_MAX, PGC_USERSET, GUC_UNIT_KB,
							NULL, NULL, NULL);
	DefineCustomIntVariable("dynamo.build_batch_size",
							"Rows that the building of an index looks at in one transaction.",
							NULL, &build_batch_size, 500, 1, 1000000, PGC_USERSET, 0,
							NULL, NULL, NULL);
	DefineCustomIntVariable("dynamo.build_delay",
							"Pause of the building of an index after each transaction.",
							NULL, &build_delay, 10, 0, 60000, PGC_USERSET, GUC_UNIT_MS,
							NULL, NULL, NULL);
}

/* ---- the worker ---- */

/* Settings of the database or the user must not stand in the way. */
static void
SetWorkerSettings(void)
{
	static const char *const settings[][2] = {
		{"default_transaction_isolation", "read committed"},
		{"default_transaction_read_only", "off"},
		{"lock_timeout", "0"},
		{"statement_timeout", "0"},
		{"idle_in_transaction_session_timeout", "0"},
		{"application_name", "dynamo index build"},
	};

	for (size_t i = 0; i < lengthof(settings); i++)
		SetConfigOption(settings[i][0], settings[i][1], PGC_USERSET, PGC_S_SESSION);
}

static void
WaitForLauncher(const WorkerTask *task)
{
	StartTransactionCommand();
	if (VirtualTransactionIdIsValid(task->launcher))
		(void) VirtualXactLock(task->launcher, true);
	CommitTransactionCommand();
}

static void
RecordError(const WorkerTask *task, const ErrorData *error)
{
	StartTransactionCommand();
	BuildStateError(task->relid, error->message);
	CommitTransactionCommand();
}

/* False after an error; *cancelled: somebody wanted it to end. */
static bool
TryBuild(const WorkerTask *task, MemoryContext context, bool *cancelled)
{
	Builder		builder = {.worker = true, .context = context};
	volatile bool done = true;

	PG_TRY();
	{
		StartTransactionCommand();
		(void) BuildIndexes(&builder, task->relid);
		CommitTransactionCommand();
	}
	PG_CATCH();
	{
		ErrorData  *error;

		HOLD_INTERRUPTS();
		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		FlushErrorState();
		AbortCurrentTransaction();
		RESUME_INTERRUPTS();
		ereport(LOG,
				(errmsg("building indexes of relation %u stopped: %s",
						task->relid, error->message)));
		*cancelled = error->sqlerrcode == ERRCODE_QUERY_CANCELED;
		RecordError(task, error);
		done = false;
	}
	PG_END_TRY();
	return done;
}

/* Holding the lock: nobody else need try meanwhile. */
static void
WaitBeforeRetry(Oid relid, int milliseconds)
{
	StartTransactionCommand();
	BuildLockAcquire(relid);
	CommitTransactionCommand();
	(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
					 milliseconds, PG_WAIT_EXTENSION);
	ResetLatch(MyLatch);
	CHECK_FOR_INTERRUPTS();
	StartTransactionCommand();
	BuildLockRelease(relid);
	CommitTransactionCommand();
}

void
dynamo_build_worker_main(Datum arg)
{
	WorkerTask	task;
	MemoryContext context;
	int			wait = RETRY_MILLISECONDS;
	bool		cancelled = false;

	memcpy(&task, MyBgworkerEntry->bgw_extra, sizeof(task));
	pqsignal(SIGTERM, die);
	pqsignal(SIGHUP, SignalHandlerForConfigReload);
	BackgroundWorkerUnblockSignals();
	BackgroundWorkerInitializeConnectionByOid(task.database, task.session_user, 0);
	SetUserIdAndSecContext(task.role, 0);
	SetWorkerSettings();
	pgstat_report_activity(STATE_RUNNING, MyBgworkerEntry->bgw_name);
	context = AllocSetContextCreate(TopMemoryContext, "dynamo index worker",
									ALLOCSET_DEFAULT_SIZES);
	WaitForLauncher(&task);
	while (!TryBuild(&task, context, &cancelled) && !cancelled)
	{
		MemoryContextReset(context);
		WaitBeforeRetry(task.relid, wait);
		wait = Min(2 * wait, RETRY_MILLISECONDS_MAX);
	}
	proc_exit(0);
}
