/*
 * shards.h
 *	  The shards of a table that Citus distributes by its partition key.
 *
 * A shard on this server is a table that can be read and written directly, if
 * two conditions hold.  Citus must not move the shard meanwhile: the metadata of
 * the shard is locked as Citus locks it, until the end of the transaction, and
 * its place is checked after that.  And Citus must know (session.h), because it
 * may have the same rows open through a connection of its own.
 */
#ifndef DYNAMO_CITUS_SHARDS_H
#define DYNAMO_CITUS_SHARDS_H

#include "table/table.h"

/*
 * Whether the partition key decides on the shard of a row, each shard being in
 * one place.  Reads the shards of a distributed table at its first call.
 */
extern bool KeyDeterminesShard(TableDef *def);

/* The node with the shard of a partition key. */
typedef enum ShardPlace
{
	SHARD_HERE,
	SHARD_ELSEWHERE,
	SHARD_UNKNOWN				/* only Citus knows */
} ShardPlace;

/*
 * The place of the shard with the value of a partition key, as it was when the
 * definition was read.  group is that of a shard elsewhere, in pg_dist_node.
 */
extern ShardPlace FindShard(TableDef *def, Datum value, int *group);

/*
 * Locks the shard with the value of a partition key in its place until the end of
 * the transaction, for a write, and returns the shard if it is on this server and
 * can be accessed directly; otherwise InvalidOid: Citus must be asked.  A write
 * waits for a move of the shard; a read does not, and locks only what it returns.
 * *placed is the transaction that put the shard there: a snapshot that does not see
 * it need not see the rows that came with the shard.
 */
extern Oid	LockShard(TableDef *def, Datum value, bool writing, bool direct, TransactionId *placed);

#endif							/* DYNAMO_CITUS_SHARDS_H */
