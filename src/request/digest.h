/*
 * digest.h
 *	  SHA-256 of what requests mean.
 */
#ifndef DYNAMO_DIGEST_H
#define DYNAMO_DIGEST_H

#include "common/sha2.h"

#include "item/item.h"

#define DIGEST_LENGTH	PG_SHA256_DIGEST_LENGTH

struct pg_cryptohash_ctx;

typedef struct Digest
{
	struct pg_cryptohash_ctx *hash;
} Digest;

/* What is added from here to DigestEnd is digested in its order. */
extern void DigestBegin(Digest *digest);

/* Adds bytes, or the encoding of a value, which may be missing. */
extern void DigestBytes(Digest *digest, const void *bytes, uint32 len);
extern void DigestValue(Digest *digest, ValueRef value);

/* DIGEST_LENGTH bytes, palloc'd. */
extern bytea *DigestEnd(Digest *digest);

#endif							/* DYNAMO_DIGEST_H */
