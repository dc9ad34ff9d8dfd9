/*
 * connection_hold.c
 *	  Answers that wait until their commits are durable.
 */
#include "postgres.h"

#include "access/xlog.h"

#include "http/connection_internal.h"
#include "http/flush_queue.h"
#include "http/share.h"

/*
 * The time between checks of the standbys' progress, of which this process is
 * not notified.  It grows while nothing changes.
 */
#define MAX_PAUSE_MS	20

static dlist_head held = DLIST_STATIC_INIT(held);
static int	nheld;
static int	pause_ms;

void
ConnectionHold(Connection *c, const Durability *durability)
{
	c->durability = *durability;
	dlist_push_tail(&held, &c->held_node);
	nheld++;
	ShareWaiting(WAIT_FOR_COMMIT, 1);
	pause_ms = 0;
	ConnectionSetState(c, CONNECTION_HELD);
}

void
ConnectionForgetHeld(Connection *c)
{
	dlist_delete(&c->held_node);
	nheld--;
	ShareWaiting(WAIT_FOR_COMMIT, -1);
}

static void
SendReached(const DurabilityProgress *now)
{
	dlist_mutable_iter iter;

	dlist_foreach_modify(iter, &held)
	{
		Connection *c = dlist_container(Connection, held_node, iter.cur);

		if (!DurabilityIsReached(&c->durability, now))
			continue;
		ConnectionForgetHeld(c);
		c->state = CONNECTION_WRITING;
		pause_ms = 0;
		ConnectionGuarded(c, ConnectionAfterSending);
	}
}

/*
 * Determines which positions must be flushed for the remaining answers: from
 * and up to.
 */
static void
FindUnflushed(const DurabilityProgress *now, XLogRecPtr *first, XLogRecPtr *last)
{
	dlist_iter	iter;

	*first = *last = InvalidXLogRecPtr;
	dlist_foreach(iter, &held)
	{
		XLogRecPtr	flush = dlist_container(Connection, held_node, iter.cur)->durability.flush;

		if (flush <= now->flushed)
			continue;
		*first = XLogRecPtrIsInvalid(*first) ? flush : Min(*first, flush);
		*last = Max(*last, flush);
	}
}

/*
 * Requests a flush of the log.  An idle worker flushes itself, which saves two
 * context switches; returns true if it did.
 */
static bool
RequestFlush(const DurabilityProgress *now)
{
	XLogRecPtr	first;
	XLogRecPtr	last;

	FindUnflushed(now, &first, &last);
	if (XLogRecPtrIsInvalid(first))
		(void) FlushQueueAwait(first, last);
	else if (nheld == ConnectionCount() || !FlushQueueAwait(first, last))
	{
		XLogFlush(last);
		return true;
	}
	return false;
}

/* Whether some answer waits for more than this server's disk. */
static bool
AwaitStandbys(const DurabilityProgress *now)
{
	dlist_iter	iter;

	dlist_foreach(iter, &held)
	{
		if (dlist_container(Connection, held_node, iter.cur)->durability.flush <= now->flushed)
			return true;
	}
	return false;
}

long
ConnectionsRelease(void)
{
	DurabilityProgress now;

	if (dlist_is_empty(&held))
		return -1;
	do
	{
		now = DurabilityNow();
		SendReached(&now);
	} while (RequestFlush(&now));
	if (!AwaitStandbys(&now))
		return -1;
	pause_ms = Min(pause_ms + 1, MAX_PAUSE_MS);
	return pause_ms;
}
