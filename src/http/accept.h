/*
 * accept.h
 *	  New clients of the HTTP endpoint.
 */
#ifndef DYNAMO_HTTP_ACCEPT_H
#define DYNAMO_HTTP_ACCEPT_H

/*
 * Accepts the clients that wait at a listening socket, but for a crowd, and
 * opens a connection with each, or hands it over to a worker that has fewer;
 * sends those away of which there may be no more.
 */
extern void AcceptClients(pgsocket listening);

/* Does the same with those that other workers hand over. */
extern void AcceptFromWorkers(void);

#endif							/* DYNAMO_HTTP_ACCEPT_H */
