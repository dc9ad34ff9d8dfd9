/*
 * node_link.c
 *	  Keeps connections to other nodes, and makes calls over them.
 */
#include "postgres.h"

#include <sys/socket.h>

#include "access/xact.h"
#include "catalog/namespace.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/fd.h"
#include "storage/latch.h"
#include "storage/proc.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/rls.h"
#include "utils/timestamp.h"

#include "citus/address.h"
#include "citus/node_link.h"
#include "compat.h"
#include "errors.h"

#define MAX_LINKS			8		/* of a session */
#define CONNECT_MS			5000
#define RETRY_MS			1000	/* wait after a failed connection */
#define MAX_LOCK_WAIT_MS	1000
#define CANCEL_MS			5000	/* wait for the answer to a canceled call that writes */

/* The position of the socket in a WaitEventSet, behind the events of this process. */
#define SOCKET_POSITION		2

/* Settings of this session that the other node must have. */
typedef struct LinkSettings
{
	int			statement_timeout;
	int			lock_timeout;
	int			synchronous_commit;
	bool		row_security;
	char		search_path[512];
} LinkSettings;

typedef struct Link
{
	int			group;
	Oid			role;			/* InvalidOid if this place is free */
	char	   *address;		/* NULL if there is none */
	uint64		changes;		/* AddressChanges when it was read */
	PGconn	   *conn;			/* NULL if the connection failed */
	TimestampTz failed_at;
	WaitEventSet *events;
	uint32		prepared;		/* a bit for each function */
	LinkSettings settings;		/* of the other node's session */
	bool		has_settings;
	bool		writes;			/* the present call does; it is not left before its answer is known */
	bool		canceled;		/* the present call, at the other node */
	uint64		used;			/* number of the last call */
} Link;

static Link links[MAX_LINKS];
static uint64 calls;

static const struct
{
	const char *text;
	int			nargs;
}			statements[] = {
	/* constants and nulls take less time than parameters */
	[LINK_REQUEST] = {"SELECT dynamo_system.request_on_shard($1, $2)", 2},
	[LINK_ROW] = {"SELECT dynamo_system.row_on_shard($1, $2, $3, $4, $5)", 5},
	[LINK_GET] = {"SELECT dynamo_system.row_on_shard(0, $1, $2, 0, $3)", 3},
	[LINK_ROWS] = {"SELECT dynamo_system.rows_on_shard($1, $2, $3, $4, $5, $6, $7)", 7},
	[LINK_WRITE] = {"SELECT dynamo_system.write_on_shard($1, $2, $3, $4, $5, $6, $7, $8, $9)", 9},
	[LINK_WRITE_ITEM] = {"SELECT dynamo_system.write_on_shard($1, $2, $3, NULL, NULL, NULL, NULL, NULL, NULL)", 3},
	[LINK_STREAM] = {"SELECT dynamo_system.stream_on_shard($1, $2, $3, $4, $5, $6, $7)", 7},
};

const char *
LinkStatement(LinkFunction function, int *nargs)
{
	*nargs = statements[function].nargs;
	return statements[function].text;
}

bool
LinksArePossible(void)
{
	return PQconnectStart != NULL;
}

/* ---- closing ---- */

static void
CloseLink(Link *link)
{
	if (link->events != NULL)
		FreeWaitEventSet(link->events);
	if (link->conn != NULL)
	{
		PQfinish(link->conn);
		ReleaseExternalFD();
	}
	if (link->address != NULL)
		pfree(link->address);
	memset(link, 0, sizeof(*link));
}

/* Cancels what the other node executes. */
static void
CancelCall(const Link *link)
{
	PGcancel   *cancel = PQgetCancel(link->conn);
	char		problem[256];

	if (cancel != NULL)
	{
		(void) PQcancel(cancel, problem, sizeof(problem));
		PQfreeCancel(cancel);
	}
}

/* ---- waiting ---- */

/*
 * Waits until the socket is ready, or the latch of this process is set; returns false
 * if a canceled write does not answer.
 */
static bool
WaitForSocket(Link *link, uint32 events)
{
	WaitEvent	occurred;

	if (link->writes && QueryCancelPending && !link->canceled)
	{
		link->canceled = true;
		CancelCall(link);
	}
	ModifyWaitEvent(link->events, SOCKET_POSITION, events, NULL);
	if (WaitEventSetWait(link->events, link->canceled ? CANCEL_MS : -1, &occurred, 1, PG_WAIT_EXTENSION) == 0)
		return false;
	if (occurred.events & WL_LATCH_SET)
	{
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
	}
	return true;
}

/* Sends all data and waits for a whole result; returns false if the connection is lost. */
static bool
WaitForResult(Link *link)
{
	int			unsent;

	while ((unsent = PQflush(link->conn)) > 0)
	{
		if (!WaitForSocket(link, WL_SOCKET_WRITEABLE | WL_SOCKET_READABLE) || !PQconsumeInput(link->conn))
			return false;
	}
	if (unsent < 0)
		return false;
	while (PQisBusy(link->conn))
	{
		if (!WaitForSocket(link, WL_SOCKET_READABLE) || !PQconsumeInput(link->conn))
			return false;
	}
	return true;
}

/* Returns the only result of a statement; NULL if the connection is lost. */
static PGresult *
ReadResult(Link *link)
{
	PGresult   *result = NULL;
	PGresult   *next;

	for (;;)
	{
		if (!WaitForResult(link))
			break;
		next = PQgetResult(link->conn);
		if (next == NULL)
			return result;
		PQclear(result);
		result = next;
	}
	PQclear(result);
	return NULL;
}

/* Whether a statement was executed whose result is not needed. */
static bool
StatementSucceeds(Link *link, int sent)
{
	PGresult   *result = sent ? ReadResult(link) : NULL;
	ExecStatusType status = PQresultStatus(result);

	PQclear(result);
	return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
}

/* ---- connecting ---- */

static bool
FinishConnecting(Link *link)
{
	TimestampTz end = TimestampTzPlusMilliseconds(GetCurrentTimestamp(), CONNECT_MS);
	PostgresPollingStatusType state = PGRES_POLLING_WRITING;

	while (state != PGRES_POLLING_OK)
	{
		long		rest = TimestampDifferenceMilliseconds(GetCurrentTimestamp(), end);
		int			rc;

		if (state == PGRES_POLLING_FAILED || rest <= 0)
			return false;
		/* libpq may use another socket at each step */
		rc = WaitLatchOrSocket(MyLatch, WL_LATCH_SET | WL_EXIT_ON_PM_DEATH | WL_TIMEOUT |
							   (state == PGRES_POLLING_READING ? WL_SOCKET_READABLE : WL_SOCKET_WRITEABLE),
							   PQsocket(link->conn), rest, PG_WAIT_EXTENSION);
		if (rc & WL_LATCH_SET)
		{
			ResetLatch(MyLatch);
			CHECK_FOR_INTERRUPTS();
		}
		if (rc & WL_SOCKET_MASK)
			state = PQconnectPoll(link->conn);
	}
	return PQsetnonblocking(link->conn, 1) == 0;
}

static void
MakeEvents(Link *link)
{
	link->events = CreateSessionWaitEventSet(SOCKET_POSITION + 1);
	AddWaitEventToSet(link->events, WL_LATCH_SET, PGINVALID_SOCKET, MyLatch, NULL);
	AddWaitEventToSet(link->events, WL_EXIT_ON_PM_DEATH, PGINVALID_SOCKET, NULL, NULL);
	AddWaitEventToSet(link->events, WL_SOCKET_READABLE, PQsocket(link->conn), NULL, NULL);
}

/* Connects; if that fails, the link remains without a connection until the next try. */
static void
ConnectLink(Link *link)
{
	char	   *address = AddressOfGroup(link->group);

	link->changes = AddressChanges();
	link->failed_at = GetCurrentTimestamp();
	if (address == NULL || !AcquireExternalFD())
		return;
	link->address = MemoryContextStrdup(TopMemoryContext, address);
	link->conn = PQconnectStart(address);
	if (link->conn == NULL)
	{
		ReleaseExternalFD();
		return;
	}
	if (PQstatus(link->conn) != CONNECTION_BAD && FinishConnecting(link))
	{
		MakeEvents(link);
		return;
	}
	ereport(LOG,
			(errcode(ERRCODE_SQLCLIENT_UNABLE_TO_ESTABLISH_SQLCONNECTION),
			 errmsg("could not connect to another node of Citus: %s", PQerrorMessage(link->conn))));
	PQfinish(link->conn);
	ReleaseExternalFD();
	link->conn = NULL;
}

/* ---- finding a link ---- */

/* Whether the node still has the address of the link. */
static bool
HasAddress(Link *link)
{
	char	   *address;

	if (link->changes == AddressChanges())
		return true;
	address = AddressOfGroup(link->group);
	link->changes = AddressChanges();
	return address != NULL && link->address != NULL && strcmp(address, link->address) == 0;
}

/*
 * Whether an idle connection is open.  Nearly always nothing has arrived, which one system
 * call tells.  When the other node closes the connection, the first read of libpq returns
 * its message, and the second one the end of the connection.
 */
static bool
IsOpen(const Link *link)
{
	char		byte;

	if (recv(PQsocket(link->conn), &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 &&
		(errno == EAGAIN || errno == EWOULDBLOCK))
		return true;
	return PQconsumeInput(link->conn) && PQconsumeInput(link->conn) &&
		PQstatus(link->conn) == CONNECTION_OK;
}

/*
 * Whether a link need not be connected again: it is open, or its last try was less than
 * RETRY_MS ago.
 */
static bool
IsCurrent(Link *link)
{
	if (!HasAddress(link))
		return false;
	if (link->conn == NULL)
		return !TimestampDifferenceExceeds(link->failed_at, GetCurrentTimestamp(), RETRY_MS);
	return link->events != NULL && IsOpen(link);
}

/* Returns the link of the current user to a group; if there is none, the least recently used place. */
static Link *
FindLinkPlace(int group)
{
	Oid			role = GetUserId();
	Link	   *place = &links[0];

	for (int i = 0; i < MAX_LINKS; i++)
	{
		Link	   *link = &links[i];

		if (link->role == role && link->group == group)
			return link;
		if (link->used < place->used)
			place = link;
	}
	return place;
}

/* Returns an open link to a group; NULL if it cannot be reached. */
static Link *
FindLink(int group)
{
	Link	   *link = FindLinkPlace(group);

	if (link->role != GetUserId() || link->group != group || !IsCurrent(link))
	{
		CloseLink(link);
		link->group = group;
		link->role = GetUserId();
		ConnectLink(link);
	}
	link->used = ++calls;
	return link->conn != NULL ? link : NULL;
}

/* ---- settings ---- */

static void
ReadLinkSettings(LinkSettings *settings, bool holds_locks)
{
	/* settings are compared as bytes */
	memset(settings, 0, sizeof(*settings));
	settings->statement_timeout = StatementTimeout;
	settings->lock_timeout = LockTimeout;
	if (holds_locks && (LockTimeout == 0 || LockTimeout > MAX_LOCK_WAIT_MS))
		settings->lock_timeout = MAX_LOCK_WAIT_MS;
	settings->synchronous_commit = synchronous_commit;
	settings->row_security = row_security;
	strlcpy(settings->search_path, namespace_search_path, sizeof(settings->search_path));
}

/* Sets the settings of this session in the other one; returns false if that fails. */
static bool
SendSettings(Link *link, const LinkSettings *settings)
{
	const char *values[5];
	int			sent;

	if (link->has_settings && memcmp(&link->settings, settings, sizeof(*settings)) == 0)
		return true;
	values[0] = psprintf("%d", settings->statement_timeout);
	values[1] = psprintf("%d", settings->lock_timeout);
	values[2] = GetConfigOption("synchronous_commit", false, false);
	values[3] = settings->row_security ? "on" : "off";
	values[4] = settings->search_path;
	sent = PQsendQueryParams(link->conn, "SELECT pg_catalog.set_config('statement_timeout', $1, false), "
							 "pg_catalog.set_config('lock_timeout', $2, false), "
							 "pg_catalog.set_config('synchronous_commit', $3, false), "
							 "pg_catalog.set_config('row_security', $4, false), "
							 "pg_catalog.set_config('search_path', $5, false)",
							 lengthof(values), NULL, values, NULL, NULL, 0);
	link->settings = *settings;
	link->has_settings = StatementSucceeds(link, sent);
	return link->has_settings;
}

/* ---- calls ---- */

static bool
PrepareFunction(Link *link, LinkFunction function)
{
	uint32		bit = 1 << function;
	char		name[] = {'f', '0' + function, '\0'};

	if ((link->prepared & bit) == 0 &&
		StatementSucceeds(link, PQsendPrepare(link->conn, name, statements[function].text,
											  statements[function].nargs, NULL)))
		link->prepared |= bit;
	return (link->prepared & bit) != 0;
}

static bool
SendCall(Link *link, const LinkCall *call)
{
	char		name[] = {'f', '0' + call->function, '\0'};
	const char *values[LINK_ARGS];
	int			lengths[LINK_ARGS];
	int			formats[LINK_ARGS];

	for (int i = 0; i < statements[call->function].nargs; i++)
	{
		values[i] = call->args[i].data;
		lengths[i] = (int) call->args[i].len;
		formats[i] = 1;
	}
	return PQsendQueryPrepared(link->conn, name, statements[call->function].nargs, values, lengths, formats, 1) != 0;
}

/* Whether an error means that the call did nothing and can be made in another way. */
static bool
IsRefusal(const Link *link, const LinkCall *call, int sqlstate)
{
	switch (sqlstate)
	{
		case ERRCODE_DYNAMO_OTHER_NODE:
		case ERRCODE_UNDEFINED_FUNCTION:
		case ERRCODE_INVALID_SQL_STATEMENT_NAME:
			return true;
		case ERRCODE_QUERY_CANCELED:
			/* by this session, whose error tells why */
			return QueryCancelPending;
		case ERRCODE_LOCK_NOT_AVAILABLE:
			return call->holds_locks && link->settings.lock_timeout != LockTimeout;
		default:
			return false;
	}
}

static void
LostError(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_TRANSACTION_RESOLUTION_UNKNOWN),
			 errmsg("connection to another node of Citus was lost during a write"),
			 errdetail("The write may have been executed.")));
}

/*
 * Makes a call and waits for its result; NULL if the connection is lost.  A call that
 * writes may be executed although it is canceled; then it is not canceled here either.
 */
static PGresult *
ExecuteLinkWrite(Link *link, const LinkCall *call)
{
	PGresult   *result;

	HOLD_CANCEL_INTERRUPTS();
	link->writes = true;
	result = SendCall(link, call) ? ReadResult(link) : NULL;
	link->writes = link->canceled = false;
	RESUME_CANCEL_INTERRUPTS();
	if (PQresultStatus(result) == PGRES_TUPLES_OK)
		QueryCancelPending = false;
	return result;
}

/* Executes a call on a link that is ready.  Returns what LinkExecute returns. */
static bool
CallOnLink(Link *link, const LinkCall *call, PGresult **answer)
{
	PGresult   *result;
	int			sqlstate;

	if (call->writes)
		result = ExecuteLinkWrite(link, call);
	else
		result = SendCall(link, call) ? ReadResult(link) : NULL;
	if (result == NULL)
	{
		CloseLink(link);
		if (call->writes)
			LostError();
		return false;
	}
	if (PQresultStatus(result) == PGRES_TUPLES_OK)
	{
		*answer = result;
		return true;
	}
	sqlstate = NodeErrorCode(result);
	if (!IsRefusal(link, call, sqlstate))
		NodeError(result);
	if (sqlstate != ERRCODE_DYNAMO_OTHER_NODE && sqlstate != ERRCODE_QUERY_CANCELED)
		link->prepared = 0;
	PQclear(result);
	CHECK_FOR_INTERRUPTS();
	return false;
}

/*
 * An error during the call, such as a cancel of a read, also ends the call on the other
 * node.  The connection is closed, because the answer may still arrive.
 */
bool
LinkExecute(const LinkCall *call, PGresult **answer)
{
	LinkSettings settings;
	Link	   *volatile link = NULL;
	volatile bool done = false;

	ReadLinkSettings(&settings, call->holds_locks);
	if (strlen(namespace_search_path) >= sizeof(settings.search_path))
		return false;
	link = FindLink(call->group);
	if (link == NULL)
		return false;
	PG_TRY();
	{
		if (SendSettings(link, &settings) && PrepareFunction(link, call->function))
			done = CallOnLink(link, call, answer);
		else
			CloseLink(link);
	}
	PG_CATCH();
	{
		if (link->conn != NULL && PQtransactionStatus(link->conn) == PQTRANS_ACTIVE)
		{
			CancelCall(link);
			CloseLink(link);
		}
		PG_RE_THROW();
	}
	PG_END_TRY();
	return done;
}
