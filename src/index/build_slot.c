/*
 * build_slot.c
 *	  Limits the number of workers that build indexes of one role at the same
 *	  time.
 *
 * Worker processes are few and shared by all databases and extensions, so that
 * one role's builds must leave some to others.  A worker takes one of the
 * role's slots, which are locks, so that nothing remains of a worker that has
 * ended.  A worker without a slot ends; the workers with slots search for
 * further tables of the role before they end.
 */
#include "postgres.h"

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
							"Background workers that build indexes of tables of one role at the same time.",
							NULL, &max_workers_per_role, 3, 1, 262143, PGC_SIGHUP, 0,
							NULL, NULL, NULL);
}

/*
 * Takes a slot as a session lock, with the method of advisory locks: it is
 * released when the process ends, and not before.
 */
static bool
TryTakeSlot(Oid role)
{
	for (int slot = 1; slot <= max_workers_per_role; slot++)
	{
		LOCKTAG		tag;

		SET_LOCKTAG_OBJECT(tag, MyDatabaseId, AuthIdRelationId, role, slot);
		tag.locktag_lockmethodid = USER_LOCKMETHOD;
		if (LockAcquire(&tag, ExclusiveLock, true, true) != LOCKACQUIRE_NOT_AVAIL)
			return true;
	}
	return false;
}

bool
BuildSlotTake(Oid role)
{
	for (int i = 0; i < TRIES; i++)
	{
		if (TryTakeSlot(role))
			return true;
		BuildSleep(TRY_MILLISECONDS);
	}
	return false;
}
