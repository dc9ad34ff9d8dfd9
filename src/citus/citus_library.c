/*
 * citus_library.c
 *	  The library for Citus, dynamo_citus: its start in a process.
 *
 * dynamo loads it where Citus is (dynamo.c); so does a call of one of its functions.
 */
#include "postgres.h"

#include "fmgr.h"

#include "citus/citus.h"
#include "compat.h"
#include "version.h"

MODULE_MAGIC("dynamo_citus", DYNAMO_VERSION);

PGDLLEXPORT void _PG_init(void);

void
_PG_init(void)
{
	/* the loader may have it already, but PostgreSQL must know it, unless it is the one that asks */
	if (!library_is_known)
		(void) load_external_function("$libdir/dynamo", "dynamo_version", true, NULL);
	CheckLibraryVersion("dynamo_citus", DYNAMO_VERSION);
	CitusInit();
}
