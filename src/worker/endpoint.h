/*
 * endpoint.h
 *	  The HTTP endpoint as the rest of the extension knows it: its settings, its workers
 *	  and its room in shared memory.
 *
 * Its code is a library of its own, dynamo_http, which its workers load, and sessions that
 * call its functions.  The postmaster does not, so that no other process has it.
 */
#ifndef DYNAMO_WORKER_ENDPOINT_H
#define DYNAMO_WORKER_ENDPOINT_H

#include "exported.h"

typedef enum HttpAuthentication
{
	HTTP_AUTHENTICATION_SIGV4,
	HTTP_AUTHENTICATION_CERTIFICATE,
	HTTP_AUTHENTICATION_NONE
} HttpAuthentication;

typedef enum HttpTls
{
	HTTP_TLS_OFF,
	HTTP_TLS_ALLOW,				/* each client chooses */
	HTTP_TLS_REQUIRE
} HttpTls;

/* Settings dynamo.http_... that are read when the server starts. */
extern DYNAMO_EXPORT int	http_port;			/* 0: off */
extern DYNAMO_EXPORT char *http_listen_addresses;
extern DYNAMO_EXPORT int	metrics_port;		/* 0: off */
extern DYNAMO_EXPORT char *metrics_listen_addresses;

/* Settings that are read again when the configuration is reloaded. */
extern DYNAMO_EXPORT int	http_authentication;
extern DYNAMO_EXPORT int	http_tls;
extern DYNAMO_EXPORT bool http_ignore_session_tokens;	/* of requests that are signed with a known key */
extern DYNAMO_EXPORT char *http_role;			/* whose rights requests have without
								 * authentication */
extern DYNAMO_EXPORT bool http_allow_superuser;	/* requests may be a superuser's */
extern char *http_schemas;		/* in place of the role's search_path; "": that,
								 * without tables of strangers */
extern DYNAMO_EXPORT char *http_secret_key_command;	/* "": secrets are not encrypted */
extern DYNAMO_EXPORT char *http_allow_origin; /* "": browsers are told nothing */
extern DYNAMO_EXPORT char *http_allowed_hosts;	/* besides this machine, without
								 * authentication */
extern DYNAMO_EXPORT int	http_max_connections;	/* of one worker */
extern DYNAMO_EXPORT int	http_buffer_memory; /* of one worker, in kB */
extern DYNAMO_EXPORT int	http_idle_timeout;	/* in ms; 0: none */
extern DYNAMO_EXPORT int	http_client_timeout;
extern DYNAMO_EXPORT int	http_statement_timeout;

/* The number of the server's workers; 0 if it has no endpoint. */
extern DYNAMO_EXPORT int endpoint_workers;

/* Names of the locks that are requested for the endpoint. */
#define ENDPOINT_PORT_LOCK	"dynamo HTTP port"
#define ENDPOINT_KEY_LOCK	"dynamo access keys"

/* Defines the settings and, in the postmaster, registers the workers. */
extern void EndpointInit(void);

#endif							/* DYNAMO_WORKER_ENDPOINT_H */
