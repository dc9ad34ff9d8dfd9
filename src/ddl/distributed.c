/*
 * distributed.c
 *	  Statements that change tables, which may be distributed.
 */
#include "postgres.h"

#include "ddl/ddl.h"
#include "table/distribution.h"
#include "table/placement.h"

void
DistributedDdlHere(Oid relid)
{
	if (RelationIsDistributed(relid))
		placement->ddl_here(relid);
}

int
DistributedDdlBegin(Oid relid)
{
	return RelationIsDistributed(relid) ? placement->begin_ddl(relid) : 0;
}

void
DistributedDdlEnd(int level)
{
	if (level > 0)
		placement->end_ddl(level);
}

void
LockOnAllNodes(Oid relid, LOCKMODE mode)
{
	placement->lock_on_all_nodes(relid, mode);
}
