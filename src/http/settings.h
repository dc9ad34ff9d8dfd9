/*
 * settings.h
 *	  Settings of the HTTP endpoint.
 */
#ifndef DYNAMO_HTTP_SETTINGS_H
#define DYNAMO_HTTP_SETTINGS_H

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
extern int	http_port;			/* 0: off */
extern char *http_listen_addresses;
extern int	metrics_port;		/* 0: off */
extern char *metrics_listen_addresses;

/* Settings that are read again when the configuration is reloaded. */
extern int	http_authentication;
extern int	http_tls;
extern char *http_role;			/* whose rights requests have without
								 * authentication */
extern bool http_allow_superuser;	/* requests may be a superuser's */
extern char *http_schemas;		/* in place of the role's search_path; "": that,
								 * without tables of strangers */
extern char *http_secret_key_command;	/* "": secrets are not encrypted */
extern char *http_allow_origin; /* "": browsers are told nothing */
extern char *http_allowed_hosts;	/* besides this machine, without
								 * authentication */
extern int	http_max_connections;	/* of one worker */
extern int	http_buffer_memory; /* of one worker, in kB */
extern int	http_idle_timeout;	/* in ms; 0: none */
extern int	http_client_timeout;
extern int	http_statement_timeout;

/* Defines the settings and, in the postmaster, registers the workers. */
extern void HttpInit(void);

#endif							/* DYNAMO_HTTP_SETTINGS_H */
