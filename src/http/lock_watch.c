/*
 * lock_watch.c
 *	  Stops requests that wait for a lock.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/latch.h"
#include "storage/proc.h"
#include "storage/procarray.h"
#include "utils/timeout.h"
#include "utils/timestamp.h"

#include "http/lock_watch.h"

static TimeoutId watch_timeout;
static volatile bool gave_up;
static LOCKTAG awaited;

/*
 * Called by the signal handler.  A process that waits for a lock has put it into the
 * shared table, where it remains as long as a process waits for it.
 */
static void
CheckLockWait(void)
{
	LOCK	   *lock = *(LOCK *volatile *) &MyProc->waitLock;

	if (lock == NULL || gave_up)
		return;
	awaited = lock->tag;
	gave_up = true;
	QueryCancelPending = true;
	InterruptPending = true;
	SetLatch(MyLatch);
}

void
LockWatchInit(void)
{
	watch_timeout = RegisterTimeout(USER_TIMEOUT, CheckLockWait);
}

void
LockWatchBegin(void)
{
	gave_up = false;
	enable_timeout_every(watch_timeout,
						 TimestampTzPlusMilliseconds(GetCurrentTimestamp(), LOCK_WATCH_MS),
						 LOCK_WATCH_MS);
}

bool
LockWatchEnd(LOCKTAG *lock)
{
	bool		result;

	disable_timeout(watch_timeout, false);
	result = gave_up;
	if (result)
		QueryCancelPending = false;
	gave_up = false;
	*lock = awaited;
	return result;
}

bool
LockIsHeld(const LOCKTAG *lock)
{
	return lock->locktag_type == LOCKTAG_TRANSACTION &&
		TransactionIdIsInProgress(lock->locktag_field1);
}
