/*
 * verify_inline.c
 *	  Compares an inline index, which is a btree, with its table.
 *
 * The rows in the btree are sorted by their positions in the heap and merged
 * with a sequential scan, so that tables larger than memory can be verified.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relscan.h"
#include "access/tableam.h"
#include "catalog/partition.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "catalog/pg_operator_d.h"
#include "catalog/pg_type.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "storage/itemptr.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/tuplesort.h"

#include "index/verify.h"
#include "stat/progress.h"
#include "table/index_relation.h"
#include "table/limits.h"

/* Positions of rows, in order. */
typedef struct Places
{
	Tuplesortstate *sort;
	bool		valid;
	int64		place;			/* current position */
} Places;

static int64
EncodePlace(ItemPointer tid)
{
	return ((int64) ItemPointerGetBlockNumber(tid) << 16) |
		ItemPointerGetOffsetNumber(tid);
}

static void
NextPlace(Places *places)
{
	Datum		datum;
	bool		isnull;

	places->valid = TuplesortGetDatum(places->sort, &datum, &isnull);
	if (places->valid)
		places->place = DatumGetInt64(datum);
}

/* Collects the positions of all visible rows in the btree. */
static void
CollectPlaces(Verification *v, Relation btree, Places *places)
{
	IndexScanDesc scan = BeginIndexScan(v->rel, btree, v->snapshot, 0);
	TupleTableSlot *slot = table_slot_create(v->rel, NULL);

	places->sort = tuplesort_begin_datum(INT8OID, Int8LessOperator, InvalidOid, false,
										 work_mem, NULL, TUPLESORT_NONE);
	index_rescan(scan, NULL, 0, NULL, 0);
	while (index_getnext_slot(scan, ForwardScanDirection, slot))
	{
		CHECK_FOR_INTERRUPTS();
		tuplesort_putdatum(places->sort, Int64GetDatum(EncodePlace(&slot->tts_tid)), false);
	}
	ExecDropSingleTupleTableSlot(slot);
	index_endscan(scan);
	tuplesort_performsort(places->sort);
	NextPlace(places);
}

/* Whether the stored columns put a row into the btree. */
static bool
RowIsIndexed(const Verification *v, BaseRow *row)
{
	Datum		keys[KEY_MAX_ATTRIBUTES + 2];
	bool		nulls[KEY_MAX_ATTRIBUTES + 2];

	for (int i = 0; i < v->index->nentry; i++)
	{
		keys[i] = BaseRowColumn(row, EntryAttribute(v->def, v->index, i)->attnum, &nulls[i]);
		if (nulls[i] && i < v->index->key.npartition)
			return false;
	}
	return IndexAdmits(v->def, v->index, keys, nulls);
}

static void
ReportEntry(Verification *v, BaseRow *row, const char *problem)
{
	ReportProblem(v, problem, BaseRowKey(v->def, row), NULL);
}

static void
VerifyInlineRow(Verification *v, BaseRow *row, int64 place, Places *places)
{
	Datum		values[KEY_MAX_ATTRIBUTES + 2];
	bool		nulls[KEY_MAX_ATTRIBUTES + 2];
	bool		found;

	ExpectedEntry(v, v->def, v->index, row, values, nulls);
	while (places->valid && places->place < place)
	{
		/*
		 * The row is visible through the btree, but not in a scan of the heap.
		 */
		ReportProblem(v, "surplus entry", NO_ITEM, "An entry leads to no row.");
		NextPlace(places);
	}
	found = places->valid && places->place == place;
	while (places->valid && places->place == place)
		NextPlace(places);
	if (found && !RowIsIndexed(v, row))
		ReportEntry(v, row, "surplus entry");
	else if (!found && RowIsIndexed(v, row))
		ReportEntry(v, row, "missing entry");
}

/* Scans in physical order; a synchronized scan would start in the middle. */
static void
VerifyAllRows(Verification *v, Places *places)
{
	TableScanDesc scan = table_beginscan_strat(v->rel, v->snapshot, 0, NULL, true, false);
	TupleTableSlot *slot = table_slot_create(v->rel, NULL);

	while (table_scan_getnextslot(scan, ForwardScanDirection, slot))
	{
		MemoryContext old = MemoryContextSwitchTo(v->row_context);
		BaseRow		row = {.desc = RelationGetDescr(v->rel)};
		bool		should_free;

		CHECK_FOR_INTERRUPTS();
		row.tuple = ExecFetchSlotHeapTuple(slot, false, &should_free);
		ProgressRow();
		VerifyInlineRow(v, &row, EncodePlace(&slot->tts_tid), places);
		MemoryContextSwitchTo(old);
		MemoryContextReset(v->row_context);
	}
	ExecDropSingleTupleTableSlot(slot);
	table_endscan(scan);
}

static void
VerifyBtree(Verification *v, Oid relid)
{
	Relation	btree = index_open(relid, AccessShareLock);
	Places		places = {0};

	if (btree->rd_rel->relam != BTREE_AM_OID || !btree->rd_index->indisvalid ||
		!InlineIndexFits(v->def, v->index, relid))
		ReportProblem(v, "index invalid", NO_ITEM,
					  psprintf("Relation \"%s\" is not a valid btree on the key columns.",
							   RelationGetRelationName(btree)));
	else
	{
		CollectPlaces(v, btree, &places);
		VerifyAllRows(v, &places);
		tuplesort_end(places.sort);
	}
	index_close(btree, AccessShareLock);
}

/* Returns the partition's part of a partitioned btree, at any depth. */
static Oid
FindPartOfIndex(Relation partition, Oid btree)
{
	ListCell   *cell;

	foreach(cell, RelationGetIndexList(partition))
	{
		if (get_rel_relispartition(lfirst_oid(cell)) &&
			list_member_oid(get_partition_ancestors(lfirst_oid(cell)), btree))
			return lfirst_oid(cell);
	}
	return InvalidOid;
}

void
VerifyInline(Verification *v, Relation btree)
{
	bool		partitioned = btree->rd_rel->relkind == RELKIND_PARTITIONED_INDEX;

	for (int i = 0; i < v->nbases; i++)
	{
		Oid			relid;

		UseBaseTable(v, &v->bases[i]);
		relid = partitioned ? FindPartOfIndex(v->rel, RelationGetRelid(btree)) : RelationGetRelid(btree);
		if (OidIsValid(relid))
			VerifyBtree(v, relid);
		else
			ReportProblem(v, "index missing", NO_ITEM,
						  psprintf("Partition \"%s\" has no part of it.",
								   RelationGetRelationName(v->rel)));
	}
}
