/*
 * faults_library.c
 *	  The library of faults, dynamo_faults: its start in the postmaster.
 */
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"

#include "compat.h"
#include "faults/faults.h"
#include "request/request_hook.h"
#include "version.h"

MODULE_MAGIC("dynamo_faults", DYNAMO_VERSION);

PGDLLEXPORT void _PG_init(void);

void
_PG_init(void)
{
	if (!process_shared_preload_libraries_in_progress)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("library \"" FAULTS_LIBRARY "\" must be named by \"shared_preload_libraries\"")));
	/* the loader has it, but PostgreSQL must know it */
	(void) load_external_function("$libdir/dynamo", "dynamo_version", true, NULL);
	CheckLibraryVersion(FAULTS_LIBRARY, DYNAMO_VERSION);
	FaultSettingsInit();
	FaultChoiceInit();
	FaultStaleInit();
	request_hook = FaultExecute;
}
