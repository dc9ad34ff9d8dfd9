/*
 * digest.c
 *	  Digests of the contents of requests, to recognize repeated ones.
 */
#include "postgres.h"

#include "common/hashfn.h"

#include "request/digest.h"

void
DigestBegin(Digest *digest)
{
	digest->hash = 0;
	INIT_CRC32C(digest->crc);
}

/*
 * The hash includes the length, so that two byte strings cannot be confused
 * with their concatenation.
 */
void
DigestBytes(Digest *digest, const void *bytes, uint32 len)
{
	digest->hash = hash_bytes_extended(bytes, (int) len, digest->hash);
	COMP_CRC32C(digest->crc, bytes, len);
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

	memcpy(VARDATA(result), &digest->hash, sizeof(uint64));
	memcpy(VARDATA(result) + sizeof(uint64), &digest->crc, sizeof(pg_crc32c));
	SET_VARSIZE(result, VARHDRSZ + DIGEST_LENGTH);
	return result;
}
