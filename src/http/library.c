/*
 * library.c
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
#include "worker/endpoint.h"

MODULE_MAGIC("dynamo_http", DYNAMO_VERSION);

PGDLLEXPORT void _PG_init(void);

/* A server that was not restarted after an upgrade still has the old library. */
static void
CheckVersion(void)
{
	if (strcmp(LoadedVersion(), DYNAMO_VERSION) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("library \"dynamo_http\" has version %s, but \"dynamo\" has version %s",
						DYNAMO_VERSION, LoadedVersion()),
				 errhint("Restart the server.")));
}

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
	/* the loader may have it already, but PostgreSQL must know it */
	load_file("$libdir/dynamo", false);
	CheckVersion();
	if (endpoint_workers > 0)
		AttachMemory();
}
