/*
 * scan.c
 *	  Reads a range of a table or an index in key order, with either path.
 *
 * A kind of index begins its scan (IndexKind.begin_scan): with ScanRows, which reads rows
 * of the table, or with a function of scan_entries.c.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/table.h"
#include "access/xact.h"
#include "nodes/pg_list.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "item/builder.h"
#include "store/elsewhere.h"
#include "store/partition.h"
#include "store/plan.h"
#include "store/scan.h"
#include "store/segment.h"
#include "table/index_relation.h"
#include "table/limits.h"
#include "table/placement.h"

/* Returns the column of the scan keys for an attribute of the table's key. */
static int
FindKeyColumn(const StoreScan *scan, int i)
{
	const TableDef *def = scan->store->def;
	int			column = 0;

	while (scan->keys.columns[column] != TableKeyAttribute(def, i))
		column++;
	return column;
}

/* ---- the table's own rows ---- */

/*
 * Returns the btree for a range of the table itself: its primary key or that
 * of an inline index.
 */
static Oid
FindRangeBtree(const Store *store, const ScanRange *range)
{
	if (range->index == NULL)
		return store->def->primary_key;
	return IndexDefRelation(store->def, range->index);
}

Relation
ScanOpenBtree(StoreScan *scan, Relation rel, Oid btree)
{
	Relation	index;

	if (!OidIsValid(btree))
		return NULL;
	index = index_open(btree, AccessShareLock);
	if (index->rd_index->indrelid != RelationGetRelid(rel) || !DirectScanPossible(index, &scan->keys))
	{
		index_close(index, NoLock);
		return NULL;
	}
	scan->indexes = lappend(scan->indexes, index);
	return index;
}

/*
 * A limited btree does not contain all rows; a statement must exclude the
 * others.
 */
static void
LimitRows(StoreScan *scan)
{
	const IndexDef *index = scan->range.index;

	if (index == NULL || !InlineIndexIsLimited(IndexDefRelation(scan->store->def, index)))
		return;
	scan->keys.limited = index;
	scan->keys.def = scan->store->def;
}

/*
 * Returns the store with the rows of a range: that of a partition, if the range
 * has the key attributes that determine it.
 */
static Store *
StoreOfRange(const StoreScan *scan)
{
	Datum		values[SCAN_MAX_COLUMNS];

	if (scan->range.index != NULL)
		return scan->store;
	if (scan->end_place > 0)
		return StoreOfValues(scan->store, &scan->keys.shard_key, 1);
	for (int i = 0; i < scan->keys.nfixed; i++)
		values[i] = scan->keys.tests[i].value;
	return StoreOfValues(scan->store, values, scan->keys.nfixed);
}

/* Sets the shard with all rows of a range of the table, if there is one. */
static void
FindShardOfRange(const StoreScan *scan, ScanShard *shard)
{
	*shard = (ScanShard) {.rel = scan->store->rel, .rights = StoreRights(scan->store)};
	if (scan->range.index != NULL || (scan->end_place == 0 && scan->keys.nfixed == 0))
		return;
	shard->map = placement->shards_of_table(scan->store->def);
	if (shard->map != NULL)
		shard->position = scan->end_place > 0 ? scan->place :
			placement->find_position(shard->map, scan->keys.tests[0].value);
}

ScanSource *
NodeSourceOfShard(StoreScan *scan, const ScanShard *shard)
{
	ScanSource *source = shard->map == NULL ? NULL :
		elsewhere->scan(scan->store, shard, &scan->range, &scan->keys, scan->snapshot);

	scan->on_node = source != NULL;
	return source;
}

static ScanSource *
TableSource(StoreScan *scan)
{
	Store	   *store = StoreOfRange(scan);
	ScanShard	shard;
	ScanSource *source;

	if (store->direct)
	{
		Relation	index = ScanOpenBtree(scan, store->rel, FindRangeBtree(store, &scan->range));

		scan->direct = index != NULL;
		if (scan->direct)
			return DirectScanBegin(store->rel, index, store->def->item_attnum, &scan->keys,
								   store->newer != NULL ? store->newer : scan->snapshot);
	}
	if (scan->store->of_node)
		StoreNotForNode(scan->store);
	FindShardOfRange(scan, &shard);
	source = NodeSourceOfShard(scan, &shard);
	if (source != NULL)
		return source;
	LimitRows(scan);
	return SqlScanBegin(scan->store->rel, -1, StoreRights(scan->store), &scan->keys, scan->snapshot);
}

/* ---- one shard of a distributed table after another ---- */

/*
 * Whether the shards of a table are read one after another.  A statement on all of
 * them would have each send as many rows as are wanted of all, again and again.
 */
static bool
ReadsShardByShard(const StoreScan *scan)
{
	return scan->store->def->distributed && scan->range.condition == NULL && scan->range.forward &&
		placement->shards_in_order(scan->store->def) > 0;
}

static void
BeginShard(StoreScan *scan)
{
	MemoryContext old = MemoryContextSwitchTo(scan->context);

	scan->keys.shard_column = TableKeyAttribute(scan->store->def, 0);
	scan->keys.shard_key = placement->key_in_shard(scan->store->def, scan->place);
	scan->source = TableSource(scan);
	MemoryContextSwitchTo(old);
}

/* Begins with the first shard, or with that of the start key. */
static void
BeginShards(StoreScan *scan)
{
	TableDef   *def = scan->store->def;
	const SegmentSlice *segment = scan->range.segment;

	scan->context = CurrentMemoryContext;
	scan->place = segment != NULL ? segment->first_shard : 0;
	scan->end_place = segment != NULL ? segment->end_shard : placement->shards_in_order(def);
	if (scan->keys.nstart > 0)
		scan->place = placement->shard_of_key(def, scan->keys.start[FindKeyColumn(scan, 0)]);
	if (scan->place < scan->end_place)
		BeginShard(scan);
}

ScanSource *
ScanRows(StoreScan *scan)
{
	if (!ReadsShardByShard(scan))
		return TableSource(scan);
	BeginShards(scan);
	return scan->source;
}

/* Goes to the next shard; false if there is none. */
static bool
NextShard(StoreScan *scan)
{
	if (scan->end_place == 0)
		return false;
	placement->check_shard_is_whole(scan->store->def, scan->place);
	if (scan->place + 1 >= scan->end_place)
		return false;
	scan->source->methods->end(scan->source);
	scan->keys.nstart = 0;
	scan->place++;
	BeginShard(scan);
	return true;
}

static struct varlena *
NextItem(StoreScan *scan)
{
	struct varlena *item;

	do
		item = scan->source->methods->next(scan->source);
	while (item == NULL && NextShard(scan));
	return item;
}

/* Whether this user may see the item of the current entry. */
static bool
IsVisibleEntry(StoreScan *scan)
{
	MemoryContext old = MemoryContextSwitchTo(scan->visible_context);
	RowKey		key;
	bool		visible;

	MemoryContextReset(scan->visible_context);
	StoreScanRowKey(scan, &key);
	visible = StoreGet(scan->store, &key) != NULL;
	MemoryContextSwitchTo(old);
	return visible;
}

/* ---- the snapshot ---- */

bool
StoreIndexIsNewer(const TableDef *def, const IndexDef *index, Snapshot snapshot)
{
	return index->kind->is_newer(def, index, snapshot);
}

/* A statement may see changes that it has waited for. */
Snapshot
StoreIndexSnapshot(const Store *store, const IndexDef *index)
{
	Snapshot	snapshot = StoreSnapshot(store);

	if (index == NULL || !StoreIndexIsNewer(store->def, index, snapshot))
		return snapshot;
	if (IsolationUsesXactSnapshot() || IsInParallelMode())
		ereport(ERROR,
				(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
				 errmsg("could not serialize access due to concurrent build of index \"%s\"",
						index->name)));
	return GetLatestSnapshot();
}

/* ---- keys of the current row ---- */

static void InvalidRow(const StoreScan *scan, const char *problem) pg_attribute_noreturn();

static void
InvalidRow(const StoreScan *scan, const char *problem)
{
	RowPlace	place;

	scan->source->methods->place(scan->source, &place);
	InvalidRowError(&place, problem);
}

/*
 * Returns the maximum size of a value in a column: a partition key attribute
 * of the table or the index, or a sort key attribute.
 */
static uint32
LargestKey(const StoreScan *scan, int column)
{
	const TableDef *def = scan->store->def;
	bool		partition = column < scan->keys.schema->npartition ||
		scan->keys.columns[column] == TableKeyAttribute(def, 0);

	return partition ? KEY_MAX_PARTITION : KEY_MAX_SORT;
}

ValueRef
StoreScanKey(const StoreScan *scan, int column)
{
	const AttributeDef *attr = scan->keys.columns[column];
	ValueRef	v = AttributeFind(ItemRoot(scan->item), attr->name.data, attr->name.len);
	const char *problem = KeyAttributeProblem(attr, v, LargestKey(scan, column));

	if (problem != NULL)
		InvalidRow(scan, problem);
	return v;
}

static bool
ColumnHasValue(const AttributeDef *attr, Datum stored, ValueRef v)
{
	if (attr->type == VALUE_N)
		return KeyDatumsEqual(attr->type, stored, KeyValueToDatum(attr, v));
	return SliceEqual(SliceOfVarlena(PG_DETOAST_DATUM_PACKED(stored)), ValuePayload(v));
}

/*
 * Checks that a column has the item's value.  The order of rows, and therefore
 * a position, depends on the columns.
 */
static void
CheckColumnOfItem(const StoreScan *scan, int column, ValueRef v)
{
	const AttributeDef *attr = scan->keys.columns[column];
	bool		isnull;
	Datum		stored = scan->source->methods->column(scan->source, column, &isnull);

	if (isnull || !ColumnHasValue(attr, stored, v))
		InvalidRow(scan, psprintf("Column \"%s\" differs from attribute \"%s\" of the item.",
								  attr->column, attr->name.data));
}

struct varlena *
StoreScanPosition(const StoreScan *scan)
{
	ItemBuilder *b = ItemBuilderCreate(0, DUPLICATE_NAME_ERROR);

	ItemBuilderBeginMap(b);
	for (int i = 0; i < scan->keys.ncolumns; i++)
	{
		ValueRef	v = StoreScanKey(scan, i);

		CheckColumnOfItem(scan, i, v);
		ItemBuilderName(b, scan->keys.columns[i]->name.data, scan->keys.columns[i]->name.len);
		ItemBuilderValue(b, v);
	}
	ItemBuilderEnd(b);
	return ItemBuilderFinish(b);
}

void
StoreScanRowKey(const StoreScan *scan, RowKey *key)
{
	const TableDef *def = scan->store->def;

	for (int i = 0; i < KeyCount(&def->key); i++)
	{
		int			column = FindKeyColumn(scan, i);

		key->attributes[i] = StoreScanKey(scan, column);
		key->values[i] = KeyValueToDatum(scan->keys.columns[column], key->attributes[i]);
	}
}

void
StoreScanCheck(const StoreScan *scan)
{
	for (int i = 0; i < scan->keys.ncolumns; i++)
		CheckColumnOfItem(scan, i, StoreScanKey(scan, i));
}

/* ---- scans ---- */

bool
StoreScanIsDirect(const StoreScan *scan)
{
	return scan->source == NULL || scan->direct;
}

StoreScan *
StoreScanBegin(Store *store, const ScanRange *range)
{
	StoreScan  *scan = palloc0(sizeof(StoreScan));

	scan->store = store;
	scan->range = *range;
	ScanKeysInit(&scan->keys, store->def, range);
	scan->snapshot = RegisterSnapshot(StoreIndexSnapshot(store, range->index));
	if (scan->keys.empty)
		return scan;
	scan->source = range->index != NULL ? range->index->kind->begin_scan(scan) : ScanRows(scan);
	return scan;
}

bool
StoreScanNext(StoreScan *scan, struct varlena **item)
{
	if (scan->source == NULL)
		return false;
	do
	{
		scan->item = NextItem(scan);
		if (scan->item == NULL)
			return false;
	} while (scan->visible_context != NULL && !IsVisibleEntry(scan));
	*item = scan->item;
	return true;
}

/*
 * Locks are kept until the end of the transaction, like those of the executor.
 */
void
StoreScanEnd(StoreScan *scan)
{
	ListCell   *lc;

	if (scan->source != NULL)
		scan->source->methods->end(scan->source);
	foreach(lc, scan->indexes)
		index_close((Relation) lfirst(lc), NoLock);
	foreach(lc, scan->relations)
		table_close((Relation) lfirst(lc), NoLock);
	UnregisterSnapshot(scan->snapshot);
}

/* ---- description ---- */

static void
DescribeTarget(const StoreScan *scan, StringInfo out)
{
	const ScanRange *range = &scan->range;
	Oid			btree = FindRangeBtree(scan->store, range);

	if (range->index != NULL && range->index->kind->own_entries)
		appendStringInfo(out, "\nreads: index table %s", get_rel_name(btree));
	else
		appendStringInfo(out, "\nreads: %s through %s",
						 RelationGetRelationName(scan->store->rel),
						 OidIsValid(btree) ? get_rel_name(btree) : "no index");
	if (scan->on_node)
		appendStringInfoString(out, ", on another node");
	else if (!scan->direct && scan->source != NULL)
		appendStringInfoString(out, ", by SQL statements");
}

void
StoreScanDescribe(const StoreScan *scan, StringInfo out)
{
	DescribeTarget(scan, out);
	if (scan->nshards == 1)
		appendStringInfo(out, "\nshard: %d", scan->range.shard);
	else if (scan->nshards > 1)
		appendStringInfo(out, "\nshards: all %d, merged in key order", scan->nshards);
	ScanKeysDescribe(&scan->keys, out);
}
