/*
 * accept.h
 *	  New clients of the HTTP endpoint.
 */
#ifndef DYNAMO_HTTP_ACCEPT_H
#define DYNAMO_HTTP_ACCEPT_H

/*
 * Accepts a client at a listening socket, if there is one, and opens a
 * connection; sends it away if there may be no more.
 */
extern void AcceptClient(pgsocket listening);

#endif							/* DYNAMO_HTTP_ACCEPT_H */
