/*
 * compression.h
 *	  Content codings of requests and answers: gzip and deflate, by zlib.
 *
 * Uses only the memory contexts of a server.  Data of clients may be invalid: reads
 * only the given bytes, and decodes only up to the limit.
 */
#ifndef DYNAMO_HTTP_COMPRESSION_H
#define DYNAMO_HTTP_COMPRESSION_H

#include "item/item.h"

typedef enum HttpCoding
{
	CODING_IDENTITY,			/* none */
	CODING_GZIP,
	CODING_DEFLATE,				/* the zlib format */
	CODING_UNKNOWN
} HttpCoding;

typedef enum InflateResult
{
	INFLATE_OK,
	INFLATE_BAD,				/* damaged, cut off, or followed by something else */
	INFLATE_TOO_LONG
} InflateResult;

/* Finds the coding in the header Content-Encoding of a request. */
extern HttpCoding CodingOfRequest(Slice content_encoding);

/* Returns the coding that the header Accept-Encoding prefers. */
extern HttpCoding CodingForAnswer(Slice accept_encoding);

/* Returns the coding's name for Content-Encoding; empty for none. */
extern Slice CodingName(HttpCoding coding);

/*
 * Decodes gzip or deflate data, which may consist of several pieces, to at
 * most limit bytes, palloc'd.
 */
extern InflateResult Inflate(HttpCoding coding, Slice data, uint32 limit, Slice *decoded);

/* Encodes data; palloc'd. */
extern Slice Deflate(HttpCoding coding, Slice data);

#endif							/* DYNAMO_HTTP_COMPRESSION_H */
