/*
 * http_library.c
 *	  The library of the HTTP endpoint, dynamo_http: its start in a process.
 */
#include "postgres.h"

#include "fmgr.h"
#include "storage/lwlock.h"

#include "compat.h"
#include "http/access_key_use.h"
#include "http/flush_queue.h"
#include "http/log_limit.h"
#include "http/port.h"
#include "http/share.h"
#include "version.h"
#include "worker/api.h"
#include "worker/endpoint.h"

MODULE_MAGIC("dynamo_http", DYNAMO_VERSION);

PGDLLEXPORT void _PG_init(void);

/* Finds what the processes of the endpoint share; the first one fills it in. */
static void
AttachMemory(void)
{
	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	PortAttach();
	FlushQueueAttach();
	ShareAttach();
	LogLimitAttach();
	AccessKeyUseAttach();
	LWLockRelease(AddinShmemInitLock);
}

void
_PG_init(void)
{
	/* the loader may have it already, but PostgreSQL must know it; it brings dynamo along */
	(void) load_external_function("$libdir/" API_LIBRARY, "dynamo_request", true, NULL);
	CheckLibraryVersion("dynamo_http", DYNAMO_VERSION);
	if (endpoint_workers > 0)
		AttachMemory();
}
