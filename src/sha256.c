/*
 * sha256.c
 *	  SHA-256, with a key and without.
 */
#include "postgres.h"

#include "common/cryptohash.h"
#include "common/hmac.h"

#include "sha256.h"

void
Sha256Digest(uint8 *digest, const void *bytes, size_t len)
{
	pg_cryptohash_ctx *context = pg_cryptohash_create(PG_SHA256);

	if (context == NULL || pg_cryptohash_init(context) < 0 ||
		pg_cryptohash_update(context, bytes, len) < 0 ||
		pg_cryptohash_final(context, digest, PG_SHA256_DIGEST_LENGTH) < 0)
		elog(ERROR, "could not compute a digest: %s", pg_cryptohash_error(context));
	pg_cryptohash_free(context);
}

void
Sha256KeyedDigest(uint8 *digest, const void *key, size_t key_len, const void *bytes, size_t len)
{
	pg_hmac_ctx *context = pg_hmac_create(PG_SHA256);

	if (context == NULL || pg_hmac_init(context, key, key_len) < 0 ||
		pg_hmac_update(context, bytes, len) < 0 ||
		pg_hmac_final(context, digest, PG_SHA256_DIGEST_LENGTH) < 0)
		elog(ERROR, "could not compute a keyed digest: %s", pg_hmac_error(context));
	pg_hmac_free(context);
}
