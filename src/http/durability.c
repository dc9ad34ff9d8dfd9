/*
 * durability.c
 *	  Determines how durable a commit must be before its client may receive the
 *	  answer.
 */
#include "postgres.h"

#include "access/xact.h"
#include "access/xlog.h"
#include "replication/syncrep.h"
#include "replication/walsender.h"
#include "replication/walsender_private.h"
#include "storage/lwlock.h"

#include "compat.h"
#include "http/durability.h"
#include "http/flush_queue.h"

/* The level of the transaction that is about to commit; -1 if there is none. */
static int	asked_level = -1;

/* Of the transaction that ended last. */
static Durability last;

static bool flush_at_commit;

/* The flushed position of the log at the last query. */
static XLogRecPtr known_flushed;

/* ---- commits ---- */

/* What SyncRepWaitForLSN waits for at a level of synchronous_commit. */
static int
StandbyMode(int level)
{
	switch (level)
	{
		case SYNCHRONOUS_COMMIT_REMOTE_WRITE:
			return SYNC_REP_WAIT_WRITE;
		case SYNCHRONOUS_COMMIT_REMOTE_APPLY:
			return SYNC_REP_WAIT_APPLY;
		default:
			return SYNC_REP_WAIT_FLUSH;
	}
}

/* Deferred triggers have run, and may have changed the level. */
static void
BeforeCommit(void)
{
	asked_level = synchronous_commit;
	if (asked_level == SYNCHRONOUS_COMMIT_OFF)
		return;
	synchronous_commit = flush_at_commit ? SYNCHRONOUS_COMMIT_LOCAL_FLUSH : SYNCHRONOUS_COMMIT_OFF;
	if (!flush_at_commit && TransactionIdIsValid(GetTopTransactionIdIfAny()))
		FlushQueueBeginCommit();
}

static void
AfterCommit(void)
{
	/* like PostgreSQL, do not wait for transactions without an id */
	if (asked_level > SYNCHRONOUS_COMMIT_OFF && TransactionIdIsValid(GetTopTransactionIdIfAny()))
	{
		last.flush = XactLastCommitEnd;
		if (asked_level > SYNCHRONOUS_COMMIT_LOCAL_FLUSH && max_wal_senders > 0)
		{
			last.confirmed = XactLastCommitEnd;
			last.standby_mode = StandbyMode(asked_level);
		}
	}
}

static void
AtTransactionEvent(XactEvent event, void *arg)
{
	if (event == XACT_EVENT_PRE_COMMIT)
		BeforeCommit();
	if (event != XACT_EVENT_COMMIT && event != XACT_EVENT_ABORT)
		return;
	memset(&last, 0, sizeof(last));
	if (asked_level < 0)
		return;
	if (event == XACT_EVENT_COMMIT)
		AfterCommit();
	if (asked_level > SYNCHRONOUS_COMMIT_OFF)
		FlushQueueEndCommit(last.flush);
	/* before the settings of the transaction are reset */
	synchronous_commit = asked_level;
	asked_level = -1;
}

void
DurabilityFlushAtCommit(bool flush)
{
	flush_at_commit = flush;
}

void
DurabilityInit(int worker)
{
	FlushQueueJoin(worker);
	RegisterXactCallback(AtTransactionEvent, NULL);
}

/* ---- what is waited for ---- */

Durability
DurabilityOfLastRequest(void)
{
	Durability	wanted = last;

	wanted.flush = Max(wanted.flush, FlushQueueVisible());
	return wanted;
}

static void
ReadConfirmed(XLogRecPtr *confirmed)
{
	LWLockAcquire(SyncRepLock, LW_SHARED);
	for (int mode = 0; mode < NUM_SYNC_REP_WAIT_MODE; mode++)
		confirmed[mode] = SynchronousStandbysAreDefined() ? WalSndCtl->lsn[mode] : PG_UINT64_MAX;
	LWLockRelease(SyncRepLock);
}

DurabilityProgress
DurabilityNow(void)
{
	DurabilityProgress now;

	now.flushed = known_flushed = GetFlushRecPtr(NULL);
	ReadConfirmed(now.confirmed);
	return now;
}

bool
DurabilityIsReached(const Durability *wanted, const DurabilityProgress *now)
{
	return wanted->flush <= now->flushed && wanted->confirmed <= now->confirmed[wanted->standby_mode];
}

bool
DurabilityIsReachedNow(const Durability *wanted)
{
	DurabilityProgress now;

	if (wanted->flush <= known_flushed && XLogRecPtrIsInvalid(wanted->confirmed))
		return true;
	now = DurabilityNow();
	return DurabilityIsReached(wanted, &now);
}
