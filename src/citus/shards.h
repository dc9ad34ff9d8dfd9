/*
 * shards.h
 *	  The shards of a table that Citus distributes by its partition key.
 *
 * A shard on this server is a table that can be read and written directly, if
 * two conditions hold.  First, Citus must not move the shard meanwhile: its
 * metadata is locked with Citus's lock until the end of the transaction, and its
 * place is checked after that.  Second, Citus must be told (session.h), because it
 * may have read or written the same rows through another connection.
 */
#ifndef DYNAMO_CITUS_SHARDS_H
#define DYNAMO_CITUS_SHARDS_H

#include "table/table.h"

/*
 * Whether the partition key determines the shard of a row, and each shard is in
 * one place.  The first call reads the shards of the table.
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
 * Returns the place of the shard with the value of a partition key, as it was when
 * the definition was read.  If it is elsewhere, *id is the number of the shard and
 * *group that of the node, in pg_dist_node.
 */
extern ShardPlace FindShard(TableDef *def, Datum value, int64 *id, int *group);

/*
 * The number of shards if each of them can be read by itself, in the order of their
 * hashes; otherwise 0.  A position in this order is kept until the table is split
 * or distributed again.
 */
extern int	ShardsInOrder(TableDef *def);

/* The position of the shard with a value of the partition key; and some value in a shard. */
extern int	ShardOfKey(TableDef *def, Datum value);
extern Datum KeyInShard(TableDef *def, int shard);

/* The shards of a segment of a parallel scan: from *first to before *end. */
extern void ShardsOfSegment(TableDef *def, uint32 segment, uint32 total_segments, int *first, int *end);

/* Raises an error if a shard has been split since the definition was read. */
extern void CheckShardIsWhole(const TableDef *def, int shard);

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
