/*
 * session.c
 *	  Calls functions of Citus.
 */
#include "postgres.h"

#include "fmgr.h"
#include "storage/lockdefs.h"

#include "citus/session.h"
#include "table/distribution.h"

/* Citus's enum LocalExecutionStatus. */
enum
{
	LOCAL_EXECUTION_REQUIRED = 0,
	LOCAL_EXECUTION_DISABLED = 2
};

typedef struct CitusFunctions
{
	bool		looked_up;
	bool		found;			/* all of them */
	int			(*status) (void);
	void		(*set_status) (int status);
	void		(*coordinate) (void);
	void		(*prepare) (void);
	void		(*lock) (int64 shard, LOCKMODE mode);
} CitusFunctions;

static CitusFunctions citus;

static void *
FindFunction(const char *name)
{
	return load_external_function("$libdir/citus", name, false, NULL);
}

static bool
FindFunctions(void)
{
	if (!citus.looked_up)
	{
		citus.status = FindFunction("GetCurrentLocalExecutionStatus");
		citus.set_status = FindFunction("SetLocalExecutionStatus");
		citus.coordinate = FindFunction("UseCoordinatedTransaction");
		citus.prepare = FindFunction("Use2PCForCoordinatedTransaction");
		citus.lock = FindFunction("LockShardDistributionMetadata");
		citus.found = citus.status != NULL && citus.set_status != NULL &&
			citus.coordinate != NULL && citus.prepare != NULL &&
			citus.lock != NULL;
		citus.looked_up = true;
	}
	return citus.found;
}

bool
CitusSessionIsLocal(void)
{
	return FindFunctions() && citus.status() != LOCAL_EXECUTION_DISABLED;
}

bool
CitusSessionLockPlace(int64 shard)
{
	if (!FindFunctions())
		return false;
	citus.lock(shard, ShareLock);
	return true;
}

void
CitusSessionCommitsTogether(Oid relid)
{
	if (!FindFunctions())
		DistributedError(relid, "a transaction with this build of Citus");
	citus.coordinate();
	citus.prepare();
}

void
CitusSessionWrites(void)
{
	citus.coordinate();
	citus.prepare();
	citus.set_status(LOCAL_EXECUTION_REQUIRED);
}
