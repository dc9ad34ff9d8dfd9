/*
 * segment_lock.c
 *	  Locks of sessions that read segments of a table, so that its ranges do
 *	  not change.
 *
 * A reader holds session-level advisory locks of a kind for which SQL has no
 * functions.  They survive errors and end with the session.  pg_locks shows
 * the table as classid, the period as objid and 3 as objsubid.
 *
 * A worker releases the advisory locks that code of a request has left in its
 * session, but not these.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/lock.h"
#include "storage/proc.h"
#include "utils/inval.h"
#include "utils/timestamp.h"

#include "compat.h"
#include "store/segment.h"

/*
 * A session counts as a reader for one to two periods after its last request.
 */
#define PERIOD			(5 * SECS_PER_MINUTE * USECS_PER_SEC)

/* In this field, SQL's advisory locks have 1 and 2. */
#define ADVISORY_KIND	3

/* These modes conflict, and a standby allows the first one on any object. */
#define READER_MODE		RowShareLock
#define DRAWER_MODE		ExclusiveLock

/*
 * Maximum number of tables whose segments a session reads at a time; of more
 * it forgets one.
 */
#define MAX_KEPT		32

typedef struct Kept
{
	Oid			relid;			/* InvalidOid if the entry is free */
	uint32		period;
} Kept;

static Kept kept[MAX_KEPT];

static uint32
CurrentPeriod(void)
{
	return (uint32) (GetCurrentTimestamp() / PERIOD);
}

static void
SetSegmentTag(LOCKTAG *tag, Oid relid, uint32 period)
{
	SET_LOCKTAG_ADVISORY(*tag, MyDatabaseId, relid, period, ADVISORY_KIND);
}

/*
 * Whether the session still holds the lock; DISCARD ALL, for example, releases
 * it.
 */
static bool
IsLockHeld(const Kept *entry)
{
	LOCKTAG		tag;

	SetSegmentTag(&tag, entry->relid, entry->period);
	return OidIsValid(entry->relid) && IsLockHeldByMe(&tag, READER_MODE);
}

static void
ReleaseKept(Kept *entry)
{
	LOCKTAG		tag;

	SetSegmentTag(&tag, entry->relid, entry->period);
	if (IsLockHeld(entry))
		LockRelease(&tag, READER_MODE, true);
	entry->relid = InvalidOid;
}

/* Releases the locks of past periods; returns how many others there are. */
static int
ReleasePast(uint32 period)
{
	int			n = 0;

	for (int i = 0; i < MAX_KEPT; i++)
	{
		if (OidIsValid(kept[i].relid) && kept[i].period < period - 1)
			ReleaseKept(&kept[i]);
		n += OidIsValid(kept[i].relid);
	}
	return n;
}

/* Returns a free entry. */
static Kept *
FindLockPlace(uint32 period)
{
	Kept	   *place = kept;

	if (ReleasePast(period) == MAX_KEPT)
		ReleaseKept(place);
	while (OidIsValid(place->relid))
		place++;
	return place;
}

static bool
IsLockKept(Oid relid, uint32 period)
{
	for (int i = 0; i < MAX_KEPT; i++)
	{
		if (kept[i].relid == relid && kept[i].period >= period && IsLockHeld(&kept[i]))
			return true;
	}
	return false;
}

static void
AcquireKept(Kept *entry)
{
	LOCKTAG		tag;

	SetSegmentTag(&tag, entry->relid, entry->period);
	(void) LockAcquire(&tag, READER_MODE, true, false);
}

void
SegmentsKeep(Oid relid)
{
	uint32		period = CurrentPeriod();
	Kept		entry = {relid, period};
	Kept	   *place;

	if (IsLockKept(relid, period))
		return;
	place = FindLockPlace(period);
	AcquireKept(&entry);
	AcceptInvalidationMessages();
	*place = entry;
}

static bool
TrySegmentLock(const LOCKTAG *tag)
{
	return LockAcquire(tag, DRAWER_MODE, false, true) != LOCKACQUIRE_NOT_AVAIL;
}

/* The session's own locks do not conflict with this one. */
bool
SegmentsLock(Oid relid)
{
	uint32		period = CurrentPeriod();
	LOCKTAG		tag;

	if (IsLockKept(relid, period - 1))
		return false;
	for (int i = -1; i <= 1; i++)
	{
		SetSegmentTag(&tag, relid, period + i);
		if (!TrySegmentLock(&tag))
			return false;
	}
	return true;
}

static bool
IsOtherAdvisory(const LOCKTAG *tag)
{
	return tag->locktag_lockmethodid == USER_LOCKMETHOD &&
		!(tag->locktag_type == LOCKTAG_ADVISORY && tag->locktag_field4 == ADVISORY_KIND);
}

/* Finds one in a partition of the lock table, and the modes in which the session has it. */
static LOCKMASK
FindOtherAdvisory(int partition, LOCKTAG *tag)
{
	LOCKMASK	modes = 0;
	PROCLOCK   *lock;

	if (FIRST_OWN_LOCK(partition) == NULL)	/* nobody else adds advisory locks */
		return 0;
	LWLockAcquire(LockHashPartitionLockByIndex(partition), LW_SHARED);
	for (lock = FIRST_OWN_LOCK(partition); lock != NULL && modes == 0; lock = NEXT_OWN_LOCK(partition, lock))
	{
		*tag = lock->tag.myLock->tag;
		if (IsOtherAdvisory(tag))
			modes = lock->holdMask;
	}
	LWLockRelease(LockHashPartitionLockByIndex(partition));
	return modes;
}

/* A mode may have been locked several times. */
static void
ReleaseModes(const LOCKTAG *tag, LOCKMASK modes)
{
	for (LOCKMODE mode = 1; mode <= MaxLockMode; mode++)
	{
		if ((modes & LOCKBIT_ON(mode)) == 0)
			continue;
		do
		{
			if (!LockRelease(tag, mode, true))
				elog(ERROR, "dynamo: advisory lock of the session cannot be released");
		} while (IsLockHeldByMe(tag, mode));
	}
}

void
SegmentsReleaseOthers(void)
{
	LOCKTAG		tag;
	LOCKMASK	modes;

	for (int i = 0; i < NUM_LOCK_PARTITIONS; i++)
	{
		while ((modes = FindOtherAdvisory(i, &tag)) != 0)
			ReleaseModes(&tag, modes);
	}
}
