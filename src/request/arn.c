/*
 * arn.c
 *	  Amazon Resource Names:
 *	  arn:aws:dynamodb:<region>:<account>:table/<T>[/...].
 */
#include "postgres.h"

#include "utils/fmgrprotos.h"
#include "utils/uuid.h"

#include "request/arn.h"
#include "request/digest.h"
#include "request/operation.h"
#include "worker/api.h"

char *
TableArn(const char *table_name)
{
	return psprintf("arn:aws:dynamodb:%s:%s:table/%s",
					request_region, request_account, table_name);
}

char *
IndexArn(const char *table_name, const char *index_name)
{
	return psprintf("%s/index/%s", TableArn(table_name), index_name);
}

char *
StreamArn(const char *table_name, const char *label)
{
	return psprintf("%s/stream/%s", TableArn(table_name), label);
}

/* The id of the key that the service creates for every account and region. */
static char *
AccountKey(void)
{
	Digest		digest;
	pg_uuid_t	id = {0};

	DigestBegin(&digest);
	DigestBytes(&digest, request_region, strlen(request_region));
	DigestBytes(&digest, request_account, strlen(request_account));
	memcpy(id.data, VARDATA(DigestEnd(&digest)), DIGEST_LENGTH);
	return DatumGetCString(DirectFunctionCall1(uuid_out, UUIDPGetDatum(&id)));
}

char *
KeyArn(const char *key)
{
	if (key == NULL)
		key = AccountKey();
	if (strncmp(key, "arn:", 4) == 0)
		return pstrdup(key);
	return psprintf("arn:aws:kms:%s:%s:%s%s", request_region, request_account,
					strncmp(key, "alias/", 6) == 0 ? "" : "key/", key);
}

/* Cuts off the text up to the next colon; NULL at the end. */
static char *
CutArnPart(char **rest)
{
	char	   *part = *rest;
	char	   *colon = part != NULL ? strchr(part, ':') : NULL;

	if (colon == NULL)
		return NULL;
	*colon = '\0';
	*rest = colon + 1;
	return part;
}

bool
ArnParse(const char *text, Arn *arn)
{
	char	   *rest = pstrdup(text);
	const char *scheme = CutArnPart(&rest);

	arn->partition = CutArnPart(&rest);
	arn->service = CutArnPart(&rest);
	arn->region = CutArnPart(&rest);
	arn->account = CutArnPart(&rest);
	arn->resource = rest;
	return arn->account != NULL && strcmp(scheme, "arn") == 0 &&
		strcmp(arn->service, "dynamodb") == 0;
}

bool
ArnIsOfPartition(const Arn *arn)
{
	return strcmp(arn->partition, "aws") == 0;
}

bool
ArnIsOfRegion(const Arn *arn)
{
	return strcmp(arn->region, request_region) == 0;
}

bool
ArnIsOfAccount(const Arn *arn)
{
	return strcmp(arn->account, request_account) == 0;
}

#define TABLE_PREFIX "table/"
#define STREAM_PREFIX "/stream/"

bool
ArnHasTable(const Arn *arn, char **name)
{
	const char *start = arn->resource + strlen(TABLE_PREFIX);

	if (strncmp(arn->resource, TABLE_PREFIX, strlen(TABLE_PREFIX)) != 0)
		return false;
	*name = pnstrdup(start, strcspn(start, "/"));
	return **name != '\0';
}

bool
ArnIsTable(const Arn *arn, char **name)
{
	return ArnHasTable(arn, name) &&
		strlen(arn->resource) == strlen(TABLE_PREFIX) + strlen(*name);
}

bool
ArnIsStream(const Arn *arn, char **name, char **label)
{
	const char *rest;

	if (!ArnHasTable(arn, name))
		return false;
	rest = arn->resource + strlen(TABLE_PREFIX) + strlen(*name);
	if (strncmp(rest, STREAM_PREFIX, strlen(STREAM_PREFIX)) != 0)
		return false;
	*label = pstrdup(rest + strlen(STREAM_PREFIX));
	return **label != '\0';
}
