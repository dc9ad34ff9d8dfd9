/*
 * distributed_ddl.h
 *	  Statements that change distributed tables: for table/placement.h, and distribute.c.
 */
#ifndef DYNAMO_CITUS_DISTRIBUTED_DDL_H
#define DYNAMO_CITUS_DISTRIBUTED_DDL_H

#include "storage/lockdefs.h"

/*
 * Begins and ends statements that change tables of Citus with triggers.  one_connection: all
 * commands for a node go over the same connection, so that they see each other's changes.
 */
extern int	CitusDdlBegin(bool one_connection);
extern void CitusDdlEnd(int level);

/*
 * Has Citus change the shards of this node in this session.  Citus otherwise uses another
 * session, which waits for this one if the statement changes relations that belong together.
 * Nothing in the transaction can then use a connection to this node.
 */
extern void CitusDdlHere(Oid table);

/* Both. */
extern int	CitusDdlBeginOn(Oid table);

/* Lets statements change rows of shards until the end of the level of settings. */
extern void CitusAllowShardWrites(void);

/* As PlacementMethods has it. */
extern void CitusLockOnAllNodes(Oid relid, LOCKMODE mode);

#endif							/* DYNAMO_CITUS_DISTRIBUTED_DDL_H */
