/*
 * request_watch.c
 *	  Watches the request that a worker executes.
 */
#include "postgres.h"

#include <signal.h>

#include "miscadmin.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/proc.h"
#include "storage/procarray.h"
#include "storage/sinvaladt.h"
#include "utils/timeout.h"
#include "utils/timestamp.h"

#include "compat.h"
#include "http/request_watch.h"
#include "http/share.h"
#include "http/share_busy.h"
#include "worker/endpoint.h"

/* After this time, in milliseconds, a worker is held: it gets no new clients. */
#define HELD_MS		50

/* The time for which a request may go on after it was canceled, in milliseconds. */
#define GRACE_MS	2000

static TimeoutId watch_timeout;

/* The request; written also by the signal handler. */
static volatile TimestampTz started;
static volatile Oid request_role;
static volatile bool watches_locks;
static volatile WatchResult result;
static LOCKTAG awaited;
static LOCKMODE awaited_mode;

static void
Cancel(WatchResult why)
{
	result = why;
	QueryCancelPending = true;
	InterruptPending = true;
	SetLatch(MyLatch);
}

/* A process that waits for a lock has put it into the shared table, where it remains as long as a process waits for it. */
static void
CheckLock(void)
{
	LOCK	   *lock = *(LOCK *volatile *) &MyProc->waitLock;

	if (!watches_locks || lock == NULL || result != WATCH_NOTHING)
		return;
	awaited = lock->tag;
	awaited_mode = MyProc->waitLockMode;
	Cancel(WATCH_LOCK);
}

/* Of the workers that are all held by one role, the last one gives its request up. */
static void
CheckHeld(void)
{
	if (result == WATCH_SHARE)
		Cancel(WATCH_SHARE);
	else if (result == WATCH_NOTHING && ShareHold(request_role))
	{
		MemSet(&awaited, 0, sizeof(awaited));
		Cancel(WATCH_SHARE);
	}
}

static void
CheckTooLong(int64 milliseconds)
{
	if (http_statement_timeout == 0 || milliseconds < http_statement_timeout)
		return;
	Cancel(WATCH_TOO_LONG);
	if (milliseconds >= (int64) http_statement_timeout + GRACE_MS)
		ProcDiePending = true;
}

/* Called by the signal handler, every WATCH_MS. */
static void
Look(void)
{
	int64		milliseconds = (GetCurrentTimestamp() - started) / 1000;

	/* the process gives back what this would use */
	if (proc_exit_inprogress)
		return;
	CheckLock();
	if (milliseconds >= HELD_MS)
	{
		CheckHeld();
		BusyPassOn();
	}
	CheckTooLong(milliseconds);
}

void
RequestWatchInit(void)
{
	watch_timeout = RegisterTimeout(USER_TIMEOUT, Look);
}

void
RequestWatchBegin(void)
{
	started = GetCurrentTimestamp();
	request_role = InvalidOid;
	watches_locks = false;
	result = WATCH_NOTHING;
	enable_timeout_every(watch_timeout, TimestampTzPlusMilliseconds(started, WATCH_MS), WATCH_MS);
}

void
RequestWatchRole(Oid role)
{
	request_role = role;
}

void
RequestWatchGiveUp(void)
{
	MemSet(&awaited, 0, sizeof(awaited));
	Cancel(WATCH_SHARE);
	CHECK_FOR_INTERRUPTS();
}

void
RequestWatchLocks(void)
{
	watches_locks = true;
}

WatchResult
RequestWatchEnd(LOCKTAG *lock)
{
	WatchResult why;

	disable_timeout(watch_timeout, false);
	ShareRelease();
	why = result;
	if (why != WATCH_NOTHING)
		QueryCancelPending = false;
	result = WATCH_NOTHING;
	*lock = awaited;
	return why;
}

/* One that prevents the wraparound of transaction numbers goes on. */
static bool
IsDispensableVacuum(const PGPROC *process)
{
	return (process->statusFlags & (PROC_IS_AUTOVACUUM | PROC_VACUUM_FOR_WRAPAROUND)) == PROC_IS_AUTOVACUUM;
}

void
RequestWatchEndVacuums(void)
{
	int			n;
	const VirtualTransactionId *holders;

	if (awaited.locktag_type != LOCKTAG_RELATION)
		return;
	holders = GetLockConflicts(&awaited, awaited_mode, &n);
	for (int i = 0; i < n; i++)
	{
		const PGPROC *process = ProcessOfTransaction(&holders[i]);

		if (process != NULL && process->pid != 0 && IsDispensableVacuum(process))
			(void) kill(process->pid, SIGINT);
	}
}

bool
LockIsHeld(const LOCKTAG *lock)
{
	return lock->locktag_type == LOCKTAG_TRANSACTION &&
		TransactionIdIsInProgress(lock->locktag_field1);
}
