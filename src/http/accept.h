/*
 * accept.h
 *	  Accepts new clients of the HTTP endpoint.
 */
#ifndef DYNAMO_HTTP_ACCEPT_H
#define DYNAMO_HTTP_ACCEPT_H

/*
 * Accepts a limited number of the clients waiting at a listening socket.
 * Opens a connection for each, or hands it over to a worker with fewer
 * connections; rejects clients above the limit.
 */
extern void AcceptClients(pgsocket listening);

/* Accepts clients waiting at a socket for metrics. */
extern void AcceptForMetrics(pgsocket listening);

/* Does the same as AcceptClients for clients that other workers hand over. */
extern void AcceptFromWorkers(void);

/* Admits clients that came during a long request and could not be passed on. */
extern void AcceptKept(void);

#endif							/* DYNAMO_HTTP_ACCEPT_H */
