/*
 * stream_shards.c
 *	  Finds the shards of a stream, and reads those on this server.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "compat.h"
#include "errors.h"
#include "store/elsewhere.h"
#include "stream/stream_shards.h"
#include "table/distribution.h"
#include "table/object_names.h"
#include "table/placement.h"

/* ---- shards ---- */

static ValueType
KeyTypeOfColumn(Oid type)
{
	if (type == NUMERICOID)
		return VALUE_N;
	return type == TEXTOID ? VALUE_S : VALUE_B;
}

static const ShardMap *
ReadShards(Relation rel)
{
	AttributeDef column = {
		.column = STREAM_PARTITION_COLUMN,
		.type = KeyTypeOfColumn(TupleDescAttr(RelationGetDescr(rel), STREAM_PARTITION_KEY - 1)->atttypid)
	};

	return placement->shards_of_relation(RelationGetRelid(rel), &column);
}

void
StreamShardsOf(Relation rel, const StreamDef *def, StreamShards *shards)
{
	shards->rel = rel;
	shards->def = def;
	shards->map = NULL;
	if (!StreamIsSharded(rel))
	{
		RequireLocalRows(rel, "Use dynamo.disable_stream to end the stream.");
		return;
	}
	if (RelationIsDistributed(RelationGetRelid(rel)))
		shards->map = ReadShards(rel);
	if (shards->map == NULL || !placement->nodes_are_reachable())
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot read the shards of stream \"%s\"", RelationGetRelationName(rel)),
				 RecoveryInProgress() ? errhint("Read the streams of distributed tables on the primary.") :
				 errdetail("They are not the shards of a table that Citus distributes by the partition key, or this build of Citus cannot reach them.")));
}

int
StreamShardCount(const StreamShards *shards)
{
	return shards->map != NULL ? placement->count_shards(shards->map) : 1;
}

/* Numbers after the range's signed hashes are such that texts have the order of shards. */
static char *
RangeText(const ShardMap *map, int shard)
{
	int32		min;
	int32		max;

	placement->get_range(map, shard, &min, &max);
	return psprintf("%08x%08x", (uint32) min ^ 0x80000000, (uint32) max ^ 0x80000000);
}

char *
StreamShardId(const StreamShards *shards, int shard)
{
	const StreamDef *def = shards->def;
	char	   *name = psprintf("%s/%s", def->table, def->label);

	return psprintf("shardId-%020lld-%08x%s",
					(long long) (StreamTimeFromText(def->label) / 1000),
					(uint32) StableHash(name, strlen(name), 0),
					shards->map != NULL ? RangeText(shards->map, shard) : "");
}

int
StreamShardOfId(const StreamShards *shards, const char *id)
{
	for (int i = 0; i < StreamShardCount(shards); i++)
	{
		if (strcmp(StreamShardId(shards, i), id) == 0)
			return i;
	}
	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_RESOURCE_NOT_FOUND),
			 errmsg("Requested resource not found: Shard does not exist")));
}

/* ---- a shard on this server ---- */

static void
CheckShard(Relation rel, const StreamShards *shards)
{
	if (!IsStreamTable(rel) || !StreamIsSharded(rel) || rel->rd_rel->relowner != shards->rel->rd_rel->relowner)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("\"%s\" is not a shard of stream \"%s\"", RelationGetRelationName(rel),
						RelationGetRelationName(shards->rel))));
}

/* Rows of a shard that was moved here after a snapshot were written here after it, too. */
static Snapshot
SnapshotForShard(Relation rel, TransactionId placed)
{
	if (!IsolationUsesXactSnapshot() && !IsInParallelMode())
		return GetLatestSnapshot();
	if (WriterIsNewer(placed, GetActiveSnapshot()))
		ereport(ERROR,
				(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
				 errmsg("could not serialize access due to the move of shard \"%s\"",
						RelationGetRelationName(rel))));
	return GetActiveSnapshot();
}

bool
LocalShardOpen(const StreamShards *shards, int shard, LocalShard *local)
{
	TransactionId placed;
	Oid			relid;

	local->rel = shards->rel;
	if (shards->map == NULL)
	{
		local->snapshot = RegisterSnapshot(GetActiveSnapshot());
		return true;
	}
	relid = placement->lock_shard_for_reader(shards->map, shard, &placed);
	local->rel = OidIsValid(relid) ? try_table_open(relid, AccessShareLock) : NULL;
	if (local->rel == NULL)
		return false;
	CheckShard(local->rel, shards);
	local->snapshot = RegisterSnapshot(SnapshotForShard(local->rel, placed));
	return true;
}

void
LocalShardClose(const StreamShards *shards, LocalShard *local)
{
	UnregisterSnapshot(local->snapshot);
	if (local->rel != shards->rel)
		table_close(local->rel, NoLock);
}

/* Whether a closed stream has nothing more to read. */
static bool
HasEnded(const StreamScan *scan, const StreamRead *read)
{
	if (scan->def->closed == NULL || scan->blocked)
		return false;
	return scan->sharded ? !read->more : read->position > StreamLastNumber(scan->rel);
}

/* Takes records until a limit is reached, or there are no more at the moment. */
static void
TakeRecords(StreamScan *scan, StreamRead *read)
{
	StreamRecord record;
	int64		bytes = 0;

	read->more = true;
	for (int64 n = 0; n < read->max_records; n++)
	{
		read->more = StreamScanNext(scan, &record);
		read->position = scan->position;
		if (!read->more)
			return;
		bytes += read->max_bytes > 0 ? StreamRecordSize(&record) : 0;
		if (n > 0 && bytes > read->max_bytes)
		{
			read->position = record.number;
			return;
		}
		read->take(read->arg, &record);
	}
}

void
LocalShardRead(const LocalShard *local, const StreamDef *def, StreamRead *read)
{
	StreamScan	scan;

	StreamScanBegin(&scan, local->rel, def, read->position, local->snapshot);
	TakeRecords(&scan, read);
	read->ended = HasEnded(&scan, read);
	StreamScanEnd(&scan);
}

/* ---- any shard ---- */

void
StreamReadShard(const StreamShards *shards, int shard, StreamRead *read)
{
	LocalShard	local;

	if (!LocalShardOpen(shards, shard, &local))
	{
		elsewhere->read_stream(shards, shard, read);
		return;
	}
	LocalShardRead(&local, shards->def, read);
	LocalShardClose(shards, &local);
}

void
StreamRangeOfShard(const StreamShards *shards, int shard, int64 *first, int64 *last)
{
	LocalShard	local;

	if (!LocalShardOpen(shards, shard, &local))
	{
		elsewhere->range_of_stream(shards, shard, first, last);
		return;
	}
	*first = StreamFirstNumber(local.rel, local.snapshot);
	*last = StreamLastNumber(local.rel);
	LocalShardClose(shards, &local);
}

int64
StreamLatestOfShard(const StreamShards *shards, int shard)
{
	LocalShard	local;
	int64		latest;

	if (!LocalShardOpen(shards, shard, &local))
		return elsewhere->latest_of_stream(shards, shard);
	latest = StreamLatest(local.rel, local.snapshot);
	LocalShardClose(shards, &local);
	return latest;
}

Oid
LocalShardLockToTrim(const StreamShards *shards, int shard)
{
	TransactionId placed;
	Oid			relid = placement->lock_shard_at(shards->map, shard, true, &placed);
	Relation	rel = OidIsValid(relid) ? try_table_open(relid, NoLock) : NULL;

	if (rel == NULL)
		return InvalidOid;
	CheckShard(rel, shards);
	table_close(rel, NoLock);
	return relid;
}

int64
StreamTrimShard(const StreamShards *shards, int shard, TimestampTz cutoff, int64 max_records)
{
	Oid			relid = LocalShardLockToTrim(shards, shard);

	return OidIsValid(relid) ? StreamTrim(relid, cutoff, max_records) :
		elsewhere->trim_stream(shards, shard, cutoff, max_records);
}
