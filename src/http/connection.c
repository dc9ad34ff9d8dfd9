/*
 * connection.c
 *	  Connections of HTTP clients: their states, memory and timeouts.
 */
#include "postgres.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <sys/socket.h>
#include <unistd.h>

#include "access/xact.h"
#include "miscadmin.h"
#include "storage/fd.h"
#include "storage/latch.h"
#include "tcop/tcopprot.h"
#include "utils/memutils.h"

#include "http/connection_internal.h"
#include "http/events.h"
#include "http/log_limit.h"
#include "http/share.h"
#include "worker/endpoint.h"

#define KEPT_BUFFER_SIZE	(64 * 1024) /* an idle connection keeps at most this */
#define GIVE_BACK_SIZE		(4 * 1024 * 1024)	/* of freed buffers, after which memory is given back */
#define LINGER_MS			2000
#define MAX_WAIT_MS			(3600 * 1000L)

/*
 * Idle connections in the order in which they became idle; the position of
 * others is that of their last idle time.
 */
static dlist_head connections = DLIST_STATIC_INIT(connections);
static dlist_head waiting = DLIST_STATIC_INIT(waiting);
static int	nconnections;
static int	nrefused;			/* number of connections */
static Size buffered_bytes;
static Size freed_bytes;		/* since memory was given back */

/* The time at which ConnectionsExpire must act next. */
static TimestampTz next_expiry = DT_NOEND;

MemoryContext connection_request_context;

/* ---- time and memory ---- */

void
ConnectionSetDeadline(Connection *c, int milliseconds)
{
	c->deadline = milliseconds == 0 ? DT_NOEND :
		TimestampTzPlusMilliseconds(GetCurrentTimestamp(), (int64) milliseconds);
	if (c->deadline < next_expiry)
		next_expiry = c->deadline;
}

static void
StartTimeout(Connection *c)
{
	switch (c->state)
	{
		case CONNECTION_IDLE:
			ConnectionSetDeadline(c, http_idle_timeout);
			break;
		case CONNECTION_LINGERING:
			ConnectionSetDeadline(c, LINGER_MS);
			break;
		case CONNECTION_PARKED:
		case CONNECTION_HELD:
			ConnectionSetDeadline(c, 0);
			break;
		default:
			ConnectionSetDeadline(c, http_client_timeout);
	}
}

void
ConnectionSetState(Connection *c, ConnectionState state)
{
	c->state = state;
	if (state == CONNECTION_IDLE)
	{
		dlist_delete(&c->node);
		dlist_push_tail(&connections, &c->node);
	}
	StartTimeout(c);
	EventsChange(c->place, state == CONNECTION_WRITING ? WL_SOCKET_WRITEABLE : WL_SOCKET_READABLE);
}

void
ConnectionAccount(Connection *c)
{
	uint32		now = (uint32) c->in.maxlen + (uint32) c->out.maxlen;

	buffered_bytes += now;
	buffered_bytes -= c->accounted;
	if (now < c->accounted)
		freed_bytes += c->accounted - now;
	c->accounted = now;
}

/* What the C library keeps of freed buffers would stay with the worker for ever. */
void
ConnectionsGiveBackMemory(void)
{
	if (freed_bytes < GIVE_BACK_SIZE)
		return;
	freed_bytes = 0;
#ifdef __GLIBC__
	(void) malloc_trim(0);
#endif
}

bool
ConnectionHasMemory(Size more)
{
	return buffered_bytes + more <= (Size) http_buffer_memory * 1024;
}

void
ConnectionShrinkBuffer(StringInfo buffer)
{
	if (buffer->maxlen > KEPT_BUFFER_SIZE && buffer->len < CONNECTION_READ_SIZE)
	{
		buffer->data = repalloc(buffer->data, CONNECTION_READ_SIZE);
		buffer->maxlen = CONNECTION_READ_SIZE;
	}
}

/* ---- the list of those that wait ---- */

void
ConnectionWait(Connection *c)
{
	if (!c->waiting)
		dlist_push_tail(&waiting, &c->waiting_node);
	c->waiting = true;
}

static void
StopWaiting(Connection *c)
{
	if (c->waiting)
		dlist_delete(&c->waiting_node);
	c->waiting = false;
}

/* ---- closing ---- */

void
ConnectionClose(Connection *c)
{
	StopWaiting(c);
	ConnectionUnpark(c);
	ConnectionForgetPage(c);
	if (c->state == CONNECTION_HELD)
		ConnectionForgetHeld(c);
	dlist_delete(&c->node);
	nconnections--;
	if (c->refused)
		nrefused--;
	buffered_bytes -= c->accounted;
	freed_bytes += c->accounted;
	EventsRemove(c->place);
	if (c->tls != NULL)
	{
		TlsShutdown(c->tls);
		TlsClose(c->tls);
	}
	closesocket(c->fd);
	ReleaseExternalFD();
	ShareEnd();
	MemoryContextDelete(c->context);
}

void
ConnectionCloseAfterAnswer(Connection *c)
{
	if (!c->linger)
	{
		ConnectionClose(c);
		return;
	}
	if (c->tls != NULL)
		TlsShutdown(c->tls);
	(void) shutdown(c->fd, SHUT_WR);
	StopWaiting(c);
	c->in.len = 0;
	ConnectionSetState(c, CONNECTION_LINGERING);
}

/* ---- serving ---- */

/*
 * Runs a step of a connection.  The worker outlives every error: an error is
 * logged and closes the connection.  Errors of requests do not come here (see
 * ExecuteRequest); most likely the memory is exhausted.
 */
void
ConnectionGuarded(Connection *c, void (*function) (Connection *c))
{
	PG_TRY();
	{
		function(c);
	}
	PG_CATCH();
	{
		HOLD_INTERRUPTS();
		MemoryContextSwitchTo(TopMemoryContext);
		debug_query_string = NULL;	/* its memory was on the stack */
		EmitErrorReport();
		FlushErrorState();
		AbortOutOfAnyTransaction();
		MemoryContextSwitchTo(TopMemoryContext);
		MemoryContextReset(connection_request_context);
		ConnectionClose(c);
		RESUME_INTERRUPTS();
	}
	PG_END_TRY();
}

void
ConnectionContinue(Connection *connection)
{
	ConnectionGuarded(connection, ConnectionServe);
}

void
ConnectionsServeWaiting(void)
{
	dlist_head	now = DLIST_STATIC_INIT(now);

	while (!dlist_is_empty(&waiting))
	{
		dlist_node *node = dlist_pop_head_node(&waiting);

		dlist_push_tail(&now, node);
	}
	while (!dlist_is_empty(&now))
	{
		Connection *c = dlist_container(Connection, waiting_node, dlist_pop_head_node(&now));

		c->waiting = false;
		ConnectionGuarded(c, ConnectionAdvance);
	}
}

bool
ConnectionsAreWaiting(void)
{
	return !dlist_is_empty(&waiting);
}

/* ---- the list of connections ---- */

static Connection *
CreateConnection(pgsocket fd, const char *peer)
{
	MemoryContext context = AllocSetContextCreate(TopMemoryContext, "dynamo HTTP connection",
												  ALLOCSET_SMALL_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	Connection *c = palloc0(sizeof(Connection));

	if (connection_request_context == NULL)
		connection_request_context = AllocSetContextCreate(TopMemoryContext, "dynamo HTTP request",
												ALLOCSET_DEFAULT_SIZES);
	c->fd = fd;
	c->context = context;
	strlcpy(c->peer, peer, sizeof(c->peer));
	initStringInfo(&c->in);
	enlargeStringInfo(&c->in, CONNECTION_READ_SIZE - 1);
	initStringInfo(&c->out);
	ConnectionAccount(c);
	MemoryContextSwitchTo(old);
	c->place = EventsAdd(fd, WL_SOCKET_READABLE, c);
	dlist_push_tail(&connections, &c->node);
	nconnections++;
	ConnectionSetState(c, CONNECTION_IDLE);
	return c;
}

void
ConnectionOpen(pgsocket fd, const char *peer)
{
	CreateConnection(fd, peer)->undecided = http_tls != HTTP_TLS_OFF;
}

void
ConnectionOpenForMetrics(pgsocket fd, const char *peer)
{
	CreateConnection(fd, peer)->for_metrics = true;
}

static void
RefuseUnavailable(Connection *c)
{
	ConnectionRefuse(c, UnavailableAnswer());
}

void
ConnectionOpenRefused(pgsocket fd, const char *peer)
{
	Connection *c = CreateConnection(fd, peer);

	c->refused = true;
	nrefused++;
	ConnectionGuarded(c, RefuseUnavailable);
}

int
ConnectionCount(void)
{
	return nconnections - nrefused;
}

int
ConnectionRefusedCount(void)
{
	return nrefused;
}

bool
ConnectionCloseIdlest(void)
{
	dlist_iter	iter;

	dlist_foreach(iter, &connections)
	{
		Connection *c = dlist_container(Connection, node, iter.cur);

		if (c->state == CONNECTION_IDLE)
		{
			ConnectionClose(c);
			return true;
		}
	}
	return false;
}

/* ---- timeouts ---- */

static void
LogSlow(const Connection *c, LogKind kind, const char *what)
{
	const char *more = LogLimit(kind);

	if (more != NULL)
		ereport(LOG,
				(errmsg("HTTP client %s took too long to %s%s", c->peer, what, more)));
}

static void
ExpireConnection(Connection *c)
{
	switch (c->state)
	{
		case CONNECTION_READING:
			if (c->handshaking)
			{
				LogSlow(c, LOG_KIND_SLOW_REQUEST, "agree on TLS");
				ConnectionClose(c);
				break;
			}
			LogSlow(c, LOG_KIND_SLOW_REQUEST, "send a request");
			ConnectionRefuse(c, RefusalAnswer(408, "The request took too long to arrive"));
			break;
		case CONNECTION_WRITING:
			LogSlow(c, LOG_KIND_SLOW_ANSWER, "receive an answer");
			ConnectionClose(c);
			break;
		default:
			ConnectionClose(c);
	}
}

long
ConnectionsExpire(TimestampTz asked)
{
	dlist_mutable_iter iter;

	if (next_expiry == DT_NOEND)
		return -1;
	if (asked >= next_expiry)
	{
		next_expiry = DT_NOEND;
		dlist_foreach_modify(iter, &connections)
		{
			Connection *c = dlist_container(Connection, node, iter.cur);

			if (c->deadline <= asked)
				ConnectionGuarded(c, ExpireConnection);
			else if (c->deadline < next_expiry)
				next_expiry = c->deadline;
		}
	}
	return next_expiry == DT_NOEND ? -1 :
		Min(TimestampDifferenceMilliseconds(GetCurrentTimestamp(), next_expiry) + 1, MAX_WAIT_MS);
}

void
ConnectionsRestartTimeouts(void)
{
	dlist_iter	iter;

	dlist_foreach(iter, &connections)
		StartTimeout(dlist_container(Connection, node, iter.cur));
}
