/*
 * session.h
 *	  What Citus must know of rows that this session reads and writes directly.
 *
 * In a transaction, Citus reaches the shards of this server either in the session
 * itself or through connections to it, which do not see each other's changes.
 * Two of its functions tell which, and tell Citus to stay with the session; two
 * more make it commit on all nodes or on none if it also writes on others; one
 * locks a shard in its place.  They are found by name when they are first needed.
 * Where a build of Citus hides them, no shard is accessed directly.
 */
#ifndef DYNAMO_CITUS_SESSION_H
#define DYNAMO_CITUS_SESSION_H

/*
 * Whether shards of this server may be accessed in this session: not by parallel
 * workers, which do not know what Citus does in their leader.
 */
extern bool CitusSessionIsLocal(void);

/*
 * Shares Citus's lock of the place of a shard; false if it cannot be told.  Waits
 * for a move of the shard.
 */
extern bool CitusSessionLockPlace(int64 shard);

/*
 * Tells Citus that this transaction writes a row here.  Only if
 * CitusSessionIsLocal.
 */
extern void CitusSessionWrites(void);

/*
 * Makes Citus commit this transaction on all nodes or on none, together with what
 * it writes to other tables here.  Raises an error if Citus cannot be told so.
 */
extern void CitusSessionCommitsTogether(Oid relid);

#endif							/* DYNAMO_CITUS_SESSION_H */
