/*
 * background_worker.c
 *	  What the extension's background workers have in common.
 */
#include "postgres.h"

#include <signal.h>

#include "access/xact.h"
#include "commands/extension.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/interrupt.h"
#include "tcop/tcopprot.h"
#include "utils/guc.h"

#include "background_worker.h"

BackgroundWorker
WorkerDescribe(const char *library, const char *function, const char *type)
{
	BackgroundWorker worker = {0};

	worker.bgw_flags = BGWORKER_SHMEM_ACCESS | BGWORKER_BACKEND_DATABASE_CONNECTION;
	worker.bgw_start_time = BgWorkerStart_RecoveryFinished;
	worker.bgw_restart_time = BGW_NEVER_RESTART;
	snprintf(worker.bgw_library_name, BGW_MAXLEN, "%s", library);
	snprintf(worker.bgw_function_name, BGW_MAXLEN, "%s", function);
	snprintf(worker.bgw_name, BGW_MAXLEN, "%s", type);
	snprintf(worker.bgw_type, BGW_MAXLEN, "%s", type);
	return worker;
}

/* The worker must be connected to its database. */
static void
ApplyWorkerSettings(const char *application_name)
{
	const char *settings[][2] = {
		{"default_transaction_isolation", "read committed"},
		{"default_transaction_read_only", "off"},
		{"lock_timeout", "0"},
		{"statement_timeout", "0"},
		{"idle_in_transaction_session_timeout", "0"},
		{"transaction_timeout", "0"},	/* only from PostgreSQL 17 on */
		{"application_name", application_name},
	};

	for (size_t i = 0; i < lengthof(settings); i++)
	{
		if (GetConfigOption(settings[i][0], true, false) != NULL)
			SetConfigOption(settings[i][0], settings[i][1], PGC_USERSET, PGC_S_SESSION);
	}
}

void
WorkerConnect(Oid database, const char *application_name)
{
	pqsignal(SIGTERM, die);
	pqsignal(SIGHUP, SignalHandlerForConfigReload);
	BackgroundWorkerUnblockSignals();
	BackgroundWorkerInitializeConnectionByOid(database, InvalidOid, 0);
	ApplyWorkerSettings(application_name);
	pgstat_report_activity(STATE_RUNNING, MyBgworkerEntry->bgw_name);
}

void
WorkerAwaitLauncher(VirtualTransactionId launcher)
{
	StartTransactionCommand();
	if (VirtualTransactionIdIsValid(launcher))
		(void) VirtualXactLock(launcher, true);
	CommitTransactionCommand();
}

bool
WorkerHasExtension(void)
{
	return OidIsValid(get_extension_oid("dynamo", true));
}
