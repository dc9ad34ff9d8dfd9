/*
 * listen.h
 *	  Listening sockets of the HTTP endpoint.
 *
 * Every worker has its own sockets for the same addresses (SO_REUSEPORT), and
 * the kernel assigns a new connection to one of them (share.h).  The
 * postmaster has no such sockets, so that no session inherits one; a worker
 * that ends loses only its own connections.
 */
#ifndef DYNAMO_HTTP_LISTEN_H
#define DYNAMO_HTTP_LISTEN_H

#define HTTP_MAX_LISTEN	64

/* What is offered at a port. */
typedef struct HttpService
{
	const char *name;			/* in messages */
	const char *setting;		/* name of the setting of its addresses */
	char	  **addresses;
	int		   *port;			/* 0: not offered */
} HttpService;

extern const HttpService http_service;
extern const HttpService metrics_service;

/*
 * Opens the sockets of a service.  Errors are logged if tell is true, and successes if
 * announce is true.  Returns the number of sockets.
 */
extern int	HttpListen(const HttpService *service, pgsocket *sockets, bool announce, bool tell);

/*
 * Whether no other process listens on any of the addresses.  Otherwise another
 * server of the same user could share the port unnoticed.  The reason is logged if tell
 * is true.
 */
extern bool HttpPortIsFree(const HttpService *service, bool tell);

#endif							/* DYNAMO_HTTP_LISTEN_H */
