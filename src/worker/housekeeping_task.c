/*
 * housekeeping_task.c
 *	  The tasks of the housekeeping worker: tables with time to live, and
 *	  streams.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_class.h"
#include "executor/spi.h"
#include "nodes/pg_list.h"
#include "utils/memutils.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"

#include "stream/stream.h"
#include "table/table_list.h"
#include "worker/housekeeping_task.h"
#include "worker/lost_tables.h"
#include "worker/workers.h"

/* The maximum that one transaction deletes of a stream. */
#define RECORDS_AT_ONCE		10000

/* After this many intervals, a pass checks skipped items again. */
#define WHOLE_PASS_INTERVALS	10

/* How long a table is left alone in which nothing can be deleted, in seconds. */
#define LONGEST_REST	600

HTAB *
TasksCreate(void)
{
	HASHCTL		ctl = {0};

	ctl.keysize = sizeof(Oid);
	ctl.entrysize = sizeof(Task);
	return hash_create("dynamo housekeeping", 16, &ctl, HASH_ELEM | HASH_BLOBS);
}

/* ---- reading ---- */

static void
InitTask(Task *task)
{
	Oid			relid = task->relid;

	memset(task, 0, sizeof(Task));
	task->relid = task->expiry.relid = relid;
	task->expiry.context = AllocSetContextCreate(TopMemoryContext, "dynamo expiry",
												 ALLOCSET_SMALL_SIZES);
	ExpiryRemember(&task->expiry);
	task->rest.until = LostTableRestsUntil(relid);
}

static void
ListTask(HTAB *tasks, Oid relid, Oid owner, bool stream)
{
	bool		found;
	Task	   *task = hash_search(tasks, &relid, HASH_ENTER, &found);

	if (!found)
		InitTask(task);
	task->owner = owner;
	task->stream = stream;
	task->listed = true;
	task->done = false;
}

/* Keeps the tasks of relations that still exist. */
static void
ListTasks(HTAB *tasks, const List *relids, bool stream)
{
	ListCell   *cell;

	foreach(cell, relids)
	{
		HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(lfirst_oid(cell)));

		if (!HeapTupleIsValid(tuple))
			continue;
		ListTask(tasks, lfirst_oid(cell), ((Form_pg_class) GETSTRUCT(tuple))->relowner, stream);
		ReleaseSysCache(tuple);
	}
}

/* Removes the tasks that are not listed. */
static void
ForgetTasks(HTAB *tasks)
{
	HASH_SEQ_STATUS status;
	Task	   *task;

	hash_seq_init(&status, tasks);
	while ((task = hash_seq_search(&status)) != NULL)
	{
		if (task->listed)
			continue;
		ExpiryForget(&task->expiry);
		hash_search(tasks, &task->relid, HASH_REMOVE, NULL);
	}
}

static void
UnlistTasks(HTAB *tasks)
{
	HASH_SEQ_STATUS status;
	Task	   *task;

	hash_seq_init(&status, tasks);
	while ((task = hash_seq_search(&status)) != NULL)
		task->listed = false;
}

void
TasksForget(HTAB *tasks)
{
	UnlistTasks(tasks);
	ForgetTasks(tasks);
}

void
TasksRead(HTAB *tasks)
{
	UnlistTasks(tasks);
	SPI_connect();
	ListTasks(tasks, TablesWithFeature(FEATURE_TIME_TO_LIVE), false);
	ListTasks(tasks, StreamsHere(), true);
	SPI_finish();
	ForgetTasks(tasks);
}

Task	  **
TasksList(HTAB *tasks, int *n)
{
	Task	  **list = MemoryContextAlloc(TopMemoryContext,
										 sizeof(Task *) * (hash_get_num_entries(tasks) + 1));
	HASH_SEQ_STATUS status;
	Task	   *task;

	*n = 0;
	hash_seq_init(&status, tasks);
	while ((task = hash_seq_search(&status)) != NULL)
		list[(*n)++] = task;
	return list;
}

/* ---- doing ---- */

static void
BeginPass(Task *task)
{
	TimestampTz due = task->whole_pass + WHOLE_PASS_INTERVALS *
		housekeeping_interval * USECS_PER_SEC;

	ExpiryBeginPass(&task->expiry, task->whole_pass == 0 || GetCurrentTimestamp() >= due);
}

/* Sets the rest after a batch of which no item could be deleted. */
static void
SetRest(Task *task)
{
	const Expiry *e = &task->expiry;

	if (e->deleted > 0 || e->failed == 0 || e->alone)
		task->rest.seconds = 0;
	else
		TableRestLonger(&task->rest, LONGEST_REST);
}

static int64
ExpireSome(Task *task)
{
	Expiry	   *e = &task->expiry;

	SPI_connect();
	if (!e->passing)
		BeginPass(task);
	task->done = !ExpireBatch(e, EXPIRE_BATCH);
	ExpiryReportFailures(e);
	SPI_finish();
	if (task->done && e->whole)
		task->whole_pass = GetCurrentTimestamp();
	SetRest(task);
	return e->deleted;
}

static int64
TrimSome(Task *task)
{
	int64		trimmed = StreamTrim(task->relid,
									 GetCurrentTimestamp() - stream_retention * USECS_PER_SEC,
									 RECORDS_AT_ONCE);

	task->done = trimmed < RECORDS_AT_ONCE;
	return trimmed;
}

int64
TaskRun(Task *task)
{
	return task->stream ? TrimSome(task) : ExpireSome(task);
}

bool
TaskIsDue(const Task *task)
{
	return !task->done && !TableRests(&task->rest);
}

/* Repeats a failed batch in smaller parts; a failed stream is retried later. */
bool
TaskAborted(Task *task, bool cancelled)
{
	Expiry	   *e = &task->expiry;

	task->done = task->stream || cancelled || !e->deleting;
	if (task->stream)
		return true;
	return ExpiryAborted(e, cancelled);
}
