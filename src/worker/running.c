/*
 * running.c
 *	  Whether a worker runs that serves this database.
 */
#include "postgres.h"

#include "access/xlog.h"
#include "commands/dbcommands.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/bgworker.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "worker/workers.h"

/* Whether a process is the housekeeping worker of this database. */
static bool
IsHousekeeping(const PgBackendStatus *status)
{
	const char *type;

	if (status->st_backendType != B_BG_WORKER || status->st_databaseid != MyDatabaseId)
		return false;
	type = GetBackgroundWorkerTypeByPid(status->st_procpid);
	return type != NULL && strcmp(type, HOUSEKEEPING_TYPE) == 0;
}

static bool
HousekeepingRuns(void)
{
	int			n = pgstat_fetch_stat_numbackends();

	for (int i = 1; i <= n; i++)
	{
		const LocalPgBackendStatus *local = LocalBackendStatus(i);

		if (local != NULL && IsHousekeeping(&local->backendStatus))
			return true;
	}
	return false;
}

/* Why no worker deletes expired items; NULL if one does, or if that is the primary's task. */
static const char *
HousekeepingProblem(void)
{
	if (RecoveryInProgress())
		return NULL;
	if (!WorkersArePreloaded())
		return "dynamo is not in shared_preload_libraries";
	if (strcmp(worker_database, get_database_name(MyDatabaseId)) != 0)
		return psprintf("the worker serves the database of dynamo.database, \"%s\"", worker_database);
	if (housekeeping_interval == 0)
		return "dynamo.housekeeping_interval is 0";
	return HousekeepingRuns() ? NULL : "the worker does not run";
}

/* housekeeping_problem() returns text */
DYNAMO_FUNCTION(dynamo_housekeeping_problem);

Datum
dynamo_housekeeping_problem(PG_FUNCTION_ARGS)
{
	const char *problem = HousekeepingProblem();

	if (problem == NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(problem));
}
