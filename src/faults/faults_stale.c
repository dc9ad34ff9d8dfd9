/*
 * faults_stale.c
 *	  Reads that do not see the latest writes.
 *
 * Two workers take turns.  Each takes a snapshot, waits until it is as old as
 * dynamo_faults.stale_reads says, publishes it, and keeps its transaction open until the other
 * one publishes a later snapshot, so that what the snapshot shows is not removed.  A read takes the
 * published one.  Its age is between the setting and twice the setting.  After a change of the
 * setting, requests wait for the first snapshot to be taken, so that it is older than what they
 * write:
 *
 *	worker 1	take ---- publish ====| take ---- publish ====|
 *	worker 2	          take ---- publish ====| take ---- publish ...
 */
#include "postgres.h"

#include "access/twophase.h"
#include "access/xact.h"
#include "miscadmin.h"
#include "postmaster/bgworker.h"
#include "storage/ipc.h"
#include "storage/lwlock.h"
#include "storage/proc.h"
#include "storage/procarray.h"
#include "storage/shmem.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "compat.h"
#include "faults/faults.h"
#include "shared_memory.h"
#include "worker/permanent.h"
#include "worker/workers.h"

#define HOLDERS		2
#define LOCK_NAME	"dynamo stale reads"

/* How long a request waits for a snapshot in addition to its age, in milliseconds. */
#define PATIENCE	5000

typedef struct Published
{
	LWLock	   *lock;
	int			taken[HOLDERS]; /* the setting for which each worker has taken a snapshot; 0: none */
	int			holder;			/* from 1; 0: nothing is published */
	int			age;			/* the setting for which it was */
	VirtualTransactionId transaction;	/* of the holder */
	char		snapshot[FLEXIBLE_ARRAY_MEMBER];	/* serialized */
} Published;

static Published *published;

static const PermanentWorker stale_holder = {"dynamo stale reads", "2s", "0"};

PGDLLEXPORT void dynamo_faults_holder_main(Datum arg);

/* ---- shared memory ---- */

/* As many transactions as a snapshot can list, and what else it contains. */
static Size
SnapshotRoom(void)
{
	return sizeof(SnapshotData) +
		mul_size(sizeof(TransactionId), mul_size(MaxBackends + max_prepared_xacts, PGPROC_MAX_CACHED_SUBXIDS + 2));
}

static void
RequestRoom(void)
{
	RequestAddinShmemSpace(add_size(sizeof(Published), SnapshotRoom()));
	RequestNamedLWLockTranche(LOCK_NAME, 1);
}

static void
StartPublished(void)
{
	bool		found;

	published = ShmemInitStruct(LOCK_NAME, add_size(sizeof(Published), SnapshotRoom()), &found);
	if (found)
		return;
	published->lock = &GetNamedLWLockTranche(LOCK_NAME)->lock;
	memset(published->taken, 0, sizeof(published->taken));
	published->holder = 0;
}

void
FaultStaleInit(void)
{
	SharedMemoryRegister(RequestRoom, StartPublished);
	for (int i = 1; i <= HOLDERS; i++)
	{
		BackgroundWorker worker = WorkerDescribeRestarted(FAULTS_LIBRARY, "dynamo_faults_holder_main", "dynamo stale reads");

		worker.bgw_main_arg = Int32GetDatum(i);
		RegisterBackgroundWorker(&worker);
	}
}

/* ---- workers ---- */

static void
NoteTaken(int holder, int age)
{
	LWLockAcquire(published->lock, LW_EXCLUSIVE);
	published->taken[holder - 1] = age;
	LWLockRelease(published->lock);
}

static void
Publish(int holder, int age, Snapshot snapshot)
{
	if (EstimateSnapshotSpace(snapshot) > SnapshotRoom())
		elog(ERROR, "snapshot is too large");
	LWLockAcquire(published->lock, LW_EXCLUSIVE);
	SerializeSnapshot(snapshot, published->snapshot);
	published->holder = holder;
	published->age = age;
	GET_VXID_FROM_PGPROC(published->transaction, *MyProc);
	LWLockRelease(published->lock);
}

static bool
IsPublishedOf(int holder)
{
	bool		result;

	LWLockAcquire(published->lock, LW_SHARED);
	result = published->holder == holder;
	LWLockRelease(published->lock);
	return result;
}

/*
 * Holds a snapshot until another one is published, or another age is wanted; not for ever if the
 * other worker has failed.
 */
static void
HoldSnapshot(int holder, int age)
{
	TimestampTz taken;
	Snapshot	snapshot;
	long		rest;

	StartTransactionCommand();
	taken = GetCurrentTimestamp();
	snapshot = RegisterSnapshot(GetTransactionSnapshot());
	NoteTaken(holder, age);
	while (fault_stale_reads == age &&
		   (rest = TimestampDifferenceMilliseconds(GetCurrentTimestamp(), taken + age * INT64CONST(1000) + 999)) > 0)
		PermanentWorkerSleep(rest);
	if (fault_stale_reads == age)
		Publish(holder, age, snapshot);
	while (fault_stale_reads == age && IsPublishedOf(holder) &&
		   !TimestampDifferenceExceeds(taken, GetCurrentTimestamp(), 3 * age + PATIENCE))
		PermanentWorkerSleep(Max(age / 50, 1));
	UnregisterSnapshot(snapshot);
	CommitTransactionCommand();
}

void
dynamo_faults_holder_main(Datum arg)
{
	PermanentWorkerStart(&stale_holder);
	for (;;)
	{
		if (fault_stale_reads == 0)
		{
			NoteTaken(DatumGetInt32(arg), 0);
			PermanentWorkerSleep(0);
		}
		else
			HoldSnapshot(DatumGetInt32(arg), fault_stale_reads);
	}
}

/* ---- requests ---- */

/* Waits a moment; raises an error if the workers have had enough time. */
static void
AwaitHolders(TimestampTz since)
{
	if (TimestampDifferenceExceeds(since, GetCurrentTimestamp(), fault_stale_reads + PATIENCE))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_RESOURCES),
				 errmsg("workers keep no snapshot for \"dynamo_faults.stale_reads\""),
				 errhint("Increase \"max_worker_processes\".")));
	pg_usleep(1000);
	CHECK_FOR_INTERRUPTS();
}

static bool
AllHaveSnapshots(void)
{
	bool		result = true;

	LWLockAcquire(published->lock, LW_SHARED);
	for (int i = 0; i < HOLDERS; i++)
		result &= published->taken[i] == fault_stale_reads;
	LWLockRelease(published->lock);
	return result;
}

void
FaultStaleAwait(void)
{
	TimestampTz since = GetCurrentTimestamp();

	while (fault_stale_reads > 0 && !AllHaveSnapshots())
		AwaitHolders(since);
}

/* The published snapshot, which its holder keeps until this transaction has it; or NULL. */
static Snapshot
TakePublished(void)
{
	Snapshot	snapshot = NULL;

	LWLockAcquire(published->lock, LW_SHARED);
	if (published->holder != 0 && published->age == fault_stale_reads)
	{
		snapshot = RestoreSnapshot(published->snapshot);
		if (!ProcArrayInstallImportedXmin(snapshot->xmin, &published->transaction))
			snapshot = NULL;	/* the holder has ended */
	}
	LWLockRelease(published->lock);
	return snapshot;
}

Snapshot
FaultStaleSnapshot(void)
{
	TimestampTz since = GetCurrentTimestamp();
	Snapshot	snapshot;

	while ((snapshot = TakePublished()) == NULL)
		AwaitHolders(since);
	return snapshot;
}
