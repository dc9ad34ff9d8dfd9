/*
 * citus.h
 *	  Citus distributes tables: what is registered for it when the library is loaded.
 */
#ifndef DYNAMO_CITUS_H
#define DYNAMO_CITUS_H

/* Citus's own limit for the shards of a table. */
#define MAX_CITUS_SHARDS	64000

extern void CitusInit(void);

#endif							/* DYNAMO_CITUS_H */
