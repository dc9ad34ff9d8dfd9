/*
 * flush_queue.h
 *	  Commits of the endpoint's workers that are not yet on disk, and the
 *	  process that flushes them.
 *
 * A worker commits without waiting for the disk, delays the answer, and
 * requests a flush up to its commit.  The flusher flushes up to the last
 * request of all workers at once, and wakes the waiting workers.  Everything
 * is in shared memory with one slot for each worker; no locks are taken.
 */
#ifndef DYNAMO_HTTP_FLUSH_QUEUE_H
#define DYNAMO_HTTP_FLUSH_QUEUE_H

#include "access/xlogdefs.h"

/* Finds shared memory, while AddinShmemInitLock is held. */
extern void FlushQueueAttach(void);

/* Takes the slot of a worker, numbered from 1. */
extern void FlushQueueJoin(int worker);

/*
 * Mark this worker's commits that do not wait for the disk.  A commit begins
 * before its record is written and ends when other sessions see it; a failed
 * commit ends at InvalidXLogRecPtr.
 */
extern void FlushQueueBeginCommit(void);
extern void FlushQueueEndCommit(XLogRecPtr end);

/*
 * The position up to which the WAL must be flushed so that a crash cannot undo
 * any commit of the workers that a snapshot taken before this call has seen.
 */
extern XLogRecPtr FlushQueueVisible(void);

/*
 * Requests a flush up to last; the latch is set when it has reached first.
 * Returns false if no flusher is running.  Zeros end the request.
 */
extern bool FlushQueueAwait(XLogRecPtr first, XLogRecPtr last);

extern PGDLLEXPORT void dynamo_http_flusher_main(Datum arg);

#endif							/* DYNAMO_HTTP_FLUSH_QUEUE_H */
