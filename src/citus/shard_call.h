/*
 * shard_call.h
 *	  Calls of dynamo_system.stream_on_shard for shards of streams on other nodes.
 *
 * The function has an action, a number whose meaning depends on the action, and limits.  Its
 * result is a status of citus/node_row.h, followed by the results below, in network byte order.
 */
#ifndef DYNAMO_CITUS_SHARD_CALL_H
#define DYNAMO_CITUS_SHARD_CALL_H

#include "stream/stream_shards.h"

typedef enum ShardAction
{
	SHARD_READ,					/* position, more, ended, records; from a position */
	SHARD_RANGE,				/* first and last number */
	SHARD_LATEST,				/* position */
	SHARD_TRIM					/* number of records; before a time */
} ShardAction;

/* As the functions of stream_shards.h. */
extern void RemoteShardRead(const StreamShards *shards, int shard, StreamRead *read);
extern void RemoteShardRange(const StreamShards *shards, int shard, int64 *first, int64 *last);
extern int64 RemoteShardLatest(const StreamShards *shards, int shard);
extern int64 RemoteShardTrim(const StreamShards *shards, int shard, TimestampTz cutoff, int64 max_records);

#endif							/* DYNAMO_CITUS_SHARD_CALL_H */
