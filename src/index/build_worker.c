/*
 * build_worker.c
 *	  The background worker that builds the indexes of a table.
 *
 * It is registered just before the transaction that has created the index
 * commits or is prepared, and it waits for the end of that transaction.
 * Nothing can therefore fail after the commit.  After a rollback the worker
 * finds nothing to build.
 *
 * Whoever requested it, the worker has the rights of the table's owner and no
 * others.  After an error it tries again, at increasing intervals; it ends
 * when it is canceled.  After a restart of the server, build_resume.c starts
 * another one, and so do the next DDL on the table, DescribeTable and
 * dynamo.build_indexes.
 */
#include "postgres.h"

#include <signal.h>

#include "access/htup_details.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "pgstat.h"
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
#include "utils/snapmgr.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"
#include "utils/wait_event.h"

#include "background_worker.h"
#include "ddl/build_lock.h"
#include "index/build.h"
#include "security/owner.h"
#include "table/table_list.h"

#define RETRY_MILLISECONDS		5000
#define RETRY_MILLISECONDS_MAX	300000

/* The data passed to a worker, in bgw_extra. */
typedef struct WorkerTask
{
	Oid			database;
	Oid			relid;
	Oid			owner;			/* InvalidOid if there is no table */
	VirtualTransactionId launcher;
} WorkerTask;

StaticAssertDecl(sizeof(WorkerTask) <= BGW_EXTRALEN, "task does not fit");

PGDLLEXPORT void dynamo_build_worker_main(Datum arg);

/* ---- registering ---- */

/* Tables whose indexes will be built after this transaction. */
static List *requested;

/*
 * If an owner's code runs while another user maintains the table, it must not
 * start a build, because that would run later and without the restrictions.
 */
static void
RefuseInRestrictedOperation(void)
{
	if (InSecurityRestrictedOperation())
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("cannot start building indexes within security-restricted operation")));
}

/* Returns InvalidOid if the table does not exist. */
static Oid
OwnerOf(Oid relid)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relid));
	Oid			owner = InvalidOid;

	if (HeapTupleIsValid(tuple))
	{
		owner = ((Form_pg_class) GETSTRUCT(tuple))->relowner;
		ReleaseSysCache(tuple);
	}
	return owner;
}

bool
BuildNow(Oid relid)
{
	BackgroundWorker worker = WorkerDescribe("dynamo", "dynamo_build_worker_main", "dynamo index build");
	BackgroundWorkerHandle *handle;
	WorkerTask	task = {0};

	RefuseInRestrictedOperation();
	task.database = MyDatabaseId;
	task.relid = relid;
	task.owner = OwnerOf(relid);
	if (OidIsValid(task.owner) && BuildSlotIsAwaited(task.owner, SLOT_OF_BUILD))
		return true;
	GET_VXID_FROM_PGPROC(task.launcher, *MyProc);
	snprintf(worker.bgw_name, BGW_MAXLEN, "dynamo index build of relation %u", relid);
	memcpy(worker.bgw_extra, &task, sizeof(task));
	return RegisterDynamicBackgroundWorker(&worker, &handle);
}

void
BuildAtCommit(Oid relid)
{
	MemoryContext old;

	RefuseInRestrictedOperation();
	old = MemoryContextSwitchTo(TopTransactionContext);
	requested = list_append_unique_oid(requested, relid);
	MemoryContextSwitchTo(old);
}

/*
 * Starts a worker for a build that this transaction has stopped.  It begins when the
 * transaction has ended, in whichever way.
 */
static void
ContinueBuild(Oid relid)
{
	if (!BuildNow(relid))
		BuildAtCommit(relid);
}

void
BuildIfPending(Relation rel, const TableDef *def)
{
	Oid			relid = RelationGetRelid(rel);

	if (HasPendingBuild(def) && !RecoveryInProgress() && !XactReadOnly &&
		!InSecurityRestrictedOperation() && RelationOwnercheck(relid, GetUserId()) && !BuildIsRunning(relid))
		BuildAtCommit(relid);
}

static void
LaunchRequested(XactEvent event, void *arg)
{
	ListCell   *cell;

	if (event == XACT_EVENT_PRE_COMMIT || event == XACT_EVENT_PRE_PREPARE)
	{
		foreach(cell, requested)
		{
			if (!BuildNow(lfirst_oid(cell)))
				ereport(NOTICE,
						(errmsg("no background worker is free to build the index"),
						 errhint("CALL dynamo.build_indexes() after this transaction, or raise \"max_worker_processes\".")));
		}
	}
	/* The list ends with its transaction. */
	if (event != XACT_EVENT_PARALLEL_PRE_COMMIT)
		requested = NIL;
}

void
BuildWorkerInit(void)
{
	RegisterXactCallback(LaunchRequested, NULL);
	BuildContinueWith(ContinueBuild);
	BuildSlotInit();
	BuildStateInit();
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

/*
 * Takes the rights of the table's owner; false if there is nothing to build: the table
 * has been dropped, or the extension, without which each attempt would fail.
 */
static bool
AssumeOwner(Oid relid)
{
	Oid			owner;

	StartTransactionCommand();
	owner = WorkerHasExtension() ? OwnerOf(relid) : InvalidOid;
	if (OidIsValid(owner))
		OwnerAssume(owner);
	CommitTransactionCommand();
	return OidIsValid(owner);
}

/* Sleeps for the whole time, even if the latch is set for other reasons. */
void
BuildSleep(int milliseconds)
{
	TimestampTz end = TimestampTzPlusMilliseconds(GetCurrentTimestamp(), milliseconds);
	long		left;

	while ((left = TimestampDifferenceMilliseconds(GetCurrentTimestamp(), end)) > 0)
	{
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
						 left, PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
	}
}

/*
 * Pauses while holding the lock, so that no other session tries meanwhile.
 * The transaction releases the lock in any case; without a snapshot it blocks
 * nobody.
 */
static void
PauseBeforeRetry(Oid relid, int milliseconds)
{
	StartTransactionCommand();
	BuildLockAcquire(relid);
	BuildSleep(milliseconds);
	BuildLockRelease(relid);
	CommitTransactionCommand();
}

static void
BuildTable(const Builder *builder, Oid relid, int pause)
{
	if (pause > 0)
		PauseBeforeRetry(relid, pause);
	if (!AssumeOwner(relid))
		return;
	StartTransactionCommand();
	(void) BuildIndexes(builder, relid);
	CommitTransactionCommand();
}

/* Ends the transaction of a caught error; returns a copy of the error. */
static ErrorData *
EndFailedTransaction(Oid relid, MemoryContext context)
{
	ErrorData  *error;

	HOLD_INTERRUPTS();
	MemoryContextSwitchTo(context);
	error = CopyErrorData();
	FlushErrorState();
	AbortCurrentTransaction();
	RESUME_INTERRUPTS();
	MemoryContextSwitchTo(context);
	ereport(LOG,
			(errmsg("building indexes of relation %u stopped: %s", relid, error->message)));
	return error;
}

/*
 * Returns the error that stopped the build, or NULL.  The error ends the
 * transaction but not the worker, which records it and repeats the build.
 */
static ErrorData *
TryBuild(const Builder *builder, Oid relid, int pause)
{
	ErrorData  *volatile error = NULL;

	PG_TRY();
	{
		BuildTable(builder, relid, pause);
	}
	PG_CATCH();
	{
		error = EndFailedTransaction(relid, builder->context);
	}
	PG_END_TRY();
	return error;
}

static void
RecordError(const Builder *builder, Oid relid, const ErrorData *error)
{
	StartTransactionCommand();
	if (error->sqlerrcode == ERRCODE_QUERY_CANCELED)
		BuildStateCancelled(relid, builder->index_name->data, error->message);
	else
		BuildStateError(relid, builder->index_name->data, error->message);
	CommitTransactionCommand();
}

/*
 * Records an error in a transaction.  If this fails, too, for example on a full
 * disk, the transaction ends and the log contains both errors.
 */
static void
TryRecordError(const Builder *builder, Oid relid, const ErrorData *error)
{
	PG_TRY();
	{
		RecordError(builder, relid, error);
	}
	PG_CATCH();
	{
		(void) EndFailedTransaction(relid, builder->context);
	}
	PG_END_TRY();
}

/*
 * Repeats the build until it succeeds, is not needed any more, or is canceled.
 */
static void
BuildPatiently(Oid relid)
{
	Builder		builder = {.worker = true};
	ErrorData  *error;
	int			pause = 0;

	builder.index_name = makeStringInfo();
	builder.context = AllocSetContextCreate(TopMemoryContext, "dynamo index worker",
											ALLOCSET_DEFAULT_SIZES);
	while ((error = TryBuild(&builder, relid, pause)) != NULL)
	{
		TryRecordError(&builder, relid, error);
		if (error->sqlerrcode == ERRCODE_QUERY_CANCELED)
			break;
		MemoryContextReset(builder.context);
		pause = pause == 0 ? RETRY_MILLISECONDS : Min(2 * pause, RETRY_MILLISECONDS_MAX);
	}
	MemoryContextSwitchTo(TopMemoryContext);
	MemoryContextDelete(builder.context);
}

/*
 * Returns a table of the owner whose indexes no worker is building, except the
 * given ones; InvalidOid if there is none.
 */
static Oid
FindNextTable(Oid owner, const List *others)
{
	Oid			found = InvalidOid;
	ListCell   *cell;

	StartTransactionCommand();
	PushActiveSnapshot(GetTransactionSnapshot());
	foreach(cell, WorkerHasExtension() ? TablesWithFeature(FEATURE_PENDING_BUILD) : NIL)
	{
		Oid			relid = lfirst_oid(cell);

		if (OwnerOf(relid) == owner && !list_member_oid(others, relid) && !BuildIsRunning(relid) &&
			BuildStateMayResume(relid))
		{
			found = relid;
			break;
		}
	}
	PopActiveSnapshot();
	CommitTransactionCommand();
	return found;
}

/* Whether the build of a table has ended without its indexes. */
static bool
IsLeft(Oid relid)
{
	bool		left;

	StartTransactionCommand();
	left = WorkerHasExtension() && TableHasFeature(relid, FEATURE_PENDING_BUILD);
	CommitTransactionCommand();
	return left;
}

/*
 * Builds the indexes of the table, then those of tables whose workers found no
 * slot.  A table that is built may get another index meanwhile.
 */
static void
BuildAll(Oid relid, Oid owner)
{
	List	   *left = NIL;

	while (OidIsValid(relid))
	{
		BuildPatiently(relid);
		QueryCancelPending = false; /* was for this build */
		if (IsLeft(relid))
		{
			MemoryContext old = MemoryContextSwitchTo(TopMemoryContext);

			left = lappend_oid(left, relid);
			MemoryContextSwitchTo(old);
		}
		relid = FindNextTable(owner, left);
	}
}

void
dynamo_build_worker_main(Datum arg)
{
	WorkerTask	task;

	memcpy(&task, MyBgworkerEntry->bgw_extra, sizeof(task));
	WorkerConnect(task.database, "dynamo index build");
	if (!OidIsValid(task.owner) || !BuildSlotTake(task.owner, SLOT_OF_BUILD))
		proc_exit(0);
	WorkerAwaitLauncher(task.launcher);
	BuildAll(task.relid, task.owner);
	proc_exit(0);
}
