/*
 * arn.c
 *	  Resource names: arn:aws:dynamodb:<region>:<account>:table/<T>[/...].
 */
#include "postgres.h"

#include "request/arn.h"
#include "request/operation.h"

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

char *
KeyArn(const char *key)
{
	if (strncmp(key, "arn:", 4) == 0)
		return pstrdup(key);
	return psprintf("arn:aws:kms:%s:%s:key/%s", request_region, request_account, key);
}

char *
ArnTableName(const char *arn)
{
	char	   *prefix = TableArn("");
	size_t		len = strlen(prefix);

	if (strncmp(arn, prefix, len) != 0 || arn[len] == '\0' || strchr(arn + len, '/') != NULL)
		return NULL;
	return pstrdup(arn + len);
}
