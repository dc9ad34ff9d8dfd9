/*
 * host.h
 *	  Decides which hosts and web pages are served without authentication.
 *
 * Without authentication, everyone who reaches the port is served.  A web page
 * can reach it through the browser of a user of this machine: from its own
 * origin, if CORS allows it, or with a host name of its own that it resolves
 * to this machine (DNS rebinding).  Requests must therefore name this machine
 * as host, and pages must come from it: localhost, names below it, addresses
 * of the loopback interface, names and addresses in
 * dynamo.http_listen_addresses and in dynamo.http_allowed_hosts.
 */
#ifndef DYNAMO_HTTP_HOST_H
#define DYNAMO_HTTP_HOST_H

#include "http/parser.h"

/*
 * Returns the reason for refusing a request because of its headers Host and
 * Origin, palloc'd; NULL if it is allowed, as with authentication, which
 * covers Host.
 */
extern const char *HostProblem(const HttpRequest *request);

#endif							/* DYNAMO_HTTP_HOST_H */
