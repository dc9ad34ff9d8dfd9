/*
 * share_busy.c
 *	  New clients of a worker that is busy with a long request.
 */
#include "postgres.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "http/listen.h"
#include "http/share.h"
#include "http/share_busy.h"
#include "worker/endpoint.h"

/* The maximum number of clients whose request is awaited, or that nobody can take. */
#define MAX_KEPT	16

/* What is answered: no more than that the server runs. */
static const char healthy[] =
	"HTTP/1.1 200 OK\r\n"
	"Content-Type: text/plain; charset=utf-8\r\n"
	"Content-Length: 3\r\n"
	"Connection: close\r\n"
	"\r\n"
	"ok\n";

static pgsocket sockets[HTTP_MAX_LISTEN];
static int	nsockets;
static pgsocket kept[MAX_KEPT];
static int	nkept;

void
BusyListen(pgsocket listening)
{
	if (nsockets < HTTP_MAX_LISTEN)
		sockets[nsockets++] = listening;
}

/* Whether the bytes are the beginning of a request for the health: of any path but that of another check. */
static bool
AsksForHealth(const char *bytes, ssize_t n)
{
	static const char *const requests[] = {"GET / HTTP/1.", "GET /health/live HTTP/1."};

	for (size_t i = 0; i < lengthof(requests); i++)
	{
		if (n >= (ssize_t) strlen(requests[i]) && memcmp(bytes, requests[i], strlen(requests[i])) == 0)
			return true;
	}
	return false;
}

/* Answers a client that asks for the health; returns whether it is done with. */
static bool
AnswerHealth(pgsocket fd)
{
	char		bytes[1024];
	ssize_t		n = recv(fd, bytes, sizeof(bytes), MSG_PEEK);

	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR))
		return true;
	if (n < 0 || !AsksForHealth(bytes, n))
		return false;
	(void) recv(fd, bytes, sizeof(bytes), 0);
	(void) send(fd, healthy, sizeof(healthy) - 1, MSG_NOSIGNAL);
	(void) shutdown(fd, SHUT_WR);
	return true;
}

static void
ServeKept(void)
{
	int			n = 0;

	for (int i = 0; i < nkept; i++)
	{
		pgsocket	fd = kept[i];

		if (ShareToFree(fd) || AnswerHealth(fd))
			close(fd);
		else
			kept[n++] = fd;
	}
	nkept = n;
}

static void
AcceptInto(pgsocket listening)
{
	while (nkept < MAX_KEPT)
	{
		pgsocket	fd = accept(listening, NULL, NULL);

		if (fd == PGINVALID_SOCKET)
			return;
		if (fcntl(fd, F_SETFL, O_NONBLOCK) < 0 || fcntl(fd, F_SETFD, FD_CLOEXEC) < 0)
			close(fd);
		else
			kept[nkept++] = fd;
	}
}

/* Also those that others have handed to this worker and that it has not taken yet. */
void
BusyPassOn(void)
{
	pgsocket	fd;

	for (int i = 0; i < nsockets; i++)
		AcceptInto(sockets[i]);
	while (nkept < MAX_KEPT && (fd = ShareReceive()) != PGINVALID_SOCKET)
	{
		ShareEnd();
		kept[nkept++] = fd;
	}
	ServeKept();
}

pgsocket
BusyTake(void)
{
	return nkept > 0 ? kept[--nkept] : PGINVALID_SOCKET;
}
