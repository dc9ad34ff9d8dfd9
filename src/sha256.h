/*
 * sha256.h
 *	  SHA-256, with a key and without.
 */
#ifndef DYNAMO_SHA256_H
#define DYNAMO_SHA256_H

#include "common/sha2.h"

#include "exported.h"

/* The digests have PG_SHA256_DIGEST_LENGTH bytes; digest and key may be the same. */
extern DYNAMO_EXPORT void Sha256Digest(uint8 *digest, const void *bytes, size_t len);
extern DYNAMO_EXPORT void Sha256KeyedDigest(uint8 *digest, const void *key, size_t key_len, const void *bytes, size_t len);

#endif							/* DYNAMO_SHA256_H */
