/*
 * session.c
 *	  Calls functions of Citus.
 */
#include "postgres.h"

#include "access/xact.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/latch.h"
#include "storage/lockdefs.h"
#include "utils/timestamp.h"

#include "citus/session.h"
#include "table/distribution.h"

/* How long a change of a table waits for transactions that began before it. */
#define OTHERS_END_MS	200

/* Citus's enum LocalExecutionStatus. */
enum
{
	LOCAL_EXECUTION_REQUIRED = 0,
	LOCAL_EXECUTION_DISABLED = 2
};

typedef struct CitusFunctions
{
	bool		looked_up;
	bool		found;			/* all functions and variables were found */
	bool	   *enabled;		/* citus.enable_local_execution */
	int			(*status) (void);
	void		(*set_status) (int status);
	void		(*coordinate) (void);
	void		(*prepare) (void);
	void		(*lock) (int64 shard, LOCKMODE mode);
} CitusFunctions;

static CitusFunctions citus;

/* Finds a function or a variable of Citus. */
static void *
FindSessionSymbol(const char *name)
{
	return load_external_function("$libdir/citus", name, false, NULL);
}

static bool
FindSessionFunctions(void)
{
	if (!citus.looked_up)
	{
		citus.enabled = FindSessionSymbol("EnableLocalExecution");
		citus.status = FindSessionSymbol("GetCurrentLocalExecutionStatus");
		citus.set_status = FindSessionSymbol("SetLocalExecutionStatus");
		citus.coordinate = FindSessionSymbol("UseCoordinatedTransaction");
		citus.prepare = FindSessionSymbol("Use2PCForCoordinatedTransaction");
		citus.lock = FindSessionSymbol("LockShardDistributionMetadata");
		citus.found = citus.enabled != NULL && citus.status != NULL && citus.set_status != NULL &&
			citus.coordinate != NULL && citus.prepare != NULL &&
			citus.lock != NULL;
		citus.looked_up = true;
	}
	return citus.found;
}

bool
CitusSessionIsLocal(void)
{
	return !IsInParallelMode() && FindSessionFunctions() && *citus.enabled &&
		citus.status() != LOCAL_EXECUTION_DISABLED;
}

bool
CitusSessionStaysLocal(void)
{
	return FindSessionFunctions() && citus.status() == LOCAL_EXECUTION_REQUIRED;
}

bool
CitusSessionLockPlace(int64 shard)
{
	if (!FindSessionFunctions())
		return false;
	citus.lock(shard, ShareLock);
	return true;
}

void
CitusSessionCommitsTogether(Oid relid)
{
	if (!FindSessionFunctions())
		DistributedError(relid, "a transaction with this build of Citus");
	citus.coordinate();
	citus.prepare();
}

void
CitusSessionBeginsChange(void)
{
	TimestampTz end = TimestampTzPlusMilliseconds(GetCurrentTimestamp(), OTHERS_END_MS);

	if (!CitusSessionIsLocal())
		return;
	citus.coordinate();
	for (long rest = OTHERS_END_MS; rest > 0; rest = TimestampDifferenceMilliseconds(GetCurrentTimestamp(), end))
	{
		if (WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, rest, PG_WAIT_EXTENSION) & WL_LATCH_SET)
			ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
	}
}

bool
CitusSessionWasDeadlocked(int sqlerrcode)
{
	bool		(*canceled) (bool clear) = FindSessionSymbol("MyBackendGotCancelledDueToDeadlock");

	return sqlerrcode == ERRCODE_T_R_DEADLOCK_DETECTED ||
		(sqlerrcode == ERRCODE_QUERY_CANCELED && canceled != NULL && canceled(true));
}

void
CitusSessionWrites(void)
{
	citus.coordinate();
	citus.prepare();
	citus.set_status(LOCAL_EXECUTION_REQUIRED);
}

void
CitusSessionTellWorkers(const char *statement)
{
	void		(*send) (const char *) = FindSessionSymbol("SendCommandToWorkersWithMetadata");

	if (send == NULL || ServerIsWorker())
		return;
	/* a worker would refuse to pass it on to other nodes */
	send("SET LOCAL citus.enable_ddl_propagation TO off");
	send(statement);
	send("SET LOCAL citus.enable_ddl_propagation TO on");
}
