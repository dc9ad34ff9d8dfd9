/*
 * durability.c
 *	  How safe a commit must be before its client may hear of it.
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

/* Of the transaction that ended last. */
static Durability last;

/* What SyncRepWaitForLSN waits for under the current settings. */
static int
StandbyMode(void)
{
	if (!SyncRepRequested())
		return SYNC_REP_NO_WAIT;
	switch (synchronous_commit)
	{
		case SYNCHRONOUS_COMMIT_REMOTE_WRITE:
			return SYNC_REP_WAIT_WRITE;
		case SYNCHRONOUS_COMMIT_REMOTE_APPLY:
			return SYNC_REP_WAIT_APPLY;
		default:
			return SYNC_REP_WAIT_FLUSH;
	}
}

/*
 * Deferred triggers have run by then, and may have changed the setting; what
 * is set for the transaction only still is.
 */
static void
NoteEnd(XactEvent event, void *arg)
{
	if (event != XACT_EVENT_COMMIT && event != XACT_EVENT_ABORT)
		return;
	last.lsn = InvalidXLogRecPtr;
	if (event == XACT_EVENT_COMMIT && synchronous_commit > SYNCHRONOUS_COMMIT_OFF &&
		TransactionIdIsValid(GetTopTransactionIdIfAny()))
	{
		last.lsn = XactLastCommitEnd;
		last.standby_mode = StandbyMode();
	}
}

void
DurabilityInit(void)
{
	RegisterXactCallback(NoteEnd, NULL);
}

Durability
DurabilityOfLastTransaction(void)
{
	return last;
}

bool
DurabilityIsConfirmed(Durability durability)
{
	bool		confirmed;

	if (XLogRecPtrIsInvalid(durability.lsn) || durability.standby_mode == SYNC_REP_NO_WAIT)
		return true;
	LWLockAcquire(SyncRepLock, LW_SHARED);
	confirmed = !SynchronousStandbysAreDefined() ||
		WalSndCtl->lsn[durability.standby_mode] >= durability.lsn;
	LWLockRelease(SyncRepLock);
	return confirmed;
}
