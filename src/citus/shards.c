/*
 * shards.c
 *	  Finds the shard of a partition key, and locks it in its place.
 *
 * Citus uses PostgreSQL's hash function for the type of the key.  A shard has the
 * hashes from its minimum up to the minimum of the next shard.  The map of a table is
 * stored with its cached definition.  Citus invalidates the table, and with it the
 * map, whenever a shard is moved or split.
 *
 * Citus moves a shard in a transaction that locks the metadata of the shard on
 * all nodes, waits until the new place has all changes, and changes the catalogs.
 * A write takes this lock in share mode.  It therefore either commits before the
 * last changes are copied, or finds the shard in its new place.  Citus compares
 * positions of flushed WAL, so a transaction that writes to a shard always flushes
 * its commit.
 *
 * The nodes commit a move one after another.  A session takes the lock on its own node
 * before it calls another one to write in its transaction: Citus keeps, until the end of
 * the transaction, the connection that has accessed a shard, also if the shard is moved,
 * and later statements of Citus would write to the old place.  The other node does not
 * wait for the lock, because a move may have it there, and wait for this node.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "access/xact.h"
#include "common/hashfn.h"
#include "fmgr.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "nodes/nodes.h"
#include "storage/lmgr.h"
#include "storage/lock.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/numeric.h"
#include "utils/rel.h"
#include "utils/typcache.h"

#include "citus/citus_catalog.h"
#include "citus/distributed_table.h"
#include "citus/remote.h"
#include "citus/session.h"
#include "citus/shards.h"
#include "compat.h"
#include "table/distribution.h"
#include "table/index_relation.h"
#include "table/table_name.h"
#include "table/table_slot.h"

/* Classes of Citus's locks on the places of shards. */
#define PLACE_LOCK_CLASS			4
#define COLOCATED_PLACE_LOCK_CLASS	8

/* The number of keys that are tried to find a key in each shard, per shard. */
#define KEYS_TRIED					100

typedef struct Shard
{
	int64		id;
	int32		min;			/* the smallest hash */
	int32		max;
	int			group;			/* the group of nodes that has it; -1 if several have it */
	TransactionId placed;		/* the transaction that stored the group */
	Oid			relid;			/* the shard, if it is here */
	Datum		key;			/* a value of the partition key in the shard; 0 if none was found */
} Shard;

struct ShardMap
{
	const TableDef *def;		/* with which the map is kept, or NULL */
	const IndexDef *index;		/* of def, whose index table has the shards; or NULL */
	bool		usable;			/* the column determines the shard */
	bool		has_keys;		/* there is a key for each shard */
	ValueType	type;			/* of the column */
	Oid			collation;
	int			here;			/* the group of this node */
	uint32		colocation;		/* the group of tables whose shards move together, or 0 */
	FmgrInfo	hash;
	int			n;
	Shard	   *shards;			/* sorted by min */
};

/* ---- reading the map ---- */

/* Returns the name of a shard, which Citus forms in the same way. */
static char *
ShardName(const char *table, int64 id)
{
	char	   *number = psprintf("_" INT64_FORMAT, id);
	int			len = strlen(table);
	int			room = NAMEDATALEN - (int) strlen(number);

	if (len < room)
		return psprintf("%s%s", table, number);
	return psprintf("%.*s_%.8x%s", pg_mbcliplen(table, len, room - 10), table,
					DatumGetUInt32(hash_any((const unsigned char *) table, len)), number);
}

/*
 * Returns the group of nodes that has a shard, and the transaction that stored it;
 * -1 if no group or several groups have it.
 */
static int
GroupOfShard(int64 id, TransactionId *placed)
{
	CitusRow	row;
	int			group = -1;

	*placed = InvalidTransactionId;
	FindCitusRow(&row, "pg_dist_placement", "pg_dist_placement_shardid_index", "shardid", F_INT8EQ,
				 Int64GetDatum(id));
	if (HeapTupleIsValid(row.tuple))
	{
		group = DatumGetInt32(CitusColumn(&row, "groupid"));
		*placed = HeapTupleHeaderGetXmin(row.tuple->t_data);
	}
	if (NextCitusRow(&row))
		group = -1;
	EndCitusRow(&row);
	return group;
}

static int
GroupOfServer(void)
{
	CitusRow	row;
	int			group = -1;

	FindCitusRow(&row, "pg_dist_local_group", NULL, NULL, InvalidOid, (Datum) 0);
	if (HeapTupleIsValid(row.tuple))
		group = DatumGetInt32(CitusColumn(&row, "groupid"));
	EndCitusRow(&row);
	return group;
}

/* Reads a bound of a shard; false if there is none, as in a reference table. */
static bool
ReadShardBound(const CitusRow *row, const char *column, int32 *bound)
{
	Datum		value = CitusColumn(row, column);

	if (value == (Datum) 0)
		return false;
	*bound = pg_strtoint32(TextDatumGetCString(value));
	return true;
}

static int
CompareShardBounds(const void *a, const void *b)
{
	int32		x = ((const Shard *) a)->min;
	int32		y = ((const Shard *) b)->min;

	return x < y ? -1 : x > y;
}

/* Reads the bounds of all shards; false if a shard has none. */
static bool
ReadShardBounds(ShardMap *map, Oid table)
{
	int			room = 64;
	bool		bounded = true;
	CitusRow	row;

	map->shards = palloc(room * sizeof(Shard));
	FindCitusRow(&row, "pg_dist_shard", "pg_dist_shard_logical_relid_index", "logicalrelid", F_OIDEQ,
				 ObjectIdGetDatum(table));
	for (bool more = HeapTupleIsValid(row.tuple); more && bounded; more = NextCitusRow(&row))
	{
		Shard	   *shard;

		if (map->n == room)
			map->shards = repalloc(map->shards, (room *= 2) * sizeof(Shard));
		shard = &map->shards[map->n++];
		shard->key = (Datum) 0;
		shard->id = DatumGetInt64(CitusColumn(&row, "shardid"));
		bounded = ReadShardBound(&row, "shardminvalue", &shard->min) && ReadShardBound(&row, "shardmaxvalue", &shard->max);
	}
	EndCitusRow(&row);
	return bounded && map->n > 0;
}

/* Whether each hash belongs to exactly one of the sorted shards. */
static bool
BoundsAreComplete(const ShardMap *map)
{
	for (int i = 1; i < map->n; i++)
	{
		if ((int64) map->shards[i].min != (int64) map->shards[i - 1].max + 1)
			return false;
	}
	return map->shards[0].min == PG_INT32_MIN && map->shards[map->n - 1].max == PG_INT32_MAX;
}

static void
FindPlaces(ShardMap *map, Oid table)
{
	const char *name = get_rel_name(table);
	Oid			schema = get_rel_namespace(table);

	map->here = GroupOfServer();
	map->colocation = ColocationOf(table);
	for (int i = 0; i < map->n; i++)
	{
		Shard	   *shard = &map->shards[i];

		shard->group = GroupOfShard(shard->id, &shard->placed);
		shard->relid = shard->group >= 0 && shard->group == map->here ?
			get_relname_relid(ShardName(name, shard->id), schema) : InvalidOid;
	}
}

/* Whether Citus distributes a table by hash of a column. */
static bool
IsHashedBy(Oid table, const AttributeDef *attr)
{
	const char *column = DistributionColumn(table, true);

	return column != NULL && strcmp(column, attr->column) == 0;
}

static bool
ReadPlaces(ShardMap *map, Oid table, const AttributeDef *attr)
{
	if (!IsHashedBy(table, attr) || !ReadShardBounds(map, table))
		return false;
	qsort(map->shards, map->n, sizeof(Shard), CompareShardBounds);
	if (!BoundsAreComplete(map))
		return false;
	FindPlaces(map, table);
	return true;
}

/* Reads the map of a table that is distributed by an attribute, in the current memory context. */
static ShardMap *
ReadShardMap(Oid table, const AttributeDef *attr)
{
	ShardMap   *map = palloc0(sizeof(ShardMap));
	Oid			type = KeyColumnType(attr->type);

	map->type = attr->type;
	map->collation = get_typcollation(type);
	map->usable = ReadPlaces(map, table, attr);
	fmgr_info_copy(&map->hash, &lookup_type_cache(type, TYPECACHE_HASH_PROC_FINFO)->hash_proc_finfo,
				   CurrentMemoryContext);
	return map;
}

static const Shard *ShardOfValue(const ShardMap *map, Datum value);

/* Makes a value of a type; different for each n. */
static Datum
MakeSomeKey(ValueType type, int n)
{
	if (type == VALUE_N)
		return NumericGetDatum(int64_to_numeric(n));
	return CStringGetTextDatum(psprintf("%d", n));
}

/*
 * Finds a key for each shard.  A shard with very few hashes, such as that of an
 * isolated tenant, gets none.
 */
static void
FindKeys(ShardMap *map)
{
	int			found = 0;

	for (int i = 0; found < map->n && i < KEYS_TRIED * map->n; i++)
	{
		Datum		key = MakeSomeKey(map->type, i);
		Shard	   *shard = unconstify(Shard *, ShardOfValue(map, key));

		if (shard->key != (Datum) 0)
			continue;
		shard->key = key;
		found++;
	}
	map->has_keys = found == map->n;
}

/* The map of a table, with its definition; NULL until it is read. */
typedef struct LoadedMap
{
	ShardMap   *map;
} LoadedMap;

static TableSlot loaded_map = {sizeof(LoadedMap)};

/* Returns the map of a distributed table, which lives as long as its definition. */
static const ShardMap *
LoadShardMap(TableDef *def)
{
	LoadedMap  *loaded = TableSlotGet(def, &loaded_map);
	MemoryContext old;
	ShardMap   *map;

	if (loaded->map != NULL)
		return loaded->map;
	old = MemoryContextSwitchTo(def->context);
	map = ReadShardMap(def->relid, TableKeyAttribute(def, 0));
	if (map->usable)
		FindKeys(map);
	MemoryContextSwitchTo(old);
	map->def = def;
	loaded->map = map;
	return map;
}

bool
KeyDeterminesShard(TableDef *def)
{
	return def->distributed && def->undistributable == NULL && LoadShardMap(def)->usable;
}

/* ---- searching ---- */

static const Shard *
ShardOfValue(const ShardMap *map, Datum value)
{
	int32		hash = DatumGetInt32(FunctionCall1Coll(unconstify(FmgrInfo *, &map->hash),
													   map->collation, value));
	int			low = 0;
	int			high = map->n - 1;

	while (low < high)
	{
		int			middle = (low + high + 1) / 2;

		if (map->shards[middle].min <= hash)
			low = middle;
		else
			high = middle - 1;
	}
	return &map->shards[low];
}

/* ---- one shard after another ---- */

int
ShardsInOrder(TableDef *def)
{
	return KeyDeterminesShard(def) && LoadShardMap(def)->has_keys ? LoadShardMap(def)->n : 0;
}

int
ShardOfKey(TableDef *def, Datum value)
{
	const ShardMap *map = LoadShardMap(def);

	return (int) (ShardOfValue(map, value) - map->shards);
}

Datum
KeyInShard(TableDef *def, int shard)
{
	return LoadShardMap(def)->shards[shard].key;
}

char *
GetShardName(const TableDef *def, int64 shard)
{
	return TableNameInQuotes(get_namespace_name(get_rel_namespace(def->relid)),
							 ShardName(get_rel_name(def->relid), shard));
}

/* A shard is in the segment with its smallest hash. */
void
ShardsOfSegment(TableDef *def, uint32 segment, uint32 total_segments, int *first, int *end)
{
	const ShardMap *map = LoadShardMap(def);

	*first = *end = 0;
	for (int i = 0; i < map->n; i++)
	{
		uint64		hash = (uint32) map->shards[i].min - (uint32) PG_INT32_MIN;
		uint32		of_shard = (uint32) (hash * total_segments >> 32);

		if (of_shard < segment)
			*first = i + 1;
		if (of_shard <= segment)
			*end = i + 1;
	}
}

void
CheckShardIsWhole(const TableDef *def, int shard)
{
	const Shard *expected = &((const LoadedMap *) TableSlotGet(def, &loaded_map))->map->shards[shard];
	Shard		present;
	CitusRow	row;
	bool		whole;

	AcceptInvalidationMessages();
	if (def->cached)
		return;
	FindCitusRow(&row, "pg_dist_shard", "pg_dist_shard_shardid_index", "shardid", F_INT8EQ,
				 Int64GetDatum(expected->id));
	whole = HeapTupleIsValid(row.tuple) &&
		ReadShardBound(&row, "shardminvalue", &present.min) && present.min == expected->min &&
		ReadShardBound(&row, "shardmaxvalue", &present.max) && present.max == expected->max;
	EndCitusRow(&row);
	if (!whole)
		ereport(ERROR,
				(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
				 errmsg("could not serialize access due to the split of a shard of table \"%s\"",
						get_rel_name(def->relid))));
}

/* The operator of this name is always true; dynamo--1.0.sql says what it is for. */
DYNAMO_FUNCTION(dynamo_same_shard);
Datum
dynamo_same_shard(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(true);
}

/* ---- locking ---- */

/*
 * Returns the tag of Citus's lock on the place of a shard.  Tables that move
 * together have one lock for their shards with the same hashes.
 */
static LOCKTAG
PlaceTag(const ShardMap *map, const Shard *shard)
{
	LOCKTAG		tag;

	if (map->colocation != 0)
		SET_LOCKTAG_ADVISORY(tag, MyDatabaseId, (uint32) (shard - map->shards), map->colocation,
							 COLOCATED_PLACE_LOCK_CLASS);
	else
		SET_LOCKTAG_ADVISORY(tag, MyDatabaseId, (uint32) ((uint64) shard->id >> 32), (uint32) shard->id,
							 PLACE_LOCK_CLASS);
	return tag;
}

/* Locks the place without waiting; returns false if the shard is being moved. */
static bool
TryLockPlace(const ShardMap *map, const Shard *shard)
{
	LOCKTAG		tag = PlaceTag(map, shard);

	return LockAcquire(&tag, ShareLock, false, true) != LOCKACQUIRE_NOT_AVAIL;
}

/*
 * Locks the place of a shard; returns false if the shard is being moved and this may not
 * wait.  Then reads the invalidations of a move that has ended.  Citus's own statements
 * would not read them, because they find the lock already taken.
 */
static bool
LockPlace(const ShardMap *map, const Shard *shard, PlaceLock lock)
{
	bool		locked = lock == PLACE_TO_WRITE ? CitusSessionLockPlace(shard->id) : TryLockPlace(map, shard);

	AcceptInvalidationMessages();
	return locked;
}

/*
 * Whether nothing has changed since a map was read.  Citus invalidates the table, or the
 * index table, when it moves a shard.
 */
static bool
MapIsCurrent(const ShardMap *map)
{
	return map->def != NULL && map->def->cached &&
		(map->index == NULL || ShardsOfIndex(map->def, map->index) == map);
}

/*
 * Whether a shard that was locked is still in its place: either the map is current, or
 * the catalog has the same place.
 */
static bool
IsStillHere(const ShardMap *map, const Shard *shard)
{
	TransactionId placed;

	return MapIsCurrent(map) ||
		(GroupOfShard(shard->id, &placed) == map->here && TransactionIdEquals(placed, shard->placed));
}

bool
LockOwnShard(Relation shard)
{
	int64		id = strtoi64(strrchr(RelationGetRelationName(shard), '_') + 1, NULL, 10);
	TransactionId placed;

	if (!CitusSessionLockPlace(id))
		return false;
	AcceptInvalidationMessages();
	ForceSyncCommit();
	return GroupOfShard(id, &placed) == GroupOfServer();
}

/* Locks a shard of this server for direct access; returns InvalidOid if it was moved away. */
static Oid
LockHere(const ShardMap *map, const Shard *shard, bool writing)
{
	LockRelationOid(shard->relid, writing ? RowExclusiveLock : AccessShareLock);
	if (!IsStillHere(map, shard))
		return InvalidOid;
	if (writing)
	{
		CitusSessionWrites();
		ForceSyncCommit();
	}
	return shard->relid;
}

/*
 * Refuses to leave a shard to Citus in a transaction that has accessed it in a place that is
 * not the present one: Citus would use the same connection.
 */
static void
CheckConnection(int64 shard)
{
	TransactionId placed;
	int			group;

	if (!RemoteIsPossible() || !RemoteHasBegun())
		return;
	group = GroupOfShard(shard, &placed);
	if (group >= 0 && !RemoteLeadsTo(shard, group))
		ereport(ERROR,
				(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
				 errmsg("could not serialize access due to the move of a shard")));
}

/* Returns InvalidOid if Citus must access the shard. */
static Oid
LockInPlace(const ShardMap *map, const Shard *shard, PlaceLock lock, bool direct, TransactionId *placed)
{
	bool		writing = lock != PLACE_TO_READ;
	Oid			relid = InvalidOid;

	*placed = shard->placed;
	direct = direct && OidIsValid(shard->relid) && CitusSessionIsLocal();
	if ((writing || direct) && !LockPlace(map, shard, lock))
		direct = false;
	if (direct)
		relid = LockHere(map, shard, writing);
	if (!OidIsValid(relid))
		CheckConnection(shard->id);
	return relid;
}

Oid
LockShard(TableDef *def, Datum value, PlaceLock lock, bool direct, TransactionId *placed)
{
	const ShardMap *map = LoadShardMap(def);

	return LockInPlace(map, ShardOfValue(map, value), lock, direct, placed);
}

/* The map of a definition that is not current is kept: positions in it may be in use. */
const ShardMap *
LockShardToWrite(TableDef *def, int position)
{
	const ShardMap *map = LoadShardMap(def);

	(void) LockPlace(map, &map->shards[position], PLACE_TO_WRITE);
	return MapIsCurrent(map) ? map : ShardsOfRelation(def->relid, TableKeyAttribute(def, 0));
}

/* ---- shards of index tables and change tables ---- */

const ShardMap *
ShardsOfTable(TableDef *def)
{
	return KeyDeterminesShard(def) ? LoadShardMap(def) : NULL;
}

const ShardMap *
ShardsOfRelation(Oid relid, const AttributeDef *attr)
{
	ShardMap   *map = ReadShardMap(relid, attr);

	return map->usable ? map : NULL;
}

const ShardMap *
ShardsOfIndex(const TableDef *def, const IndexDef *index)
{
	Oid			relid = FindIndexRelation(def, index);
	IndexDef   *known = unconstify(IndexDef *, index);
	MemoryContext old;
	ShardMap   *map;

	if (known->places == NULL || known->relid != relid || !def->cached)
	{
		old = MemoryContextSwitchTo(def->context);
		map = ReadShardMap(relid, EntryAttribute(def, index, 0));
		MemoryContextSwitchTo(old);
		map->def = def;
		map->index = index;
		known->places = map;
	}
	return known->places->usable ? known->places : NULL;
}

int
CountShards(const ShardMap *map)
{
	return map->n;
}

int
FindShardPosition(const ShardMap *map, Datum value)
{
	return (int) (ShardOfValue(map, value) - map->shards);
}

int
FindShardNumber(const ShardMap *map, int64 number)
{
	for (int i = 0; i < map->n; i++)
	{
		if (map->shards[i].id == number)
			return i;
	}
	return -1;
}

int64
GetShardPlace(const ShardMap *map, int position, int *group)
{
	*group = map->shards[position].group;
	return map->shards[position].id;
}

bool
ShardIsElsewhere(const ShardMap *map, int position)
{
	int			group = map->shards[position].group;

	return group >= 0 && group != map->here;
}

void
GetShardRange(const ShardMap *map, int position, int32 *min, int32 *max)
{
	*min = map->shards[position].min;
	*max = map->shards[position].max;
}

Oid
LockShardForReader(const ShardMap *map, int position, TransactionId *placed)
{
	const Shard *shard = &map->shards[position];

	*placed = shard->placed;
	return OidIsValid(shard->relid) && CitusSessionIsLocal() && LockPlace(map, shard, PLACE_TO_WRITE) ?
		LockHere(map, shard, false) : InvalidOid;
}

Oid
LockShardAt(const ShardMap *map, int position, bool writing, TransactionId *placed)
{
	return LockInPlace(map, &map->shards[position], writing ? PLACE_TO_WRITE : PLACE_TO_READ, true, placed);
}

Oid
GetShardRelation(const ShardMap *map, int position)
{
	return map->shards[position].relid;
}

Oid
FindColocatedShard(int64 shard, Oid table)
{
	ShardMap	map = {0};
	Shard		wanted;
	CitusRow	row;
	Oid			relid = InvalidOid;

	FindCitusRow(&row, "pg_dist_shard", "pg_dist_shard_shardid_index", "shardid", F_INT8EQ,
				 Int64GetDatum(shard));
	if (HeapTupleIsValid(row.tuple) && ReadShardBound(&row, "shardminvalue", &wanted.min) &&
		ReadShardBounds(&map, table))
	{
		for (int i = 0; i < map.n; i++)
		{
			if (map.shards[i].min == wanted.min)
				relid = get_relname_relid(ShardName(get_rel_name(table), map.shards[i].id),
										  get_rel_namespace(table));
		}
	}
	EndCitusRow(&row);
	return relid;
}
