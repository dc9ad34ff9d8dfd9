/*
 * dynamo.c
 *	  Module magic and start-up: every module registers what it owns.
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/guc.h"

#include "archive/archive.h"
#include "citus/citus.h"
#include "compat.h"
#include "constraint/reference.h"
#include "copy/copy.h"
#include "ddl/ddl.h"
#include "index/build.h"
#include "index/index.h"
#include "pattern/pattern.h"
#include "request/operation.h"
#include "search/search.h"
#include "stat/stat.h"
#include "store/plan.h"
#include "store/store.h"
#include "stream/stream.h"
#include "table/table.h"
#include "view/declared_types.h"
#include "version.h"
#include "view/entity_view.h"
#include "worker/endpoint.h"
#include "worker/workers.h"

MODULE_MAGIC("dynamo", DYNAMO_VERSION);

PGDLLEXPORT void _PG_init(void);

void
_PG_init(void)
{
	StatInit();
	DdlInit();
	TableCacheInit();
	TableNamesInit();
	CitusInit();
	PlanInit();
	StoreInit();
	MaintenanceInit();
	StreamInit();
	ReferenceInit();
	CopyInit();
	PatternInit();				/* before the views whose rows they return */
	EntityViewInit();
	DeclaredTypesInit();
	BuildWorkerInit();
	SearchInit();
	ArchiveInit();
	RequestInit();
	WorkersInit();
	EndpointInit();
	MarkGUCPrefixReserved("dynamo");
}

const char *
LoadedVersion(void)
{
	return DYNAMO_VERSION;
}

/* version() returns text */
DYNAMO_FUNCTION(dynamo_version);
Datum
dynamo_version(PG_FUNCTION_ARGS)
{
	PG_RETURN_TEXT_P(cstring_to_text(DYNAMO_VERSION));
}
