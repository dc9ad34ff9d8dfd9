/*
 * distributed_ddl.c
 *	  Statements that change distributed tables.
 *
 * Citus executes a statement here, on the tables of the same name on the other nodes, and on
 * all shards, in one transaction, which it commits on all nodes or on none.  On a shard the
 * statement takes the same lock as here, so that writers that access the shard directly are
 * excluded, too.  Each node has its own invalidation of cached definitions.
 *
 * A write that has locked the table on its node, and then goes to another one, waits for a
 * change that is there, which waits for the write.  No order of locks prevents this, because a
 * write begins on any node.  Each node of Citus looks for such deadlocks, and cancels the
 * youngest of those transactions that began there: the change, if it is the only one that began
 * on the coordinator.  The table is therefore locked on all nodes first, in a subtransaction
 * that can be tried again.
 */
#include "postgres.h"

#include "executor/spi.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"

#include "citus/distributed_ddl.h"
#include "citus/distributed_table.h"
#include "citus/session.h"
#include "subtransaction.h"
#include "table/table_name.h"

#define MAX_LOCK_ATTEMPTS	10

/* Citus considers every trigger unsafe, also the one that derives the key columns. */
int
CitusDdlBegin(bool one_connection)
{
	int			level = NewGUCNestLevel();

	(void) set_config_option("citus.enable_unsafe_triggers", "on", PGC_USERSET, PGC_S_SESSION,
							 GUC_ACTION_SAVE, true, 0, false);
	if (one_connection)
		(void) set_config_option("citus.multi_shard_modify_mode", "sequential", PGC_USERSET,
								 PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	return level;
}

void
CitusDdlEnd(int level)
{
	AtEOXact_GUC(true, level);
}

void
CitusDdlHere(Oid table)
{
	if (!ServerIsWorkerOfCitus() && CitusSessionIsLocal())
		CitusSessionWrites();
}

int
CitusDdlBeginOn(Oid table)
{
	CitusDdlHere(table);
	return CitusDdlBegin(true);
}

void
CitusAllowShardWrites(void)
{
	(void) set_config_option("citus.enable_manual_changes_to_shards", "on", PGC_USERSET, PGC_S_SESSION,
							 GUC_ACTION_SAVE, true, 0, false);
}

/* ---- locks on all nodes ---- */

typedef struct NodesLock
{
	Oid			relid;
	LOCKMODE	mode;
} NodesLock;

static const char *
NameOfMode(LOCKMODE mode)
{
	return mode == AccessExclusiveLock ? "ACCESS EXCLUSIVE" : mode == ShareLock ? "SHARE" : "SHARE ROW EXCLUSIVE";
}

static void
RunLockStatement(const NodesLock *lock)
{
	const char *table = TableNameInQuotes(get_namespace_name(get_rel_namespace(lock->relid)), get_rel_name(lock->relid));
	int			code;

	SPI_connect();
	code = SPI_execute(psprintf("LOCK TABLE %s IN %s MODE", table, NameOfMode(lock->mode)), false, 0);
	if (code != SPI_OK_UTILITY)
		elog(ERROR, "SPI_execute failed: %s", SPI_result_code_string(code));
	SPI_finish();
}

/* A step of a subtransaction, in which the end of a deadlock is no cancel of the session. */
static void
LockInStep(void *arg)
{
	PG_TRY();
	{
		RunLockStatement(arg);
	}
	PG_CATCH();
	{
		if (!CitusSessionWasDeadlocked(geterrcode()))
			PG_RE_THROW();
		FlushErrorState();
		ereport(ERROR,
				(errcode(ERRCODE_T_R_DEADLOCK_DETECTED),
				 errmsg("deadlock with writes of table \"%s\" on several nodes of Citus", get_rel_name(((NodesLock *) arg)->relid))));
	}
	PG_END_TRY();
}

void
CitusLockOnAllNodes(Oid relid, LOCKMODE mode)
{
	NodesLock	lock = {relid, mode};
	ErrorData  *failure;

	for (int attempt = 1;; attempt++)
	{
		CitusSessionBeginsChange();
		failure = TryInSubtransaction(LockInStep, &lock);
		if (failure == NULL)
			return;
		if (failure->sqlerrcode != ERRCODE_T_R_DEADLOCK_DETECTED || attempt == MAX_LOCK_ATTEMPTS)
			ReThrowError(failure);
		FreeErrorData(failure);
	}
}
