/*
 * accept.h
 *	  New clients of the HTTP endpoint.
 */
#ifndef DYNAMO_HTTP_ACCEPT_H
#define DYNAMO_HTTP_ACCEPT_H

/*
 * Accepts the clients that wait at a listening socket, but for a crowd, and
 * opens a connection with each; sends those away of which there may be no more.
 */
extern void AcceptClients(pgsocket listening);

#endif							/* DYNAMO_HTTP_ACCEPT_H */
