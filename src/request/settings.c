/*
 * settings.c
 *	  Settings of the request door: what ARNs and endpoints are made of, how
 *	  often time to live may be changed.
 */
#include "postgres.h"

#include "datatype/timestamp.h"
#include "utils/guc.h"

#include "request/operation.h"

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
	DefineCustomStringVariable("dynamo.region",
							   "Region that requests report in ARNs and endpoints.",
							   NULL, &request_region, "us-east-1",
							   PGC_USERSET, 0, CheckRegion, NULL, NULL);
	DefineCustomStringVariable("dynamo.account_id",
							   "Account id that requests report in ARNs.",
							   NULL, &request_account, "000000000000",
							   PGC_USERSET, 0, CheckAccount, NULL, NULL);
	DefineCustomIntVariable("dynamo.ttl_change_interval",
							"Time for which UpdateTimeToLive refuses another change of a table.",
							"0 turns it off.",
							&request_ttl_interval, 31 * SECS_PER_MINUTE, 0, SECS_PER_DAY,
							PGC_USERSET, GUC_UNIT_S, NULL, NULL, NULL);
}
