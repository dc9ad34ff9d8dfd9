/*
 * distributed.c
 *	  Statements that change distributed tables.
 *
 * Citus executes a statement here, on the tables of the same name on the other nodes, and on
 * all shards, in one transaction, which it commits on all nodes or on none.  On a shard the
 * statement takes the same lock as here, so that writers that access the shard directly are
 * excluded, too.  Each node has its own invalidation of cached definitions.
 */
#include "postgres.h"

#include "utils/guc.h"

#include "citus/session.h"
#include "ddl/ddl.h"
#include "table/distribution.h"

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
DistributedDdlHere(Oid relid)
{
	if (!ServerIsWorker() && RelationIsDistributed(relid) && CitusSessionIsLocal())
		CitusSessionWrites();
}

int
DistributedDdlBegin(Oid relid)
{
	if (!RelationIsDistributed(relid))
		return 0;
	DistributedDdlHere(relid);
	return CitusDdlBegin(true);
}

void
DistributedDdlEnd(int level)
{
	if (level > 0)
		CitusDdlEnd(level);
}
