/*
 * connection_tls.c
 *	  Connections with TLS, and reading and writing with and without it.
 */
#include "postgres.h"

#include <sys/socket.h>

#include "storage/latch.h"

#include "http/connection_internal.h"
#include "http/events.h"
#include "http/log_limit.h"
#include "worker/endpoint.h"

/* ---- beginning ---- */

static void
LogTls(const Connection *c, const char *problem)
{
	const char *more = LogLimit(LOG_KIND_TLS);

	if (more != NULL)
		ereport(LOG,
				(errcode(ERRCODE_PROTOCOL_VIOLATION),
				 errmsg("could not accept TLS connection of HTTP client %s: %s%s",
						c->peer, problem, more)));
}

static void
RefusePlain(Connection *c)
{
	LogTls(c, "TLS is required");
	ConnectionRefuse(c, RefusalAnswer(400, "This port needs TLS; use https://"));
}

static void
BeginTls(Connection *c)
{
	c->tls = TlsOpen(c->fd);
	if (c->tls == NULL)
	{
		LogTls(c, "there is no certificate");
		ConnectionClose(c);
		return;
	}
	c->handshaking = true;
	ConnectionSetState(c, CONNECTION_READING);	/* sets the timeout, too */
}

/* Reads the first byte; returns whether the connection is plain. */
static bool
IsPlain(Connection *c)
{
	char		first;
	ssize_t		n = recv(c->fd, &first, 1, MSG_PEEK);

	if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
		return false;
	c->undecided = false;
	if (n <= 0)
		ConnectionClose(c);
	else if (first == TLS_FIRST_BYTE)
		BeginTls(c);
	else if (http_tls == HTTP_TLS_REQUIRE)
		RefusePlain(c);
	else
		return true;
	return false;
}

static char *
ClientName(const Connection *c)
{
	MemoryContext old = MemoryContextSwitchTo(c->context);
	char	   *name = TlsClientName(c->tls);

	MemoryContextSwitchTo(old);
	return name;
}

static void
ContinueHandshake(Connection *c)
{
	const char *problem = NULL;

	switch (TlsHandshake(c->tls, &problem))
	{
		case TLS_DONE:
			c->handshaking = false;
			c->certificate_name = ClientName(c);
			ConnectionSetState(c, CONNECTION_IDLE);
			break;
		case TLS_WANTS_READ:
			EventsChange(c->place, WL_SOCKET_READABLE);
			break;
		case TLS_WANTS_WRITE:
			EventsChange(c->place, WL_SOCKET_WRITEABLE);
			break;
		case TLS_FAILED:
			LogTls(c, problem);
			ConnectionClose(c);
			break;
	}
}

bool
ConnectionSecure(Connection *c)
{
	if (c->undecided)
		return IsPlain(c);		/* a handshake begins at the next event */
	if (!c->handshaking)
		return true;
	ContinueHandshake(c);
	return false;
}

/* ---- reading and writing ---- */

int
ConnectionReadRoom(const Connection *c)
{
	return c->tls != NULL ? TLS_MAX_RECORD : CONNECTION_READ_SIZE / 2;
}

ssize_t
ConnectionRecv(Connection *c, char *bytes, size_t size)
{
	return c->tls != NULL ? TlsRead(c->tls, bytes, size) : recv(c->fd, bytes, size, 0);
}

ssize_t
ConnectionWrite(Connection *c, const char *bytes, size_t size)
{
	return c->tls != NULL ? TlsWrite(c->tls, bytes, size) : send(c->fd, bytes, size, MSG_NOSIGNAL);
}
