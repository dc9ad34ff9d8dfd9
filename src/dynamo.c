/*
 * dynamo.c
 *	  Module magic and start-up: every module registers what it owns.
 */
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/guc.h"

#include "compat.h"
#include "constraint/reference.h"
#include "copy/copy.h"
#include "ddl/ddl.h"
#include "ddl/table_settings.h"
#include "index/build.h"
#include "index/index.h"
#include "index_kind/index_kinds.h"
#include "migrate/migrate.h"
#include "monitor/hot_keys.h"
#include "parts/parts.h"
#include "pattern/pattern.h"
#include "search/search.h"
#include "stat/stat.h"
#include "store/plan.h"
#include "store/store.h"
#include "stream/stream.h"
#include "table/placement.h"
#include "table/table.h"
#include "view/declared_types.h"
#include "view/made_attributes.h"
#include "version.h"
#include "view/entity_view.h"
#include "worker/api.h"
#include "worker/endpoint.h"
#include "worker/workers.h"

MODULE_MAGIC("dynamo", DYNAMO_VERSION);

PGDLLEXPORT void _PG_init(void);

bool		library_is_known;
static bool is_preloaded;		/* and new sessions have it as it is now */

/* ---- the library for Citus ---- */

#define CITUS_CATALOG	"pg_dist_partition"

/* Citus must come first in the list. */
static bool
CitusIsPreloaded(void)
{
	return shared_preload_libraries_string != NULL && strstr(shared_preload_libraries_string, "citus") != NULL;
}

static void
LoadCitusLibrary(void)
{
	(void) load_external_function("$libdir/dynamo_citus", "dynamo_row_on_shard", true, NULL);
}

/* ---- start-up ---- */

void
_PG_init(void)
{
	library_is_known = true;
	is_preloaded = process_shared_preload_libraries_in_progress;
	StatInit();
	DdlInit();
	TableCacheInit();
	TableNamesInit();
	IndexKindsInit();
	PlanInit();
	StoreInit();
	MaintenanceInit();
	StreamInit();
	ReferenceInit();
	CopyInit();
	PartsInit();
	PatternInit();				/* before the views whose rows they return */
	EntityViewInit();
	DeclaredTypesInit();
	MadeAttributesInit();
	BuildWorkerInit();
	MigrateInit();
	SearchInit();
	HotKeysInit();
	TableSettingsInit();		/* after streams and views, which a node of a cluster may refuse to drop */
	WorkersInit();
	ApiInit();
	EndpointInit();
	PlacementInit(CITUS_CATALOG, LoadCitusLibrary);
	if (CitusIsPreloaded())
		LoadCitusLibrary();			/* last: its hooks are called first */
	MarkGUCPrefixReserved("dynamo");
}

void
CheckLibraryVersion(const char *library, const char *version)
{
	if (strcmp(version, DYNAMO_VERSION) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("library \"%s\" has version %s, but \"dynamo\" has version %s",
						library, version, DYNAMO_VERSION),
				 errdetail("The files have been replaced since \"dynamo\" was loaded."),
				 is_preloaded ? errhint("Restart the server.") : errhint("Connect again.")));
}

/* version() returns text */
DYNAMO_FUNCTION(dynamo_version);
Datum
dynamo_version(PG_FUNCTION_ARGS)
{
	PG_RETURN_TEXT_P(cstring_to_text(DYNAMO_VERSION));
}
