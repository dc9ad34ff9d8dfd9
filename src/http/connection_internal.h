/*
 * connection_internal.h
 *	  A connection, as the files that serve it see it.
 */
#ifndef DYNAMO_HTTP_CONNECTION_INTERNAL_H
#define DYNAMO_HTTP_CONNECTION_INTERNAL_H

#include "lib/ilist.h"
#include "lib/stringinfo.h"
#include "utils/timestamp.h"

#include "http/answer.h"
#include "http/connection.h"
#include "http/parser.h"

#define CONNECTION_READ_SIZE	(8 * 1024)

typedef enum ConnectionState
{
	CONNECTION_IDLE,
	CONNECTION_READING,
	CONNECTION_HELD,
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
	dlist_node	held_node;		/* in the list of those that hold one */
	Durability	durability;		/* which the answer waits for */
	bool		close;			/* afterwards */
	bool		linger;
};

/* ---- connection.c: states, memory and the list of connections ---- */

/* What one request needs; kept for the next. */
extern MemoryContext connection_request_context;

/* Enters a state, with its timeout and the event that it waits for. */
extern void ConnectionSetState(Connection *c, ConnectionState state);

/* The state lasts at most that many milliseconds; 0: as long as it will. */
extern void ConnectionSetDeadline(Connection *c, int milliseconds);

/* Calls a function; an error costs the connection. */
extern void ConnectionGuarded(Connection *c, void (*function) (Connection *c));

/* Has more requests in its buffer: goes on when the others had their turn. */
extern void ConnectionWait(Connection *c);

/* Whether the buffers of all connections may grow by this. */
extern bool ConnectionHasMemory(Size more);

/* To be called when a buffer has grown or shrunk. */
extern void ConnectionAccount(Connection *c);

/* Gives back what a large request or answer needed. */
extern void ConnectionShrinkBuffer(StringInfo buffer);

/* Closes the socket and frees the connection. */
extern void ConnectionClose(Connection *c);

/* The same in a way that lets the client read what was sent, if c->linger. */
extern void ConnectionCloseAfterAnswer(Connection *c);

/* ---- connection_hold.c: answers that wait for their commits ---- */

/* Keeps the connection until its answer, which is in c->out, may be sent. */
extern void ConnectionHold(Connection *c, const Durability *durability);

/* Forgets a connection that is about to be closed. */
extern void ConnectionForgetHeld(Connection *c);

/* ---- connection_send.c ---- */

/* Keeps head and body in c->out. */
extern void ConnectionKeepAnswer(Connection *c, HttpAnswer *answer, bool head_only);

/* Sends head and body at once; what the socket does not take is in c->out. */
extern void ConnectionSend(Connection *c, HttpAnswer *answer, bool head_only);

/* Sends what is left of the answer; false if the socket does not take all. */
extern bool ConnectionFlush(Connection *c);

/* ---- connection_request.c ---- */

/* Goes on in the connection's state: its socket is ready. */
extern void ConnectionServe(Connection *c);

/* Goes on when the answer has been sent, or what the socket takes of it. */
extern void ConnectionAfterSending(Connection *c);

/* Goes as far as the request in the buffer allows. */
extern void ConnectionAdvance(Connection *c);

/* Answers what is no proper request, after which nothing can follow. */
extern void ConnectionRefuse(Connection *c, HttpAnswer answer);

#endif							/* DYNAMO_HTTP_CONNECTION_INTERNAL_H */
