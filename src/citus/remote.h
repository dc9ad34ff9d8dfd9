/*
 * remote.h
 *	  Calls of the extension's functions on other nodes, in this session's
 *	  transaction.
 *
 * They go over the connections of Citus, in the transactions that it has open there
 * for this session: with them they are committed or rolled back, in two phases if
 * several nodes have written, and its search for deadlocks knows them.  The functions
 * of Citus are found by name, as in session.h.
 */
#ifndef DYNAMO_CITUS_REMOTE_H
#define DYNAMO_CITUS_REMOTE_H

#include "item/item.h"

/* Whether such calls can be made in this session. */
extern bool RemoteIsPossible(void);

/* Whether this transaction has used connections of Citus, or written to a shard. */
extern bool RemoteHasBegun(void);

/*
 * Raises an error if this session executes a part of a statement of Citus, which must
 * not reach other nodes: they do not know the transaction.
 */
extern void RemoteCheckNesting(void);

/*
 * Runs a statement with one value as its result, in binary form, on the node with a
 * shard, which it reads, or writes to as well.  Its arguments are texts.  The result is
 * palloc'd; data is NULL for a null.  Raises the errors of the statement.
 */
extern Slice RemoteExecute(int64 shard, bool writes, const char *statement, int nargs,
						   const char *const *args);

#endif							/* DYNAMO_CITUS_REMOTE_H */
