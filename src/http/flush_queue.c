/*
 * flush_queue.c
 *	  Commits of the HTTP endpoint that are not yet on disk.
 */
#include "postgres.h"

#include "access/xlog.h"
#include "access/xlog_internal.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "port/atomics.h"
#include "postmaster/bgworker.h"
#include "postmaster/interrupt.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/shmem.h"
#include "tcop/tcopprot.h"
#include "utils/guc.h"
#include "utils/wait_event.h"

#include "compat.h"
#include "http/flush_queue.h"
#include "worker/endpoint.h"

/* A commit is in progress; the end of its record is not known yet. */
#define COMMITTING	PG_UINT64_MAX

/* The slot of a worker, which shares no cache line with others. */
typedef union Slot
{
	struct
	{
		pg_atomic_uint64 commit;	/* end of the last commit, or COMMITTING */
		pg_atomic_uint64 first;	/* the awaited positions; 0 if there are none */
		pg_atomic_uint64 last;
		Latch	   *volatile latch; /* NULL if there is no worker */
	};
	char		room[2 * PG_CACHE_LINE_SIZE];
} Slot;

typedef struct FlushQueue
{
	Latch	   *volatile flusher;	/* NULL if it does not run */
	Slot		slots[FLEXIBLE_ARRAY_MEMBER];
} FlushQueue;

static FlushQueue *queue;
static int	nslots;
static Slot *my_slot;
static XLogRecPtr my_commit;	/* what my_slot->commit was before COMMITTING */

/* ---- shared memory ---- */

static Size
QueueSize(void)
{
	return add_size(offsetof(FlushQueue, slots), mul_size(nslots, sizeof(Slot)));
}

void
FlushQueueAttach(void)
{
	bool		found;

	nslots = endpoint_workers;

	queue = ShmemInitStruct("dynamo HTTP commits", QueueSize(), &found);
	if (found)
		return;
	queue->flusher = NULL;
	for (int i = 0; i < nslots; i++)
	{
		Slot	   *slot = &queue->slots[i];

		pg_atomic_init_u64(&slot->commit, InvalidXLogRecPtr);
		pg_atomic_init_u64(&slot->first, InvalidXLogRecPtr);
		pg_atomic_init_u64(&slot->last, InvalidXLogRecPtr);
		slot->latch = NULL;
	}
}

/* ---- workers ---- */

static void
LeaveQueue(int code, Datum arg)
{
	my_slot->latch = NULL;
	(void) FlushQueueAwait(InvalidXLogRecPtr, InvalidXLogRecPtr);
}

void
FlushQueueJoin(int worker)
{
	my_slot = &queue->slots[worker - 1];
	my_commit = pg_atomic_read_u64(&my_slot->commit);
	my_slot->latch = MyLatch;
	on_shmem_exit(LeaveQueue, (Datum) 0);
}

void
FlushQueueBeginCommit(void)
{
	/* no barrier is needed: the commit becomes visible under a lock */
	pg_atomic_write_u64(&my_slot->commit, COMMITTING);
}

void
FlushQueueEndCommit(XLogRecPtr end)
{
	if (!XLogRecPtrIsInvalid(end))
		my_commit = end;
	pg_atomic_write_u64(&my_slot->commit, my_commit);
}

/* Returns the end of the last record, without the header of a page that follows. */
static XLogRecPtr
EndOfLog(void)
{
	XLogRecPtr	end = GetXLogInsertRecPtr();

	if (XLogSegmentOffset(end, wal_segment_size) == SizeOfXLogLongPHD)
		return end - SizeOfXLogLongPHD;
	if (end % XLOG_BLCKSZ == SizeOfXLogShortPHD)
		return end - SizeOfXLogShortPHD;
	return end;
}

XLogRecPtr
FlushQueueVisible(void)
{
	XLogRecPtr	visible = InvalidXLogRecPtr;

	for (int i = 0; i < nslots; i++)
	{
		XLogRecPtr	commit = pg_atomic_read_u64(&queue->slots[i].commit);

		if (commit == COMMITTING)
			return EndOfLog();
		visible = Max(visible, commit);
	}
	return visible;
}

bool
FlushQueueAwait(XLogRecPtr first, XLogRecPtr last)
{
	bool		more = last > pg_atomic_read_u64(&my_slot->last);
	Latch	   *flusher;

	pg_atomic_write_u64(&my_slot->first, first);
	pg_atomic_write_u64(&my_slot->last, last);
	/* either this process sees that the flusher has ended, or that one what is awaited (StopFlusher) */
	pg_memory_barrier();
	flusher = queue->flusher;
	if (flusher == NULL)
		return false;
	if (more)
		SetLatch(flusher);		/* it has a barrier */
	return true;
}

/* ---- the flusher ---- */

static XLogRecPtr
LastAwaited(void)
{
	XLogRecPtr	last = InvalidXLogRecPtr;

	for (int i = 0; i < nslots; i++)
		last = Max(last, pg_atomic_read_u64(&queue->slots[i].last));
	return last;
}

/* Wakes the workers for which an awaited position is on disk. */
static void
WakeWorkers(XLogRecPtr flushed)
{
	for (int i = 0; i < nslots; i++)
	{
		XLogRecPtr	first = pg_atomic_read_u64(&queue->slots[i].first);
		Latch	   *latch = queue->slots[i].latch;

		if (first != InvalidXLogRecPtr && first <= flushed && latch != NULL)
			SetLatch(latch);
	}
}

static void
FlushAwaited(void)
{
	XLogRecPtr	last = LastAwaited();
	XLogRecPtr	flushed = GetFlushRecPtr(NULL);

	if (last > flushed)
	{
		XLogFlush(last);
		flushed = GetFlushRecPtr(NULL);
	}
	WakeWorkers(flushed);
}

/* From now on, workers flush the log themselves. */
static void
StopFlusher(int code, Datum arg)
{
	queue->flusher = NULL;
	pg_memory_barrier();
	WakeWorkers(PG_UINT64_MAX);
}

static void
HandleFlushInterrupts(void)
{
	CHECK_FOR_INTERRUPTS();
	if (ConfigReloadPending)
	{
		ConfigReloadPending = false;
		ProcessConfigFile(PGC_SIGHUP);
	}
}

void
dynamo_http_flusher_main(Datum arg)
{
	pqsignal(SIGTERM, die);
	pqsignal(SIGHUP, SignalHandlerForConfigReload);
	BackgroundWorkerUnblockSignals();
	/* to no database; pg_stat_activity shows it */
	BackgroundWorkerInitializeConnection(NULL, NULL, 0);
	pgstat_report_activity(STATE_IDLE, NULL);
	on_shmem_exit(StopFlusher, (Datum) 0);
	queue->flusher = MyLatch;
	for (;;)
	{
		HandleFlushInterrupts();
		FlushAwaited();
		pgstat_report_wal(false);
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_EXIT_ON_PM_DEATH, -1, PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
	}
}
