/*
 * scan_entries.c
 *	  Reads a range of an index table, with either path.
 *
 * An index table is read without privileges on it, which no role has: SELECT
 * on the table was checked when it was opened.  If row security hides rows of
 * the table from the user, their entries are hidden, too.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "extension_objects.h"
#include "store/plan.h"
#include "store/scan.h"
#include "table/index_relation.h"
#include "table/object_names.h"
#include "table/placement.h"

static bool
IsPlainIndexTable(Relation rel)
{
	return rel->rd_rel->relkind == RELKIND_RELATION &&
		rel->rd_tableam == GetHeapamTableAmRoutine() &&
		!rel->rd_rel->relhassubclass && !rel->rd_rel->relhasrules &&
		!rel->rd_rel->relrowsecurity;
}

static AttrNumber
ItemColumnNumber(Relation rel, const TableDef *def)
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
	(void) ItemColumnNumber(rel, scan->store->def);
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
	index = ScanOpenBtree(scan, rel, PrimaryKeyIndex(rel));
	if (index == NULL)
		return NULL;
	return DirectScanBegin(rel, index, ItemColumnNumber(rel, scan->store->def), &scan->keys, scan->snapshot);
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
	if (IsolationUsesXactSnapshot() || IsInParallelMode())
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

/* Opens the index table of a scan, whose entries are hidden with the rows of the table. */
static Relation
OpenForScan(StoreScan *scan)
{
	if (StoreHidesRows(scan->store))
		scan->visible_context = AllocSetContextCreate(CurrentMemoryContext,
													  "dynamo visible entry",
													  ALLOCSET_DEFAULT_SIZES);
	return UseIndexTable(scan, IndexTableOpen(scan->store->def, scan->range.index, AccessShareLock));
}

/* Creates the source that reads with statements. */
static ScanSource *
SqlEntries(StoreScan *scan, Relation rel)
{
	if (scan->store->of_node)
		StoreNotForNode(scan->store);
	return SqlScanBegin(rel, scan->range.shard, PLAN_ALL_ROWS, &scan->keys, scan->snapshot);
}

ScanSource *
ScanEntries(StoreScan *scan)
{
	Relation	rel = OpenForScan(scan);
	ScanSource *source = NULL;

	if (scan->store->direct)
		source = DirectEntries(scan, rel);
	else if (scan->store->def->distributed)
		source = DistributedEntries(scan, rel);
	scan->direct = source != NULL && !scan->on_node;
	return source != NULL ? source : SqlEntries(scan, rel);
}

ScanSource *
ScanShards(StoreScan *scan)
{
	Relation	rel = OpenForScan(scan);
	ScanSource *source = scan->store->direct ? DirectShards(scan, rel) : NULL;

	scan->nshards = scan->range.shard >= 0 ? 1 : scan->range.index->shards;
	scan->direct = source != NULL;
	if (source != NULL)
		return source;
	CheckIndexShards(rel, scan->range.index);
	return SqlEntries(scan, rel);
}
