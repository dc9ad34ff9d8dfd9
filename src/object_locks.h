/*
 * object_locks.h
 *	  The locks of the extension on relations as objects.
 *
 * The class of such a lock is pg_class, and one of these numbers is its subobject: PostgreSQL
 * locks no columns.  Each lock has a number of its own, also those whose object is no
 * relation.
 */
#ifndef DYNAMO_OBJECT_LOCKS_H
#define DYNAMO_OBJECT_LOCKS_H

typedef enum ObjectLock
{
	/* dynamo.index_progress and dynamo.migrations look for the first two */
	LOCK_OF_BUILD = 1,			/* who builds a table's indexes */
	LOCK_OF_MIGRATION,			/* who moves a table's items */
	LOCK_OF_STREAM_NUMBERS,		/* transactions that number records of a stream */
	LOCK_OF_TRIM,				/* who trims a stream */
	LOCK_OF_APPLIER,			/* who applies changes of a distributed table, or takes those of a shard */
	LOCK_OF_JOB,				/* of the hash of a job's id: its worker */
	LOCK_OF_JOB_START			/* of a role: who starts a job of it */
} ObjectLock;

#endif							/* DYNAMO_OBJECT_LOCKS_H */
