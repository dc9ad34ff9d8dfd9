/*
 * index_changes.h
 *	  A background worker that applies changes of distributed tables to their index tables.
 */
#ifndef DYNAMO_CITUS_INDEX_CHANGES_H
#define DYNAMO_CITUS_INDEX_CHANGES_H

/* In the postmaster, registers it. */
extern void IndexChangesInit(void);

extern PGDLLEXPORT void dynamo_index_changes_main(Datum arg);

#endif							/* DYNAMO_CITUS_INDEX_CHANGES_H */
