/*
 * brief_lock.c
 *	  Attempts to take locks, each of which waits a short time.
 */
#include "postgres.h"

#include "access/xact.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/latch.h"
#include "storage/lmgr.h"
#include "storage/proc.h"
#include "utils/guc.h"
#include "utils/timestamp.h"
#include "utils/wait_event.h"

#include "ddl/brief_lock.h"
#include "subtransaction.h"

#define LOCK_MILLISECONDS	50
#define PAUSE_MILLISECONDS	200
#define LOCK_TRIES			120

/*
 * An attempt is shorter than the usual deadlock_timeout, so it looks for a deadlock, and for an
 * autovacuum worker that is in the way, after a part of its time.
 */
#define DEADLOCK_MILLISECONDS	20

/*
 * An attempt that meets a deadlock is rolled back to where it holds nothing that others need, and
 * one succeeds later.  If so many attempts after each other meet one, and the transaction has done
 * something before, then what it has held since is the reason, which no attempt resolves.
 */
#define DEADLOCKS		4

typedef struct Attempt
{
	void		(*action) (void *arg);
	void	   *arg;
} Attempt;

/* Whether waits are short anyway: in an attempt, or because the user wants them so. */
static bool
WaitsAreBrief(void)
{
	return LockTimeout > 0 && LockTimeout <= LOCK_MILLISECONDS;
}

static void
SetForAttempt(const char *name, const char *value)
{
	(void) set_config_option(name, value, PGC_SUSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
}

/* A step of TryInSubtransaction. */
static void
RunAttempt(void *arg)
{
	const Attempt *attempt = arg;
	int			level = NewGUCNestLevel();

	SetForAttempt("lock_timeout", psprintf("%d", LOCK_MILLISECONDS));
	if (DeadlockTimeout > DEADLOCK_MILLISECONDS)
		SetForAttempt("deadlock_timeout", psprintf("%d", DEADLOCK_MILLISECONDS));
	/* otherwise each attempt would be logged */
	SetForAttempt("log_lock_waits", "off");
	attempt->action(attempt->arg);
	AtEOXact_GUC(false, level);
}

/* Raises the error of an action whose locks were not granted. */
static void
RefuseInUse(ErrorData *error)
{
	if (LockTimeout > 0 || error->sqlerrcode != ERRCODE_LOCK_NOT_AVAILABLE)
		ReThrowError(error);
	ereport(ERROR,
			(errcode(ERRCODE_LOCK_NOT_AVAILABLE),
			 errmsg("a table or view that must be locked is in use"),
			 errdetail("%d attempts to lock it, each of %d milliseconds so that nobody queues behind them, have failed.",
					   LOCK_TRIES, LOCK_MILLISECONDS),
			 errhint("End the transaction that uses it, which pg_locks shows, and try again.")));
}

/* Whether the caller's own lock_timeout has passed. */
static bool
LockTimeoutPassed(TimestampTz start)
{
	return LockTimeout > 0 && TimestampDifferenceExceeds(start, GetCurrentTimestamp(), LockTimeout);
}

void
RunWithBriefLocks(void (*action) (void *arg), void *arg)
{
	Attempt		attempt = {action, arg};
	TimestampTz start = GetCurrentTimestamp();
	bool		may_hold = IsTransactionBlock() || TransactionIdIsValid(GetTopTransactionIdIfAny());
	ErrorData  *error;
	int			deadlocks = 0;

	if (WaitsAreBrief())
	{
		action(arg);
		return;
	}
	for (int i = 1; (error = TryInSubtransaction(RunAttempt, &attempt)) != NULL; i++)
	{
		if (error->sqlerrcode != ERRCODE_LOCK_NOT_AVAILABLE && error->sqlerrcode != ERRCODE_T_R_DEADLOCK_DETECTED)
			ReThrowError(error);
		deadlocks = error->sqlerrcode == ERRCODE_T_R_DEADLOCK_DETECTED ? deadlocks + 1 : 0;
		if (may_hold && deadlocks == DEADLOCKS)
			ReThrowError(error);
		if (i == LOCK_TRIES || LockTimeoutPassed(start))
			RefuseInUse(error);
		FreeErrorData(error);
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
						 PAUSE_MILLISECONDS, PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
	}
}

/* ---- one relation ---- */

typedef struct NeededLock
{
	Oid			relid;
	LOCKMODE	mode;
} NeededLock;

/* An action of RunWithBriefLocks. */
static void
TakeLock(void *arg)
{
	const NeededLock *lock = arg;

	LockRelationOid(lock->relid, lock->mode);
}

void
LockRelationBriefly(Oid relid, LOCKMODE mode)
{
	NeededLock	lock = {relid, mode};

	if (!ConditionalLockRelationOid(relid, mode))
		RunWithBriefLocks(TakeLock, &lock);
}
