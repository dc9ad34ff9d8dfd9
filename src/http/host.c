/*
 * host.c
 *	  Decides which hosts and web pages are served without authentication.
 */
#include "postgres.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include "nodes/pg_list.h"
#include "utils/varlena.h"

#include "http/host.h"
#include "worker/endpoint.h"

#define HOST_CHARACTERS \
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:[]"
#define HOST_MAX_LEN	262		/* a name of 255 bytes, a colon, a port */

/* ---- parts ---- */

/* Whether the text after a host is empty, or a colon and digits. */
static bool
IsPort(Slice text)
{
	for (uint32 i = 1; i < text.len; i++)
	{
		if (text.data[i] < '0' || text.data[i] > '9')
			return false;
	}
	return text.len == 0 || text.data[0] == ':';
}

/* Returns the name or address in host[:port], IPv6 in brackets; empty if the text is invalid. */
static Slice
HostName(Slice host)
{
	bool		brackets = host.data[0] == '[';
	const char *end = memchr(host.data, brackets ? ']' : ':', host.len);
	uint32		len = end == NULL ? host.len : (uint32) (end - host.data);
	Slice		port = {host.data + len + brackets, host.len - len - brackets};

	if ((brackets && end == NULL) || !IsPort(port))
		return (Slice) {NULL, 0};
	return (Slice) {host.data + brackets, len - brackets};
}

/* Returns the host[:port] of scheme://host[:port]; empty for other texts, such as "null". */
static Slice
HostOfOrigin(Slice origin)
{
	for (uint32 i = 0; i + 3 <= origin.len; i++)
	{
		if (memcmp(origin.data + i, "://", 3) == 0)
			return (Slice) {origin.data + i + 3, origin.len - i - 3};
	}
	return (Slice) {NULL, 0};
}

/* ---- names ---- */

static bool
IsLocalhost(Slice name)
{
	static const Slice suffix = {".localhost", 10};

	return HttpSame(name, "localhost") ||
		(name.len > suffix.len &&
		 HttpSameSlice((Slice) {name.data + name.len - suffix.len, suffix.len}, suffix));
}

static bool
IsLoopback(Slice name)
{
	char		text[INET6_ADDRSTRLEN];
	struct in_addr v4;
	struct in6_addr v6;

	if (name.len >= sizeof(text))
		return false;
	memcpy(text, name.data, name.len);
	text[name.len] = '\0';
	return (inet_pton(AF_INET, text, &v4) == 1 && (ntohl(v4.s_addr) >> 24) == IN_LOOPBACKNET) ||
		(inet_pton(AF_INET6, text, &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6));
}

/* Whether a list separated by commas contains this name or, if asterisk is true, "*". */
static bool
IsListedHost(const char *list, Slice name, bool asterisk)
{
	char	   *text = pstrdup(list);
	List	   *entries;
	ListCell   *cell;
	bool		found = false;

	if (SplitGUCList(text, ',', &entries))
	{
		foreach(cell, entries)
		{
			const char *entry = lfirst(cell);

			if (strcmp(entry, "*") == 0 ? asterisk : HttpSame(name, entry))
				found = true;
		}
		list_free(entries);
	}
	pfree(text);
	return found;
}

static bool
IsAllowed(Slice host)
{
	Slice		name = host.len == 0 ? host : HostName(host);

	return IsListedHost(http_allowed_hosts, name, true) ||
		(name.len > 0 &&
		 (IsLocalhost(name) || IsLoopback(name) || IsListedHost(http_listen_addresses, name, false)));
}

/* ---- requests ---- */

/* Whether it can be shown. */
static bool
HasHostCharacters(Slice text)
{
	for (uint32 i = 0; i < text.len; i++)
	{
		if (strchr(HOST_CHARACTERS, text.data[i]) == NULL)
			return false;
	}
	return text.len > 0 && text.len <= HOST_MAX_LEN;
}

static const char *
DescribeProblem(const char *what, Slice host)
{
	Slice		shown = HasHostCharacters(host) ? host : SliceOf("?");

	return psprintf("%s \"%.*s\" is not allowed without authentication: "
					"its host must be in \"dynamo.http_allowed_hosts\"",
					what, (int) shown.len, shown.data);
}

/* Whether it is the origin that is allowed by name. */
static bool
IsAllowedOrigin(Slice origin)
{
	return strcmp(http_allow_origin, "*") != 0 && SliceIs(origin, http_allow_origin);
}

const char *
HostProblem(const HttpRequest *request)
{
	Slice		host;
	Slice		origin;

	if (http_authentication != HTTP_AUTHENTICATION_NONE)
		return NULL;
	/* browsers send it */
	if (HttpFindHeader(request->head, request->data, "host", &host) && !IsAllowed(host))
		return DescribeProblem("host", host);
	if (HttpFindHeader(request->head, request->data, "origin", &origin) &&
		!IsAllowedOrigin(origin) && !IsAllowed(HostOfOrigin(origin)))
		return DescribeProblem("origin", HostOfOrigin(origin));
	return NULL;
}
