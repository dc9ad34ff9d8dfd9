/*
 * brief_lock.h
 *	  Locks on relations in use, without a queue of others behind the wait for them.
 *
 * Whoever waits for a strong lock makes all wait who come later, as long as one transaction
 * has the relation.  So each wait is short, and between two attempts no lock is held.
 */
#ifndef DYNAMO_DDL_BRIEF_LOCK_H
#define DYNAMO_DDL_BRIEF_LOCK_H

#include "storage/lockdefs.h"

#include "exported.h"

/*
 * Runs an action that takes locks and changes catalogs, in a subtransaction.  If a lock is not
 * granted in a short time, rolls it back and tries again, for half a minute or the caller's
 * lock_timeout; then raises the error.  What the transaction holds already, it holds between
 * two attempts: a deadlock that follows from that is detected within some attempts.
 */
extern void RunWithBriefLocks(void (*action) (void *arg), void *arg);

/* Locks a relation until the end of the transaction, in such attempts. */
extern void LockRelationBriefly(Oid relid, LOCKMODE mode);

#endif							/* DYNAMO_DDL_BRIEF_LOCK_H */
