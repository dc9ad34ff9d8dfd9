/*
 * permanent.c
 *	  What the workers have in common that run as long as the server does.
 */
#include "postgres.h"

#include "access/xact.h"
#include "jit/jit.h"
#include "libpq/pqsignal.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/bgworker.h"
#include "postmaster/interrupt.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/proc.h"
#include "tcop/tcopprot.h"
#include "utils/guc.h"
#include "utils/guc_tables.h"
#include "utils/timeout.h"

#include "background_worker.h"
#include "compat.h"
#include "worker/permanent.h"
#include "worker/workers.h"

/*
 * The time for which a transaction may go on after its timeout, in milliseconds.  Code of a
 * table's owner can catch a cancellation, but not the end of the process.
 */
#define GRACE_MS	5000

static const PermanentWorker *me;
static TimeoutId end_timeout;
static bool limited;			/* a transaction runs that timeouts end */
static volatile sig_atomic_t cancelled;

/* Sets a flag of what is to happen soon, in a signal handler. */
static void
SetPending(volatile sig_atomic_t *pending)
{
	int			saved_errno = errno;

	/* the process gives back what this would use */
	if (proc_exit_inprogress)
		return;
	InterruptPending = true;
	*pending = true;
	SetLatch(MyLatch);
	errno = saved_errno;
}

/*
 * The signal of a cancellation, which timeouts send as well.  An error does not tell: code of
 * a table's owner can raise one that looks like a cancellation.
 */
static void
NoteUsersCancellation(SIGNAL_ARGS)
{
	if (!get_timeout_indicator(STATEMENT_TIMEOUT, false) && !get_timeout_indicator(LOCK_TIMEOUT, false))
		cancelled = true;
	SetPending(&QueryCancelPending);
}

static void
EndProcess(void)
{
	SetPending(&ProcDiePending);
}

static void
StopTimeouts(void)
{
	limited = false;
	disable_timeout(STATEMENT_TIMEOUT, false);
	disable_timeout(end_timeout, false);
}

/*
 * Deferred triggers, which have run now, are limited like the others; waiting for a standby is
 * not.
 */
static void
StopTimeoutsBeforeCommit(XactEvent event, void *arg)
{
	if (event != XACT_EVENT_PRE_COMMIT || !limited)
		return;
	StopTimeouts();
	CHECK_FOR_INTERRUPTS();
}

static void
SetWorkerDefaults(void)
{
	SetConfigOption("lock_timeout", me->lock_timeout, PGC_USERSET, PGC_S_DYNAMIC_DEFAULT);
	SetConfigOption("statement_timeout", me->statement_timeout, PGC_USERSET, PGC_S_DYNAMIC_DEFAULT);
	SetConfigOption("application_name", me->name, PGC_USERSET, PGC_S_DYNAMIC_DEFAULT);
}

void
PermanentWorkerStart(const PermanentWorker *worker)
{
	me = worker;
	pqsignal(SIGTERM, die);
	pqsignal(SIGINT, NoteUsersCancellation);
	pqsignal(SIGHUP, SignalHandlerForConfigReload);
	BackgroundWorkerUnblockSignals();
	BackgroundWorkerInitializeConnection(worker_database, NULL, 0);
	SetWorkerDefaults();
	/* it would end the process, with all clients, and any role may set it: for itself, or in a trigger */
	ForbidTransactionTimeout();
	pgstat_report_activity(STATE_IDLE, NULL);
}

bool
PermanentWorkerHandleInterrupts(void)
{
	QueryCancelPending = false;
	cancelled = false;
	CHECK_FOR_INTERRUPTS();
	if (!ConfigReloadPending)
		return false;
	ConfigReloadPending = false;
	ProcessConfigFile(PGC_SIGHUP);
	SetWorkerDefaults();
	return true;
}

void
PermanentWorkerBegin(void)
{
	SetCurrentStatementStartTimestamp();
	StartTransactionCommand();
	if (StatementTimeout == 0)
		return;
	if (end_timeout == 0)
	{
		end_timeout = RegisterTimeout(USER_TIMEOUT, EndProcess);
		RegisterXactCallback(StopTimeoutsBeforeCommit, NULL);
	}
	limited = true;
	enable_timeout_after(STATEMENT_TIMEOUT, StatementTimeout);
	enable_timeout_at(end_timeout, TimestampTzPlusMilliseconds(GetCurrentStatementStartTimestamp(),
															   (int64) StatementTimeout + GRACE_MS));
}

void
PermanentWorkerCommit(void)
{
	CommitTransactionCommand();
}

bool
PermanentWorkerWasCancelled(void)
{
	return cancelled;
}

void
PermanentWorkerRollback(bool log)
{
	HOLD_INTERRUPTS();
	limited = false;
	disable_all_timeouts(false);
	QueryCancelPending = false;
	if (log)
		EmitErrorReport();
	FlushErrorState();
	AbortOutOfAnyTransaction();
	jit_reset_after_error();
	RESUME_INTERRUPTS();
}

bool
PermanentWorkerHasTables(void)
{
	return !XactReadOnly && WorkerHasExtension();
}

void
PermanentWorkerSleep(long milliseconds)
{
	bool		never = milliseconds == 0;
	int			events = WaitLatch(MyLatch, WL_LATCH_SET | WL_EXIT_ON_PM_DEATH | (never ? 0 : WL_TIMEOUT),
								   never ? -1L : milliseconds, PG_WAIT_EXTENSION);

	if (events & WL_LATCH_SET)
		ResetLatch(MyLatch);
	(void) PermanentWorkerHandleInterrupts();
}

void
TableRestLonger(TableRest *rest, int longest)
{
	rest->seconds = rest->seconds == 0 ? 1 : Min(2 * rest->seconds, longest);
	rest->until = GetCurrentTimestamp() + rest->seconds * USECS_PER_SEC;
}
