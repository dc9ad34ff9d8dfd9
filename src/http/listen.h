/*
 * listen.h
 *	  Sockets the HTTP endpoint listens to.
 *
 * Every worker has sockets of its own for the same addresses (SO_REUSEPORT),
 * and the kernel gives a new connection to one of them (share.h).  So the postmaster
 * holds none, and no session inherits one; a worker that ends takes only its
 * own connections with it.
 */
#ifndef DYNAMO_HTTP_LISTEN_H
#define DYNAMO_HTTP_LISTEN_H

#define HTTP_MAX_LISTEN	64

/*
 * Opens the sockets of dynamo.http_listen_addresses; problems are logged,
 * successes if announce is true.  Returns how many there are.
 */
extern int	HttpListen(pgsocket *sockets, bool announce);

/*
 * Whether nobody else listens to any of the addresses.  Another server of this
 * user could otherwise share the port without anybody noticing.
 */
extern bool HttpPortIsFree(void);

#endif							/* DYNAMO_HTTP_LISTEN_H */
