/*
 * fill_index_table.c
 *	  Fills an index table from the rows of its table.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "extension_objects.h"
#include "index/index.h"
#include "security/owner.h"
#include "stat/progress.h"
#include "table/index_relation.h"

typedef struct Target
{
	const TableDef *def;
	const IndexDef *index;
	EntryShards shards;
	int64		entries;
} Target;

static void
AddEntry(Target *target, BaseRow *row)
{
	EntryKey	key;

	EntryKeyOfRow(target->def, target->index, row, &key);
	if (!key.present)
		return;
	EntryInsert(EntryShardsGet(&target->shards, key.shard), &key,
				IndexEntryItem(target->def, target->index, BaseRowItem(target->def, row)));
	target->entries++;
}

static void
AddEntriesOf(Target *target, Relation rel)
{
	MemoryContext context = CurrentMemoryContext;
	MemoryContext row_context = AllocSetContextCreate(context, "dynamo index fill",
													  ALLOCSET_DEFAULT_SIZES);
	Snapshot	snapshot = RegisterSnapshot(GetLatestSnapshot());
	TableScanDesc scan = BeginTableScan(rel, snapshot);
	TupleTableSlot *slot = table_slot_create(rel, NULL);

	ProgressBegin(PROGRESS_FILL, RelationGetRelid(rel), rel->rd_rel->reltuples);
	while (table_scan_getnextslot(scan, ForwardScanDirection, slot))
	{
		BaseRow		row = {.desc = RelationGetDescr(rel)};
		bool		should_free;

		CHECK_FOR_INTERRUPTS();
		MemoryContextSwitchTo(row_context);
		row.tuple = ExecFetchSlotHeapTuple(slot, false, &should_free);
		AddEntry(target, &row);
		ProgressRow();
		MemoryContextSwitchTo(context);
		MemoryContextReset(row_context);
		ReportBuildProgress(target->index, target->entries);
	}
	ProgressEnd();
	ExecDropSingleTupleTableSlot(slot);
	table_endscan(scan);
	UnregisterSnapshot(snapshot);
	MemoryContextDelete(row_context);
}

static int64
FillFromRelation(Oid relid, const char *index_name)
{
	Relation	rel = table_open(relid, NoLock);
	TableDef   *def = TableDefAcquire(rel);
	Target		target = {.def = def, .index = TableDefIndexOf(def, index_name)};

	EntryShardsBegin(&target.shards, def, target.index, AccessExclusiveLock);
	AddEntriesOf(&target, rel);
	EntryShardsEnd(&target.shards);
	TableDefRelease(def);
	table_close(rel, NoLock);
	return target.entries;
}

static void
AfterFilling(Oid relid, const char *index_name)
{
	Relation	rel = table_open(relid, NoLock);
	TableDef   *def = TableDefAcquire(rel);
	const IndexDef *index = TableDefIndexOf(def, index_name);

	if (index->kind->after_filling != NULL)
		index->kind->after_filling(IndexDefRelation(def, index), index);
	TableDefRelease(def);
	table_close(rel, NoLock);
}

int64
FillIndexTable(Oid relid, const char *index_name)
{
	int64		entries = 0;
	OwnerScope	scope;
	ListCell   *cell;

	OwnerScopeEnter(&scope, RelationOwner(relid));
	foreach(cell, find_all_inheritors(relid, AccessExclusiveLock, NULL))
	{
		if (get_rel_relkind(lfirst_oid(cell)) == RELKIND_RELATION)
			entries += FillFromRelation(lfirst_oid(cell), index_name);
	}
	OwnerScopeLeave(&scope);
	CommandCounterIncrement();
	AfterFilling(relid, index_name);
	return entries;
}
