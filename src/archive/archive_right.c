/*
 * archive_right.c
 *	  Who may use dynamo.archive_directory.
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

#include "archive/archive.h"
#include "compat.h"
#include "errors.h"
#include "worker/api.h"

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
