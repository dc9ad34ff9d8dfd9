/*
 * dynamo.c
 *	  Module magic and start-up: every module registers what it owns.
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/guc.h"

#include "catalog/ddl.h"
#include "catalog/table.h"
#include "compat.h"
#include "http/settings.h"
#include "index/build.h"
#include "request/operation.h"
#include "store/store.h"

PG_MODULE_MAGIC;

PGDLLEXPORT void _PG_init(void);

void
_PG_init(void)
{
	DdlInit();
	TableCacheInit();
	TableNamesInit();
	StoreInit();
	BuildWorkerInit();
	RequestInit();
	HttpInit();
	MarkGUCPrefixReserved("dynamo");
}
