/*
 * index_changes.h
 *	  A background worker that applies changes of distributed tables to their index tables.
 */
#ifndef DYNAMO_HTTP_INDEX_CHANGES_H
#define DYNAMO_HTTP_INDEX_CHANGES_H

extern PGDLLEXPORT void dynamo_index_changes_main(Datum arg);

#endif							/* DYNAMO_HTTP_INDEX_CHANGES_H */
