/*
 * digest.h
 *	  Digests of the contents of requests, to recognize repeated ones.
 *
 * A digest has 96 bits, so that chance collisions do not occur.  It is not
 * cryptographic: a user who creates two requests with the same digest affects
 * only their own requests.  SHA-256 would take a tenth of a transaction's time.
 */
#ifndef DYNAMO_DIGEST_H
#define DYNAMO_DIGEST_H

#include "port/pg_crc32c.h"

#include "item/item.h"

#define DIGEST_LENGTH	12

typedef struct Digest
{
	uint64		hash;
	pg_crc32c	crc;
} Digest;

/* Starts a digest of everything that is added before DigestEnd, in order. */
extern void DigestBegin(Digest *digest);

/* Add bytes, or the encoding of a value, which may be missing. */
extern void DigestBytes(Digest *digest, const void *bytes, uint32 len);
extern void DigestValue(Digest *digest, ValueRef value);

/* Returns DIGEST_LENGTH bytes, palloc'd. */
extern bytea *DigestEnd(Digest *digest);

#endif							/* DYNAMO_DIGEST_H */
