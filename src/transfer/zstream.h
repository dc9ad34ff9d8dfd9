/*
 * zstream.h
 *	  zlib streams in memory contexts.
 */
#ifndef DYNAMO_ZSTREAM_H
#define DYNAMO_ZSTREAM_H

#include <zlib.h>

#include "exported.h"

/* The window of zlib's functions: 15 bits, and a gzip header. */
#define GZIP_WINDOW		(MAX_WBITS + 16)

/*
 * Returns a stream that allocates in the current memory context, where an error
 * leaves it.  palloc'd.
 */
extern DYNAMO_EXPORT z_stream *ZStreamCreate(void);

#endif							/* DYNAMO_ZSTREAM_H */
