/*
 * count_rows.c
 *	  How many items a table or an index has, for descriptions of tables.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/relation.h"
#include "access/tableam.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "compat.h"
#include "store/count_rows.h"

/* One megabyte, and as many entries of an index. */
#define MAX_PAGES	128
#define MAX_ENTRIES	10000

/* Rows are counted as they are now, so that a serializable transaction depends on none of them. */
static void
CountInPages(Relation rel, RelationSize *size)
{
	BlockNumber pages = RelationGetNumberOfBlocks(rel);
	ItemPointerData first;
	ItemPointerData last;
	TableScanDesc scan;
	TupleTableSlot *slot;
	int64		rows = 0;

	if (pages == 0)
		return;
	ItemPointerSet(&first, 0, FirstOffsetNumber);
	ItemPointerSet(&last, Min(pages, MAX_PAGES) - 1, MaxOffsetNumber);
	slot = table_slot_create(rel, NULL);
	scan = BeginTidRangeScan(rel, SnapshotSelf, &first, &last);
	while (table_scan_getnextslot_tidrange(scan, ForwardScanDirection, slot))
	{
		CHECK_FOR_INTERRUPTS();
		rows++;
	}
	table_endscan(scan);
	ExecDropSingleTupleTableSlot(slot);
	size->rows += pages > MAX_PAGES ? (int64) ((double) rows * pages / MAX_PAGES) : rows;
	size->bytes += (int64) pages * BLCKSZ;
}

/* Counts entries, at most some: an index that has more is analyzed soon. */
static void
CountEntries(Relation index, RelationSize *size)
{
	Relation	heap = try_relation_open(index->rd_index->indrelid, AccessShareLock);
	TupleTableSlot *slot;
	IndexScanDesc scan;
	int64		entries = 0;

	if (heap == NULL)
		return;
	slot = table_slot_create(heap, NULL);
	scan = BeginIndexScan(heap, index, SnapshotSelf, 0);
	index_rescan(scan, NULL, 0, NULL, 0);
	while (entries < MAX_ENTRIES && index_getnext_slot(scan, ForwardScanDirection, slot))
	{
		CHECK_FOR_INTERRUPTS();
		entries++;
	}
	index_endscan(scan);
	ExecDropSingleTupleTableSlot(slot);
	relation_close(heap, AccessShareLock);
	size->rows += entries;
	size->bytes += entries > 0 ? (int64) RelationGetNumberOfBlocks(index) * BLCKSZ : 0;
}

/* An estimate of zero may be as old as the table or the index. */
static void
AddSizeOf(Oid relid, RelationSize *size)
{
	Relation	rel = try_relation_open(relid, AccessShareLock);

	if (rel == NULL)
		return;
	if (rel->rd_rel->reltuples > 0)
	{
		size->rows += (int64) rel->rd_rel->reltuples;
		size->bytes += (int64) rel->rd_rel->relpages * BLCKSZ;
	}
	else if (!RELATION_IS_OTHER_TEMP(rel))
	{
		if (rel->rd_rel->relkind == RELKIND_RELATION)
			CountInPages(rel, size);
		else if (rel->rd_rel->relkind == RELKIND_INDEX && rel->rd_rel->relam == BTREE_AM_OID && rel->rd_index->indisvalid)
			CountEntries(rel, size);
	}
	relation_close(rel, AccessShareLock);
}

RelationSize
CountRelation(Oid relid)
{
	RelationSize size = {0};
	/* an index can be dropped beside readers of its table; find_all_inheritors() would raise an internal error */
	Relation	rel = OidIsValid(relid) ? try_relation_open(relid, AccessShareLock) : NULL;
	ListCell   *cell;

	if (rel == NULL)
		return size;
	/* partitions have their own statistics */
	foreach(cell, find_all_inheritors(relid, AccessShareLock, NULL))
	{
		Oid			part = lfirst_oid(cell);
		char		kind = get_rel_relkind(part);

		if (kind == RELKIND_RELATION || kind == RELKIND_INDEX)
			AddSizeOf(part, &size);
	}
	relation_close(rel, AccessShareLock);
	return size;
}
