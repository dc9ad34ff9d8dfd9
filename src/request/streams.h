/*
 * streams.h
 *	  What the operations on streams have in common.
 */
#ifndef DYNAMO_STREAMS_H
#define DYNAMO_STREAMS_H

#include "stream/stream.h"

/*
 * Opens the stream of an ARN, which the user may read.  Raises
 * ERRCODE_DYNAMO_VALIDATION for what is no ARN of a stream and
 * ERRCODE_DYNAMO_RESOURCE_NOT_FOUND.
 */
extern Relation OpenStreamOfArn(const char *arn, StreamDef *def);

/* The one shard of a stream. */
extern char *ShardIdOf(const StreamDef *def);

#endif							/* DYNAMO_STREAMS_H */
