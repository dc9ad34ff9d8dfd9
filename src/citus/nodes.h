/*
 * nodes.h
 *	  Statements for other nodes of Citus.
 *
 * Citus runs them over connections of its own, each in a transaction of its own:
 * they are no part of this session's transaction, and do not see it.
 */
#ifndef DYNAMO_CITUS_NODES_H
#define DYNAMO_CITUS_NODES_H

#include "postgres_ext.h"

/*
 * Runs a statement with one result, a text, on the coordinator as the current
 * user; palloc'd.  Raises an error if the statement fails, or the coordinator
 * cannot be reached: then it may have been executed.
 */
extern char *RunOnCoordinator(const char *statement);

/*
 * Adds up the estimated rows, and the size, of a distributed table or of an index
 * of it on all nodes that can be reached.
 */
extern void CountOnNodes(Oid table, Oid relid, int64 *rows, int64 *bytes);

#endif							/* DYNAMO_CITUS_NODES_H */
