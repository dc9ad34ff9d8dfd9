/*
 * build_lock.h
 *	  The lock that one builder of a table's indexes holds.
 *
 * At most one process builds indexes of a table, a background worker or a
 * session.  It holds this lock from transaction to transaction, so that others
 * can tell whether it is there, wait for it, and find it to stop it.
 */
#ifndef DYNAMO_BUILD_LOCK_H
#define DYNAMO_BUILD_LOCK_H

/*
 * Waits for another builder; held until released or until an error.  Whoever
 * has it must be in a transaction when interrupts are served: a process that
 * ends outside of one keeps it.
 */
extern void BuildLockAcquire(Oid relid);
extern void BuildLockRelease(Oid relid);

/* Whether another process builds indexes of a table. */
extern bool BuildIsRunning(Oid relid);

/* Whether it waits for a lock that others have. */
extern bool BuilderWaits(Oid relid);

/*
 * Cancels the builder of a table, if there is one, and keeps others out until
 * the end of the transaction: DDL that needs the table for itself would make
 * readers and writers wait as long as a build takes.  The caller has checked
 * that the user owns the table.  Returns whether there was one.
 */
extern bool BuildStop(Oid relid);

#endif							/* DYNAMO_BUILD_LOCK_H */
