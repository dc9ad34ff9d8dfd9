/*
 * port.h
 *	  The ports of the endpoint, of which its workers take hold together.
 *
 * Sockets with SO_REUSEPORT can share a port with another server of the same user,
 * unnoticed.  So the first worker that wants a port sees whether anybody else has it, and
 * the others follow.  A port that cannot be had is tried again; until then a warning says
 * so each minute.
 */
#ifndef DYNAMO_HTTP_PORT_H
#define DYNAMO_HTTP_PORT_H

#include "http/listen.h"

/* Finds shared memory, while AddinShmemInitLock is held. */
extern void PortAttach(void);

/*
 * Tries to listen at the port of a service.  Returns the number of sockets, which are open
 * until the process ends; 0 if the port cannot be had.  Worker 1 speaks for all.
 */
extern int	PortTake(const HttpService *service, pgsocket *sockets, int worker);

/* The same, again and again until the port can be had. */
extern int	PortAwait(const HttpService *service, pgsocket *sockets, int worker);

/* Milliseconds between two attempts. */
#define PORT_RETRY	5000

#endif							/* DYNAMO_HTTP_PORT_H */
