/*
 * archive_launch.c
 *	  Starts the workers of jobs, and manages the locks that show which workers
 *	  are alive.
 *
 * A worker is registered just before its job is committed, and waits for the
 * end of that transaction.  If no worker is free, the transaction fails, and no
 * job is stored.
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/pg_class.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "storage/lock.h"
#include "storage/proc.h"
#include "utils/memutils.h"

#include "archive/archive.h"
#include "archive/archive_worker.h"
#include "background_worker.h"
#include "errors.h"
#include "object_locks.h"
#include "worker/api.h"

/* ---- the lock ---- */

/* Workers that the endpoint and the server need at least; jobs get half of the others. */
#define OTHER_WORKERS	4

static void
SetJobTag(LOCKTAG *tag, const char *id)
{
	uint32		hash = hash_bytes((const unsigned char *) id, (int) strlen(id));

	SET_LOCKTAG_OBJECT(*tag, MyDatabaseId, RelationRelationId, hash, LOCK_OF_JOB);
	tag->locktag_lockmethodid = USER_LOCKMETHOD;
}

/* Whose lock this process has, which would not keep it from taking the lock again. */
static char *own_job;

/*
 * A session lock with the method of advisory locks: it is released when the
 * process ends, in whatever way.
 */
bool
JobLockTake(const char *id)
{
	LOCKTAG		tag;

	SetJobTag(&tag, id);
	if (LockAcquire(&tag, ExclusiveLock, true, true) == LOCKACQUIRE_NOT_AVAIL)
		return false;
	own_job = MemoryContextStrdup(TopMemoryContext, id);
	return true;
}

bool
JobIsAlive(const char *id)
{
	LOCKTAG		tag;

	if (own_job != NULL && strcmp(id, own_job) == 0)
		return true;
	SetJobTag(&tag, id);
	if (LockAcquire(&tag, ShareLock, false, true) == LOCKACQUIRE_NOT_AVAIL)
		return true;
	LockRelease(&tag, ShareLock, false);
	return false;
}

/* ---- workers ---- */

/* Ids of the jobs that this transaction starts at its commit. */
static List *requested;

static void
LaunchWorker(const char *id)
{
	BackgroundWorker worker = WorkerDescribe(API_LIBRARY, "dynamo_archive_worker_main", "dynamo archive job");
	BackgroundWorkerHandle *handle;
	JobTask		task = {0};

	task.database = MyDatabaseId;
	GET_VXID_FROM_PGPROC(task.launcher, *MyProc);
	strlcpy(task.id, id, sizeof(task.id));
	snprintf(worker.bgw_name, BGW_MAXLEN, "dynamo archive job %s", id);
	memcpy(worker.bgw_extra, &task, sizeof(task));
	if (!RegisterDynamicBackgroundWorker(&worker, &handle))
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_LIMIT_EXCEEDED),
				 errmsg("Subscriber limit exceeded: no background worker is free"),
				 errhint("Raise \"max_worker_processes\", or try again later.")));
}

/*
 * Locks out other starts by the role's sessions until the transaction ends; does not
 * wait for one if it need not.  Returns whether it has the lock.
 */
static bool
LockStarts(Oid role, bool wait)
{
	LOCKTAG		tag;

	SET_LOCKTAG_OBJECT(tag, MyDatabaseId, RelationRelationId, role, LOCK_OF_JOB_START);
	tag.locktag_lockmethodid = USER_LOCKMETHOD;
	return LockAcquire(&tag, ExclusiveLock, false, !wait) != LOCKACQUIRE_NOT_AVAIL;
}

static int
MaxWorkers(void)
{
	return max_archive_workers > 0 ? max_archive_workers : Max(1, (max_worker_processes - OTHER_WORKERS) / 2);
}

static bool
NoteLimit(const char *whose, const char *setting, int limit, Problem *problem)
{
	return ProblemNote(problem, &(Problem) {
		.sqlstate = ERRCODE_DYNAMO_LIMIT_EXCEEDED,
		.message = psprintf("Subscriber limit exceeded: too many exports, imports, backups and restores%s are in progress", whose),
		.hint = psprintf("The limit is \"%s\", %d.", setting, limit)
	});
}

/*
 * Worker processes are few, and shared with index builds, parallel queries and other
 * extensions.  The limit of a role is exact.  That of all may be exceeded by roles
 * that start jobs at the same time.
 */
bool
JobHasRoom(const Job *job, Problem *problem)
{
	Oid			role = JobOwner(job);
	int			more = JobHasStatus(job, JOB_QUEUED) ? 0 : 1;

	if (!LockStarts(role, problem == NULL) || JobsInProgress(role) + more > max_archive_workers_per_role)
		return NoteLimit(" of the role", "dynamo.max_archive_workers_per_role", max_archive_workers_per_role, problem);
	if (JobsInProgress(InvalidOid) + more > MaxWorkers())
		return NoteLimit("", "dynamo.max_archive_workers", MaxWorkers(), problem);
	return true;
}

void
JobLaunchAtCommit(const Job *job)
{
	MemoryContext old;

	if (InSecurityRestrictedOperation())
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("cannot start an export, import, backup or restore within security-restricted operation")));
	(void) JobHasRoom(job, NULL);
	old = MemoryContextSwitchTo(TopTransactionContext);
	requested = lappend(requested, pstrdup(job->id));
	MemoryContextSwitchTo(old);
}

static void
LaunchRequestedJobs(XactEvent event, void *arg)
{
	if (event == XACT_EVENT_PRE_COMMIT || event == XACT_EVENT_PRE_PREPARE)
	{
		ListCell   *cell;

		foreach(cell, requested)
			LaunchWorker(lfirst(cell));
	}
	if (event != XACT_EVENT_PARALLEL_PRE_COMMIT)
		requested = NIL;
}

void
JobLaunchInit(void)
{
	RegisterXactCallback(LaunchRequestedJobs, NULL);
}
