/*
 * build_slot.c
 *	  Limits the number of workers that build indexes of one role at the same
 *	  time, and of those that move its items.
 *
 * Worker processes are few and shared by all databases and extensions, so that
 * one role's builds and migrations must leave some to others.  A worker takes one of the
 * role's slots, which are locks, so that nothing remains of a worker that has
 * ended.  A worker without a slot ends; the workers with slots search for
 * further tables of the role before they end.
 *
 * A worker that finds no slot waits for one for a moment.  One of them is enough, which takes
 * a place for that, another lock; as long as it has it, no other worker is started.
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/pg_authid.h"
#include "miscadmin.h"
#include "storage/lock.h"
#include "utils/guc.h"

#include "index/build.h"

static int	max_workers_per_role = 3;

/*
 * Attempts to take a slot, because the worker that holds it may be about to
 * end after it has searched for further tables.
 */
#define TRIES				10
#define TRY_MILLISECONDS	100

void
BuildSlotInit(void)
{
	DefineCustomIntVariable("dynamo.max_build_workers_per_role",
							"Background workers that build indexes of tables of one role at the same time, and as many that move its items.",
							NULL, &max_workers_per_role, 3, 1, 262143, PGC_SIGHUP, 0,
							NULL, NULL, NULL);
}

/* The place of the worker that waits; slots have the numbers from 1 on. */
#define WAITING_PLACE	0

/* Slots of each kind, with the place. */
#define NUMBERS		32768

/* The method is that of advisory locks. */
static void
SetSlotTag(LOCKTAG *tag, Oid role, SlotKind kind, int slot)
{
	SET_LOCKTAG_OBJECT(*tag, MyDatabaseId, AuthIdRelationId, role, kind * NUMBERS + slot);
	tag->locktag_lockmethodid = USER_LOCKMETHOD;
}

/*
 * Takes a slot as a session lock: it is released when the process ends, and not
 * before.
 */
static bool
TryTakeSlot(Oid role, SlotKind kind)
{
	for (int slot = 1; slot <= Min(max_workers_per_role, NUMBERS - 1); slot++)
	{
		LOCKTAG		tag;

		SetSlotTag(&tag, role, kind, slot);
		if (LockAcquire(&tag, ExclusiveLock, true, true) != LOCKACQUIRE_NOT_AVAIL)
			return true;
	}
	return false;
}

/* Takes the place of the worker that waits, until the transaction ends. */
static bool
TryToWait(Oid role, SlotKind kind)
{
	LOCKTAG		tag;

	SetSlotTag(&tag, role, kind, WAITING_PLACE);
	return LockAcquire(&tag, ExclusiveLock, false, true) != LOCKACQUIRE_NOT_AVAIL;
}

bool
BuildSlotTake(Oid role, SlotKind kind)
{
	bool		taken;

	StartTransactionCommand();
	taken = TryTakeSlot(role, kind);
	if (!taken && TryToWait(role, kind))
	{
		for (int i = 0; !taken && i < TRIES; i++)
		{
			BuildSleep(TRY_MILLISECONDS);
			taken = TryTakeSlot(role, kind);
		}
	}
	CommitTransactionCommand();
	return taken;
}

bool
BuildSlotIsAwaited(Oid role, SlotKind kind)
{
	LOCKTAG		tag;
	int			count;

	SetSlotTag(&tag, role, kind, WAITING_PLACE);
	(void) GetLockConflicts(&tag, ExclusiveLock, &count);
	return count > 0;
}
