/*
 * shared_memory.c
 *	  The parts of the extension that keep something in the server's shared memory.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/ipc.h"
#include "storage/lwlock.h"

#include "shared_memory.h"

#define MAX_PARTS	8

typedef struct Part
{
	void		(*request) (void);
	void		(*start) (void);
} Part;

static Part parts[MAX_PARTS];
static int	nparts;

static shmem_request_hook_type next_request_hook;
static shmem_startup_hook_type next_startup_hook;

static void
RequestParts(void)
{
	if (next_request_hook != NULL)
		next_request_hook();
	for (int i = 0; i < nparts; i++)
		parts[i].request();
}

static void
StartParts(void)
{
	if (next_startup_hook != NULL)
		next_startup_hook();
	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	for (int i = 0; i < nparts; i++)
	{
		if (parts[i].start != NULL)
			parts[i].start();
	}
	LWLockRelease(AddinShmemInitLock);
}

void
SharedMemoryRegister(void (*request) (void), void (*start) (void))
{
	Assert(nparts < MAX_PARTS);
	if (nparts == 0)
	{
		next_request_hook = shmem_request_hook;
		shmem_request_hook = RequestParts;
		next_startup_hook = shmem_startup_hook;
		shmem_startup_hook = StartParts;
	}
	parts[nparts++] = (Part) {request, start};
}
