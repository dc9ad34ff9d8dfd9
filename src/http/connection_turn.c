/*
 * connection_turn.c
 *	  Lets other clients of a worker in between the parts of a long read.
 *
 * A worker executes one request at a time.  Reading a page can take several
 * milliseconds.  After a millisecond, if another client of the worker waits,
 * the reading is interrupted and its transaction rolled back (ReadPause).  It
 * continues in another transaction some milliseconds later.  Meanwhile the
 * worker serves the other clients or sleeps: the kernel lets a process that
 * sleeps at times run sooner when a request arrives.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "http/connection_internal.h"
#include "http/events.h"

#define TURN_MS		1
#define REST_MS		3

/*
 * The number of rows between readings of the clock, which would cost some
 * percent of a scan for each row.
 */
#define ROWS_PER_LOOK	8

/*
 * The maximum number of interrupted requests, each of which may keep a page of
 * 1 MB.
 */
#define MAX_PAUSED	16

static dlist_head paused = DLIST_STATIC_INIT(paused);
static int	npaused;
static TimestampTz rest_end;

/* The end of the current request's turn; 0 before its time begins. */
static TimestampTz turn_end;
static int	rows;

/* The function of ReadPause.wanted. */
static bool
TurnIsOver(void)
{
	TimestampTz now;
	TimestampTz end = turn_end;

	if (++rows % ROWS_PER_LOOK != 0)
		return false;
	now = GetCurrentTimestamp();
	if (now < end)
		return false;
	turn_end = TimestampTzPlusMilliseconds(now, TURN_MS);
	return end != 0 && npaused < MAX_PAUSED && (ConnectionsAreWaiting() || EventsArePending());
}

ReadPause *
ConnectionBeginTurn(Connection *c)
{
	turn_end = 0;
	rows = 0;
	c->read.wanted = TurnIsOver;
	c->read.parent = c->context;
	c->read.paused = false;
	return &c->read;
}

void
ConnectionPause(Connection *c)
{
	/* a request that was parked before may be tried at any time */
	if (!c->paused)
	{
		dlist_push_tail(&paused, &c->paused_node);
		npaused++;
	}
	c->paused = true;
	rest_end = TimestampTzPlusMilliseconds(GetCurrentTimestamp(), REST_MS);
	if (c->state != CONNECTION_PARKED)
		ConnectionSetState(c, CONNECTION_PARKED);
}

static void
EndPause(Connection *c)
{
	dlist_delete(&c->paused_node);
	c->paused = false;
	npaused--;
}

void
ConnectionForgetPage(Connection *c)
{
	if (c->paused)
		EndPause(c);
	if (c->read.context != NULL)
		MemoryContextDelete(c->read.context);
	c->read.context = NULL;
}

long
ConnectionsResume(void)
{
	if (!dlist_is_empty(&paused) && GetCurrentTimestamp() >= rest_end)
	{
		Connection *c = dlist_container(Connection, paused_node, dlist_head_node(&paused));

		EndPause(c);
		ConnectionGuarded(c, ConnectionAnswer);
	}
	return dlist_is_empty(&paused) ? -1 :
		TimestampDifferenceMilliseconds(GetCurrentTimestamp(), rest_end);
}
