/*
 * housekeeping.c
 *	  A background worker that deletes expired items and old stream records, as
 *	  the service does automatically.
 *
 * At intervals it processes the tables with time to live and the streams in
 * turn, in small parts, until nothing is left to do.  Each part is a
 * transaction with the rights of the table's owner, because deleting fires
 * triggers that the owner may have written.  After each part it pauses for the
 * same time, to leave resources to others.  It also resumes interrupted index
 * builds.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/bgworker.h"
#include "storage/latch.h"
#include "storage/lmgr.h"
#include "storage/proc.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"

#include "compat.h"
#include "index/build.h"
#include "worker/housekeeping.h"
#include "worker/housekeeping_task.h"
#include "worker/identity.h"
#include "worker/lost_tables.h"
#include "worker/permanent.h"
#include "worker/workers.h"

/* The longest pause, in milliseconds. */
#define LONGEST_PAUSE	1000

/*
 * Limits the time that a table can take by its locks and triggers, so that the
 * worker reaches the others.
 */
static const PermanentWorker housekeeping = {HOUSEKEEPING_TYPE, "2s", "10min"};

/* ---- what there is to do ---- */

static void
FindTasks(HTAB *tasks)
{
	IdentityAssumeSuperuser();
	StartTransactionCommand();
	if (PermanentWorkerHasTables())
	{
		PushActiveSnapshot(GetTransactionSnapshot());
		TasksRead(tasks);
		PopActiveSnapshot();
	}
	else
		TasksForget(tasks);
	CommitTransactionCommand();
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

/* Locks the table; returns whether it still exists and has the same owner. */
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

/* A table and a role may have been dropped since the tasks were read. */
static int64
RunTask(Task *task)
{
	Identity	identity = OwnerIdentity(task->owner);
	int64		deleted = 0;

	if (!IdentityIsAssumed(&identity, false))
		IdentityAssume(&identity, false);
	PermanentWorkerBegin();
	IdentityEnter();
	if (IsOwned(task))
	{
		PushActiveSnapshot(GetTransactionSnapshot());
		deleted = TaskRun(task);
		PopActiveSnapshot();
	}
	else
		task->done = true;
	PermanentWorkerCommit();
	IdentityLeave();
	return deleted;
}

static void
AbortTask(bool log)
{
	HOLD_INTERRUPTS();
	PermanentWorkerRollback(log);
	IdentityLeave();
	RESUME_INTERRUPTS();
}

static void
ResumeBuilds(void)
{
	IdentityAssumeSuperuser();
	StartTransactionCommand();
	if (PermanentWorkerHasTables())
	{
		PushActiveSnapshot(GetTransactionSnapshot());
		BuildsResume();
		PopActiveSnapshot();
	}
	CommitTransactionCommand();
}

/* An error ends the transaction but not the worker. */
static void
TryResumeBuilds(void)
{
	PG_TRY();
	{
		ResumeBuilds();
	}
	PG_CATCH();
	{
		AbortTask(true);
	}
	PG_END_TRY();
}

/*
 * Runs a part of a task; returns how much it deleted.  An error ends the
 * transaction but not the worker.  *cancelled is set if a user has canceled it.
 */
static int64
TryTask(Task *task, bool *cancelled)
{
	volatile int64 deleted = 0;

	LostTableBegin(task->relid);
	PG_TRY();
	{
		deleted = RunTask(task);
	}
	PG_CATCH();
	{
		*cancelled = PermanentWorkerWasCancelled();
		AbortTask(TaskAborted(task, *cancelled));
	}
	PG_END_TRY();
	LostTableEnd();
	return deleted;
}

/* Sleeps for as long as the last part took, so that others get as much time. */
static void
PauseAsLong(TimestampTz since)
{
	long		milliseconds = TimestampDifferenceMilliseconds(since, GetCurrentTimestamp());

	(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
					 Min(milliseconds, LONGEST_PAUSE), PG_WAIT_EXTENSION);
	ResetLatch(MyLatch);
}

/* Runs a part of every task; returns whether more is left to do. */
static bool
RunTasks(Task **tasks, int n, bool *cancelled)
{
	bool		more = false;

	for (int i = 0; i < n; i++)
	{
		Task	   *task = tasks[i];
		TimestampTz begin = GetCurrentTimestamp();

		(void) PermanentWorkerHandleInterrupts();
		if (*cancelled || !TaskIsDue(task))
			continue;
		if (TryTask(task, cancelled) > 0)
			PauseAsLong(begin);
		more = more || TaskIsDue(task);
	}
	return more;
}

/* Tables that are created during the call are processed after an interval. */
static bool
CleanUp(HTAB *tasks)
{
	TimestampTz begin = GetCurrentTimestamp();
	Task	  **list;
	int			n;
	bool		cancelled = false;
	bool		more = true;

	pgstat_report_activity(STATE_RUNNING, "housekeeping");
	BuildsResumeEverywhere();
	TryResumeBuilds();
	FindTasks(tasks);
	list = TasksList(tasks, &n);
	while (more && !cancelled &&
		   !TimestampDifferenceExceeds(begin, GetCurrentTimestamp(),
									   housekeeping_interval * 1000))
	{
		more = RunTasks(list, n, &cancelled);
		pgstat_report_stat(false);
	}
	pfree(list);
	pgstat_report_stat(true);
	pgstat_report_activity(STATE_IDLE, NULL);
	return more && !cancelled;
}

/* ---- the loop ---- */

/*
 * Sleeps until the interval since a time is over, however often a signal wakes the worker:
 * reloads of the configuration and dropped databases can be more frequent than that.
 */
static void
SleepUntilDue(TimestampTz since)
{
	for (;;)
	{
		long		interval = housekeeping_interval * 1000L;
		long		left = TimestampDifferenceMilliseconds(GetCurrentTimestamp(),
														   TimestampTzPlusMilliseconds(since, interval));

		if (interval > 0 && left == 0)
			return;
		/* the clock may have been set back */
		PermanentWorkerSleep(Min(left, interval));
	}
}

void
dynamo_housekeeping_main(Datum arg)
{
	HTAB	   *tasks;

	PermanentWorkerStart(&housekeeping);
	LostTablesNote();
	BuildsResumeEverywhere();
	tasks = TasksCreate();
	for (;;)
	{
		SleepUntilDue(GetCurrentTimestamp());
		while (CleanUp(tasks) && housekeeping_interval > 0)
			;
	}
}
