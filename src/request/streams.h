/*
 * streams.h
 *	  What the operations on streams have in common.
 */
#ifndef DYNAMO_STREAMS_H
#define DYNAMO_STREAMS_H

#include "request/shape.h"
#include "stream/stream_shards.h"

extern const Shape model_shard_id;

/*
 * Opens the stream of an ARN, with its shards.  The user must have the privilege to read it.
 * Raises ERRCODE_DYNAMO_VALIDATION if the text is not the ARN of a stream, and
 * ERRCODE_DYNAMO_RESOURCE_NOT_FOUND.
 */
extern void OpenStreamOfArn(const char *arn, StreamDef *def, StreamShards *shards);

#endif							/* DYNAMO_STREAMS_H */
