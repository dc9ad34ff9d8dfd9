/*
 * expire.c
 *	  dynamo.delete_expired: deletes items whose time to live has passed.
 *
 * A scheduler may call it at any interval and from any number of sessions:
 * rows that another transaction has locked are skipped.  Every role that may
 * delete from a table may call it; the deletion is a DELETE of this role.
 *
 * A session remembers where its last call ended, so that calls that delete a
 * few of many items do not start from the beginning each time.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "nodes/parsenodes.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/rls.h"

#include "compat.h"
#include "op/expire.h"
#include "store/elsewhere.h"
#include "store/store.h"
#include "subtransaction.h"
#include "table/distribution.h"
#include "table/table_list.h"
#include "table/table_name.h"

/* A call ends its work on a table after this many failed deletions. */
#define MAX_FAILURES	100000

/* ---- where the last call ended ---- */

#define MAX_PLACES	1000		/* number of tables remembered */

typedef struct Place
{
	Oid			relid;			/* hash key */
	int64		seconds;
	ItemPointerData entry;
} Place;

static HTAB *places;

static void
CreatePlaces(void)
{
	const HASHCTL ctl = {.keysize = sizeof(Oid), .entrysize = sizeof(Place)};

	places = hash_create("dynamo expiry places", 16, &ctl, HASH_ELEM | HASH_BLOBS);
}

static void
RecallPlace(Expiry *e)
{
	const Place *place = places != NULL ? hash_search(places, &e->relid, HASH_FIND, NULL) : NULL;

	if (place == NULL)
		return;
	e->position.set = true;
	e->position.seconds = place->seconds;
	e->position.entry = place->entry;
}

/*
 * Remembers the position of a table if it consists of a time and an index
 * entry.  A position that contains a key is not remembered.
 */
static void
KeepPlace(const Expiry *e)
{
	Place	   *place;

	if (places == NULL)
		CreatePlaces();
	if (!e->position.set || DatumGetPointer(e->position.key[0]) != NULL)
		hash_search(places, &e->relid, HASH_REMOVE, NULL);
	else if (hash_get_num_entries(places) < MAX_PLACES ||
			 hash_search(places, &e->relid, HASH_FIND, NULL) != NULL)
	{
		place = hash_search(places, &e->relid, HASH_ENTER, NULL);
		place->seconds = e->position.seconds;
		place->entry = e->position.entry;
	}
}

/* ---- one table ---- */

/* The deletion from one table. */
typedef struct Work
{
	Oid			relid;
	int64		room;			/* number of items that may be deleted */
	int64		deleted;
	bool		done;			/* there is nothing left to delete */
} Work;

/* Deletes one batch in a memory context that is then reset. */
static void
DeleteBatch(Expiry *e, int limit, MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);

	e->passing = ExpireBatch(e, limit);
	ExpiryReportFailures(e);
	MemoryContextSwitchTo(old);
	MemoryContextReset(context);
	KeepPlace(e);
}

/* Deletes the expired items of a table, up to the allowed number. */
static void
DeleteFromTable(void *arg)
{
	Work	   *work = arg;
	Expiry		e = {.relid = work->relid, .context = CurrentMemoryContext};
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "dynamo expired items",
												  ALLOCSET_DEFAULT_SIZES);
	int64		failed = 0;

	RecallPlace(&e);
	ExpiryBeginPass(&e, true);
	while (e.passing && work->deleted < work->room && failed < MAX_FAILURES)
	{
		DeleteBatch(&e, (int) Min(work->room - work->deleted, EXPIRE_BATCH), context);
		work->deleted += e.deleted;
		failed += e.failed;
	}
	work->done = !e.passing || failed >= MAX_FAILURES;
	MemoryContextDelete(context);
}

/* ---- which tables ---- */

/* Whether the user may delete all rows of the table. */
static AclResult
CheckMayDelete(Oid relid)
{
	bool		is_missing = false;
	AclResult	result = pg_class_aclcheck_ext(relid, GetUserId(), ACL_DELETE, &is_missing);

	if (is_missing)
		return ACLCHECK_NO_PRIV;
	if (result == ACLCHECK_OK && !RelationOwnercheck(relid, GetUserId()) &&
		check_enable_rls(relid, InvalidOid, true) == RLS_ENABLED)
		result = ACLCHECK_NOT_OWNER;
	return result;
}

/* The deletion from the shards of a distributed table. */
typedef struct ShardsWork
{
	Work	   *work;
	char		room[MAXINT8LEN + 1];	/* number of items that may still be deleted */
} ShardsWork;

/* A ShardResult. */
static void
TakeDeleted(void *arg, const char *result)
{
	ShardsWork *shards = arg;

	shards->work->deleted += pg_strtoint64(result);
	snprintf(shards->room, sizeof(shards->room), INT64_FORMAT, shards->work->room - shards->work->deleted);
}

/* Deletes from the shards of a distributed table, on their nodes; false if it is none. */
static bool
DeleteFromShards(Work *work)
{
	Relation	rel = table_open(work->relid, NoLock);
	TableDef   *def = RelationIsDistributed(work->relid) ? TableDefAcquire(rel) : NULL;
	ShardsWork	shards = {.work = work};
	ShardStatement statement = {
		.sql = "SELECT dynamo.delete_expired($1, $2::pg_catalog.int8)::pg_catalog.text",
		.writes = true,
		.argument = shards.room,
		.take = TakeDeleted,
		.arg = &shards
	};

	if (def != NULL)
	{
		snprintf(shards.room, sizeof(shards.room), INT64_FORMAT, work->room);
		elsewhere->run_on_shards(def, &statement, "dynamo.delete_expired");
		TableDefRelease(def);
	}
	table_close(rel, NoLock);
	return def != NULL;
}

static int64
DeleteFromNamed(const char *name, int64 room)
{
	Work		work = {.relid = TableNameLock(name, RowExclusiveLock, false), .room = room};
	AclResult	result = CheckMayDelete(work.relid);

	if (result != ACLCHECK_OK)
		aclcheck_error(result, get_relkind_objtype(get_rel_relkind(work.relid)), TableNameForMessage(name));
	if (!DeleteFromShards(&work))
		DeleteFromTable(&work);
	return work.deleted;
}

/* Returns the tables with a time to live from which the user may delete. */
static Work *
FindTablesToExpire(int *n)
{
	List	   *relids = TablesWithFeature(FEATURE_TIME_TO_LIVE);
	Work	   *tables = palloc0((list_length(relids) + 1) * sizeof(Work));
	ListCell   *lc;

	*n = 0;
	foreach(lc, relids)
	{
		if (CheckMayDelete(lfirst_oid(lc)) == ACLCHECK_OK)
			tables[(*n)++].relid = lfirst_oid(lc);
	}
	return tables;
}

/*
 * Deletes from a table.  Errors of a table or of its owner's code are reported
 * as warnings, so that other tables are still processed.
 */
static void
TryTable(Work *work)
{
	ErrorData  *error = TryInSubtransaction(DeleteFromTable, work);

	if (error == NULL)
		return;
	work->deleted = 0;
	work->done = true;
	ereport(WARNING,
			(errcode(error->sqlerrcode),
			 errmsg("expired items of table \"%s\" could not be deleted",
					get_rel_name(work->relid)),
			 errdetail_internal("%s", error->message)));
}

/*
 * Deletes from all tables.  The first turn gives each table an equal share;
 * the second turn gives the remaining number to tables that need more.
 */
static int64
DeleteEverywhere(int64 room)
{
	int			n;
	Work	   *tables = FindTablesToExpire(&n);
	int64		deleted = 0;

	for (int turn = 0; turn < 2; turn++)
	{
		for (int i = 0; i < n; i++)
		{
			Work	   *work = &tables[i];
			int64		left = room - deleted;

			if (work->done || left == 0)
				continue;
			work->deleted = 0;
			work->room = turn == 0 ? Max(left / (n - i), 1) : left;
			TryTable(work);
			deleted += work->deleted;
		}
	}
	return deleted;
}

DYNAMO_FUNCTION(dynamo_delete_expired);

Datum
dynamo_delete_expired(PG_FUNCTION_ARGS)
{
	int64		room = PG_ARGISNULL(1) ? PG_INT64_MAX : PG_GETARG_INT64(1);
	int64		deleted;

	if (room < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("max_items must not be negative")));
	SPI_connect();
	if (PG_ARGISNULL(0))
	{
		PreventCommandIfReadOnly("dynamo.delete_expired()");
		deleted = DeleteEverywhere(room);
	}
	else
		deleted = DeleteFromNamed(TableArgument(fcinfo, 0), room);
	SPI_finish();
	PG_RETURN_INT64(deleted);
}
