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
#include "miscadmin.h"
#include "storage/ipc.h"
#include "tcop/tcopprot.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "background_worker.h"
#include "compat.h"
#include "ddl/build_lock.h"
#include "index/build.h"
#include "table/table_list.h"

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
	if (!XactReadOnly && WorkerHasExtension())
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

/*
 * Starts a worker that resumes the builds in a database, and waits for it; returns false if no
 * worker is free.
 */
static bool
ResumeInDatabase(Oid database)
{
	BackgroundWorker worker = WorkerDescribe("dynamo", "dynamo_build_resume_database_main", "dynamo index build resume");
	BackgroundWorkerHandle *handle;

	worker.bgw_main_arg = ObjectIdGetDatum(database);
	worker.bgw_notify_pid = MyProcPid;
	if (!RegisterDynamicBackgroundWorker(&worker, &handle))
		return false;
	(void) WaitForBackgroundWorkerShutdown(handle);
	pfree(handle);
	return true;
}

void
BuildsResumeEverywhere(void)
{
	static bool begun = false;
	static List *databases;		/* where builds are yet to be resumed */
	MemoryContext old = MemoryContextSwitchTo(TopMemoryContext);

	if (!begun)
		databases = ReadDatabases(TopMemoryContext);
	begun = true;
	while (databases != NIL && ResumeInDatabase(linitial_oid(databases)))
		databases = list_delete_first(databases);
	MemoryContextSwitchTo(old);
}
