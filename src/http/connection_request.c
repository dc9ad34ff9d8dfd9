/*
 * connection_request.c
 *	  Reads the bytes of requests and answers them.
 */
#include "postgres.h"

#include <sys/socket.h>

#include "storage/proc.h"
#include "utils/memutils.h"

#include "http/connection_internal.h"
#include "http/durability.h"
#include "http/events.h"
#include "http/log_limit.h"
#include "http/metrics.h"
#include "http/protocol.h"
#include "worker/endpoint.h"

/* Begins the next request; the bytes of the previous one are finished. */
static void
BeginRequest(Connection *c)
{
	memset(&c->scan, 0, sizeof(c->scan));
	c->has_head = false;
	c->told_to_continue = false;
	ConnectionSetState(c, c->in.len > 0 ? CONNECTION_READING : CONNECTION_IDLE);
	if (c->in.len > 0)
		ConnectionWait(c);
}

/*
 * Continues after an answer was sent or stored, or closes the connection after
 * its last one.
 */
void
ConnectionAfterSending(Connection *c)
{
	if (!ConnectionFlush(c))
	{
		if (c->state != CONNECTION_WRITING)
			ConnectionSetState(c, CONNECTION_WRITING);
	}
	else if (c->close)
		ConnectionCloseAfterAnswer(c);
	else
		BeginRequest(c);
}

void
ConnectionRefuse(Connection *c, HttpAnswer answer)
{
	MemoryContext old = MemoryContextSwitchTo(connection_request_context);

	c->close = true;
	c->linger = true;
	ConnectionSend(c, &answer, false);
	MemoryContextSwitchTo(old);
	MemoryContextReset(connection_request_context);
	ConnectionAfterSending(c);
}

static void
RefuseMalformed(Connection *c, int status, const char *reason)
{
	const char *more = LogLimit(LOG_KIND_MALFORMED);

	if (more != NULL)
		ereport(LOG,
				(errcode(ERRCODE_PROTOCOL_VIOLATION),
				 errmsg("invalid HTTP request from client %s: %s%s", c->peer, reason, more)));
	ConnectionRefuse(c, RefusalAnswer(status, reason));
}

/* ---- requests ---- */

/* Returns the end of the request in the buffer. */
static uint32
RequestEnd(const Connection *c)
{
	return c->head.chunked ? c->chunks.from : c->head.len + c->head.content_length;
}

static bool
IsHeadMethod(const Connection *c)
{
	return SliceIs(HttpText(c->in.data, c->head.method), "HEAD");
}

void
ConnectionAnswer(Connection *c)
{
	uint32		end = RequestEnd(c);
	HttpRequest request = {.data = c->in.data, .head = &c->head};
	MemoryContext old = MemoryContextSwitchTo(connection_request_context);
	HttpAnswer	answer;
	bool		hold;

	request.body.data = c->in.data + c->head.len;
	request.body.len = c->head.chunked ? c->chunks.to - c->head.len : c->head.content_length;
	c->close = !c->head.keep_alive;
	c->linger = false;
	if (c->first_attempt == 0 && c->read.context == NULL)
		RequestIdMake(c->id);
	request.id = c->id;
	request.certificate_name = c->certificate_name;
	request.last_attempt = ConnectionIsLastAttempt(c);
	request.ends_vacuums = ConnectionHasWaited(c, DeadlockTimeout);
	request.first_attempt = c->first_attempt;
	request.held_back = c->held_back;
	request.pause = ConnectionBeginTurn(c);
	DurabilityFlushAtCommit(ConnectionCount() == 1);
	if (!ConnectionHasMemory(0))
		answer = ProtocolUnavailable(&request);
	else
		answer = c->for_metrics ? MetricsAnswer(&request) : ProtocolAnswer(&request, c->peer);
	if (answer.parked)
	{
		MemoryContextSwitchTo(old);
		MemoryContextReset(connection_request_context);
		if (c->read.paused)
			ConnectionPause(c);
		else
			ConnectionPark(c, &answer);
		return;
	}
	ConnectionUnpark(c);
	ConnectionForgetPage(c);
	answer.request_id = c->id;
	hold = !DurabilityIsReachedNow(&answer.durability);
	if (hold)
		ConnectionKeepAnswer(c, &answer, IsHeadMethod(c));
	else
		ConnectionSend(c, &answer, IsHeadMethod(c));
	MemoryContextSwitchTo(old);
	MemoryContextReset(connection_request_context);

	memmove(c->in.data, c->in.data + end, c->in.len - end);
	c->in.len -= (int) end;
	ConnectionShrinkBuffer(&c->in);
	ConnectionAccount(c);
	if (hold)
		ConnectionHold(c, &answer.durability);
	else
		ConnectionAfterSending(c);
}

/* Sends 100 Continue to a client that waits before it sends a large body. */
static void
TellToContinue(Connection *c)
{
	static const char text[] = "HTTP/1.1 100 Continue\r\n\r\n";

	if (!c->head.expect_continue || c->told_to_continue || c->in.len > (int) c->head.len)
		return;
	c->told_to_continue = true;
	appendStringInfoString(&c->out, text);
	(void) ConnectionFlush(c);	/* the rest is sent before the answer */
}

/*
 * Reads the received part of the body; sets *status and *reason if it is
 * malformed.
 */
static HttpStep
ReadBody(Connection *c)
{
	HttpStep	step;

	if (!c->head.chunked)
		return c->in.len >= (int) RequestEnd(c) ? HTTP_DONE : HTTP_MORE;
	step = HttpReadChunks(&c->chunks, c->in.data, (uint32) c->in.len);
	if (step == HTTP_MORE)
	{
		/* all bytes were decoded; the next ones may follow */
		c->in.len = (int) c->chunks.to;
		c->chunks.from = c->chunks.to;
	}
	return step;
}

/* Prepares for receiving the rest of a request. */
static void
AwaitMore(Connection *c)
{
	if (c->state == CONNECTION_IDLE)
		ConnectionSetState(c, CONNECTION_READING);
	if (c->has_head)
		TellToContinue(c);
}

void
ConnectionAdvance(Connection *c)
{
	HttpStep	step;

	if (!c->has_head)
	{
		step = HttpReadHead(&c->head, &c->scan, c->in.data, (uint32) c->in.len);
		if (step == HTTP_FAILED)
			RefuseMalformed(c, c->head.status, c->head.reason);
		else if (step == HTTP_MORE)
			AwaitMore(c);
		if (step != HTTP_DONE)
			return;
		c->has_head = true;
		HttpChunksInit(&c->chunks, c->head.len);
	}
	step = ReadBody(c);
	if (step == HTTP_FAILED)
		RefuseMalformed(c, c->chunks.status, c->chunks.reason);
	else if (step == HTTP_DONE)
		ConnectionAnswer(c);
	else
		AwaitMore(c);
}

/* ---- reading ---- */

/* Returns the maximum number of bytes that the buffer needs. */
static uint32
BufferLimit(const Connection *c)
{
	uint32		limit = HTTP_MAX_HEAD + HTTP_MAX_BODY;

	if (c->has_head && !c->head.chunked)
		limit = RequestEnd(c);
	return Max(limit, (uint32) c->in.len) + CONNECTION_READ_SIZE;
}

/* Makes room in the buffer; false if there is no memory for it. */
static bool
MakeRoom(Connection *c)
{
	uint32		room = (uint32) ConnectionReadRoom(c);
	uint32		size = Min(2 * (uint32) c->in.maxlen, BufferLimit(c));

	if (c->in.maxlen - c->in.len > (int) room)
		return true;
	size = Max(size, (uint32) c->in.len + room + 1);
	if (!ConnectionHasMemory(size - (uint32) c->in.maxlen))
		return false;
	c->in.data = repalloc(c->in.data, size);
	c->in.maxlen = (int) size;
	ConnectionAccount(c);
	return true;
}

static void
LogLost(const Connection *c)
{
	int			error = errno;
	const char *more = LogLimit(LOG_KIND_LOST);

	errno = error;
	if (more != NULL)
		ereport(LOG,
				(errcode_for_socket_access(),
				 errmsg("could not receive data from client %s: %m%s", c->peer, more)));
}

static void
ReceiveBytes(Connection *c)
{
	ssize_t		n;

	if (!MakeRoom(c))
	{
		ConnectionRefuse(c, UnavailableAnswer());
		return;
	}
	n = ConnectionRecv(c, c->in.data + c->in.len, c->in.maxlen - c->in.len - 1);
	if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
		return;
	if (n <= 0)
	{
		if (n < 0 && c->state == CONNECTION_READING)
			LogLost(c);
		ConnectionClose(c);
		return;
	}
	c->in.len += (int) n;
	ConnectionAdvance(c);
}

/*
 * Receives further bytes, as far as there is room, until an answer may be
 * sent.  Then, and after the client has closed its side, the socket is not
 * read any more.  A client that is gone does not wait for as long as a standby
 * may take.
 */
static void
ReceiveAhead(Connection *c)
{
	int			room = c->in.maxlen - c->in.len - 1;
	ssize_t		n;

	if (room == 0 || (c->tls != NULL && room < ConnectionReadRoom(c)))
	{
		EventsChange(c->place, 0);
		return;
	}
	n = ConnectionRecv(c, c->in.data + c->in.len, room);
	if (n > 0)
		c->in.len += (int) n;
	else if (n == 0)
	{
		EventsChange(c->place, 0);
		ConnectionSetDeadline(c, http_client_timeout);
	}
	else if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)
		ConnectionClose(c);
}

static void
DiscardBytes(Connection *c)
{
	char		bytes[CONNECTION_READ_SIZE];
	ssize_t		n = recv(c->fd, bytes, sizeof(bytes), 0);

	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR))
		ConnectionClose(c);
}

void
ConnectionServe(Connection *c)
{
	if (!ConnectionSecure(c))
		return;
	switch (c->state)
	{
		case CONNECTION_WRITING:
			ConnectionAfterSending(c);
			break;
		case CONNECTION_PARKED:
		case CONNECTION_HELD:
			ReceiveAhead(c);
			break;
		case CONNECTION_LINGERING:
			DiscardBytes(c);
			break;
		default:
			/* connections with a complete request are answered first */
			if (!c->waiting)
				ReceiveBytes(c);
	}
}
