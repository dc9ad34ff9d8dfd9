/*
 * statement_token.c
 *	  NextToken: where the next page of a SELECT begins.
 *
 *		version byte | digest | the key that was read last, encoded
 *
 *	  in base64.  The digest is of the statement, its parameters and the key, so
 *	  that a token goes with no other statement and a damaged one with none.
 *	  It hides nothing and keeps nobody from making a token: a token gives no
 *	  right that the statement does not give.
 */
#include "postgres.h"

#include "errors.h"
#include "item/base64.h"
#include "request/statement.h"
#include "request/wording.h"

#define TOKEN_VERSION	1
#define TOKEN_HEADER	(1 + DIGEST_LENGTH)

static const char *
TokenDigest(const PreparedStatement *s, ValueRef key)
{
	Digest		digest;

	DigestBegin(&digest);
	DigestStatement(&digest, s);
	DigestValue(&digest, key);
	return VARDATA(DigestEnd(&digest));
}

char *
NextTokenMake(const PreparedStatement *s, const struct varlena *key)
{
	ValueRef	v = ItemRoot(key);
	StringInfoData bytes;
	StringInfoData token;

	initStringInfo(&bytes);
	initStringInfo(&token);
	appendStringInfoChar(&bytes, TOKEN_VERSION);
	appendBinaryStringInfo(&bytes, TokenDigest(s, v), DIGEST_LENGTH);
	appendBinaryStringInfo(&bytes, (const char *) v.data, v.len);
	Base64Append(&token, bytes.data, bytes.len);
	return token.data;
}

struct varlena *
NextTokenRead(const PreparedStatement *s, Slice token)
{
	char	   *bytes = palloc(BASE64_DECODED_MAX(token.len) + 1);
	uint32		len;
	ValueRef	key;

	if (Base64Decode(token.data, token.len, bytes, &len) != BASE64_OK ||
		len <= TOKEN_HEADER || bytes[0] != TOKEN_VERSION)
		InvalidRequest(WORDING_INVALID_TOKEN);
	key = (ValueRef) {(const uint8 *) bytes + TOKEN_HEADER, len - TOKEN_HEADER};
	if (memcmp(bytes + 1, TokenDigest(s, key), DIGEST_LENGTH) != 0 ||
		ValueFormatProblem(key, 0) != NULL || ValueTypeOf(key) != VALUE_M)
		InvalidRequest(WORDING_INVALID_TOKEN);
	return ValueCopy(key);
}
