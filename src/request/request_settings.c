/*
 * request_settings.c
 *	  Settings of requests: region and account in ARNs, and the interval
 *	  between changes of time to live.
 */
#include "postgres.h"

#include "datatype/timestamp.h"
#include "utils/guc.h"

#include "request/operation.h"
#include "request/table_settings.h"

char	   *request_region;
char	   *request_account;
int			request_ttl_interval;

static bool
CheckRegion(char **value, void **extra, GucSource source)
{
	size_t		len = strlen(*value);

	if (len > 0 && len <= 64 &&
		strspn(*value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == len)
		return true;
	GUC_check_errdetail("A region is 1 to 64 letters, digits, hyphens and underscores.");
	return false;
}

static bool
CheckAccount(char **value, void **extra, GucSource source)
{
	if (strlen(*value) == 12 && strspn(*value, "0123456789") == 12)
		return true;
	GUC_check_errdetail("An account id is twelve digits.");
	return false;
}

void
RequestInit(void)
{
	TableSettingsInit();
	DefineCustomStringVariable("dynamo.region",
							   "Region in ARNs and endpoints.",
							   NULL, &request_region, "us-east-1",
							   PGC_USERSET, 0, CheckRegion, NULL, NULL);
	DefineCustomStringVariable("dynamo.account_id",
							   "Account ID in ARNs.",
							   NULL, &request_account, "000000000000",
							   PGC_USERSET, 0, CheckAccount, NULL, NULL);
	DefineCustomIntVariable("dynamo.ttl_change_interval",
							"Time after a change during which UpdateTimeToLive refuses another change of the same table.",
							"0 turns it off.",
							&request_ttl_interval, 31 * SECS_PER_MINUTE, 0, SECS_PER_DAY,
							PGC_USERSET, GUC_UNIT_S, NULL, NULL, NULL);
}
