/*
 * shards.h
 *	  The shards of a table that Citus distributes by its partition key.
 *
 * A shard on this server is a table.  It can be read and written directly under two
 * conditions.  First, Citus must not move the shard before the transaction ends: its
 * metadata is locked with Citus's lock, and its place is checked after that.  Second,
 * Citus must be told (session.h), because it may have read or written the same rows
 * through another connection.
 */
#ifndef DYNAMO_CITUS_SHARDS_H
#define DYNAMO_CITUS_SHARDS_H

#include "table/placement.h"

/*
 * Whether the partition key determines the shard of a row, and each shard is in
 * one place.  The first call reads the shards of the table.
 */
extern bool KeyDeterminesShard(TableDef *def);

/*
 * The number of shards if each of them can be read by itself, in the order of their
 * hashes; otherwise 0.  A position in this order is kept until the table is split
 * or distributed again.
 */
extern int	ShardsInOrder(TableDef *def);

/* Returns the position of the shard with a value of the partition key. */
extern int	ShardOfKey(TableDef *def, Datum value);

/* Returns some value of the partition key whose items are in a shard. */
extern Datum KeyInShard(TableDef *def, int shard);

/* Sets *first and *end to the shards of a segment of a parallel scan: first <= shard < end. */
extern void ShardsOfSegment(TableDef *def, uint32 segment, uint32 total_segments, int *first, int *end);

/* Raises an error if a shard has been split since the definition was read. */
extern void CheckShardIsWhole(const TableDef *def, int shard);

/*
 * Returns the shard with a value of the partition key if it is on this server and can
 * be accessed directly; otherwise InvalidOid, and Citus must access it.
 * *placed is the transaction that moved the shard here: a snapshot that does not see
 * this transaction may not see the rows that came with the shard.
 */
extern Oid	LockShard(TableDef *def, Datum value, PlaceLock lock, bool direct, TransactionId *placed);

/*
 * Locks a shard in its place until the end of the transaction, for a write on another node
 * or here, and waits while it is moved.  Returns the shards as they are then.
 */
extern const ShardMap *LockShardToWrite(TableDef *def, int position);

/*
 * Locks an open shard in its place for a write.  Returns false if it is not to be accessed:
 * it has been moved away, or this build of Citus has no such lock.
 */
extern bool LockOwnShard(Relation shard);

/* ---- shards of any table that is distributed by the hash of a key attribute ---- */

/*
 * The shards of a distributed table, those of another one, read now, and those of an index
 * table; NULL if the attribute does not determine the shard.  The first and the last live as
 * long as the definition.
 */
extern const ShardMap *ShardsOfTable(TableDef *def);
extern const ShardMap *ShardsOfRelation(Oid relid, const AttributeDef *attr);
extern const ShardMap *ShardsOfIndex(const TableDef *def, const IndexDef *index);

/* Shards have positions from 0, in the order of their hashes. */
extern int	CountShards(const ShardMap *map);
extern int	FindShardPosition(const ShardMap *map, Datum value);

/* The position of the shard with a number; -1 if there is none. */
extern int	FindShardNumber(const ShardMap *map, int64 number);

/* The number of a shard, and of the node with it: -1 if only Citus knows it. */
extern int64 GetShardPlace(const ShardMap *map, int position, int *group);

/* Whether a known node has a shard, and that is another one, as it was when the map was read. */
extern bool ShardIsElsewhere(const ShardMap *map, int position);

/* The hashes of a shard. */
extern void GetShardRange(const ShardMap *map, int position, int32 *min, int32 *max);

/* The name of a table's shard with a number, for functions; palloc'd. */
extern char *GetShardName(const TableDef *def, int64 shard);

/* The relation of a shard on this server, or InvalidOid. */
extern Oid	GetShardRelation(const ShardMap *map, int position);

/* As LockShard, for a shard that is to be accessed directly. */
extern Oid	LockShardAt(const ShardMap *map, int position, bool writing, TransactionId *placed);

/*
 * Returns a shard if it is on this server, locked in its place until the end of the
 * transaction, for what can be read in no other way: waits while the shard is moved.
 * Otherwise returns InvalidOid.
 */
extern Oid	LockShardForReader(const ShardMap *map, int position, TransactionId *placed);

/*
 * The shard of a table, on this server, that moves with a shard of another table; InvalidOid
 * if there is none.
 */
extern Oid	FindColocatedShard(int64 shard, Oid table);

#endif							/* DYNAMO_CITUS_SHARDS_H */
