/*
 * shard_call.h
 *	  Shards of streams on this server, and calls of dynamo.stream_on_shard for those on others.
 *
 * The function has an action, a number whose meaning depends on the action, and limits.  Its
 * result is a status of store/node_row.h, followed by the results below, in network byte order.
 */
#ifndef DYNAMO_STREAM_SHARD_CALL_H
#define DYNAMO_STREAM_SHARD_CALL_H

#include "stream/stream_shards.h"

typedef enum ShardAction
{
	SHARD_READ,					/* position, more, ended, records; from a position */
	SHARD_RANGE,				/* first and last number */
	SHARD_LATEST,				/* position */
	SHARD_TRIM					/* number of records; before a time */
} ShardAction;

/* ---- on this server: stream_shards.c ---- */

typedef struct LocalShard
{
	Relation	rel;
	Snapshot	snapshot;
} LocalShard;

/* Opens and locks a shard; returns false if it is not here, or Citus must access it. */
extern bool LocalShardOpen(const StreamShards *shards, int shard, LocalShard *local);
extern void LocalShardClose(const StreamShards *shards, LocalShard *local);

/* Locks a shard to delete records of it; returns InvalidOid in the same cases. */
extern Oid	LocalShardLockToTrim(const StreamShards *shards, int shard);

/* As StreamReadShard; def says whether the stream is closed. */
extern void LocalShardRead(const LocalShard *local, const StreamDef *def, StreamRead *read);

/* ---- on other nodes: shard_call.c ---- */

/* As the functions of stream_shards.h. */
extern void RemoteShardRead(const StreamShards *shards, int shard, StreamRead *read);
extern void RemoteShardRange(const StreamShards *shards, int shard, int64 *first, int64 *last);
extern int64 RemoteShardLatest(const StreamShards *shards, int shard);
extern int64 RemoteShardTrim(const StreamShards *shards, int shard, TimestampTz cutoff, int64 max_records);

#endif							/* DYNAMO_STREAM_SHARD_CALL_H */
