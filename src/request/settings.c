/*
 * settings.c
 *	  Settings of the request door: what ARNs and endpoints are made of.
 */
#include "postgres.h"

#include "utils/guc.h"

#include "request/operation.h"

char	   *request_region;
char	   *request_account;

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
}
