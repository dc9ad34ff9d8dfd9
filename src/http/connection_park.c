/*
 * connection_park.c
 *	  Requests that have met a lock and are executed again later.
 *
 * They are kept in the order of their arrival.  Of the requests that wait for
 * the same lock only the first is tried, so that it gets the lock first and
 * the worker does not spend time on attempts that fail.
 */
#include "postgres.h"

#include "storage/lock.h"

#include "http/connection_internal.h"
#include "http/request_watch.h"
#include "http/share.h"

/* The time between attempts at a lock, which grows. */
#define MIN_PAUSE_MS	5
#define MAX_PAUSE_MS	80

static dlist_head parked = DLIST_STATIC_INIT(parked);

void
ConnectionPark(Connection *c, const HttpAnswer *answer)
{
	TimestampTz now = GetCurrentTimestamp();

	if (c->first_attempt == 0)
	{
		c->first_attempt = now;
		c->last_attempt = answer->lock_timeout == 0 ? DT_NOEND :
			TimestampTzPlusMilliseconds(now, (int64) answer->lock_timeout);
		c->pause = MIN_PAUSE_MS;
		dlist_push_tail(&parked, &c->parked_node);
		ShareWaiting(WAIT_FOR_LOCK, 1);
	}
	else
		c->pause = Min(2 * c->pause, MAX_PAUSE_MS);
	c->lock = answer->lock;
	c->held_back = answer->held_back;
	c->retry = TimestampTzPlusMilliseconds(now, (int64) c->pause);
	if (c->state != CONNECTION_PARKED)
		ConnectionSetState(c, CONNECTION_PARKED);
}

/* Returns the first request that waits for the lock; NULL if there is none. */
static Connection *
FindFirstInLine(const LOCKTAG *lock)
{
	dlist_iter	iter;

	dlist_foreach(iter, &parked)
	{
		Connection *c = dlist_container(Connection, parked_node, iter.cur);

		if (memcmp(&c->lock, lock, sizeof(LOCKTAG)) == 0)
			return c;
	}
	return NULL;
}

void
ConnectionUnpark(Connection *c)
{
	Connection *next;

	if (c->first_attempt == 0)
		return;
	dlist_delete(&c->parked_node);
	ShareWaiting(WAIT_FOR_LOCK, -1);
	c->first_attempt = 0;
	c->held_back = false;
	next = FindFirstInLine(&c->lock);
	if (next != NULL)
		next->retry = 0;
}

/* Whether to try again now. */
static bool
IsDue(Connection *c, TimestampTz now)
{
	if (now >= c->last_attempt)
		return true;
	if (now < c->retry)
		return false;
	if (FindFirstInLine(&c->lock) == c && !LockIsHeld(&c->lock))
		return true;
	c->retry = TimestampTzPlusMilliseconds(now, MIN_PAUSE_MS);
	return false;
}

bool
ConnectionIsLastAttempt(const Connection *c)
{
	return c->first_attempt != 0 && GetCurrentTimestamp() >= c->last_attempt;
}

bool
ConnectionHasWaited(const Connection *c, int milliseconds)
{
	return c->first_attempt != 0 && TimestampDifferenceExceeds(c->first_attempt, GetCurrentTimestamp(), milliseconds);
}

void
ConnectionsStopRetrying(void)
{
	dlist_iter	iter;

	dlist_foreach(iter, &parked)
		dlist_container(Connection, parked_node, iter.cur)->last_attempt = 0;
}

long
ConnectionsRetry(void)
{
	dlist_mutable_iter iter;
	TimestampTz now;

	if (dlist_is_empty(&parked))
		return -1;
	now = GetCurrentTimestamp();
	dlist_foreach_modify(iter, &parked)
	{
		Connection *c = dlist_container(Connection, parked_node, iter.cur);

		if (!IsDue(c, now))
			continue;
		ConnectionGuarded(c, ConnectionAnswer);
		now = GetCurrentTimestamp();
	}
	return dlist_is_empty(&parked) ? -1 : MIN_PAUSE_MS;
}
