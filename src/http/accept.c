/*
 * accept.c
 *	  Accepts new clients of the HTTP endpoint.
 */
#include "postgres.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/ip.h"
#include "lib/stringinfo.h"
#include "storage/fd.h"

#include "http/accept.h"
#include "http/answer.h"
#include "http/connection.h"
#include "http/log_limit.h"
#include "http/share.h"
#include "http/share_busy.h"
#include "worker/endpoint.h"

/* In a row, before others are served. */
#define MAX_ACCEPTED	16

/* The maximum number of connections above the limit that are kept open to answer 503. */
#define MAX_REFUSED		64

/* Makes room for another connection and its file descriptor. */
static bool
ReserveConnection(void)
{
	while (ConnectionCount() >= http_max_connections || !AcquireExternalFD())
	{
		if (!ConnectionCloseIdlest())
			return false;
	}
	return true;
}

static void
LogFull(void)
{
	const char *more = LogLimit(LOG_KIND_FULL);

	if (more != NULL)
		ereport(LOG,
				(errcode(ERRCODE_TOO_MANY_CONNECTIONS),
				 errmsg("sorry, too many HTTP clients already%s", more)));
}

/* Tells a client without waiting for what it sends. */
static void
TurnAway(pgsocket fd)
{
	HttpAnswer	answer = UnavailableAnswer();
	HttpDelivery delivery = {0};
	StringInfoData text;

	initStringInfo(&text);
	AnswerHead(&text, &answer, delivery);
	appendBinaryStringInfo(&text, answer.body.data, (int) answer.body.len);
	(void) send(fd, text.data, text.len, MSG_NOSIGNAL);
	pfree(text.data);
	closesocket(fd);
}

static void
DescribePeer(char *peer, const struct sockaddr_storage *address, socklen_t len)
{
	char		host[NI_MAXHOST];
	char		port[NI_MAXSERV];

	if (pg_getnameinfo_all(address, len, host, sizeof(host), port, sizeof(port),
						   NI_NUMERICHOST | NI_NUMERICSERV) != 0)
		strlcpy(peer, "???", CONNECTION_PEER_LEN);
	else
		snprintf(peer, CONNECTION_PEER_LEN, strchr(host, ':') != NULL ? "[%s]:%s" : "%s:%s",
				 host, port);
}

static void
OpenAccepted(pgsocket fd, void (*open) (pgsocket fd, const char *peer))
{
	struct sockaddr_storage address;
	socklen_t	len = sizeof(address);
	char		peer[CONNECTION_PEER_LEN] = "???";
	int			one = 1;

	if (getpeername(fd, (struct sockaddr *) &address, &len) == 0)
		DescribePeer(peer, &address, len);
	/* an answer is sent as a whole: nothing to wait for */
	(void) setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	open(fd, peer);
}

/* A place has been taken for it. */
static void
AdmitClient(pgsocket fd)
{
	if (ReserveConnection())
	{
		OpenAccepted(fd, ConnectionOpen);
		return;
	}
	LogFull();
	if (ConnectionRefusedCount() < MAX_REFUSED && AcquireExternalFD())
		OpenAccepted(fd, ConnectionOpenRefused);
	else
	{
		ShareEnd();
		TurnAway(fd);
	}
}

static void
LogNotAccepted(void)
{
	int			error = errno;
	const char *more = LogLimit(LOG_KIND_ACCEPT);

	errno = error;
	if (more != NULL)
		ereport(LOG,
				(errcode_for_socket_access(),
				 errmsg("could not accept new HTTP connection: %m%s", more)));
}

static void
TakeClient(pgsocket fd)
{
	if (ShareKeep(fd))
		AdmitClient(fd);
	else
		closesocket(fd);
}

/* Who reads metrics is answered by any worker. */
static void
TakeScraper(pgsocket fd)
{
	ShareTake();
	if (ReserveConnection())
		OpenAccepted(fd, ConnectionOpenForMetrics);
	else
	{
		ShareEnd();
		closesocket(fd);
	}
}

/* Accepts one client; returns whether there was one, even if it has gone again. */
static bool
AcceptOne(pgsocket listening, void (*take) (pgsocket fd))
{
	pgsocket	fd = accept(listening, NULL, NULL);

	if (fd == PGINVALID_SOCKET)
	{
		if (errno == EAGAIN || errno == EWOULDBLOCK)
			return false;
		if (errno == EINTR || errno == ECONNABORTED)
			return true;
		LogNotAccepted();
		/* like the postmaster: most likely there are no free descriptors */
		pg_usleep(100000L);
		return false;
	}
	if (pg_set_noblock(fd) && fcntl(fd, F_SETFD, FD_CLOEXEC) == 0)
		take(fd);
	else
		closesocket(fd);
	return true;
}

static void
AcceptSome(pgsocket listening, void (*take) (pgsocket fd))
{
	for (int i = 0; i < MAX_ACCEPTED && AcceptOne(listening, take); i++)
		;
}

void
AcceptClients(pgsocket listening)
{
	AcceptSome(listening, TakeClient);
}

void
AcceptForMetrics(pgsocket listening)
{
	AcceptSome(listening, TakeScraper);
}

void
AcceptFromWorkers(void)
{
	for (int i = 0; i < MAX_ACCEPTED; i++)
	{
		pgsocket	fd = ShareReceive();

		if (fd == PGINVALID_SOCKET)
			return;
		AdmitClient(fd);
	}
}

void
AcceptKept(void)
{
	pgsocket	fd;

	while ((fd = BusyTake()) != PGINVALID_SOCKET)
		TakeClient(fd);
}
