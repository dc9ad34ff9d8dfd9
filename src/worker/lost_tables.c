/*
 * lost_tables.c
 *	  Tables whose work has ended the housekeeping worker, in shared memory.
 *
 * Only this worker, of which there is one at a time, reads and writes it.
 */
#include "postgres.h"

#include "storage/ipc.h"
#include "storage/shmem.h"
#include "utils/timestamp.h"

#include "shared_memory.h"
#include "worker/lost_tables.h"

/* If there are more, those with the longest rests are kept. */
#define MAX_LOST	64

/* A table is left alone for this many times the duration of its work, as an item is. */
#define REST_TIMES	10

typedef struct LostTable
{
	Oid			relid;
	TimestampTz until;
} LostTable;

typedef struct LostTables
{
	Oid			running;		/* InvalidOid: no work is being done */
	TimestampTz began;
	LostTable	tables[MAX_LOST];
} LostTables;

static LostTables *lost;

static void
RequestLostTables(void)
{
	RequestAddinShmemSpace(MAXALIGN(sizeof(LostTables)));
}

static void
StartLostTables(void)
{
	bool		found;

	lost = ShmemInitStruct("dynamo housekeeping", sizeof(LostTables), &found);
	if (!found)
		memset(lost, 0, sizeof(LostTables));
}

void
LostTablesInit(void)
{
	SharedMemoryRegister(RequestLostTables, StartLostTables);
}

/* Returns the place of a table, or that of the one whose rest ends first. */
static LostTable *
PlaceOfLostTable(Oid relid)
{
	LostTable  *place = &lost->tables[0];

	for (int i = 0; i < MAX_LOST; i++)
	{
		if (lost->tables[i].relid == relid)
			return &lost->tables[i];
		if (lost->tables[i].until < place->until)
			place = &lost->tables[i];
	}
	return place;
}

void
LostTablesNote(void)
{
	TimestampTz now = GetCurrentTimestamp();
	int64		rest;

	if (!OidIsValid(lost->running))
		return;
	rest = REST_TIMES * (now - lost->began);
	*PlaceOfLostTable(lost->running) = (LostTable) {lost->running, now + rest};
	ereport(LOG,
			(errmsg("the last housekeeping worker ended at relation %u, which is left alone for %lld seconds",
					lost->running, (long long) (rest / USECS_PER_SEC))));
	lost->running = InvalidOid;
}

TimestampTz
LostTableRestsUntil(Oid relid)
{
	const LostTable *place = PlaceOfLostTable(relid);

	return place->relid == relid ? place->until : 0;
}

void
LostTableBegin(Oid relid)
{
	lost->began = GetCurrentTimestamp();
	lost->running = relid;
}

void
LostTableEnd(void)
{
	lost->running = InvalidOid;
}
