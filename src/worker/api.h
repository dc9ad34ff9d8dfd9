/*
 * api.h
 *	  DynamoDB's requests and their jobs as the rest of the extension knows them: their
 *	  settings, and the name of their library.
 *
 * Their code is a library of its own, dynamo_api, which sessions load that call its
 * functions, the workers of jobs and those of the endpoint.  Its settings must be known
 * without it, so that ALTER ROLE ... SET and postgresql.conf are checked.
 */
#ifndef DYNAMO_WORKER_API_H
#define DYNAMO_WORKER_API_H

#include "exported.h"

#define API_LIBRARY	"dynamo_api"

/* The values of dynamo.error_wording; also columns of request/wording.c. */
typedef enum ErrorWording
{
	ERROR_WORDING_CLASSIC,
	ERROR_WORDING_CURRENT
} ErrorWording;

extern DYNAMO_EXPORT char *request_region;	/* dynamo.region */
extern DYNAMO_EXPORT char *request_account;	/* dynamo.account_id */
extern DYNAMO_EXPORT int	error_wording;	/* dynamo.error_wording */
extern DYNAMO_EXPORT int	request_ttl_interval;	/* dynamo.ttl_change_interval, in s */
extern DYNAMO_EXPORT char *archive_directory;	/* "": none; else an absolute path */
extern DYNAMO_EXPORT int	max_archive_workers_per_role;
extern DYNAMO_EXPORT int	max_archive_workers;	/* of all roles; 0: by the server's settings */

/* Defines the settings. */
extern void ApiInit(void);

#endif							/* DYNAMO_WORKER_API_H */
