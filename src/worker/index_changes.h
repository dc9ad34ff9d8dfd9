/*
 * index_changes.h
 *	  A background worker that applies changes of distributed tables to their index tables.
 */
#ifndef DYNAMO_WORKER_INDEX_CHANGES_H
#define DYNAMO_WORKER_INDEX_CHANGES_H

extern PGDLLEXPORT void dynamo_index_changes_main(Datum arg);

#endif							/* DYNAMO_WORKER_INDEX_CHANGES_H */
