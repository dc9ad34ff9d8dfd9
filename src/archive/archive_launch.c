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

/* ---- the lock ---- */

/* PostgreSQL locks no such subobject of pg_class; build_lock.c uses another one. */
#define JOB_SUBOBJECT	2

static void
SetTag(LOCKTAG *tag, const char *id)
{
	uint32		hash = hash_bytes((const unsigned char *) id, (int) strlen(id));

	SET_LOCKTAG_OBJECT(*tag, MyDatabaseId, RelationRelationId, hash, JOB_SUBOBJECT);
	tag->locktag_lockmethodid = USER_LOCKMETHOD;
}

/*
 * A session lock with the method of advisory locks: it is released when the
 * process ends, in whatever way.
 */
bool
JobLockTake(const char *id)
{
	LOCKTAG		tag;

	SetTag(&tag, id);
	return LockAcquire(&tag, ExclusiveLock, true, true) != LOCKACQUIRE_NOT_AVAIL;
}

bool
JobIsAlive(const char *id)
{
	LOCKTAG		tag;

	SetTag(&tag, id);
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
	BackgroundWorker worker = WorkerDescribe("dynamo_archive_worker_main", "dynamo archive job");
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

void
JobLaunchAtCommit(const char *id)
{
	MemoryContext old;

	if (InSecurityRestrictedOperation())
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("cannot start an export, import, backup or restore within security-restricted operation")));
	old = MemoryContextSwitchTo(TopTransactionContext);
	requested = lappend(requested, pstrdup(id));
	MemoryContextSwitchTo(old);
}

static void
LaunchRequested(XactEvent event, void *arg)
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
LaunchInit(void)
{
	RegisterXactCallback(LaunchRequested, NULL);
}
