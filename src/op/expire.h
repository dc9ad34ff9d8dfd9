/*
 * expire.h
 *	  Deleting expired items; shared by expire*.c and the housekeeping worker.
 *
 * A pass looks at every expired item of a table once, oldest first, a batch
 * at a time.  It begins where the last one ended: positions are of rows, and
 * going on there passes no index entries of rows that are deleted already.
 * What is before its start (items that were held or could not be deleted,
 * items that were given a time of the past) it looks at afterwards.
 *
 * A batch is one statement in a subtransaction.  One that fails is divided,
 * down to the items that cannot be deleted: a reference keeps them, a trigger
 * fails.  The pass goes on behind them.
 *
 * Whoever does many passes remembers such items, to tell of each once and to
 * try them apart from the others.  A transaction may also fail as a whole, at
 * its commit or by a timeout.  Then the items of the batch are tried one a
 * transaction, and the one that fails is left alone for a while.
 */
#ifndef DYNAMO_EXPIRE_H
#define DYNAMO_EXPIRE_H

#include "datatype/timestamp.h"

#include "store/expired.h"

/* Items of one batch at most. */
#define EXPIRE_BATCH	1000

/* A table's expired items, as far as they are known; zeroed at first. */
typedef struct Expiry
{
	Oid			relid;
	MemoryContext context;		/* of what is remembered; given, as relid */
	struct HTAB *failures;		/* items that could not be deleted; NULL: not
								 * remembered */
	ExpiredPosition position;	/* of the last item that was looked at */

	/* the pass under way */
	bool		passing;
	bool		whole;			/* what was before its start, too */
	bool		again;			/* it has come to that */
	ExpiredPosition start;
	uint32		pass;			/* its number */

	/* the last batch */
	TimestampTz began;
	ExpiredPosition before;		/* position when it began */
	bool		deleting;		/* it has found items */
	bool		alone;			/* only one, whose id is: */
	uint64		id;
	int			careful;		/* so many more are to be tried alone */
	int64		deleted;
	int64		failed;			/* not counting those known before */
	char	   *message;		/* of the first error; NULL: none */
} Expiry;

/* Begins to remember what could not be deleted. */
extern void ExpiryRemember(Expiry *e);

/*
 * Begins a pass.  whole: a pass that begins in the middle looks afterwards at
 * what was before.
 */
extern void ExpiryBeginPass(Expiry *e, bool whole);

/*
 * Deletes a batch of at most so many items.  False when the pass has ended;
 * also if the table is gone or has no time to live.  The table's owner must be
 * the current user; others are switched to them, restricted.  SPI must be
 * connected.
 */
extern bool ExpireBatch(Expiry *e, int limit);

/* Tells of the last batch's failures, if there were any. */
extern void ExpiryReportFailures(const Expiry *e);

/*
 * The transaction of the last batch was rolled back: by an error, or because
 * somebody cancelled it, which is no item's fault.  Returns whether the error
 * is news.
 */
extern bool ExpiryAborted(Expiry *e, bool cancelled);

/* Ends remembering. */
extern void ExpiryForget(Expiry *e);

#endif							/* DYNAMO_EXPIRE_H */
