/*
 * stream_shards.h
 *	  Reading the shards of a stream, wherever they are.
 *
 * The stream of a table of one server has one shard, its table.  That of a distributed table
 * has one for each shard of the table.  The id of such a shard contains its range of hashes:
 * a shard that was split does not exist any more, and has other shards in its place.
 *
 * A shard on another node is read through store/elsewhere.h.
 */
#ifndef DYNAMO_STREAM_SHARDS_H
#define DYNAMO_STREAM_SHARDS_H

#include "exported.h"
#include "stream/stream.h"

/* An open stream and its shards. */
typedef struct StreamShards
{
	Relation	rel;			/* the stream's table */
	const StreamDef *def;
	const struct ShardMap *map; /* NULL if the records are in the table */
} StreamShards;

/*
 * Finds the shards of an open stream.  Raises an error if their records cannot be read on this
 * server.
 */
extern DYNAMO_EXPORT void StreamShardsOf(Relation rel, const StreamDef *def, StreamShards *shards);

extern DYNAMO_EXPORT int	StreamShardCount(const StreamShards *shards);

/* The public id of a shard; palloc'd.  Ids are in the order of shards. */
extern DYNAMO_EXPORT char *StreamShardId(const StreamShards *shards, int shard);

/* Raises ERRCODE_DYNAMO_RESOURCE_NOT_FOUND if there is no such shard. */
extern DYNAMO_EXPORT int	StreamShardOfId(const StreamShards *shards, const char *id);

/* ---- reading ---- */

/* Takes a record, which is valid until it returns. */
typedef void (*StreamTake) (void *arg, const StreamRecord *record);

typedef struct StreamRead
{
	int64		position;		/* where to begin; then, where to continue */
	int64		max_records;
	int64		max_bytes;		/* of all records but the first; 0: any */
	bool		more;			/* the limits have ended it */
	bool		ended;			/* the stream is closed, and has no records after the position */
	StreamTake	take;
	void	   *arg;			/* of take */
} StreamRead;

/* Reads records, as StreamScanNext does. */
extern DYNAMO_EXPORT void StreamReadShard(const StreamShards *shards, int shard, StreamRead *read);

/* The first number of a shard that can be read, and the last one of all rows. */
extern DYNAMO_EXPORT void StreamRangeOfShard(const StreamShards *shards, int shard, int64 *first, int64 *last);

/* 32 hexadecimal digits, unique for each record of each stream. */
extern DYNAMO_EXPORT char *StreamEventId(const StreamShards *shards, const StreamRecord *record);

/* As StreamLatest. */
extern DYNAMO_EXPORT int64 StreamLatestOfShard(const StreamShards *shards, int shard);

/* Trims a shard, for the owner. */
extern int64 StreamTrimShard(const StreamShards *shards, int shard, TimestampTz cutoff, int64 max_records);

/* ---- a shard on this server; for stream_shards.c, and for who serves other nodes ---- */

typedef struct LocalShard
{
	Relation	rel;
	Snapshot	snapshot;
} LocalShard;

/* Opens and locks a shard; returns false if it is not here, or is not to be accessed directly. */
extern DYNAMO_EXPORT bool LocalShardOpen(const StreamShards *shards, int shard, LocalShard *local);
extern DYNAMO_EXPORT void LocalShardClose(const StreamShards *shards, LocalShard *local);

/* Locks a shard to delete records of it; returns InvalidOid in the same cases. */
extern DYNAMO_EXPORT Oid	LocalShardLockToTrim(const StreamShards *shards, int shard);

/* As StreamReadShard; def says whether the stream is closed. */
extern DYNAMO_EXPORT void LocalShardRead(const LocalShard *local, const StreamDef *def, StreamRead *read);

#endif							/* DYNAMO_STREAM_SHARDS_H */
