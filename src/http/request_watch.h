/*
 * request_watch.h
 *	  Watches the request that a worker executes.
 *
 * While a worker executes a request, it does nothing else.  A timer looks every few
 * milliseconds whether the request waits for a lock, holds the last worker of a role's
 * share, or lasts longer than any request may.  Then its transaction is canceled.  In
 * the first two cases it is executed again later.  Code in the request, whose settings
 * do not concern the timer, may catch the cancellation: it is repeated, and at last the
 * worker ends.  New clients that the kernel assigns to the worker meanwhile are passed
 * on (share_busy.c).
 */
#ifndef DYNAMO_HTTP_REQUEST_WATCH_H
#define DYNAMO_HTTP_REQUEST_WATCH_H

#include "storage/lock.h"

/* The time between looks, and after which a request counts as waiting, in milliseconds. */
#define WATCH_MS	10

typedef enum WatchResult
{
	WATCH_NOTHING,				/* the request was not canceled by the watch */
	WATCH_LOCK,					/* it waited for a lock */
	WATCH_SHARE,				/* its role has its share of the workers */
	WATCH_TOO_LONG				/* it has lasted for dynamo.http_statement_timeout */
} WatchResult;

extern void RequestWatchInit(void);

/* Begins to watch a request. */
extern void RequestWatchBegin(void);

/* Tells the role of the request, once it is known. */
extern void RequestWatchRole(Oid role);

/* Cancels the request because of its role's share; raises the error. */
extern void RequestWatchGiveUp(void);

/* From now on, cancels the transaction if it waits for a lock. */
extern void RequestWatchLocks(void);

/*
 * Stops watching; returns why the transaction was canceled, if it was.  *lock is the
 * lock that it waited for; none has zeros.
 */
extern WatchResult RequestWatchEnd(LOCKTAG *lock);

/*
 * Cancels automatic vacuums that hold the lock for which the last request waited, as PostgreSQL
 * does for a session that waits.
 */
extern void RequestWatchEndVacuums(void);

/* Whether the lock is certainly held; false if it may be free. */
extern bool LockIsHeld(const LOCKTAG *lock);

#endif							/* DYNAMO_HTTP_REQUEST_WATCH_H */
