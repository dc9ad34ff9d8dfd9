/*
 * accept.c
 *	  New clients of the HTTP endpoint.
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
#include "http/settings.h"
#include "http/share.h"

/* In a row, before others are served. */
#define MAX_ACCEPTED	16

/* A client was sent away, and since then there was no room. */
static bool is_full;

/* Makes room for another connection and its file descriptor. */
static bool
Reserve(void)
{
	while (ConnectionCount() >= http_max_connections || !AcquireExternalFD())
	{
		if (!ConnectionCloseIdlest())
			return false;
	}
	is_full = false;
	return true;
}

static void
TurnAway(pgsocket fd)
{
	HttpAnswer	answer = UnavailableAnswer();
	HttpDelivery delivery = {0};
	StringInfoData text;

	if (!is_full)
		ereport(LOG,
				(errcode(ERRCODE_TOO_MANY_CONNECTIONS),
				 errmsg("sorry, too many HTTP clients already")));
	is_full = true;
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
Open(pgsocket fd)
{
	struct sockaddr_storage address;
	socklen_t	len = sizeof(address);
	char		peer[CONNECTION_PEER_LEN] = "???";
	int			one = 1;

	if (getpeername(fd, (struct sockaddr *) &address, &len) == 0)
		DescribePeer(peer, &address, len);
	/* an answer is sent as a whole: nothing to wait for */
	(void) setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	ConnectionOpen(fd, peer);
}

/* A place has been taken for it. */
static void
Admit(pgsocket fd)
{
	if (Reserve())
		Open(fd);
	else
	{
		ShareEnd();
		TurnAway(fd);
	}
}

/* Whether there was a client, which may be gone again. */
static bool
AcceptOne(pgsocket listening)
{
	pgsocket	fd = accept(listening, NULL, NULL);

	if (fd == PGINVALID_SOCKET)
	{
		if (errno == EAGAIN || errno == EWOULDBLOCK)
			return false;
		if (errno == EINTR || errno == ECONNABORTED)
			return true;
		ereport(LOG,
				(errcode_for_socket_access(),
				 errmsg("could not accept new HTTP connection: %m")));
		/* as the postmaster does: out of descriptors, most likely */
		pg_usleep(100000L);
		return false;
	}
	if (!pg_set_noblock(fd) || fcntl(fd, F_SETFD, FD_CLOEXEC) < 0 || !ShareKeep(fd))
		closesocket(fd);
	else
		Admit(fd);
	return true;
}

void
AcceptClients(pgsocket listening)
{
	for (int i = 0; i < MAX_ACCEPTED && AcceptOne(listening); i++)
		;
}

void
AcceptFromWorkers(void)
{
	for (int i = 0; i < MAX_ACCEPTED; i++)
	{
		pgsocket	fd = ShareReceive();

		if (fd == PGINVALID_SOCKET)
			return;
		if (fcntl(fd, F_SETFD, FD_CLOEXEC) == 0)
			Admit(fd);
		else
		{
			ShareEnd();
			closesocket(fd);
		}
	}
}
