/*
 * host.h
 *	  Which hosts and pages a server without authentication answers.
 *
 * Whoever reaches the port is served then, and a web page reaches it by the
 * browser of somebody on this machine: from its own origin, if CORS lets it,
 * or under its own name, which it has let point to this machine (DNS
 * rebinding).  So requests must name this machine, and pages be its own:
 * localhost, names below it, addresses of the loopback interface, the names
 * and addresses in dynamo.http_listen_addresses, and those in
 * dynamo.http_allowed_hosts.
 */
#ifndef DYNAMO_HTTP_HOST_H
#define DYNAMO_HTTP_HOST_H

#include "http/parser.h"

/*
 * Why a request is refused for its headers Host and Origin; NULL if it is not,
 * as with authentication, which covers Host.  Palloc'd.
 */
extern const char *HostProblem(const HttpRequest *request);

#endif							/* DYNAMO_HTTP_HOST_H */
