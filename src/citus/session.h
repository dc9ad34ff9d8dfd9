/*
 * session.h
 *	  Tells Citus about rows that this session reads and writes directly.
 *
 * In a transaction, Citus reaches the shards of this server either in the session
 * itself or through connections to it, which do not see each other's changes.
 * Two functions of Citus report which way it uses and make it stay in the session.
 * Two more make it commit on all nodes or on none if it also writes on others.
 * Another one locks the place of a shard.  They are found by name at their first
 * use.  If a build of Citus hides them, no shard is accessed directly.
 */
#ifndef DYNAMO_CITUS_SESSION_H
#define DYNAMO_CITUS_SESSION_H

/*
 * Whether shards of this server may be accessed in this session.  Parallel workers
 * may not, because they do not know what Citus does in their leader.
 */
extern bool CitusSessionIsLocal(void);

/*
 * Whether this transaction has accessed shards of this server in the session, so that a
 * connection would not see its changes, and could wait for its locks.
 */
extern bool CitusSessionStaysLocal(void);

/*
 * Takes Citus's lock on the place of a shard in share mode, and waits for a move
 * of the shard.  Returns false if this build of Citus has no such function.
 */
extern bool CitusSessionLockPlace(int64 shard);

/*
 * Tells Citus that this transaction writes a row here.  Allowed only if
 * CitusSessionIsLocal.
 */
extern void CitusSessionWrites(void);

/*
 * Begins the transaction of Citus for a change of a table, and lets those that are under
 * way end.  Of transactions of one node that wait for each other, Citus cancels the one that
 * began last: that is then a write, not the change.  Must be called before the table is locked.
 */
extern void CitusSessionBeginsChange(void);

/*
 * Whether an error with this code in this session is a cancel by which Citus has ended a
 * deadlock; asked only once for an error.
 */
extern bool CitusSessionWasDeadlocked(int sqlerrcode);

/*
 * Makes Citus commit this transaction on all nodes or on none, including its writes
 * to other tables here.  Raises an error if this build of Citus has no function
 * for it.
 */
extern void CitusSessionCommitsTogether(Oid relid);

/*
 * Runs a statement on all workers in this transaction, as the current user.  Does nothing if
 * this build of Citus has no function for it, or if this server is a worker itself.
 */
extern void CitusSessionTellWorkers(const char *statement);

#endif							/* DYNAMO_CITUS_SESSION_H */
