/*
 * build_lock.h
 *	  The lock of the process that builds a table's indexes.
 *
 * At most one process builds indexes of a table, a background worker or a
 * session.  It holds this lock across transactions, so that other processes
 * can see whether it is running, wait for it, and find it to stop it.
 */
#ifndef DYNAMO_DDL_BUILD_LOCK_H
#define DYNAMO_DDL_BUILD_LOCK_H

/*
 * Waits for another builder.  The lock is held until released or until an
 * error.  The holder must be in a transaction when interrupts are processed: a
 * process that ends outside of a transaction keeps the lock.
 */
extern void BuildLockAcquire(Oid relid);
extern void BuildLockRelease(Oid relid);

/* Whether another process builds indexes of a table. */
extern bool BuildIsRunning(Oid relid);

/* Whether that process waits for a lock. */
extern bool BuilderWaits(Oid relid);

/*
 * Cancels the builder of a table, if any, and excludes others until the end of
 * the transaction.  DDL with an exclusive lock would otherwise block readers
 * and writers for the duration of the build.  The caller has checked that the
 * user owns the table.  The build goes on after this transaction, even if that
 * is rolled back.
 */
extern void BuildStop(Oid relid);

/*
 * Does so and locks the table exclusively until the end of the transaction, in
 * attempts between which neither lock is held: a transaction that uses the
 * table can change its indexes meanwhile.
 */
extern void BuildStopAndLock(Oid relid);

/* Sets what starts a build that was stopped; the module that builds calls it. */
extern void BuildContinueWith(void (*action) (Oid relid));

#endif							/* DYNAMO_DDL_BUILD_LOCK_H */
