/*
 * connection_internal.h
 *	  The state of a connection, for the files that implement it.
 */
#ifndef DYNAMO_HTTP_CONNECTION_INTERNAL_H
#define DYNAMO_HTTP_CONNECTION_INTERNAL_H

#include "lib/ilist.h"
#include "lib/stringinfo.h"
#include "utils/timestamp.h"

#include "http/answer.h"
#include "http/connection.h"
#include "http/parser.h"
#include "http/tls.h"
#include "op/op.h"

#define CONNECTION_READ_SIZE	(8 * 1024)

typedef enum ConnectionState
{
	CONNECTION_IDLE,
	CONNECTION_READING,
	CONNECTION_PARKED,
	CONNECTION_HELD,
	CONNECTION_WRITING,
	CONNECTION_LINGERING
} ConnectionState;

struct Connection
{
	dlist_node	node;
	dlist_node	waiting_node;	/* in the list of connections with further requests */
	bool		waiting;
	ConnectionState state;
	bool		refused;		/* from the beginning */
	bool		for_metrics;	/* came to the port of metrics */

	/* TLS */
	bool		undecided;		/* the first byte will tell whether it is TLS */
	bool		handshaking;
	TlsSession *tls;			/* NULL: plain */
	char	   *certificate_name;	/* TlsClientName */
	pgsocket	fd;
	int			place;			/* events.h */
	MemoryContext context;		/* of this struct and its buffers */
	TimestampTz deadline;		/* end of the state; DT_NOEND: none */
	uint32		accounted;		/* bytes of buffers in buffered_bytes */
	char		peer[CONNECTION_PEER_LEN];

	/* the request */
	StringInfoData in;
	HttpScan	scan;
	bool		has_head;
	HttpHead	head;
	HttpChunks	chunks;
	bool		told_to_continue;

	char		id[REQUEST_ID_LEN + 1];

	/* attempts of a parked request */
	dlist_node	parked_node;	/* in the order of the first attempts */
	TimestampTz first_attempt;	/* 0 if not parked */
	TimestampTz last_attempt;	/* time of the last attempt; DT_NOEND: none */
	TimestampTz retry;			/* earliest time of the next attempt */
	int			pause;			/* in milliseconds */
	LOCKTAG		lock;			/* the lock that the last attempt met */
	bool		held_back;		/* it was given up because of the share of its role */

	/* the page of an interrupted request */
	ReadPause	read;
	bool		paused;
	dlist_node	paused_node;

	/* the answer, or the part that has not been sent yet */
	StringInfoData out;
	int			sent;
	dlist_node	held_node;		/* in the list of held connections */
	Durability	durability;		/* required by the answer */
	bool		close;			/* close after the answer */
	bool		linger;
};

/* ---- connection.c: states, memory and the list of connections ---- */

/* Memory for one request, reused for the next. */
extern MemoryContext connection_request_context;

/* Enters a state, with its timeout and the event that it waits for. */
extern void ConnectionSetState(Connection *c, ConnectionState state);

/* Limits the state to this many milliseconds; 0 for no limit. */
extern void ConnectionSetDeadline(Connection *c, int milliseconds);

/* Calls a function; an error closes the connection. */
extern void ConnectionGuarded(Connection *c, void (*function) (Connection *c));

/*
 * Marks a connection with further requests in its buffer, to be continued
 * after the others.
 */
extern void ConnectionWait(Connection *c);

/* Whether the buffers of all connections may grow by this size. */
extern bool ConnectionHasMemory(Size more);

/* Must be called when a buffer has grown or shrunk. */
extern void ConnectionAccount(Connection *c);

/* Frees the memory of a large request or answer. */
extern void ConnectionShrinkBuffer(StringInfo buffer);

/* Closes the socket and frees the connection. */
extern void ConnectionClose(Connection *c);

/*
 * Closes the connection; if c->linger, lets the client read the answer first.
 */
extern void ConnectionCloseAfterAnswer(Connection *c);

/* ---- connection_park.c: requests that have met a lock ---- */

/* Parks the request, to be executed again when the lock may be free. */
extern void ConnectionPark(Connection *c, const HttpAnswer *answer);

/* Unparks a request that is answered or whose connection is closed. */
extern void ConnectionUnpark(Connection *c);

/* Whether the time limit for waiting for locks has passed. */
extern bool ConnectionIsLastAttempt(const Connection *c);

/* Whether a request has waited for locks for so long. */
extern bool ConnectionHasWaited(const Connection *c, int milliseconds);

/* ---- connection_turn.c: reads that are interrupted for other clients ---- */

/* Must be called before a request is executed; returns how to interrupt it. */
extern ReadPause *ConnectionBeginTurn(Connection *c);

/* Executes the interrupted request again after others have been served. */
extern void ConnectionPause(Connection *c);

/* Frees what a request that is answered, or whose connection is closed, has read. */
extern void ConnectionForgetPage(Connection *c);

/* ---- connection_hold.c: answers that wait for their commits ---- */

/* Holds the connection until the answer in c->out may be sent. */
extern void ConnectionHold(Connection *c, const Durability *durability);

/* Removes a connection that is about to be closed. */
extern void ConnectionForgetHeld(Connection *c);

/* ---- connection_tls.c ---- */

/*
 * Decides whether the connection is TLS, and continues the handshake, when its
 * socket is ready.  Returns whether requests can be read now; otherwise the
 * connection waits, or has been closed.
 */
extern bool ConnectionSecure(Connection *c);

/* Like recv and send, through TLS if the connection has it. */
extern ssize_t ConnectionRecv(Connection *c, char *bytes, size_t size);
extern ssize_t ConnectionWrite(Connection *c, const char *bytes, size_t size);

/* The least room for ConnectionRecv. */
extern int	ConnectionReadRoom(const Connection *c);

/* ---- connection_send.c ---- */

/* Stores head and body in c->out. */
extern void ConnectionKeepAnswer(Connection *c, HttpAnswer *answer, bool head_only);

/*
 * Sends head and body; stores the part that the socket does not accept in
 * c->out.
 */
extern void ConnectionSend(Connection *c, HttpAnswer *answer, bool head_only);

/*
 * Sends the rest of the answer; false if the socket does not accept all of it.
 */
extern bool ConnectionFlush(Connection *c);

/* ---- connection_request.c ---- */

/* Continues in the connection's state when its socket is ready. */
extern void ConnectionServe(Connection *c);

/*
 * Continues after the answer, or the part that the socket accepted, has been
 * sent.
 */
extern void ConnectionAfterSending(Connection *c);

/* Answers the complete request in the buffer. */
extern void ConnectionAnswer(Connection *c);

/* Processes the request in the buffer as far as it has been received. */
extern void ConnectionAdvance(Connection *c);

/* Answers a malformed request, after which the connection cannot continue. */
extern void ConnectionRefuse(Connection *c, HttpAnswer answer);

#endif							/* DYNAMO_HTTP_CONNECTION_INTERNAL_H */
