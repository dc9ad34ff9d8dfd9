/*
 * build_resume.c
 *	  Resumes builds that the end of the server has interrupted.
 *
 * The housekeeping worker (worker/housekeeping.c), which exists from the server's start,
 * is connected to one database, so that it starts a worker for each, one after another.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_database.h"
#include "commands/extension.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "tcop/tcopprot.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/wait_event.h"

#include "background_worker.h"
#include "compat.h"
#include "ddl/build_lock.h"
#include "index/build.h"
#include "table/table_list.h"

/* Number of attempts to start a worker, and the time between them. */
#define MAX_TRIES			60
#define RETRY_MILLISECONDS	1000

PGDLLEXPORT void dynamo_build_resume_database_main(Datum arg);

/* ---- in one database ---- */

static void (*resume_others) (void) = NULL;

void
BuildsResumeWith(void (*resume) (void))
{
	resume_others = resume;
}

void
BuildsResume(void)
{
	ListCell   *cell;

	if (resume_others != NULL)
		resume_others();

	foreach(cell, TablesWithFeature(FEATURE_PENDING_BUILD))
	{
		if (!BuildIsRunning(lfirst_oid(cell)) && BuildStateMayResume(lfirst_oid(cell)) &&
			!BuildNow(lfirst_oid(cell)))
			break;
	}
}

void
dynamo_build_resume_database_main(Datum arg)
{
	pqsignal(SIGTERM, die);
	BackgroundWorkerUnblockSignals();
	BackgroundWorkerInitializeConnectionByOid(DatumGetObjectId(arg), InvalidOid, 0);
	StartTransactionCommand();
	if (!XactReadOnly && OidIsValid(get_extension_oid("dynamo", true)))
	{
		PushActiveSnapshot(GetTransactionSnapshot());
		BuildsResume();
		PopActiveSnapshot();
	}
	CommitTransactionCommand();
	proc_exit(0);
}

/* ---- in all databases ---- */

/*
 * Returns the OIDs of databases that can have tables of users, in a memory
 * context.
 */
static List *
ReadDatabases(MemoryContext context)
{
	List	   *databases = NIL;
	Relation	rel;
	SysScanDesc scan;
	HeapTuple	tuple;

	StartTransactionCommand();
	rel = table_open(DatabaseRelationId, AccessShareLock);
	scan = systable_beginscan(rel, InvalidOid, false, NULL, 0, NULL);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		Form_pg_database form = (Form_pg_database) GETSTRUCT(tuple);
		MemoryContext old;

		if (!form->datallowconn || form->datistemplate)
			continue;
		old = MemoryContextSwitchTo(context);
		databases = lappend_oid(databases, form->oid);
		MemoryContextSwitchTo(old);
	}
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	CommitTransactionCommand();
	return databases;
}

/* Starts a worker that resumes the builds in a database, and waits for it. */
static void
ResumeInDatabase(Oid database)
{
	BackgroundWorker worker = WorkerDescribe("dynamo", "dynamo_build_resume_database_main", "dynamo index build resume");
	BackgroundWorkerHandle *handle;

	worker.bgw_main_arg = ObjectIdGetDatum(database);
	worker.bgw_notify_pid = MyProcPid;
	for (int i = 1; !RegisterDynamicBackgroundWorker(&worker, &handle); i++)
	{
		if (i == MAX_TRIES)
			return;
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
						 RETRY_MILLISECONDS, PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
	}
	(void) WaitForBackgroundWorkerShutdown(handle);
}

void
BuildsResumeEverywhere(void)
{
	MemoryContext context = AllocSetContextCreate(TopMemoryContext, "dynamo build resume",
												  ALLOCSET_SMALL_SIZES);
	ListCell   *cell;

	foreach(cell, ReadDatabases(context))
	{
		MemoryContextSwitchTo(context);
		ResumeInDatabase(lfirst_oid(cell));
	}
	MemoryContextSwitchTo(TopMemoryContext);
	MemoryContextDelete(context);
}
