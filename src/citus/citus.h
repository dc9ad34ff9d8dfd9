/*
 * citus.h
 *	  Citus distributes tables: what is registered for it when the library is loaded.
 */
#ifndef DYNAMO_CITUS_H
#define DYNAMO_CITUS_H

/* Registers all, and sets hooks, which are then called before those of dynamo. */
extern void CitusInit(void);

#endif							/* DYNAMO_CITUS_H */
