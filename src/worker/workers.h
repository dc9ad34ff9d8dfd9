/*
 * workers.h
 *	  The workers that run as long as the server does, and their settings.
 *
 * They run whenever the library is preloaded, with or without the HTTP endpoint, and serve
 * one database.
 */
#ifndef DYNAMO_WORKERS_H
#define DYNAMO_WORKERS_H

#include "postmaster/bgworker.h"

#include "exported.h"

/* Read when the server starts. */
extern char *worker_database;	/* dynamo.database, which the endpoint serves, too */

/* Read again when the configuration is reloaded. */
extern int	housekeeping_interval;	/* in s; 0: never */
extern DYNAMO_EXPORT int	index_changes_interval;	/* in ms; 0: never */
extern int	stream_retention;	/* in s */

/* Defines the settings and, in the postmaster, registers the workers. */
extern void WorkersInit(void);

/* Whether the library was loaded with the server, so that the workers are registered. */
extern bool WorkersArePreloaded(void);

/* The type in pg_stat_activity of the worker that deletes expired items. */
#define HOUSEKEEPING_TYPE	"dynamo housekeeping"

/* Returns a worker that the server starts again some seconds after it ended for any reason. */
extern DYNAMO_EXPORT BackgroundWorker WorkerDescribeRestarted(const char *library, const char *function, const char *type);

#endif							/* DYNAMO_WORKERS_H */
