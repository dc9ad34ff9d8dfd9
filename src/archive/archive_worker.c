/*
 * archive_worker.c
 *	  The background worker that executes one job.
 *
 * The items and the status of the job are written in one transaction.  After an
 * error, another one records the failure and drops a table that could not be
 * restored: a failed restore whose table is there would look like a restored table.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/xact.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/interrupt.h"
#include "storage/ipc.h"
#include "storage/lmgr.h"
#include "storage/lock.h"
#include "tcop/tcopprot.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "archive/archive.h"
#include "archive/archive_model.h"
#include "archive/archive_remove.h"
#include "archive/archive_worker.h"
#include "background_worker.h"
#include "ddl/ddl.h"
#include "errors.h"
#include "extension_objects.h"
#include "security/owner.h"
#include "security/settings_owner.h"
#include "subtransaction.h"
#include "table/table_name.h"

/* Workers that can be lost one after another without any progress of a job. */
#define MAX_ATTEMPTS	10

PGDLLEXPORT void dynamo_archive_worker_main(Datum arg);

/*
 * Takes the lock of the job, and waits for the end of the transaction that
 * started the worker.  Returns false if another worker has the lock.
 */
static bool
TakeLockOfJob(const JobTask *task)
{
	bool		taken;

	StartTransactionCommand();
	taken = JobLockTake(task->id);
	CommitTransactionCommand();
	WorkerAwaitLauncher(task->launcher);
	return taken;
}

void
BeginJobTransaction(void)
{
	StartTransactionCommand();
	PushActiveSnapshot(GetTransactionSnapshot());
}

void
CommitJobTransaction(void)
{
	PopActiveSnapshot();
	CommitTransactionCommand();
}

static bool
IsBulk(const Job *job)
{
	return strcmp(job->kind, JOB_BULK) == 0;
}

/* Marks the job as running and returns it; NULL if there is nothing to do. */
static Job *
TakeJob(const char *id, MemoryContext context)
{
	Job		   *job;
	MemoryContext old;

	BeginJobTransaction();
	JobsEndLost();
	old = MemoryContextSwitchTo(context);
	job = JobRead(id);
	if (job != NULL && !JobIsUnfinished(job))
		job = NULL;
	if (job != NULL && !JobHasStatus(job, JOB_QUEUED) && strcmp(job->kind, JOB_RESTORE) != 0 && !IsBulk(job))
		job = NULL;
	if (job != NULL)
	{
		if (!JobHasStatus(job, JOB_CANCELLING))
			job->status = JOB_RUNNING;
		job->attempts++;
		JobUpdate(job);
	}
	MemoryContextSwitchTo(old);
	CommitJobTransaction();
	return job;
}

/* What ends its worker, or the server, each time must not do so whenever somebody looks. */
static void
CheckAttempts(const Job *job)
{
	if (job->attempts > MAX_ATTEMPTS)
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("the server or the worker has stopped %d times before the operation was complete", MAX_ATTEMPTS)));
}

static void
RunJob(Job *job, MemoryContext context)
{
	CheckAttempts(job);
	if (IsBulk(job))
	{
		BulkRun(job, context);
		return;
	}
	BeginJobTransaction();
	MemoryContextSwitchTo(context);
	JobExecute(job);
	job->status = job->failure_code == NULL ? JOB_COMPLETED : JOB_FAILED;
	job->ended = SettingsTime();
	JobUpdate(job);
	CommitJobTransaction();
}

/* ---- failure ---- */

/* Returns the service's code of a failure; otherwise the name of the exception. */
static const char *
FailureCode(const ErrorData *error)
{
	switch (error->sqlerrcode)
	{
		case ERRCODE_UNDEFINED_FILE:
			return "S3NoSuchBucket";
		case ERRCODE_INSUFFICIENT_PRIVILEGE:
			return "S3AccessDenied";
		default:
			return DynamoExceptionForSqlstate(error->sqlerrcode)->name;
	}
}

/* Whether a relation is a table whose items are yet to be restored, and a role may drop it. */
static bool
IsUnrestored(Oid relid, Oid role)
{
	Relation	rel = try_table_open(relid, AccessShareLock);
	const TableDef *def;
	bool		owned;

	if (rel == NULL)
		return false;
	def = TableDefCopy(rel);
	owned = has_privs_of_role(role, rel->rd_rel->relowner);
	table_close(rel, AccessShareLock);
	return owned && def != NULL && AwaitsRestore(def);
}

/*
 * Drops the table.  It remains if others own it now, or if something depends on it: its
 * definition says that it is not restored (archive_model.h).
 */
static void
DropUnrestored(void *arg)
{
	const Job  *job = arg;
	Oid			relid = (Oid) job->relation;
	Oid			owner = JobOwner(job);
	OwnerScope	scope;

	if (!OidIsValid(owner) || !IsUnrestored(relid, owner))
		return;
	LockRelationOid(relid, AccessExclusiveLock);
	if (!IsUnrestored(relid, owner))
		return;
	OwnerScopeEnter(&scope, owner);
	TableDrop(TableNameOfOid(relid));
	OwnerScopeLeave(&scope);
}

/*
 * Sets what a job that has failed has done: nothing, or what the committed batches of a
 * bulk operation have put.  The last one has been counted, too, but not committed.
 */
static void
CountCommitted(Job *job)
{
	const Job  *stored = IsBulk(job) ? JobRead(job->id) : NULL;

	job->items = stored != NULL ? stored->items : 0;
	job->processed = stored != NULL ? stored->processed : 0;
	job->errors = stored != NULL ? stored->errors : 0;
	job->bytes = stored != NULL ? stored->bytes : 0;
}

static void
RecordJobFailure(Job *job, const ErrorData *error)
{
	ErrorData  *kept = NULL;

	BeginJobTransaction();
	if (strcmp(job->kind, JOB_RESTORE) == 0)
		kept = TryInSubtransaction(DropUnrestored, job);
	else if (strcmp(job->kind, JOB_EXPORT) == 0 || strcmp(job->kind, JOB_BACKUP) == 0)
		JobRemoveFilesAtCommit(job, job->directory);
	if (kept != NULL)
		ereport(LOG,
				(errmsg("table %s could not be restored, and not be dropped: %s", job->table_name, kept->message)));
	job->status = JOB_FAILED;
	job->ended = SettingsTime();
	CountCommitted(job);
	job->failure_code = pstrdup(FailureCode(error));
	job->failure_message = error->message;
	JobUpdate(job);
	CommitJobTransaction();
}

/* Returns the error that ended the job, or NULL. */
static ErrorData *
TryJob(Job *job, MemoryContext context)
{
	ErrorData  *volatile error = NULL;

	PG_TRY();
	{
		RunJob(job, context);
	}
	PG_CATCH();
	{
		HOLD_INTERRUPTS();
		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		EmitErrorReport();
		FlushErrorState();
		AbortCurrentTransaction();
		QueryCancelPending = false;
		RESUME_INTERRUPTS();
		MemoryContextSwitchTo(context);
	}
	PG_END_TRY();
	return error;
}

void
dynamo_archive_worker_main(Datum arg)
{
	MemoryContext context;
	JobTask		task;
	ErrorData  *error;
	Job		   *job;

	memcpy(&task, MyBgworkerEntry->bgw_extra, sizeof(task));
	WorkerConnect(task.database, "dynamo archive job");
	context = AllocSetContextCreate(TopMemoryContext, "dynamo archive job", ALLOCSET_DEFAULT_SIZES);
	job = TakeLockOfJob(&task) ? TakeJob(task.id, context) : NULL;
	if (job != NULL)
	{
		error = TryJob(job, context);
		if (error != NULL)
			RecordJobFailure(job, error);
	}
	proc_exit(0);
}
