/*
 * lock_watch.h
 *	  Stops requests that wait for a lock.
 *
 * A request that waits for a lock would block its worker.  Its transaction is
 * therefore canceled after some milliseconds and executed again later.
 */
#ifndef DYNAMO_HTTP_LOCK_WATCH_H
#define DYNAMO_HTTP_LOCK_WATCH_H

#include "storage/lock.h"

/* The time after which a request counts as waiting, in milliseconds. */
#define LOCK_WATCH_MS	10

extern void LockWatchInit(void);

/* Starts watching: cancels the transaction if it waits for a lock. */
extern void LockWatchBegin(void);

/*
 * Stops watching; true if the transaction was canceled, and *lock is the lock
 * that it waited for.
 */
extern bool LockWatchEnd(LOCKTAG *lock);

/* Whether the lock is certainly held; false if it may be free. */
extern bool LockIsHeld(const LOCKTAG *lock);

#endif							/* DYNAMO_HTTP_LOCK_WATCH_H */
