/*
 * flush_queue.h
 *	  What the workers of the HTTP endpoint have committed and is not on disk
 *	  yet, and the process that brings it there.
 *
 * A worker commits without waiting for the disk, keeps the answer back, and
 * asks the flusher for the log up to there.  The flusher flushes what all have
 * asked for at once, and wakes those who waited for it.  Everything is in
 * shared memory, one slot a worker; nobody takes a lock.
 */
#ifndef DYNAMO_HTTP_FLUSH_QUEUE_H
#define DYNAMO_HTTP_FLUSH_QUEUE_H

#include "access/xlogdefs.h"

/* Asks for shared memory; in the postmaster. */
extern void FlushQueueInit(int workers);

/* Takes the slot of a worker, from 1 on. */
extern void FlushQueueJoin(int worker);

/*
 * This worker's commits that do not wait for the disk.  One begins before its
 * record is written and ends when others see it; a commit that failed ends at
 * InvalidXLogRecPtr.
 */
extern void FlushQueueBeginCommit(void);
extern void FlushQueueEndCommit(XLogRecPtr end);

/*
 * Up to where the log must be on disk so that a crash can undo nothing of the
 * workers' that a snapshot taken before this call has seen.
 */
extern XLogRecPtr FlushQueueVisible(void);

/*
 * Asks for the log to be flushed up to last; the latch is set when it is up to
 * first.  False if nobody is there to do it.  Zeros: nothing is awaited.
 */
extern bool FlushQueueAwait(XLogRecPtr first, XLogRecPtr last);

extern PGDLLEXPORT void dynamo_http_flusher_main(Datum arg);

#endif							/* DYNAMO_HTTP_FLUSH_QUEUE_H */
