/*
 * trim.c
 *	  dynamo.trim_streams: deletes records that have been kept long enough.
 *
 * Settled and sufficiently old records are deleted from the start.  One row
 * remains, which contains the last trimmed number.  The tables of streams that
 * were closed long enough ago are dropped.  A scheduler calls the function, or
 * the worker of the HTTP endpoint, like dynamo.delete_expired.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "compat.h"
#include "ddl/ddl.h"
#include "security/owner.h"
#include "security/settings_owner.h"
#include "stat/progress.h"
#include "stream/stream_shards.h"
#include "subtransaction.h"
#include "table/distribution.h"
#include "table/placement.h"
#include "table/table_list.h"
#include "table/table_name.h"

/* The state of a call. */
typedef struct Trim
{
	TimestampTz cutoff;			/* delete older records */
	int64		room;			/* number of records that may still be deleted */
	int64		deleted;
} Trim;

/* Frees the previous one. */
static Datum
CopyPartitionKey(StreamScan *scan, Datum previous)
{
	bool		isnull;
	Datum		key = slot_getattr(scan->slot, STREAM_PARTITION_KEY, &isnull);

	if (DatumGetPointer(previous) != NULL)
		pfree(DatumGetPointer(previous));
	return isnull ? (Datum) 0 : PointerGetDatum(PG_DETOAST_DATUM_COPY(key));
}

/*
 * Deletes old records, including the mark of an earlier trimming.  Returns the
 * last record's number, 0 if there was none; *partition_key is that of its item.
 */
static int64
DeleteRecords(Trim *trim, Relation rel, Snapshot snapshot, Datum *partition_key)
{
	StreamScan	scan;
	StreamRecord record;
	ItemPointerData mark;
	int64		last = 0;

	ItemPointerSetInvalid(&mark);
	StreamScanBegin(&scan, rel, NULL, STREAM_BEGINNING, snapshot);
	while (trim->room > 0 && StreamScanNext(&scan, &record))
	{
		if (record.event == STREAM_TRIMMED)
		{
			mark = record.tid;
			continue;
		}
		if (record.created_at >= trim->cutoff)
			break;
		(void) TryDeleteRow(rel, &record.tid, snapshot, true);
		last = record.number;
		if (scan.sharded)
			*partition_key = CopyPartitionKey(&scan, *partition_key);
		ProgressRow();
		trim->room--;
		trim->deleted++;
	}
	StreamScanEnd(&scan);
	if (last > 0 && ItemPointerIsValid(&mark))
		(void) TryDeleteRow(rel, &mark, snapshot, true);
	return last;
}

/*
 * Uses the newest snapshot in every isolation level, because other sessions
 * trim, too.
 */
static void
TrimRecords(Trim *trim, Relation rel)
{
	Snapshot	snapshot = RegisterSnapshot(GetLatestSnapshot());
	Datum		partition_key = (Datum) 0;
	int64		last = DeleteRecords(trim, rel, snapshot, &partition_key);
	UnregisterSnapshot(snapshot);
	if (last > 0)
	{
		StreamTable t;

		StreamTableInit(&t, rel);
		StreamAppendTrimmed(&t, last, partition_key);
		StreamTableRelease(&t);
	}
	CommandCounterIncrement();
}

static bool
WasClosedBefore(const StreamDef *def, TimestampTz time)
{
	return def->closed != NULL &&
		StreamTimeFromText(def->closed) + (GetCurrentTimestamp() - SettingsTime()) < time;
}

/*
 * Whether an open stream's table has records that may be deleted here: it is no distributed
 * table, whose shards are tables of their own, and no shard that has been moved away.
 */
static bool
HasOwnRecords(Relation rel)
{
	if (!StreamIsSharded(rel))
		return true;
	return OidIsValid(DistributedTableOf(rel)) && placement->lock_own_shard(rel);
}

/* Shards are dropped with their table, on the coordinator. */
static bool
MayDropTrimmed(Oid relid)
{
	return !RelationIsShard(relid) && !(ServerIsWorker() && RelationIsDistributed(relid));
}

/*
 * Trims as the owner, because any role may run the scheduler.  Closes the
 * relation.
 */
static void
TrimOpened(Trim *trim, Relation rel, const StreamDef *def)
{
	Oid			relid = RelationGetRelid(rel);
	OwnerScope	scope;

	OwnerScopeEnter(&scope, rel->rd_rel->relowner);
	ProgressBegin(PROGRESS_TRIM_STREAM, relid, 0);
	if (HasOwnRecords(rel))
		TrimRecords(trim, rel);
	ProgressEnd();
	table_close(rel, NoLock);
	if (trim->room > 0 && MayDropTrimmed(relid) && WasClosedBefore(def, trim->cutoff))
		RunStatement("DROP TABLE %s", QualifiedName(get_rel_namespace(relid), get_rel_name(relid)));
	OwnerScopeLeave(&scope);
}

/* Trims a stream.  The lock for trimming is held. */
static void
TrimStream(Trim *trim, Oid relid)
{
	Relation	rel = try_table_open(relid, RowExclusiveLock);
	StreamDef	def;

	if (rel == NULL)
		return;
	if (IsStreamTable(rel) && StreamDefTryOf(rel, &def))
		TrimOpened(trim, rel, &def);
	else
		table_close(rel, RowExclusiveLock);
}

int64
StreamTrim(Oid relid, TimestampTz cutoff, int64 max_records)
{
	Trim		trim = {cutoff, max_records, 0};

	if (!StreamLockForTrim(relid, false))
		return 0;
	SPI_connect();
	TrimStream(&trim, relid);
	SPI_finish();
	return trim.deleted;
}

/* ---- which streams ---- */

/* All streams, and the shards that are here; these may be hidden where pg_class is read. */
static const char *const all_streams =
"SELECT DISTINCT t.tgrelid FROM pg_catalog.pg_depend f "
"JOIN pg_catalog.pg_trigger t ON t.oid OPERATOR(pg_catalog.=) f.objid "
"WHERE f.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_proc'::pg_catalog.regclass "
"AND f.refobjid OPERATOR(pg_catalog.=) 'dynamo_system.guard_stream()'::pg_catalog.regprocedure "
"AND f.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_trigger'::pg_catalog.regclass "
"AND t.tgfoid OPERATOR(pg_catalog.=) f.refobjid AND t.tgnargs OPERATOR(pg_catalog.=) 1 "
"AND NOT t.tgisinternal AND t.tgparentid OPERATOR(pg_catalog.=) 0::pg_catalog.oid ORDER BY 1";

List *
StreamsHere(void)
{
	List	   *relids = NIL;

	if (SPI_execute(all_streams, true, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not find streams");
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		bool		isnull;
		Oid			relid = DatumGetObjectId(SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1, &isnull));

		if (!RelationIsOfOtherSession(relid))
			relids = lappend_oid(relids, relid);
	}
	return relids;
}

/* The arguments of TrimLocked. */
typedef struct TrimOne
{
	Trim	   *trim;
	Oid			relid;
} TrimOne;

static void
TrimLocked(void *arg)
{
	TrimOne    *one = arg;

	(void) StreamLockForTrim(one->relid, true);
	TrimStream(one->trim, one->relid);
}

/* Trims a stream.  An error in one stream does not stop the others. */
static void
TryTrim(Trim *trim, Oid relid)
{
	Trim		before = *trim;
	TrimOne		one = {trim, relid};
	ErrorData  *error = TryInSubtransaction(TrimLocked, &one);

	if (error == NULL)
		return;
	*trim = before;
	ereport(WARNING,
			(errcode(error->sqlerrcode),
			 errmsg("stream \"%s\" could not be trimmed", get_rel_name(relid)),
			 errdetail_internal("%s", error->message)));
}

/* Trims the shards of a distributed stream on all nodes. */
static void
TrimShards(Trim *trim, Relation rel)
{
	StreamShards shards;
	StreamDef	def;

	if (!StreamDefTryOf(rel, &def))
		return;
	StreamShardsOf(rel, &def, &shards);
	for (int i = 0; i < StreamShardCount(&shards) && trim->room > 0; i++)
	{
		int64		deleted = StreamTrimShard(&shards, i, trim->cutoff, trim->room);

		trim->deleted += deleted;
		trim->room -= deleted;
	}
}

static void
TrimNamed(Trim *trim, Oid relid)
{
	Relation	rel = try_table_open(relid, AccessShareLock);

	if (rel == NULL)
		return;
	if (IsStreamTable(rel) && StreamIsSharded(rel) && RelationIsDistributed(relid))
		TrimShards(trim, rel);
	table_close(rel, AccessShareLock);
	TryTrim(trim, relid);
}

static void
TrimStreamsOf(Trim *trim, const char *table_name)
{
	ListCell   *cell;

	foreach(cell, StreamsOfName(table_name))
	{
		if (trim->room <= 0)
			break;
		if (!RelationOwnercheck(lfirst_oid(cell), GetUserId()))
			ereport(ERROR,
					(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
					 errmsg("must be owner of table %s", TableNameForMessage(table_name))));
		TrimNamed(trim, lfirst_oid(cell));
	}
}

/* Trims the user's streams and shards on this server. */
static void
TrimStreamsHere(Trim *trim)
{
	ListCell   *cell;

	foreach(cell, StreamsHere())
	{
		if (trim->room > 0 && RelationOwnercheck(lfirst_oid(cell), GetUserId()))
			TryTrim(trim, lfirst_oid(cell));
	}
}

/* Sets the time and the number of records to be trimmed. */
static void
SetLimits(Trim *trim, FunctionCallInfo fcinfo)
{
	TimestampTz now = GetCurrentTimestamp();

	if (PG_ARGISNULL(1))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("retention must not be null")));
	trim->cutoff = DatumGetTimestampTz(DirectFunctionCall2(timestamptz_mi_interval,
														   TimestampTzGetDatum(now),
														   PG_GETARG_DATUM(1)));
	trim->room = PG_ARGISNULL(2) ? PG_INT64_MAX : PG_GETARG_INT64(2);
	trim->deleted = 0;
	if (trim->cutoff > now || trim->room < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("retention and max_records must not be negative")));
}

DYNAMO_FUNCTION(dynamo_trim_streams);

Datum
dynamo_trim_streams(PG_FUNCTION_ARGS)
{
	Trim		trim;

	PreventCommandIfReadOnly("dynamo.trim_streams()");
	SetLimits(&trim, fcinfo);
	SPI_connect();
	if (PG_ARGISNULL(0))
		TrimStreamsHere(&trim);
	else
		TrimStreamsOf(&trim, TableArgument(fcinfo, 0));
	SPI_finish();
	PG_RETURN_INT64(trim.deleted);
}
