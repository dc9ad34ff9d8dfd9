/*
 * archive_settings.c
 *	  The setting dynamo.archive_directory, and who may use it.
 *
 * The right is EXECUTE on dynamo.archive_directory(), which nobody has but
 * superusers until it is granted.  The predefined roles for server files would
 * grant far more: whoever may write any file of the server can become a
 * superuser.
 */
#include "postgres.h"

#include "catalog/pg_proc.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "nodes/value.h"
#include "parser/parse_func.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/guc.h"

#include "archive/archive.h"
#include "archive/archive_remove.h"
#include "compat.h"
#include "errors.h"

static char *archive_directory;

static bool
CheckDirectory(char **value, void **extra, GucSource source)
{
	if (**value == '\0')
		return true;
	canonicalize_path(*value);
	if (is_absolute_path(*value))
		return true;
	GUC_check_errdetail("The archive directory must be an absolute path.");
	return false;
}

void
ArchiveInit(void)
{
	DefineCustomStringVariable("dynamo.archive_directory",
							   "Directory for exports, imports and backups of tables.",
							   "Its subdirectories are the buckets of requests.  If it is empty, these requests are refused.",
							   &archive_directory, "", PGC_SUSET, GUC_SUPERUSER_ONLY,
							   CheckDirectory, NULL, NULL);
	LaunchInit();
	RemoveInit();
}

/* The schema of the extension's functions is fixed. */
static void
CheckRight(void)
{
	List	   *name = list_make2(makeString("dynamo"), makeString("archive_directory"));
	Oid			function = LookupFuncName(name, 0, NULL, false);

	if (FunctionAclCheck(function, GetUserId(), ACL_EXECUTE) != ACLCHECK_OK)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("permission denied to use the archive directory"),
				 errhint("A superuser can GRANT EXECUTE ON FUNCTION dynamo.archive_directory() to a role.")));
}

char *
ArchiveDirectory(void)
{
	CheckRight();
	if (*archive_directory == '\0')
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_VALIDATION),
				 errmsg("Exports, imports and backups need a directory of the server: "
						"the setting \"dynamo.archive_directory\" is empty"),
				 errhint("A superuser can set it.")));
	return pstrdup(archive_directory);
}

/* archive_directory() returns text */
DYNAMO_FUNCTION(dynamo_archive_directory);
Datum
dynamo_archive_directory(PG_FUNCTION_ARGS)
{
	if (*archive_directory == '\0')
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(archive_directory));
}
