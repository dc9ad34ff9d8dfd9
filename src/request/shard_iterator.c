/*
 * shard_iterator.c
 *	  Converts shard iterators to and from text.
 */
#include "postgres.h"

#include "access/xlog.h"
#include "port/pg_bswap.h"

#include "errors.h"
#include "item/base64.h"
#include "request/shard_iterator.h"
#include "security/settings_owner.h"
#include "ddl/table_settings.h"
#include "sha256.h"

#define ITERATOR_MINUTES	15
#define CODE_BYTES			16	/* length of the message authentication code */
#define SEPARATOR			"|1|"

/* The contents of the base64 text; integers are in network byte order. */
typedef struct Payload
{
	uint64		position;
	uint64		issued;			/* microseconds since 1970 */
	uint8		code[CODE_BYTES];
} Payload;

StaticAssertDecl(sizeof(Payload) == 2 * sizeof(uint64) + CODE_BYTES,
				 "a payload has no padding");

static void
ComputeCode(const char *shard, const Payload *payload, uint8 *code)
{
	uint64		key = pg_hton64(GetSystemIdentifier());
	uint8		digest[PG_SHA256_DIGEST_LENGTH];
	StringInfoData text;

	initStringInfo(&text);
	appendStringInfoString(&text, shard);
	appendBinaryStringInfo(&text, (const char *) payload, offsetof(Payload, code));
	Sha256KeyedDigest(digest, &key, sizeof(key), text.data, text.len);
	memcpy(code, digest, CODE_BYTES);
}

char *
ShardIteratorPrint(const char *arn, const char *shard_id, int64 position)
{
	const char *shard = shard_id != NULL ? psprintf("%s|%s", arn, shard_id) : arn;
	StringInfoData out;
	Payload		payload;

	payload.position = pg_hton64((uint64) position);
	payload.issued = pg_hton64((uint64) SettingsTime());
	ComputeCode(shard, &payload, payload.code);
	initStringInfo(&out);
	appendStringInfo(&out, "%s" SEPARATOR, shard);
	Base64Append(&out, (char *) &payload, sizeof(payload));
	return out.data;
}

/* Whether a text was created by ShardIteratorPrint; *shard is the ARN and the id of the shard. */
static bool
ParsePayload(const char *text, char **shard, Payload *payload)
{
	const char *separator = strstr(text, SEPARATOR);
	const char *encoded;
	char		bytes[BASE64_DECODED_MAX(64)];
	uint32		len;
	uint8		code[CODE_BYTES];

	if (separator == NULL)
		return false;
	encoded = separator + strlen(SEPARATOR);
	if (strlen(encoded) > 64 ||
		Base64Decode(encoded, strlen(encoded), bytes, &len) != BASE64_OK ||
		len != sizeof(Payload))
		return false;
	memcpy(payload, bytes, sizeof(Payload));
	*shard = pnstrdup(text, separator - text);
	ComputeCode(*shard, payload, code);
	return memcmp(code, payload->code, CODE_BYTES) == 0;
}

void
ShardIteratorParse(Slice text, char **arn, char **shard_id, int64 *position)
{
	Payload		payload;

	if (!ParsePayload(pnstrdup(text.data, text.len), arn, &payload))
		InvalidRequest("Invalid ShardIterator");
	*shard_id = strchr(*arn, '|');
	if (*shard_id != NULL)
		*(*shard_id)++ = '\0';
	if (SettingsTime() - (int64) pg_ntoh64(payload.issued) >
		ITERATOR_MINUTES * INT64CONST(60000000))
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_EXPIRED_ITERATOR),
				 errmsg("Shard iterator has expired")));
	*position = (int64) pg_ntoh64(payload.position);
}
