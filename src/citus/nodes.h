/*
 * nodes.h
 *	  Statements for other nodes of Citus.
 *
 * Citus runs each of them over its own connection and in its own transaction.
 * They are not part of this session's transaction and do not see its changes.
 */
#ifndef DYNAMO_CITUS_NODES_H
#define DYNAMO_CITUS_NODES_H

#include "postgres_ext.h"

/* Whether this server is a worker node that knows the coordinator. */
extern bool CoordinatorIsKnown(void);

/*
 * Runs a statement on the coordinator as the current user and returns its result,
 * one text; palloc'd.  Raises an error if the statement fails or the coordinator
 * cannot be reached.  In the second case the statement may have been executed.
 */
extern char *RunOnCoordinator(const char *statement);

/* The same, but returns NULL if the statement fails or the coordinator cannot be reached. */
extern char *TryOnCoordinator(const char *statement);

/*
 * Returns the estimated number of rows and the size of a distributed table, or of
 * one of its indexes, on all nodes that can be reached.
 */
extern void CountOnNodes(Oid table, Oid relid, int64 *rows, int64 *bytes);

#endif							/* DYNAMO_CITUS_NODES_H */
