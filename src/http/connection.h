/*
 * connection.h
 *	  Connections of HTTP clients.
 *
 * A connection is in one of five states, and waits for its socket to become
 * readable, but for CONNECTION_WRITING:
 *
 *		IDLE		no byte of the next request has come
 *		READING		some have
 *		HELD		the answer waits until what it tells of is safe
 *		WRITING		not all of an answer could be sent
 *		LINGERING	the last answer is sent; what still comes is thrown away, so
 *					that the client gets to read it
 *
 * A request is answered as soon as it is there as a whole.  Of requests that
 * have come together (pipelining) each waits until the answer before it is
 * sent, and until other connections had their turn.
 */
#ifndef DYNAMO_HTTP_CONNECTION_H
#define DYNAMO_HTTP_CONNECTION_H

#include "datatype/timestamp.h"

#define CONNECTION_PEER_LEN	128

typedef struct Connection Connection;

/*
 * Takes over the socket of a client, for which a file descriptor has been
 * acquired.  peer names the client in the log.
 */
extern void ConnectionOpen(pgsocket fd, const char *peer);

/* How many there are, those that only linger among them. */
extern int	ConnectionCount(void);

/* Closes the connection that has been idle longest; false if none is idle. */
extern bool ConnectionCloseIdlest(void);

/* Goes on with a connection whose socket is readable or writeable. */
extern void ConnectionContinue(Connection *connection);

/*
 * Goes on with connections that have more requests in their buffers, one
 * request each.
 */
extern void ConnectionsServeWaiting(void);
extern bool ConnectionsAreWaiting(void);

/*
 * Sends answers whose commits are as safe as they must be, and has the others'
 * flushed.  Returns the milliseconds until this must be called again; -1: when
 * the latch is set.
 */
extern long ConnectionsRelease(void);

/*
 * Closes connections that had waited too long when their sockets were last
 * asked: what has come since, while a request was executed, has come in time.
 * Returns the milliseconds until this must be called again, -1 if there is
 * nothing to wait for.
 */
extern long ConnectionsExpire(TimestampTz asked);

/* Begins the waiting anew, with timeouts that have been changed. */
extern void ConnectionsRestartTimeouts(void);

#endif							/* DYNAMO_HTTP_CONNECTION_H */
