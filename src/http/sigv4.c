/*
 * sigv4.c
 *	  Derives signing keys and verifies signatures.
 */
#include "postgres.h"

#include "utils/builtins.h"

#include "errors.h"
#include "http/sigv4.h"
#include "sha256.h"

StaticAssertDecl(SIGV4_KEY_LEN == PG_SHA256_DIGEST_LENGTH, "keys are digests");

#define HEX_LEN	(2 * PG_SHA256_DIGEST_LENGTH)

static void
ComputeHmac(uint8 *result, const uint8 *key, size_t key_len, Slice text)
{
	Sha256KeyedDigest(result, key, key_len, text.data, text.len);
}

/* The digest as hexadecimal digits; hex has HEX_LEN + 1 bytes. */
static void
DigestHex(char *hex, Slice text)
{
	uint8		digest[PG_SHA256_DIGEST_LENGTH];

	Sha256Digest(digest, text.data, text.len);
	hex[hex_encode((const char *) digest, sizeof(digest), hex)] = '\0';
}

void
SignatureDeriveKey(uint8 *key, const char *secret, Slice date, Slice region)
{
	char	   *start = psprintf("AWS4%s", secret);

	ComputeHmac(key, (const uint8 *) start, strlen(start), date);
	ComputeHmac(key, key, SIGV4_KEY_LEN, region);
	ComputeHmac(key, key, SIGV4_KEY_LEN, SliceOf("dynamodb"));
	ComputeHmac(key, key, SIGV4_KEY_LEN, SliceOf("aws4_request"));
	explicit_bzero(start, strlen(start));
	pfree(start);
}

/* Compares in constant time, wherever the texts differ. */
static bool
IsSameSecret(const char *a, Slice b)
{
	unsigned char different = 0;

	if (b.len != HEX_LEN)
		return false;
	for (int i = 0; i < HEX_LEN; i++)
		different |= (unsigned char) (a[i] ^ b.data[i]);
	return different == 0;
}

/* The scope is the credential without the key's id. */
static void
StringToSign(StringInfo out, const Signature *signature, const StringInfoData *canonical)
{
	uint32		scope = signature->key_id.len + 1;
	char		hex[HEX_LEN + 1];

	DigestHex(hex, (Slice) {canonical->data, (uint32) canonical->len});
	appendStringInfoString(out, "AWS4-HMAC-SHA256\n");
	appendBinaryStringInfo(out, signature->time.data, (int) signature->time.len);
	appendStringInfoChar(out, '\n');
	appendBinaryStringInfo(out, signature->credential.data + scope,
						   (int) (signature->credential.len - scope));
	appendStringInfoChar(out, '\n');
	appendStringInfoString(out, hex);
}

/* Replaces bytes that are not printable, because header fields may contain any bytes. */
static void
MakePrintable(StringInfo text)
{
	for (int i = 0; i < text->len; i++)
	{
		if ((text->data[i] < ' ' && text->data[i] != '\n') || text->data[i] > '~')
			text->data[i] = '?';
	}
}

/* Whether a key gives this signature. */
static bool
KeySigns(const uint8 *key, Slice to_sign, Slice given)
{
	char		hex[HEX_LEN + 1];
	uint8		computed[PG_SHA256_DIGEST_LENGTH];

	ComputeHmac(computed, key, SIGV4_KEY_LEN, to_sign);
	hex[hex_encode((const char *) computed, sizeof(computed), hex)] = '\0';
	return IsSameSecret(hex, given);
}

/* The number of the key that gives this signature, or -1; all keys are tried. */
static int
FindSignatureKey(const SigningKeys *keys, Slice to_sign, Slice given)
{
	int			found = -1;

	for (int i = 0; i < keys->n; i++)
		found = KeySigns(keys->keys[i], to_sign, given) ? i : found;
	return found;
}

int
SignatureVerify(const Signature *signature, const HttpRequest *request, const SigningKeys *keys)
{
	StringInfoData canonical;
	StringInfoData to_sign;
	char		hex[HEX_LEN + 1];
	int			found;

	initStringInfo(&canonical);
	initStringInfo(&to_sign);
	DigestHex(hex, request->body);
	SignatureCanonical(&canonical, signature, request, hex);
	StringToSign(&to_sign, signature, &canonical);
	found = FindSignatureKey(keys, (Slice) {to_sign.data, (uint32) to_sign.len}, signature->given);
	if (found >= 0)
		return found;
	MakePrintable(&canonical);
	MakePrintable(&to_sign);
	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_INVALID_SIGNATURE),
			 errmsg_internal("The request signature we calculated does not match the signature you provided. "
							 "Check your AWS Secret Access Key and signing method. "
							 "Consult the service documentation for details.\n\n"
							 "The Canonical String for this request should have been\n'%s'\n\n"
							 "The String-to-Sign should have been\n'%s'\n",
							 canonical.data, to_sign.data)));
}
