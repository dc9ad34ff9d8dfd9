/*
 * api_library.c
 *	  The library of DynamoDB's requests, dynamo_api: its start in a process.
 */
#include "postgres.h"

#include "fmgr.h"

#include "archive/archive.h"
#include "archive/archive_remove.h"
#include "compat.h"
#include "version.h"

MODULE_MAGIC("dynamo_api", DYNAMO_VERSION);

PGDLLEXPORT void _PG_init(void);

void
_PG_init(void)
{
	/*
	 * The loader may have it already, but PostgreSQL must know it.  Unlike load_file(), this
	 * looks for it in all of dynamic_library_path, from 18 on.
	 */
	(void) load_external_function("$libdir/dynamo", "dynamo_version", true, NULL);
	CheckLibraryVersion("dynamo_api", DYNAMO_VERSION);
	JobLaunchInit();
	RemoveInit();
}
