/*
 * citus.h
 *	  Citus distributes tables: what is registered for it when the library is loaded.
 */
#ifndef DYNAMO_CITUS_H
#define DYNAMO_CITUS_H

/* Citus's own limit for the shards of a table. */
#define MAX_CITUS_SHARDS	64000

/* Whether Citus is loaded with the server; it must come first in the list. */
extern bool CitusIsPreloaded(void);

/* Must be called after the modules that set hooks which Citus's planner is to come before. */
extern void CitusInit(void);

#endif							/* DYNAMO_CITUS_H */
