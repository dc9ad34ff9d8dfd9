/*
 * shard_iterator.h
 *	  Shard iterators: where a reader of a stream stands, as text.
 *
 * "<ARN of the stream>|1|<base64>", where the base64 text holds the position,
 * the time it was issued and a message authentication code over all of it.  If
 * the stream has several shards, "|" and the id of the shard follow the ARN.
 * The code keeps clients from relying on what is inside; privileges are
 * checked at every use, so that an iterator gives none.  Its key is the
 * server's system identifier.
 */
#ifndef DYNAMO_SHARD_ITERATOR_H
#define DYNAMO_SHARD_ITERATOR_H

#include "item/item.h"

/* Creates an iterator with the current time; palloc'd.  shard_id is NULL for the only shard. */
extern char *ShardIteratorPrint(const char *arn, const char *shard_id, int64 position);

/*
 * Reads an iterator; *shard_id may be NULL.  Raises ERRCODE_DYNAMO_VALIDATION for an invalid one and
 * ERRCODE_DYNAMO_EXPIRED_ITERATOR 15 minutes after it was created.
 */
extern void ShardIteratorParse(Slice text, char **arn, char **shard_id, int64 *position);

#endif							/* DYNAMO_SHARD_ITERATOR_H */
