/*
 * permanent.c
 *	  What the workers have in common that run as long as the server does.
 */
#include "postgres.h"

#include "access/xact.h"
#include "commands/extension.h"
#include "jit/jit.h"
#include "libpq/pqsignal.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/bgworker.h"
#include "postmaster/interrupt.h"
#include "storage/latch.h"
#include "storage/proc.h"
#include "tcop/tcopprot.h"
#include "utils/guc.h"
#include "utils/timeout.h"

#include "compat.h"
#include "worker/permanent.h"
#include "worker/workers.h"

static const PermanentWorker *me;

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
	pqsignal(SIGHUP, SignalHandlerForConfigReload);
	BackgroundWorkerUnblockSignals();
	BackgroundWorkerInitializeConnection(worker_database, NULL, 0);
	SetWorkerDefaults();
	pgstat_report_activity(STATE_IDLE, NULL);
}

bool
PermanentWorkerHandleInterrupts(void)
{
	QueryCancelPending = false;
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
	if (StatementTimeout > 0)
		enable_timeout_after(STATEMENT_TIMEOUT, StatementTimeout);
}

void
PermanentWorkerCommit(void)
{
	disable_timeout(STATEMENT_TIMEOUT, false);
	CommitTransactionCommand();
}

void
PermanentWorkerRollback(bool log)
{
	HOLD_INTERRUPTS();
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
	return !XactReadOnly && OidIsValid(get_extension_oid("dynamo", true));
}

bool
PermanentWorkerSleep(long milliseconds)
{
	bool		never = milliseconds == 0;
	int			events = WaitLatch(MyLatch, WL_LATCH_SET | WL_EXIT_ON_PM_DEATH | (never ? 0 : WL_TIMEOUT),
								   never ? -1L : milliseconds, PG_WAIT_EXTENSION);

	if (events & WL_LATCH_SET)
		ResetLatch(MyLatch);
	(void) PermanentWorkerHandleInterrupts();
	return (events & WL_TIMEOUT) != 0;
}

void
TableRestLonger(TableRest *rest, int longest)
{
	rest->seconds = rest->seconds == 0 ? 1 : Min(2 * rest->seconds, longest);
	rest->until = GetCurrentTimestamp() + rest->seconds * USECS_PER_SEC;
}
