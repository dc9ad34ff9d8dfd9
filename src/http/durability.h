/*
 * durability.h
 *	  How durable a commit must be before its client may receive the answer.
 *
 * Transactions of this process commit without waiting, for any setting of
 * synchronous_commit; their answers wait afterwards.  Only a worker with nothing
 * else to do waits for its own disk as it commits.  Answers also wait for
 * commits of other workers that the request may have seen and a crash could
 * undo: until these are on this server's disk.
 */
#ifndef DYNAMO_HTTP_DURABILITY_H
#define DYNAMO_HTTP_DURABILITY_H

#include "access/xlogdefs.h"
#include "replication/syncrep.h"

/* What an answer waits for; nothing if all members are zero. */
typedef struct Durability
{
	XLogRecPtr	flush;			/* the WAL must be flushed up to here */
	XLogRecPtr	confirmed;		/* standbys must have confirmed up to here */
	int			standby_mode;	/* SYNC_REP_WAIT_...: how they confirm */
} Durability;

/* The current progress of the WAL. */
typedef struct DurabilityProgress
{
	XLogRecPtr	flushed;
	XLogRecPtr	confirmed[NUM_SYNC_REP_WAIT_MODE];	/* everything, if no standby is required */
} DurabilityProgress;

/* Initializes a worker, numbered from 1, for such commits. */
extern void DurabilityInit(int worker);

/*
 * Whether the next transactions flush the log as they commit, which saves waking
 * PostgreSQL's WAL writer, but keeps the worker from other connections meanwhile.
 * They never wait for standbys.
 */
extern void DurabilityFlushAtCommit(bool flush);

/* What the answer of the last executed request must wait for. */
extern Durability DurabilityOfLastRequest(void);

/* Whether nothing (more) must be waited for. */
extern bool DurabilityIsReachedNow(const Durability *wanted);

extern DurabilityProgress DurabilityNow(void);

extern bool DurabilityIsReached(const Durability *wanted, const DurabilityProgress *now);

#endif							/* DYNAMO_HTTP_DURABILITY_H */
