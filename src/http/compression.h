/*
 * compression.h
 *	  Content codings of requests and answers: gzip and deflate, by zlib.
 *
 * Nothing of a server is used but its memory.  What comes from a client may
 * be anything: no more is read than is there, no more is made than the limit.
 */
#ifndef DYNAMO_HTTP_COMPRESSION_H
#define DYNAMO_HTTP_COMPRESSION_H

#include "item/item.h"

typedef enum HttpCoding
{
	CODING_IDENTITY,			/* none */
	CODING_GZIP,
	CODING_DEFLATE,				/* zlib's format */
	CODING_UNKNOWN
} HttpCoding;

typedef enum InflateResult
{
	INFLATE_OK,
	INFLATE_BAD,				/* damaged, cut off, or followed by something else */
	INFLATE_TOO_LONG
} InflateResult;

/* The coding that the header Content-Encoding of a request names. */
extern HttpCoding CodingOfRequest(Slice content_encoding);

/* The coding of an answer that the header Accept-Encoding likes best. */
extern HttpCoding CodingForAnswer(Slice accept_encoding);

/* The coding's name in Content-Encoding; empty for none. */
extern Slice CodingName(HttpCoding coding);

/*
 * Decodes what is gzip or deflate, of which several pieces may follow each
 * other, to no more than limit bytes; they are palloc'd.
 */
extern InflateResult Inflate(HttpCoding coding, Slice data, uint32 limit, Slice *decoded);

/* Encodes; palloc'd. */
extern Slice Deflate(HttpCoding coding, Slice data);

#endif							/* DYNAMO_HTTP_COMPRESSION_H */
