/*
 * digest.c
 *	  SHA-256 of what requests mean.
 */
#include "postgres.h"

#include "common/cryptohash.h"

#include "request/digest.h"

static void
DigestFailed(void)
{
	elog(ERROR, "could not compute a digest");
}

void
DigestBegin(Digest *digest)
{
	digest->hash = pg_cryptohash_create(PG_SHA256);
	if (digest->hash == NULL || pg_cryptohash_init(digest->hash) < 0)
		DigestFailed();
}

void
DigestBytes(Digest *digest, const void *bytes, uint32 len)
{
	/* lengths first: two lists of bytes must not run into one another */
	if (pg_cryptohash_update(digest->hash, (const uint8 *) &len, sizeof(len)) < 0 ||
		pg_cryptohash_update(digest->hash, (const uint8 *) bytes, len) < 0)
		DigestFailed();
}

void
DigestValue(Digest *digest, ValueRef value)
{
	if (ValueIsMissing(value))
		DigestBytes(digest, "", 0);
	else
		DigestBytes(digest, value.data, value.len);
}

bytea *
DigestEnd(Digest *digest)
{
	bytea	   *result = palloc(VARHDRSZ + DIGEST_LENGTH);

	if (pg_cryptohash_final(digest->hash, (uint8 *) VARDATA(result), DIGEST_LENGTH) < 0)
		DigestFailed();
	pg_cryptohash_free(digest->hash);
	SET_VARSIZE(result, VARHDRSZ + DIGEST_LENGTH);
	return result;
}
