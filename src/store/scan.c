/*
 * scan.c
 *	  Reads a range of a table or an index in key order, with either path.
 *
 * An index table is read without privileges on it, which no role has: SELECT
 * on the table was checked when it was opened.  If row security hides rows of
 * the table from the user, their entries are hidden, too.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "catalog/pg_class_d.h"
#include "nodes/pg_list.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

#include "compat.h"
#include "extension_objects.h"
#include "item/builder.h"
#include "store/elsewhere.h"
#include "store/partition.h"
#include "store/plan.h"
#include "store/scan.h"
#include "store/segment.h"
#include "table/index_relation.h"
#include "table/limits.h"
#include "table/object_names.h"
#include "table/placement.h"

struct StoreScan
{
	Store	   *store;
	ScanRange	range;
	ScanKeys	keys;
	Snapshot	snapshot;
	ScanSource *source;			/* NULL if there is nothing to read */
	bool		direct;			/* the source reads through an index */
	bool		on_node;		/* the source reads on another node */
	int			nshards;		/* merged shards of an index table, or 0 */

	/* of a distributed table that is read shard by shard */
	int			place;			/* the present shard */
	int			end_place;		/* after the last one; or 0 */
	MemoryContext context;

	List	   *relations;		/* open index tables and shards */
	List	   *indexes;		/* btrees opened for the scan */

	struct varlena *item;		/* current item */

	MemoryContext visible_context;	/* NULL: all are visible */
};

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
FindBtree(const Store *store, const ScanRange *range)
{
	if (range->index == NULL)
		return store->def->primary_key;
	return IndexDefRelation(store->def, range->index);
}

/* Opens a btree of a relation; NULL if the direct path cannot read it. */
static Relation
OpenBtree(StoreScan *scan, Relation rel, Oid btree)
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

/* Creates the source of a shard on another node; NULL if the shard is not to be read there. */
static ScanSource *
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
		Relation	index = OpenBtree(scan, store->rel, FindBtree(store, &scan->range));

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

/* ---- index tables ---- */

static bool
IsPlainIndexTable(Relation rel)
{
	return rel->rd_rel->relkind == RELKIND_RELATION &&
		rel->rd_tableam == GetHeapamTableAmRoutine() &&
		!rel->rd_rel->relhassubclass && !rel->rd_rel->relhasrules &&
		!rel->rd_rel->relrowsecurity;
}

static AttrNumber
ItemColumn(Relation rel, const TableDef *def)
{
	AttrNumber	attnum = get_attnum(RelationGetRelid(rel), ITEM_COLUMN);

	if (attnum <= 0 || !ColumnIsNotNull(RelationGetDescr(rel), attnum) ||
		TupleDescAttr(RelationGetDescr(rel), attnum - 1)->atttypid != def->item_type)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("index table \"%s\" has no column \"%s\" of type dynamo.item",
						RelationGetRelationName(rel), ITEM_COLUMN)));
	return attnum;
}

/* Keeps an index table or a shard open for the scan. */
static Relation
UseIndexTable(StoreScan *scan, Relation rel)
{
	scan->relations = lappend(scan->relations, rel);
	(void) ItemColumn(rel, scan->store->def);
	return rel;
}

/*
 * Creates the direct source of an index table or a shard; NULL if impossible.
 */
static ScanSource *
DirectEntries(StoreScan *scan, Relation rel)
{
	Relation	index;

	if (!IsPlainIndexTable(rel))
		return NULL;
	index = OpenBtree(scan, rel, PrimaryKeyIndex(rel));
	if (index == NULL)
		return NULL;
	return DirectScanBegin(rel, index, ItemColumn(rel, scan->store->def), &scan->keys, scan->snapshot);
}

/*
 * Creates the direct source of the requested shard, or merges those of all
 * shards.
 */
static ScanSource *
DirectShards(StoreScan *scan, Relation rel)
{
	const IndexDef *index = scan->range.index;
	const TableDef *def = scan->store->def;
	ScanSource **sources = palloc(sizeof(ScanSource *) * index->shards);
	int			first = Max(scan->range.shard, 0);
	int			last = scan->range.shard >= 0 ? first : index->shards - 1;
	int			n = 0;

	for (int i = first; i <= last; i++)
	{
		sources[n] = DirectEntries(scan, UseIndexTable(scan, IndexShardOpen(rel, def, index, i, AccessShareLock)));
		if (sources[n] == NULL)
			break;
		n++;
	}
	if (n == last - first + 1)
		return n == 1 ? sources[0] : GatherBegin(sources, n, &scan->keys);

	while (n-- > 0)
		sources[n]->methods->end(sources[n]);
	return NULL;
}

/*
 * Entries of a shard that was moved here after the snapshot were written here after it, too.
 */
static void
SeeMovedEntries(StoreScan *scan, TransactionId placed)
{
	if (!WriterIsNewer(placed, scan->snapshot))
		return;
	if (IsolationUsesXactSnapshot())
		ereport(ERROR,
				(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
				 errmsg("could not serialize access due to the move of a shard of index \"%s\"",
						scan->range.index->name)));
	UnregisterSnapshot(scan->snapshot);
	scan->snapshot = RegisterSnapshot(GetLatestSnapshot());
}

/* Creates the direct source of an index table's shard on this server; NULL if impossible. */
static ScanSource *
DirectEntriesOfShard(StoreScan *scan, const ScanShard *shard)
{
	TransactionId placed;
	Oid			relid = placement->lock_shard_at(shard->map, shard->position, false, &placed);
	Relation	rel;

	if (!OidIsValid(relid))
		return NULL;
	rel = UseIndexTable(scan, table_open(relid, NoLock));
	if (rel->rd_rel->relowner != shard->rel->rd_rel->relowner)
		return NULL;
	SeeMovedEntries(scan, placed);
	return DirectEntries(scan, rel);
}

/*
 * Creates the source of the shard with the entries of a partition key, here or on
 * another node; NULL if a statement must read them.
 */
static ScanSource *
DistributedEntries(StoreScan *scan, Relation index_table)
{
	ScanShard	shard = {.rel = index_table, .rights = PLAN_ALL_ROWS};
	ScanSource *source;

	if (!scan->store->direct_partitions || scan->keys.nfixed == 0)
		return NULL;
	shard.map = placement->shards_of_index(scan->store->def, scan->range.index);
	if (shard.map == NULL)
		return NULL;
	shard.position = placement->find_position(shard.map, scan->keys.tests[0].value);
	source = DirectEntriesOfShard(scan, &shard);
	return source != NULL ? source : NodeSourceOfShard(scan, &shard);
}

static ScanSource *
IndexTableSource(StoreScan *scan)
{
	const IndexDef *index = scan->range.index;
	Relation	rel = UseIndexTable(scan, IndexTableOpen(scan->store->def, index, AccessShareLock));
	ScanSource *source = NULL;

	if (index->shards > 0)
		scan->nshards = scan->range.shard >= 0 ? 1 : index->shards;
	if (scan->store->direct)
		source = index->shards > 0 ? DirectShards(scan, rel) : DirectEntries(scan, rel);
	else if (scan->store->def->distributed)
		source = DistributedEntries(scan, rel);
	scan->direct = source != NULL && !scan->on_node;
	if (source == NULL)
	{
		if (scan->store->of_node)
			StoreNotForNode(scan->store);
		if (index->shards > 0)
			CheckIndexShards(rel, index);
		source = SqlScanBegin(rel, scan->range.shard, PLAN_ALL_ROWS, &scan->keys, scan->snapshot);
	}

	if (StoreHidesRows(scan->store))
		scan->visible_context = AllocSetContextCreate(CurrentMemoryContext,
													  "dynamo visible entry",
													  ALLOCSET_DEFAULT_SIZES);
	return source;
}

/* Whether this user may see the item of the current entry. */
static bool
IsVisible(StoreScan *scan)
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

/*
 * The rows get the columns of an inline index in the transaction that creates
 * its btree.
 */
static bool
BtreeIsNewer(Oid relid, Snapshot snapshot)
{
	return WriterIsNewer(CatalogRowWriter(INDEXRELID, relid), snapshot);
}

/*
 * Whether an index table was filled after the snapshot.  This happens in the
 * transaction that creates the file of the index table or of its shards.
 */
static bool
IndexTableIsNewer(Oid relid, const IndexDef *index, Snapshot snapshot)
{
	Relation	rel;
	bool		newer = FileIsNewer(relid, snapshot);

	if (index->shards == 0 || newer)
		return newer;
	rel = table_open(relid, AccessShareLock);
	CheckIndexShards(rel, index);
	newer = FileIsNewer(IndexShardRelation(rel, index, 0), snapshot);
	table_close(rel, NoLock);
	return newer;
}

/*
 * Whether an index built online became ACTIVE after the snapshot.  It is
 * filled by many transactions.  The session that makes it ACTIVE waits for
 * older snapshots, but does not know those of a standby.
 */
static bool
IsActiveSince(const TableDef *def, const IndexDef *index, Snapshot snapshot)
{
	return RecoveryInProgress() && WriterIsNewer(def->defined, snapshot) &&
		!IndexWasActive(def, index, snapshot);
}

bool
StoreIndexIsNewer(const TableDef *def, const IndexDef *index, Snapshot snapshot)
{
	Oid			relid = IndexDefRelation(def, index);

	if (!index->kind->own_entries)
		return BtreeIsNewer(relid, snapshot);
	return IndexTableIsNewer(relid, index, snapshot) ||
		IsActiveSince(def, index, snapshot);
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
CheckColumn(const StoreScan *scan, int column, ValueRef v)
{
	const AttributeDef *attr = scan->keys.columns[column];
	bool		isnull;
	Datum		stored = scan->source->methods->column(scan->source, column, &isnull);

	if (isnull || !ColumnHasValue(attr, stored, v))
		InvalidRow(scan, psprintf("Column \"%s\" differs from attribute %s of the item.",
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

		CheckColumn(scan, i, v);
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
		CheckColumn(scan, i, StoreScanKey(scan, i));
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
	if (range->index != NULL && range->index->kind->own_entries)
		scan->source = IndexTableSource(scan);
	else if (ReadsShardByShard(scan))
		BeginShards(scan);
	else
		scan->source = TableSource(scan);
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
	} while (scan->visible_context != NULL && !IsVisible(scan));
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
	Oid			btree = FindBtree(scan->store, range);

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
