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
	/* the loader may have it already, but PostgreSQL must know it */
	load_file("$libdir/dynamo", false);
	CheckLibraryVersion("dynamo_api", DYNAMO_VERSION);
	JobLaunchInit();
	RemoveInit();
}
