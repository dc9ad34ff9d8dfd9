/*
 * listen.c
 *	  Listening sockets of the HTTP endpoint.
 */
#include "postgres.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/ip.h"
#include "nodes/pg_list.h"
#include "storage/fd.h"
#include "utils/varlena.h"

#include "http/listen.h"
#include "worker/endpoint.h"

#define BACKLOG	1024

const HttpService http_service = {
	"HTTP", "dynamo.http_listen_addresses", &http_listen_addresses, &http_port
};
const HttpService metrics_service = {
	"metrics", "dynamo.metrics_listen_addresses", &metrics_listen_addresses, &metrics_port
};

/* One address, with its text for messages. */
typedef struct Address
{
	const struct addrinfo *info;
	const char *family;
	char		text[NI_MAXHOST];
} Address;

typedef struct Listening
{
	const HttpService *service;
	pgsocket   *sockets;
	int			n;
	bool		shared;			/* with the other workers */
	bool		announce;
	bool		failed;			/* an address could not be had */
	int			elevel;			/* of failures */
} Listening;

static void
DescribeAddress(Address *address, const struct addrinfo *info)
{
	address->info = info;
	address->family = info->ai_family == AF_INET ? "IPv4" : "IPv6";
	pg_getnameinfo_all((const struct sockaddr_storage *) info->ai_addr, info->ai_addrlen,
					   address->text, sizeof(address->text), NULL, 0, NI_NUMERICHOST);
}

static bool
SetSocketOption(pgsocket fd, int level, int option, const char *name, const Address *address, int elevel)
{
	int			one = 1;

	if (setsockopt(fd, level, option, &one, sizeof(one)) == 0)
		return true;
	ereport(elevel,
			(errcode_for_socket_access(),
			 errmsg("%s(%s) failed for %s address \"%s\": %m",
					"setsockopt", name, address->family, address->text)));
	return false;
}

static bool
SetOptions(pgsocket fd, const Address *address, const Listening *listening)
{
	if (!SetSocketOption(fd, SOL_SOCKET, SO_REUSEADDR, "SO_REUSEADDR", address, listening->elevel))
		return false;
#ifdef SO_REUSEPORT
	if (listening->shared && !SetSocketOption(fd, SOL_SOCKET, SO_REUSEPORT, "SO_REUSEPORT", address, listening->elevel))
		return false;
#endif
#ifdef IPV6_V6ONLY
	if (address->info->ai_family == AF_INET6 &&
		!SetSocketOption(fd, IPPROTO_IPV6, IPV6_V6ONLY, "IPV6_V6ONLY", address, listening->elevel))
		return false;
#endif
	return true;
}

static bool
BindSocket(pgsocket fd, const Address *address, const Listening *listening)
{
	const HttpService *service = listening->service;
	int			port = *service->port;
	int			saved_errno;

	if (bind(fd, address->info->ai_addr, address->info->ai_addrlen) == 0)
		return true;
	saved_errno = errno;
	ereport(listening->elevel,
			(errcode_for_socket_access(),
			 errmsg("could not bind %s address \"%s\", port %d, for %s: %m",
					address->family, address->text, port, service->name),
			 saved_errno == EADDRINUSE ?
			 errhint("Is another server already running on port %d?", port) : 0));
	errno = saved_errno;
	return false;
}

/* Whether this machine has no such address: "localhost" may name one. */
static bool
IsAbsent(int error)
{
	return error == EADDRNOTAVAIL || error == EAFNOSUPPORT;
}

static bool
StartListening(pgsocket fd, const Address *address, int elevel)
{
	if (listen(fd, BACKLOG) == 0 && pg_set_noblock(fd) &&
		fcntl(fd, F_SETFD, FD_CLOEXEC) == 0)
		return true;
	ereport(elevel,
			(errcode_for_socket_access(),
			 errmsg("could not listen on %s address \"%s\": %m",
					address->family, address->text)));
	return false;
}

static void
ListenToAddress(Listening *listening, const struct addrinfo *info)
{
	Address		address;
	pgsocket	fd;

	DescribeAddress(&address, info);
	if (listening->n == HTTP_MAX_LISTEN)
	{
		ereport(listening->elevel,
				(errmsg("could not bind to all requested addresses: the limit of %d is exceeded",
						HTTP_MAX_LISTEN)));
		return;
	}
	fd = socket(info->ai_family, SOCK_STREAM, 0);
	if (fd == PGINVALID_SOCKET)
	{
		if (!IsAbsent(errno))
			listening->failed = true;
		ereport(listening->elevel,
				(errcode_for_socket_access(),
				 errmsg("could not create %s socket for address \"%s\": %m",
						address.family, address.text)));
		return;
	}
	if (!SetOptions(fd, &address, listening) ||
		!BindSocket(fd, &address, listening) || !StartListening(fd, &address, listening->elevel))
	{
		if (!IsAbsent(errno))
			listening->failed = true;
		closesocket(fd);
		return;
	}
	if (listening->announce)
		ereport(LOG,
				(errmsg("listening on %s address \"%s\", port %d, for %s",
						address.family, address.text, *listening->service->port,
						listening->service->name)));
	listening->sockets[listening->n++] = fd;
}

/* host is NULL for all addresses of the machine. */
static void
ListenToHost(Listening *listening, const char *host)
{
	struct addrinfo hint = {0};
	struct addrinfo *addresses = NULL;
	char		service[12];
	int			result;

	snprintf(service, sizeof(service), "%d", *listening->service->port);
	hint.ai_family = AF_UNSPEC;
	hint.ai_flags = AI_PASSIVE;
	hint.ai_socktype = SOCK_STREAM;
	result = pg_getaddrinfo_all(host, service, &hint, &addresses);
	if (result != 0)
	{
		ereport(listening->elevel,
				(errmsg("could not translate host name \"%s\", service \"%s\" to address: %s",
						host == NULL ? "*" : host, service, gai_strerror(result))));
		listening->failed = true;
		return;
	}
	for (const struct addrinfo *info = addresses; info != NULL; info = info->ai_next)
	{
		if (info->ai_family == AF_INET || info->ai_family == AF_INET6)
			ListenToAddress(listening, info);
	}
	pg_freeaddrinfo_all(hint.ai_family, addresses);
}

static void
ListenToAll(Listening *listening)
{
	char	   *text = pstrdup(*listening->service->addresses);
	List	   *hosts;
	ListCell   *cell;

	if (!SplitGUCList(text, ',', &hosts))
	{
		ereport(listening->elevel,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid list syntax in parameter \"%s\"", listening->service->setting)));
		listening->failed = true;
		return;
	}
	foreach(cell, hosts)
	{
		const char *host = lfirst(cell);

		ListenToHost(listening, strcmp(host, "*") == 0 ? NULL : host);
	}
	list_free(hosts);
	pfree(text);
}

int
HttpListen(const HttpService *service, pgsocket *sockets, bool announce, bool tell)
{
	Listening	listening = {
		.service = service, .sockets = sockets, .shared = true, .announce = announce,
		.elevel = tell ? LOG : DEBUG1
	};

	ListenToAll(&listening);
	for (int i = 0; i < listening.n; i++)
		ReserveExternalFD();
	return listening.n;
}

bool
HttpPortIsFree(const HttpService *service, bool tell)
{
	pgsocket	sockets[HTTP_MAX_LISTEN];
	Listening	listening = {.service = service, .sockets = sockets, .elevel = tell ? LOG : DEBUG1};

	ListenToAll(&listening);
	for (int i = 0; i < listening.n; i++)
		closesocket(sockets[i]);
	return !listening.failed && listening.n > 0;
}
