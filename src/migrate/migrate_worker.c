/*
 * migrate_worker.c
 *	  The background worker of a table's migration.
 *
 * It is registered just before the commit of the transaction that has begun or resumed the
 * migration, and waits for its end.  After a restart of the server, whoever resumes index builds
 * (index/build_resume.c) starts another one.
 *
 * As with builds, a worker that finds no slot (index/build_slot.c) ends, and those that have one look
 * for further tables of their role.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "storage/ipc.h"
#include "storage/lock.h"
#include "storage/proc.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

#include "background_worker.h"
#include "extension_objects.h"
#include "index/build.h"
#include "migrate/migrate.h"
#include "object_locks.h"
#include "security/owner.h"
#include "table/table_list.h"

/* The data passed to a worker, in bgw_extra. */
typedef struct MigrationTask
{
	Oid			database;
	Oid			relid;
	Oid			owner;
	VirtualTransactionId launcher;
} MigrationTask;

StaticAssertDecl(sizeof(MigrationTask) <= BGW_EXTRALEN, "task does not fit");

PGDLLEXPORT void dynamo_migration_worker_main(Datum arg);

/* ---- the lock of the worker ---- */

/* The method is that of advisory locks, which the end of a process releases. */
static void
SetMigrationTag(LOCKTAG *tag, Oid relid)
{
	SET_LOCKTAG_OBJECT(*tag, MyDatabaseId, RelationRelationId, relid, LOCK_OF_MIGRATION);
	tag->locktag_lockmethodid = USER_LOCKMETHOD;
}

static bool
TryMigrationLock(Oid relid)
{
	LOCKTAG		tag;

	SetMigrationTag(&tag, relid);
	return LockAcquire(&tag, ShareUpdateExclusiveLock, true, true) != LOCKACQUIRE_NOT_AVAIL;
}

static void
ReleaseMigrationLock(Oid relid)
{
	LOCKTAG		tag;

	SetMigrationTag(&tag, relid);
	LockRelease(&tag, ShareUpdateExclusiveLock, true);
}

/* The mode is such that who looks is not taken for a worker by another who looks. */
bool
MigrateIsRunning(Oid relid)
{
	LOCKTAG		tag;

	SetMigrationTag(&tag, relid);
	if (LockAcquire(&tag, ShareLock, false, true) == LOCKACQUIRE_NOT_AVAIL)
		return true;
	LockRelease(&tag, ShareLock, false);
	return false;
}

/* ---- registering ---- */

/* Tables whose migrations run after this transaction. */
static List *requested;

bool
MigrateNow(Oid relid)
{
	BackgroundWorker worker = WorkerDescribe("dynamo", "dynamo_migration_worker_main", "dynamo migration");
	BackgroundWorkerHandle *handle;
	MigrationTask task = {0};

	if (InSecurityRestrictedOperation())
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("cannot start a migration within security-restricted operation")));
	if (!SearchSysCacheExists1(RELOID, ObjectIdGetDatum(relid)))
		return true;
	task.database = MyDatabaseId;
	task.relid = relid;
	task.owner = RelationOwner(relid);
	if (BuildSlotIsAwaited(task.owner, SLOT_OF_MIGRATION))
		return true;
	GET_VXID_FROM_PGPROC(task.launcher, *MyProc);
	snprintf(worker.bgw_name, BGW_MAXLEN, "dynamo migration of relation %u", relid);
	memcpy(worker.bgw_extra, &task, sizeof(task));
	return RegisterDynamicBackgroundWorker(&worker, &handle);
}

void
MigrateAtCommit(Oid relid)
{
	MemoryContext old = MemoryContextSwitchTo(TopTransactionContext);

	requested = list_append_unique_oid(requested, relid);
	MemoryContextSwitchTo(old);
}

static void
LaunchMigrations(XactEvent event, void *arg)
{
	ListCell   *cell;

	if (event == XACT_EVENT_PRE_COMMIT || event == XACT_EVENT_PRE_PREPARE)
	{
		foreach(cell, requested)
		{
			if (!MigrateNow(lfirst_oid(cell)))
				ereport(NOTICE,
						(errmsg("no background worker is free to move the items"),
						 errhint("CALL dynamo.await_migration() after this transaction, or raise \"max_worker_processes\".")));
		}
	}
	if (event != XACT_EVENT_PARALLEL_PRE_COMMIT)
		requested = NIL;
}

void
MigrationsResume(void)
{
	ListCell   *cell;

	foreach(cell, TablesWithFeature(FEATURE_MOVES))
	{
		if (!MigrateIsRunning(lfirst_oid(cell)) && !MigrateNow(lfirst_oid(cell)))
			break;
	}
}

void
MigrateWorkerInit(void)
{
	RegisterXactCallback(LaunchMigrations, NULL);
	BuildsResumeWith(MigrationsResume);
}

/* ---- the worker ---- */

/* Takes the rights of the table's owner; false if there is no such table, or another worker has it. */
static bool
BecomeMover(Oid relid)
{
	bool		begins;

	StartTransactionCommand();
	begins = SearchSysCacheExists1(RELOID, ObjectIdGetDatum(relid));
	if (begins)
		OwnerAssume(RelationOwner(relid));
	begins = begins && TryMigrationLock(relid);
	CommitTransactionCommand();
	return begins;
}

/*
 * Whoever begins or resumes a migration while this worker ends starts another one, which may find
 * the lock taken.  So this one looks again after it has released the lock.
 */
static void
MoveItemsOf(Oid relid)
{
	while (BecomeMover(relid))
	{
		MigrateRun(relid);
		ReleaseMigrationLock(relid);
		if (!MigrateRemains(relid))
			break;
	}
}

/* Returns the tables of the owner with migrations, in a memory context. */
static List *
TablesToMove(Oid owner, MemoryContext context)
{
	List	   *relids = NIL;
	ListCell   *cell;

	StartTransactionCommand();
	PushActiveSnapshot(GetTransactionSnapshot());
	foreach(cell, WorkerHasExtension() ? TablesWithFeature(FEATURE_MOVES) : NIL)
	{
		Oid			relid = lfirst_oid(cell);
		MemoryContext old;

		if (!SearchSysCacheExists1(RELOID, ObjectIdGetDatum(relid)) || RelationOwner(relid) != owner ||
			MigrateIsRunning(relid))
			continue;
		old = MemoryContextSwitchTo(context);
		relids = lappend_oid(relids, relid);
		MemoryContextSwitchTo(old);
	}
	PopActiveSnapshot();
	CommitTransactionCommand();
	return relids;
}

/* Returns a table of the owner whose items no worker moves; InvalidOid if there is none. */
static Oid
FindTableToMove(Oid owner)
{
	List	   *relids = TablesToMove(owner, TopMemoryContext);
	Oid			found = InvalidOid;
	ListCell   *cell;

	foreach(cell, relids)
	{
		if (!OidIsValid(found) && MigrateRemains(lfirst_oid(cell)))
			found = lfirst_oid(cell);
	}
	list_free(relids);
	return found;
}

void
dynamo_migration_worker_main(Datum arg)
{
	MigrationTask task;

	memcpy(&task, MyBgworkerEntry->bgw_extra, sizeof(task));
	WorkerConnect(task.database, "dynamo migration");
	if (!BuildSlotTake(task.owner, SLOT_OF_MIGRATION))
		proc_exit(0);
	WorkerAwaitLauncher(task.launcher);
	for (Oid relid = task.relid; OidIsValid(relid); relid = FindTableToMove(task.owner))
		MoveItemsOf(relid);
	proc_exit(0);
}
