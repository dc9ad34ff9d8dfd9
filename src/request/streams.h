/*
 * streams.h
 *	  What the operations on streams have in common.
 */
#ifndef DYNAMO_STREAMS_H
#define DYNAMO_STREAMS_H

#include "stream/stream.h"

/*
 * Opens the stream of an ARN.  The user must have the privilege to read it.
 * Raises ERRCODE_DYNAMO_VALIDATION if the text is not the ARN of a stream, and
 * ERRCODE_DYNAMO_RESOURCE_NOT_FOUND.
 */
extern Relation OpenStreamOfArn(const char *arn, StreamDef *def);

/* The only shard of a stream. */
extern char *ShardIdOf(const StreamDef *def);

#endif							/* DYNAMO_STREAMS_H */
