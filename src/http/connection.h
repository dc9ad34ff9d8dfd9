/*
 * connection.h
 *	  Connections of HTTP clients.
 *
 * A connection is in one of six states.  It waits for its socket to become
 * readable, except in CONNECTION_WRITING:
 *
 *	IDLE		no byte of the next request has been received
 *	READING		part of a request has been received
 *	PARKED		the request has met a lock, or was interrupted in favor of
 *				other clients, and will be executed again
 *	HELD		the answer waits until its commit is durable
 *	WRITING		part of an answer could not be sent yet
 *	LINGERING	the last answer was sent; further input is discarded, so that
 *				the client can read the answer
 *
 * A request is executed when it has been received completely.  With
 * pipelining, each request waits until the previous answer is sent and other
 * connections have been served.
 */
#ifndef DYNAMO_HTTP_CONNECTION_H
#define DYNAMO_HTTP_CONNECTION_H

#include "datatype/timestamp.h"

#define CONNECTION_PEER_LEN	128

typedef struct Connection Connection;

/*
 * Takes over the socket of a client, for which a file descriptor has been
 * acquired.  peer is the client's name in the log.
 */
extern void ConnectionOpen(pgsocket fd, const char *peer);

/* The same for a client at the port of metrics. */
extern void ConnectionOpenForMetrics(pgsocket fd, const char *peer);

/*
 * Opens a connection for a client above the limit: answers 503 and closes, so
 * that the client can read the answer while it is still sending.
 */
extern void ConnectionOpenRefused(pgsocket fd, const char *peer);

/* The number of accepted connections, including those that linger. */
extern int	ConnectionCount(void);

/* The number of refused connections. */
extern int	ConnectionRefusedCount(void);

/*
 * Closes the connection that has been idle for the longest time; false if none
 * is idle.
 */
extern bool ConnectionCloseIdlest(void);

/* Continues a connection whose socket is readable or writeable. */
extern void ConnectionContinue(Connection *connection);

/*
 * Continues connections with further requests in their buffers, one request
 * each.
 */
extern void ConnectionsServeWaiting(void);
extern bool ConnectionsAreWaiting(void);

/* Gives memory of freed buffers back to the system, if it is much. */
extern void ConnectionsGiveBackMemory(void);

/*
 * Executes parked requests again.  Returns the milliseconds until the next
 * call is needed; -1 if there are no parked requests.
 */
extern long ConnectionsRetry(void);

/*
 * Executes a part of an interrupted request.  Returns the milliseconds until
 * the next call is needed; -1 if there are no interrupted requests.
 */
extern long ConnectionsResume(void);

/* Tries each parked request once more, and then answers it. */
extern void ConnectionsStopRetrying(void);

/*
 * Sends answers whose commits are durable, and requests the flush of the
 * others.  Returns the milliseconds until the next call is needed; -1 to wait
 * for the latch.
 */
extern long ConnectionsRelease(void);

/*
 * Closes connections whose timeouts had passed when their sockets were last
 * checked; input that arrived while a request was executed is in time.
 * Returns the milliseconds until the next call is needed; -1 if there is no
 * timeout.
 */
extern long ConnectionsExpire(TimestampTz asked);

/* Applies changed timeouts to all connections. */
extern void ConnectionsRestartTimeouts(void);

#endif							/* DYNAMO_HTTP_CONNECTION_H */
