/*
 * expire.h
 *	  Deletes expired items; for expire*.c and the housekeeping worker.
 *
 * A pass examines every expired item of a table once, oldest first, in
 * batches.  It starts where the previous pass ended.  Positions refer to rows,
 * so that this start skips index entries of deleted rows.  Afterwards the pass
 * examines the items before its start: items that were locked or could not be
 * deleted, and items that have got an earlier expiry time.
 *
 * A batch is one statement in a subtransaction.  A failed batch is divided,
 * down to the items that cannot be deleted because of a reference or an error
 * in a trigger.  The pass continues after them.
 *
 * A caller with many passes remembers such items, to report each only once and
 * to try them separately from the others.  A transaction can also fail as a
 * whole, at its commit or by a timeout.  Then the items of the batch are tried
 * in separate transactions, and the failing item is skipped for a while.
 */
#ifndef DYNAMO_EXPIRE_H
#define DYNAMO_EXPIRE_H

#include "datatype/timestamp.h"

#include "store/expired.h"

/* Maximum number of items in a batch. */
#define EXPIRE_BATCH	1000

/* The state of deletion of a table's expired items; zeroed at first. */
typedef struct Expiry
{
	Oid			relid;
	MemoryContext context;		/* for the remembered state; set by the caller, like relid */
	struct HTAB *failures;		/* items that could not be deleted; NULL if
								 * they are not remembered */
	ExpiredPosition position;	/* of the last item examined */

	/* the current pass */
	bool		passing;
	bool		whole;			/* includes items before its start */
	bool		again;			/* has reached the items before its start */
	ExpiredPosition start;
	uint32		pass;			/* number of the pass */

	/* the last batch */
	TimestampTz began;
	ExpiredPosition before;		/* position at its start */
	bool		deleting;		/* has found items */
	bool		alone;			/* consists of one item, whose id follows */
	uint64		id;
	int			careful;		/* number of items still to be tried separately */
	int64		deleted;
	int64		failed;			/* except failures known before */
	char	   *message;		/* of the first error; NULL if none */
} Expiry;

/* Starts remembering items that could not be deleted. */
extern void ExpiryRemember(Expiry *e);

/*
 * Starts a pass.  whole: a pass that starts in the middle also examines the
 * items before its start.
 */
extern void ExpiryBeginPass(Expiry *e, bool whole);

/*
 * Deletes a batch of at most limit items.  Returns false when the pass has
 * ended, also if the table was dropped or has no time to live.  If the current
 * user is not the table's owner, switches to the owner with restrictions.  SPI
 * must be connected.
 */
extern bool ExpireBatch(Expiry *e, int limit);

/* Reports the failures of the last batch, if any. */
extern void ExpiryReportFailures(const Expiry *e);

/*
 * Must be called after the last batch's transaction was rolled back, by an
 * error or a cancellation, which no item caused.  Returns whether the error is
 * new.
 */
extern bool ExpiryAborted(Expiry *e, bool cancelled);

/* Stops remembering. */
extern void ExpiryForget(Expiry *e);

#endif							/* DYNAMO_EXPIRE_H */
