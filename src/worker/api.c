/*
 * api.c
 *	  Settings of DynamoDB's requests, and of exports, imports and backups.
 */
#include "postgres.h"

#include "datatype/timestamp.h"
#include "port.h"
#include "utils/guc.h"

#include "worker/api.h"

char	   *request_region;
char	   *request_account;
int			error_wording = ERROR_WORDING_CURRENT;
int			request_ttl_interval;
char	   *archive_directory;
int			max_archive_workers_per_role;
int			max_archive_workers;

static const struct config_enum_entry error_wordings[] = {
	{"current", ERROR_WORDING_CURRENT, false},
	{"classic", ERROR_WORDING_CLASSIC, false},
	{NULL, 0, false}
};

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

static bool
CheckArchiveDirectory(char **value, void **extra, GucSource source)
{
	if (**value == '\0')
		return true;
	canonicalize_path(*value);
	if (is_absolute_path(*value))
		return true;
	GUC_check_errdetail("The archive directory must be an absolute path.");
	return false;
}

static void
DefineRequestSettings(void)
{
	DefineCustomStringVariable("dynamo.region",
							   "Region in ARNs and endpoints.",
							   NULL, &request_region, "us-east-1",
							   PGC_USERSET, 0, CheckRegion, NULL, NULL);
	DefineCustomStringVariable("dynamo.account_id",
							   "Account ID in ARNs.",
							   NULL, &request_account, "000000000000",
							   PGC_USERSET, 0, CheckAccount, NULL, NULL);
	DefineCustomEnumVariable("dynamo.error_wording",
							 "Wording of the errors of requests: that of the service today, or that before June 2026.",
							 NULL, &error_wording, ERROR_WORDING_CURRENT, error_wordings,
							 PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable("dynamo.ttl_change_interval",
							"Time after a change during which UpdateTimeToLive refuses another change of the same table.",
							"0 turns it off.",
							&request_ttl_interval, 31 * SECS_PER_MINUTE, 0, SECS_PER_DAY,
							PGC_USERSET, GUC_UNIT_S, NULL, NULL, NULL);
}

static void
DefineArchiveSettings(void)
{
	DefineCustomStringVariable("dynamo.archive_directory",
							   "Directory for exports, imports and backups of tables.",
							   "Its subdirectories are the buckets of requests.  If it is empty, these requests are refused.",
							   &archive_directory, "", PGC_SUSET, GUC_SUPERUSER_ONLY,
							   CheckArchiveDirectory, NULL, NULL);
	DefineCustomIntVariable("dynamo.max_archive_workers_per_role",
							"Exports, imports, backups and restores of tables of one role at the same time.",
							NULL, &max_archive_workers_per_role, 2, 1, 262143, PGC_SIGHUP, 0,
							NULL, NULL, NULL);
	DefineCustomIntVariable("dynamo.max_archive_workers",
							"Exports, imports, backups and restores of a database at the same time.",
							"0 leaves half of the worker processes that the endpoint does not need to others.",
							&max_archive_workers, 0, 0, 262143, PGC_SIGHUP, 0,
							NULL, NULL, NULL);
}

void
ApiInit(void)
{
	DefineRequestSettings();
	DefineArchiveSettings();
}
