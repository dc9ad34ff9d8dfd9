/*
 * durability.h
 *	  How safe a commit must be before its client may hear of it.
 *
 * Transactions of this process commit without waiting, whatever
 * synchronous_commit says; that is what their answers wait for afterwards.
 * What others have committed so and a request may have seen is waited for as
 * well, as far as a crash could undo it: until it is on this server's disk.
 */
#ifndef DYNAMO_HTTP_DURABILITY_H
#define DYNAMO_HTTP_DURABILITY_H

#include "access/xlogdefs.h"
#include "replication/syncrep.h"

/* What an answer waits for; nothing if all is zero. */
typedef struct Durability
{
	XLogRecPtr	flush;			/* this server's disk has the log up to there */
	XLogRecPtr	confirmed;		/* so have its synchronous standbys */
	int			standby_mode;	/* SYNC_REP_WAIT_...: what they have done with it */
} Durability;

/* How far the log has come. */
typedef struct DurabilityProgress
{
	XLogRecPtr	flushed;
	XLogRecPtr	confirmed[NUM_SYNC_REP_WAIT_MODE];	/* all, if no standby is asked for */
} DurabilityProgress;

/* Lets the transactions of this worker, numbered from 1 on, commit so. */
extern void DurabilityInit(int worker);

/* What the answer of the request that was executed last waits for. */
extern Durability DurabilityOfLastRequest(void);

/* Whether there is nothing to wait for (any more). */
extern bool DurabilityIsReachedNow(const Durability *wanted);

extern DurabilityProgress DurabilityNow(void);

extern bool DurabilityIsReached(const Durability *wanted, const DurabilityProgress *now);

#endif							/* DYNAMO_HTTP_DURABILITY_H */
