/*
 * remote.h
 *	  Calls of the extension's functions on other nodes, in this session's
 *	  transaction.
 *
 * The calls use the connections of Citus, in the transactions that Citus has open on
 * them for this session.  Citus commits them or rolls them back, in two phases if
 * several nodes have written, and detects deadlocks between them.  Functions of Citus
 * are found by name, as in session.h.
 */
#ifndef DYNAMO_CITUS_REMOTE_H
#define DYNAMO_CITUS_REMOTE_H

#include "citus/node_result.h"

/* Whether such calls can be made in this session. */
extern bool RemoteIsPossible(void);

/* Whether this transaction has used connections of Citus, or written to a shard. */
extern bool RemoteHasBegun(void);

/*
 * Raises an error if this session executes a part of a statement of Citus.  Such a part
 * must not access other nodes, which do not know its transaction.
 */
extern void RemoteCheckNesting(void);

/*
 * Runs a statement on the node with a shard, and returns its result in binary form.
 * writes: whether the statement also writes to the shard.  Its arguments are texts.
 * Raises the errors of the statement.
 */
extern PGresult *RemoteExecute(int64 shard, bool writes, const char *statement, int nargs,
							   const char *const *args);

/*
 * Whether the next statement of this transaction that writes to a shard would run on the node
 * of a group, which has the shard.  Citus keeps the connection that has accessed the shard.
 */
extern bool RemoteLeadsTo(int64 shard, int group);

/* Bytes as an argument of such a statement; palloc'd. */
extern char *RemoteBytes(const char *data, int len);

#endif							/* DYNAMO_CITUS_REMOTE_H */
