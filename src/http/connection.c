/*
 * connection.c
 *	  Connections of HTTP clients.
 */
#include "postgres.h"

#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "access/xact.h"
#include "lib/ilist.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "storage/fd.h"
#include "storage/latch.h"
#include "tcop/tcopprot.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "compat.h"
#include "http/connection.h"
#include "http/events.h"
#include "http/protocol.h"
#include "http/settings.h"

#define READ_SIZE			(8 * 1024)
#define KEPT_BUFFER_SIZE	(64 * 1024) /* an idle connection keeps no more */
#define LINGER_MS			2000
#define MAX_WAIT_MS			(3600 * 1000L)

typedef enum ConnectionState
{
	CONNECTION_IDLE,
	CONNECTION_READING,
	CONNECTION_WRITING,
	CONNECTION_LINGERING
} ConnectionState;

struct Connection
{
	dlist_node	node;
	dlist_node	waiting_node;	/* in the list of those with more requests */
	bool		waiting;
	ConnectionState state;
	pgsocket	fd;
	int			place;			/* events.h */
	MemoryContext context;		/* of this and its buffers */
	TimestampTz deadline;		/* of the state; DT_NOEND: none */
	uint32		accounted;		/* bytes of buffers in buffered_bytes */
	char		peer[CONNECTION_PEER_LEN];

	/* the request */
	StringInfoData in;
	HttpScan	scan;
	bool		has_head;
	HttpHead	head;
	HttpChunks	chunks;
	bool		told_to_continue;

	/* the answer, what has not been sent of it */
	StringInfoData out;
	int			sent;
	bool		close;			/* afterwards */
	bool		linger;
};

static dlist_head connections = DLIST_STATIC_INIT(connections);
static dlist_head waiting = DLIST_STATIC_INIT(waiting);
static int	nconnections;
static Size buffered_bytes;

/* When ConnectionsExpire has something to do. */
static TimestampTz next_expiry = DT_NOEND;

/* Of one request; kept for the next. */
static MemoryContext request_context;

static void Close(Connection *c);

/* ---- time and memory ---- */

/* The state lasts at most that long; 0: as long as it will. */
static void
SetDeadline(Connection *c, int milliseconds)
{
	c->deadline = milliseconds == 0 ? DT_NOEND :
		TimestampTzPlusMilliseconds(GetCurrentTimestamp(), (int64) milliseconds);
	if (c->deadline < next_expiry)
		next_expiry = c->deadline;
}

static void
SetState(Connection *c, ConnectionState state)
{
	c->state = state;
	switch (state)
	{
		case CONNECTION_IDLE:
			SetDeadline(c, http_idle_timeout);
			break;
		case CONNECTION_LINGERING:
			SetDeadline(c, LINGER_MS);
			break;
		default:
			SetDeadline(c, http_client_timeout);
	}
	EventsChange(c->place, state == CONNECTION_WRITING ? WL_SOCKET_WRITEABLE : WL_SOCKET_READABLE);
}

static void
Account(Connection *c)
{
	uint32		now = (uint32) c->in.maxlen + (uint32) c->out.maxlen;

	buffered_bytes += now;
	buffered_bytes -= c->accounted;
	c->accounted = now;
}

/* Whether more may be buffered than is. */
static bool
HasMemory(Size more)
{
	return buffered_bytes + more <= (Size) http_buffer_memory * 1024;
}

/* Gives back what a large request or answer needed. */
static void
ShrinkBuffer(StringInfo buffer)
{
	if (buffer->maxlen > KEPT_BUFFER_SIZE && buffer->len < READ_SIZE)
	{
		buffer->data = repalloc(buffer->data, READ_SIZE);
		buffer->maxlen = READ_SIZE;
	}
}

/* ---- closing ---- */

static void
Unlist(Connection *c)
{
	if (c->waiting)
		dlist_delete(&c->waiting_node);
	c->waiting = false;
}

static void
Close(Connection *c)
{
	Unlist(c);
	dlist_delete(&c->node);
	nconnections--;
	buffered_bytes -= c->accounted;
	EventsRemove(c->place);
	closesocket(c->fd);
	ReleaseExternalFD();
	MemoryContextDelete(c->context);
}

/* Closes in a way that lets the client read what was sent. */
static void
CloseAfterAnswer(Connection *c)
{
	if (!c->linger)
	{
		Close(c);
		return;
	}
	(void) shutdown(c->fd, SHUT_WR);
	Unlist(c);
	c->in.len = 0;
	SetState(c, CONNECTION_LINGERING);
}

/* ---- answers ---- */

/* What is left of the answer; false if not all could be sent. */
static bool
Flush(Connection *c)
{
	while (c->sent < c->out.len)
	{
		ssize_t		n = send(c->fd, c->out.data + c->sent, c->out.len - c->sent, MSG_NOSIGNAL);

		if (n >= 0)
			c->sent += (int) n;
		else if (errno == EAGAIN || errno == EWOULDBLOCK)
			return false;
		else if (errno != EINTR)
		{
			/* nobody is there to read it */
			c->close = true;
			c->linger = false;
			break;
		}
	}
	resetStringInfo(&c->out);
	c->sent = 0;
	ShrinkBuffer(&c->out);
	Account(c);
	return true;
}

/* The next request: the bytes of the last one are done with. */
static void
BeginRequest(Connection *c)
{
	memset(&c->scan, 0, sizeof(c->scan));
	c->has_head = false;
	c->told_to_continue = false;
	SetState(c, c->in.len > 0 ? CONNECTION_READING : CONNECTION_IDLE);
	if (c->in.len > 0 && !c->waiting)
	{
		dlist_push_tail(&waiting, &c->waiting_node);
		c->waiting = true;
	}
}

/* The answer is on its way, or the connection's last one was. */
static void
AfterSending(Connection *c)
{
	if (!Flush(c))
	{
		if (c->state != CONNECTION_WRITING)
			SetState(c, CONNECTION_WRITING);
	}
	else if (c->close)
		CloseAfterAnswer(c);
	else
		BeginRequest(c);
}

/* Sends head and body at once; keeps what the socket does not take. */
static void
SendParts(Connection *c, const StringInfoData *head, Slice body)
{
	struct iovec parts[2];
	struct msghdr message = {0};
	ssize_t		n;
	Size		rest;

	parts[0].iov_base = head->data;
	parts[0].iov_len = head->len;
	parts[1].iov_base = unconstify(char *, body.data);
	parts[1].iov_len = body.len;
	message.msg_iov = parts;
	message.msg_iovlen = body.len > 0 ? 2 : 1;
	do
		n = sendmsg(c->fd, &message, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		n = 0;					/* Flush will tell why */
	rest = head->len + (Size) body.len - (Size) n;
	if (rest == 0)
		return;
	enlargeStringInfo(&c->out, (int) rest);
	if (n < head->len)
	{
		appendBinaryStringInfo(&c->out, head->data + n, head->len - (int) n);
		n = head->len;
	}
	if (body.len > 0)
		appendBinaryStringInfo(&c->out, body.data + (n - head->len), (int) rest - c->out.len);
	Account(c);
}

static void
Send(Connection *c, HttpAnswer *answer, bool head_only)
{
	HttpDelivery delivery = {.keep_alive = !c->close, .old = c->has_head && c->head.old};
	StringInfoData head;

	initStringInfo(&head);
	AnswerHead(&head, answer, delivery);
	SendParts(c, &head, head_only ? (Slice) {NULL, 0} : answer->body);
}

/* An answer to what is no proper request, after which nothing can follow. */
static void
Refuse(Connection *c, HttpAnswer answer)
{
	MemoryContext old = MemoryContextSwitchTo(request_context);

	c->close = true;
	c->linger = true;
	Send(c, &answer, false);
	MemoryContextSwitchTo(old);
	MemoryContextReset(request_context);
	AfterSending(c);
}

static void
RefuseMalformed(Connection *c, int status, const char *reason)
{
	ereport(LOG,
			(errcode(ERRCODE_PROTOCOL_VIOLATION),
			 errmsg("invalid HTTP request from client %s: %s", c->peer, reason)));
	Refuse(c, EmptyAnswer(status));
}

/* ---- requests ---- */

/* Where the request ends in the buffer. */
static uint32
RequestEnd(const Connection *c)
{
	return c->head.chunked ? c->chunks.from : c->head.len + c->head.content_length;
}

static bool
IsHeadMethod(const Connection *c)
{
	Slice		method = HttpText(c->in.data, c->head.method);

	return method.len == 4 && memcmp(method.data, "HEAD", 4) == 0;
}

static void
AnswerRequest(Connection *c)
{
	uint32		end = RequestEnd(c);
	HttpRequest request = {.data = c->in.data, .head = &c->head};
	MemoryContext old = MemoryContextSwitchTo(request_context);
	HttpAnswer	answer;

	request.body.data = c->in.data + c->head.len;
	request.body.len = c->head.chunked ? c->chunks.to - c->head.len : c->head.content_length;
	c->close = !c->head.keep_alive;
	c->linger = false;
	answer = HasMemory(0) ? ProtocolAnswer(&request, c->peer) : UnavailableAnswer();
	Send(c, &answer, IsHeadMethod(c));
	MemoryContextSwitchTo(old);
	MemoryContextReset(request_context);

	memmove(c->in.data, c->in.data + end, c->in.len - end);
	c->in.len -= (int) end;
	ShrinkBuffer(&c->in);
	Account(c);
	AfterSending(c);
}

/* Tells a client that waits before it sends a large body. */
static void
TellToContinue(Connection *c)
{
	static const char text[] = "HTTP/1.1 100 Continue\r\n\r\n";

	if (!c->head.expect_continue || c->told_to_continue || c->in.len > (int) c->head.len)
		return;
	c->told_to_continue = true;
	/* a socket with room for nothing is not one to wait for */
	(void) send(c->fd, text, sizeof(text) - 1, MSG_NOSIGNAL);
}

/* Reads what there is of the body; *status and *reason if it is malformed. */
static HttpStep
ReadBody(Connection *c)
{
	HttpStep	step;

	if (!c->head.chunked)
		return c->in.len >= (int) RequestEnd(c) ? HTTP_DONE : HTTP_MORE;
	step = HttpReadChunks(&c->chunks, c->in.data, (uint32) c->in.len);
	if (step == HTTP_MORE)
	{
		/* all was decoded: the next bytes may stand behind it */
		c->in.len = (int) c->chunks.to;
		c->chunks.from = c->chunks.to;
	}
	return step;
}

/* Goes as far as the buffer allows. */
static void
Advance(Connection *c)
{
	HttpStep	step;

	if (!c->has_head)
	{
		step = HttpReadHead(&c->head, &c->scan, c->in.data, (uint32) c->in.len);
		if (step == HTTP_FAILED)
			RefuseMalformed(c, c->head.status, c->head.reason);
		if (step != HTTP_DONE)
			return;
		c->has_head = true;
		HttpChunksInit(&c->chunks, c->head.len);
	}
	step = ReadBody(c);
	if (step == HTTP_FAILED)
		RefuseMalformed(c, c->chunks.status, c->chunks.reason);
	else if (step == HTTP_DONE)
		AnswerRequest(c);
	else
		TellToContinue(c);
}

/* ---- reading ---- */

/* The most that the buffer need hold. */
static uint32
BufferLimit(const Connection *c)
{
	uint32		limit = HTTP_MAX_HEAD + HTTP_MAX_BODY;

	if (c->has_head && !c->head.chunked)
		limit = RequestEnd(c);
	return Max(limit, (uint32) c->in.len) + READ_SIZE;
}

/* Makes room in the buffer; false if there is no memory for it. */
static bool
MakeRoom(Connection *c)
{
	uint32		size = Min(2 * (uint32) c->in.maxlen, BufferLimit(c));

	if (c->in.maxlen - c->in.len > READ_SIZE / 2)
		return true;
	if (!HasMemory(size - (uint32) c->in.maxlen))
		return false;
	c->in.data = repalloc(c->in.data, size);
	c->in.maxlen = (int) size;
	Account(c);
	return true;
}

static void
Receive(Connection *c)
{
	ssize_t		n;

	if (!MakeRoom(c))
	{
		Refuse(c, UnavailableAnswer());
		return;
	}
	n = recv(c->fd, c->in.data + c->in.len, c->in.maxlen - c->in.len - 1, 0);
	if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
		return;
	if (n <= 0)
	{
		if (n < 0 && c->state == CONNECTION_READING)
			ereport(LOG,
					(errcode_for_socket_access(),
					 errmsg("could not receive data from client %s: %m", c->peer)));
		Close(c);
		return;
	}
	c->in.len += (int) n;
	if (c->state == CONNECTION_IDLE)
		SetState(c, CONNECTION_READING);
	Advance(c);
}

static void
Discard(Connection *c)
{
	char		bytes[READ_SIZE];
	ssize_t		n = recv(c->fd, bytes, sizeof(bytes), 0);

	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR))
		Close(c);
}

static void
Continue(Connection *c)
{
	switch (c->state)
	{
		case CONNECTION_WRITING:
			AfterSending(c);
			break;
		case CONNECTION_LINGERING:
			Discard(c);
			break;
		default:
			/* those with a request in the buffer have it answered first */
			if (!c->waiting)
				Receive(c);
	}
}

/* An error here is one of memory, most likely: it costs the connection. */
static void
Guarded(Connection *c, void (*function) (Connection *c))
{
	PG_TRY();
	{
		function(c);
	}
	PG_CATCH();
	{
		HOLD_INTERRUPTS();
		MemoryContextSwitchTo(TopMemoryContext);
		debug_query_string = NULL;	/* it was on the stack */
		EmitErrorReport();
		FlushErrorState();
		AbortOutOfAnyTransaction();
		MemoryContextSwitchTo(TopMemoryContext);
		MemoryContextReset(request_context);
		Close(c);
		RESUME_INTERRUPTS();
	}
	PG_END_TRY();
}

void
ConnectionContinue(Connection *connection)
{
	Guarded(connection, Continue);
}

bool
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
		Guarded(c, Advance);
	}
	return !dlist_is_empty(&waiting);
}

/* ---- the list of connections ---- */

void
ConnectionOpen(pgsocket fd, const char *peer)
{
	MemoryContext context = AllocSetContextCreate(TopMemoryContext, "dynamo HTTP connection",
												  ALLOCSET_SMALL_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	Connection *c = palloc0(sizeof(Connection));

	if (request_context == NULL)
		request_context = AllocSetContextCreate(TopMemoryContext, "dynamo HTTP request",
												ALLOCSET_DEFAULT_SIZES);
	c->fd = fd;
	c->context = context;
	strlcpy(c->peer, peer, sizeof(c->peer));
	initStringInfo(&c->in);
	enlargeStringInfo(&c->in, READ_SIZE - 1);
	initStringInfo(&c->out);
	Account(c);
	MemoryContextSwitchTo(old);
	c->place = EventsAdd(fd, WL_SOCKET_READABLE, c);
	dlist_push_tail(&connections, &c->node);
	nconnections++;
	SetState(c, CONNECTION_IDLE);
}

int
ConnectionCount(void)
{
	return nconnections;
}

bool
ConnectionCloseIdlest(void)
{
	Connection *idlest = NULL;
	dlist_iter	iter;

	dlist_foreach(iter, &connections)
	{
		Connection *c = dlist_container(Connection, node, iter.cur);

		if (c->state == CONNECTION_IDLE && (idlest == NULL || c->deadline < idlest->deadline))
			idlest = c;
	}
	if (idlest == NULL)
		return false;
	Close(idlest);
	return true;
}

/* ---- timeouts ---- */

static void
Expire(Connection *c)
{
	switch (c->state)
	{
		case CONNECTION_READING:
			ereport(LOG,
					(errmsg("HTTP client %s took too long to send a request", c->peer)));
			Refuse(c, EmptyAnswer(408));
			break;
		case CONNECTION_WRITING:
			ereport(LOG,
					(errmsg("HTTP client %s took too long to take an answer", c->peer)));
			Close(c);
			break;
		default:
			Close(c);
	}
}

long
ConnectionsExpire(void)
{
	TimestampTz now;
	dlist_mutable_iter iter;

	if (next_expiry == DT_NOEND)
		return -1;
	now = GetCurrentTimestamp();
	if (now >= next_expiry)
	{
		next_expiry = DT_NOEND;
		dlist_foreach_modify(iter, &connections)
		{
			Connection *c = dlist_container(Connection, node, iter.cur);

			if (c->deadline <= now)
				Guarded(c, Expire);
			else if (c->deadline < next_expiry)
				next_expiry = c->deadline;
		}
	}
	return next_expiry == DT_NOEND ? -1 :
		Min(TimestampDifferenceMilliseconds(now, next_expiry) + 1, MAX_WAIT_MS);
}

void
ConnectionsRestartTimeouts(void)
{
	dlist_iter	iter;

	dlist_foreach(iter, &connections)
	{
		Connection *c = dlist_container(Connection, node, iter.cur);

		SetState(c, c->state);
	}
}
