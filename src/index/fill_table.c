/*
 * fill_table.c
 *	  Filling an index table from the rows of its table.
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

#include "catalog/objects.h"
#include "catalog/owner.h"
#include "index/index.h"

/* The index table, each shard opened when its first entry comes. */
typedef struct Target
{
	const TableDef *def;
	const IndexDef *index;
	EntryTable *shards;
	bool	   *open;
	int64		entries;
} Target;

static void
TargetBegin(Target *target, const TableDef *def, const IndexDef *index)
{
	int			n = Max(index->shards, 1);

	target->def = def;
	target->index = index;
	target->shards = palloc0(sizeof(EntryTable) * n);
	target->open = palloc0(sizeof(bool) * n);
	target->entries = 0;
}

static void
TargetEnd(Target *target)
{
	for (int i = 0; i < Max(target->index->shards, 1); i++)
	{
		if (target->open[i])
			EntryTableClose(&target->shards[i]);
	}
}

static EntryTable *
TargetShard(Target *target, int shard)
{
	if (!target->open[shard])
	{
		EntryTableOpen(&target->shards[shard], target->def, target->index,
					   shard, AccessExclusiveLock);
		target->open[shard] = true;
	}
	return &target->shards[shard];
}

static void
AddEntry(Target *target, BaseRow *row, MemoryContext context)
{
	EntryKey	key;
	MemoryContext outer;
	EntryTable *shard;

	EntryKeyOfRow(target->def, target->index, row, &key);
	if (!key.present)
		return;
	outer = MemoryContextSwitchTo(context);
	shard = TargetShard(target, key.shard);
	MemoryContextSwitchTo(outer);
	EntryInsert(shard, &key,
				IndexEntryItem(target->def, target->index, BaseRowItem(target->def, row)));
	target->entries++;
}

static void
FillFrom(Target *target, Relation rel)
{
	MemoryContext context = CurrentMemoryContext;
	MemoryContext row_context = AllocSetContextCreate(context, "dynamo index fill",
													  ALLOCSET_DEFAULT_SIZES);
	Snapshot	snapshot = RegisterSnapshot(GetLatestSnapshot());
	TableScanDesc scan = table_beginscan(rel, snapshot, 0, NULL);
	TupleTableSlot *slot = table_slot_create(rel, NULL);

	while (table_scan_getnextslot(scan, ForwardScanDirection, slot))
	{
		BaseRow		row = {.desc = RelationGetDescr(rel)};
		bool		should_free;

		CHECK_FOR_INTERRUPTS();
		MemoryContextSwitchTo(row_context);
		row.tuple = ExecFetchSlotHeapTuple(slot, false, &should_free);
		AddEntry(target, &row, context);
		MemoryContextSwitchTo(context);
		MemoryContextReset(row_context);
		ReportBuildProgress(target->index, target->entries);
	}
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
	Target		target;

	TargetBegin(&target, def, TableDefIndexOf(def, index_name));
	FillFrom(&target, rel);
	TargetEnd(&target);
	TableDefRelease(def);
	table_close(rel, NoLock);
	return target.entries;
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
	return entries;
}
