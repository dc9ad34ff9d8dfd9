/*
 * build_lock.c
 *	  The lock held by the builder of a table's indexes.
 *
 * It is a lock on the table as an object (object_locks.h).  pg_locks shows it
 * with its holder.
 */
#include "postgres.h"

#include <signal.h>

#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "storage/latch.h"
#include "storage/lmgr.h"
#include "storage/lock.h"
#include "utils/wait_event.h"

#include "ddl/brief_lock.h"
#include "ddl/build_lock.h"
#include "object_locks.h"

/* Time in which a canceled builder normally ends. */
#define CANCEL_MILLISECONDS	100

/* The mode of builders; to exclude builders a stronger mode is used. */
#define BUILDER_MODE	ShareUpdateExclusiveLock

/* To look for builders: who looks must not be taken for one, neither by others nor by StopBuilder. */
#define LOOK_MODE		ShareLock

static void
SetBuilderTag(LOCKTAG *tag, Oid relid)
{
	SET_LOCKTAG_OBJECT(*tag, MyDatabaseId, RelationRelationId, relid, LOCK_OF_BUILD);
}

void
BuildLockAcquire(Oid relid)
{
	LOCKTAG		tag;

	SetBuilderTag(&tag, relid);
	(void) LockAcquire(&tag, BUILDER_MODE, true, false);
}

void
BuildLockRelease(Oid relid)
{
	LOCKTAG		tag;

	SetBuilderTag(&tag, relid);
	LockRelease(&tag, BUILDER_MODE, true);
}

/* Takes the lock until the transaction ends, if it is free. */
static bool
TryBuilderLock(const LOCKTAG *tag, LOCKMODE mode)
{
	return LockAcquire(tag, mode, false, true) != LOCKACQUIRE_NOT_AVAIL;
}

bool
BuildIsRunning(Oid relid)
{
	LOCKTAG		tag;

	SetBuilderTag(&tag, relid);
	if (!TryBuilderLock(&tag, LOOK_MODE))
		return true;
	LockRelease(&tag, LOOK_MODE, false);
	return false;
}

/* The builder's lock on table $1 in pg_locks. */
#define BUILDER_LOCK \
	"FROM pg_catalog.pg_locks l JOIN pg_catalog.pg_database d ON d.oid OPERATOR(pg_catalog.=) l.database " \
	"WHERE l.locktype OPERATOR(pg_catalog.=) 'object' AND d.datname OPERATOR(pg_catalog.=) pg_catalog.current_database() " \
	"AND l.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass " \
	"AND l.mode OPERATOR(pg_catalog.=) 'ShareUpdateExclusiveLock' " \
	"AND l.objid OPERATOR(pg_catalog.=) $1 AND l.objsubid OPERATOR(pg_catalog.=) 1 AND l.granted"

static void
SelectLocks(const char *sql, Oid relid)
{
	Oid			types[] = {OIDOID};
	Datum		values[] = {ObjectIdGetDatum(relid)};

	if (SPI_execute_with_args(sql, 1, types, values, NULL, false, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not read pg_locks");
}

/* Cancels the builder of a table; returns whether there is one. */
static bool
CancelBuilder(Oid relid)
{
	bool		found;

	SPI_connect();
	SelectLocks("SELECT l.pid " BUILDER_LOCK, relid);
	found = SPI_processed > 0;
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		bool		isnull;
		int			pid = DatumGetInt32(SPI_getbinval(SPI_tuptable->vals[i],
													  SPI_tuptable->tupdesc, 1, &isnull));

		if (!isnull && pid != MyProcPid)
			kill(pid, SIGINT);
	}
	SPI_finish();
	return found;
}

bool
BuilderWaits(Oid relid)
{
	bool		waits;

	SPI_connect();
	SelectLocks("SELECT " BUILDER_LOCK " AND EXISTS (SELECT FROM pg_catalog.pg_locks w "
				"WHERE w.pid OPERATOR(pg_catalog.=) l.pid AND NOT w.granted)", relid);
	waits = SPI_processed > 0;
	SPI_finish();
	return waits;
}

/* Cancels builders until none holds the lock; returns whether there was one. */
static bool
StopBuilder(Oid relid)
{
	LOCKTAG		tag;

	SetBuilderTag(&tag, relid);
	if (TryBuilderLock(&tag, ExclusiveLock))
		return false;
	do
	{
		if (!CancelBuilder(relid))
		{
			/*
			 * Other DDL is excluding builders: wait as for any lock, which
			 * detects deadlocks.
			 */
			(void) LockAcquire(&tag, ExclusiveLock, false, false);
			return false;
		}
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
						 CANCEL_MILLISECONDS, PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
	} while (!TryBuilderLock(&tag, ExclusiveLock));
	return true;
}

static void (*continue_build) (Oid relid) = NULL;

void
BuildContinueWith(void (*action) (Oid relid))
{
	continue_build = action;
}

void
BuildStop(Oid relid)
{
	if (StopBuilder(relid) && continue_build != NULL)
		continue_build(relid);
}

/* ---- with a lock on the table ---- */

/* An action of RunWithBriefLocks. */
static void
StopAndLock(void *arg)
{
	Oid			relid = *(Oid *) arg;

	BuildStop(relid);
	LockRelationOid(relid, AccessExclusiveLock);
}

void
BuildStopAndLock(Oid relid)
{
	RunWithBriefLocks(StopAndLock, &relid);
}
