/*
 * backfill.c
 *	  Filling an index with the rows that were there before it, in batches.
 *
 * The invariant, from the commit that makes the index CREATING to the end of
 * the pass:
 *
 *	A version of a row that is not complete is older than that commit, and the
 *	pass has yet to come to it.
 *
 * A version is complete when its key columns are what its item says and, for an
 * index table, its entry is there.  The pass comes to everything in the blocks
 * that the table had when it began, from the place on that it has come to.
 * These hold the invariant:
 *
 * - The statement that makes the index CREATING has the table for itself: all who
 *	 wrote before, prepared transactions included, have ended.
 * - Whoever writes a version since makes it complete: derive_keys sets its
 *	 columns, and maintain_indexes writes its entry even if the change does not
 *	 concern the index, for the new version may be where the pass does not come.
 *	 A (sub)transaction that is rolled back takes version and entry with it.
 * - The pass completes what it meets.  It locks the row first, by its last
 *	 version, which then stays the last until the batch commits, and nobody else
 *	 writes its entry.  Each batch has a new snapshot.
 * - Where rows are rewritten past the triggers (fill.c, for dynamo.reindex of
 *	 another index), the pass begins again.  So it does for a table with another
 *	 file than before (VACUUM FULL, CLUSTER, TRUNCATE).
 *
 * So one pass is enough, and the place it has come to is all there is to remember.
 */
#include "postgres.h"

#include "access/heapam.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "utils/builtins.h"
#include "utils/json.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "index/build.h"
#include "table/objects.h"
#include "table/owner.h"
#include "table/stored.h"

/* So many unusable keys are named. */
#define MAX_SKIPPED_ITEMS	5

int			build_batch_size = 500;

typedef struct Batch
{
	Relation	rel;
	TableDef   *def;
	const IndexDef *index;
	OwnTable	own;			/* its slot has the row with its key columns */
	Snapshot	snapshot;
	TupleTableSlot *seen;		/* as the snapshot sees it */
	TupleTableSlot *locked;		/* its last version */
	EntryShards entries;		/* of an index table */
	MemoryContext context;
	MemoryContext row_context;
	OwnerScope	scope;
} Batch;

/* ---- a batch ---- */

/* False if the build is over: no table, no index, or not to be filled. */
static bool
OpenForBackfill(Batch *b, Oid relid, const char *index_name)
{
	b->rel = try_table_open(relid, RowExclusiveLock);
	if (b->rel == NULL)
		return false;
	if (!RelationIsDynamoTable(b->rel))
	{
		table_close(b->rel, NoLock);
		return false;
	}
	b->def = TableDefAcquire(b->rel);
	b->index = TableDefIndex(b->def, index_name);
	if (b->index != NULL && b->index->status == INDEX_CREATING)
		return true;
	TableDefRelease(b->def);
	table_close(b->rel, NoLock);
	return false;
}

/*
 * The indexes come last: opening them evaluates constant expressions of the
 * owner's, which want to be the owner and to have a snapshot.
 */
static void
BatchBegin(Batch *b)
{
	OwnerScopeEnter(&b->scope, b->rel->rd_rel->relowner);
	b->snapshot = RegisterSnapshot(GetLatestSnapshot());
	PushActiveSnapshot(b->snapshot);
	OwnTableBegin(&b->own, b->rel, true);
	b->seen = table_slot_create(b->rel, NULL);
	b->locked = table_slot_create(b->rel, NULL);
	EntryShardsBegin(&b->entries, b->def, b->index, RowExclusiveLock);
	b->context = CurrentMemoryContext;
	b->row_context = AllocSetContextCreate(CurrentMemoryContext, "dynamo index backfill",
										   ALLOCSET_DEFAULT_SIZES);
}

static void
BatchEnd(Batch *b)
{
	EntryShardsEnd(&b->entries);
	ExecDropSingleTupleTableSlot(b->seen);
	ExecDropSingleTupleTableSlot(b->locked);
	OwnTableEnd(&b->own);
	PopActiveSnapshot();
	UnregisterSnapshot(b->snapshot);
	TableDefRelease(b->def);
	MemoryContextDelete(b->row_context);
	OwnerScopeLeave(&b->scope);
	table_close(b->rel, NoLock);
}

/* ---- a row ---- */

/* The columns of a row, those of its item that were missing set. */
static bool
DeriveRow(Batch *b, TupleTableSlot *slot, Datum **values, bool **nulls, ValueRef *item)
{
	*item = CopyColumns(b->def, slot, values, nulls);
	return DeriveStoredKeys(b->def, *item, *values, *nulls);
}

/* A write since has made the entry already, or there is to be none. */
static void
WriteEntry(Batch *b, TupleTableSlot *slot)
{
	BaseRow		row = {.desc = RelationGetDescr(b->rel)};
	EntryKey	key;
	EntryTable *entries;
	bool		should_free;

	row.tuple = ExecFetchSlotHeapTuple(slot, false, &should_free);
	EntryKeyOfRow(b->def, b->index, &row, &key);
	if (!key.present)
		return;
	entries = EntryShardsGet(&b->entries, key.shard);
	if (!EntryFind(entries, &key))
		EntryInsert(entries, &key,
					IndexEntryItem(b->def, b->index, BaseRowItem(b->def, &row)));
}

/* Locks the row and does what there is to do; false if others have it locked. */
static bool
FillLocked(Batch *b, ItemPointer tid, LockWaitPolicy policy)
{
	Datum	   *values;
	bool	   *nulls;
	ValueRef	item;
	TM_Result	result = OwnTableLock(&b->own, tid, b->snapshot, b->locked, policy);
	TupleTableSlot *last = b->locked;

	if (result != TM_Ok)
		return result != TM_WouldBlock; /* it has been deleted */
	if (DeriveRow(b, b->locked, &values, &nulls, &item))
	{
		OwnTableForm(&b->own, values, nulls);
		OwnTableUpdate(&b->own, &b->locked->tts_tid, b->snapshot);
		last = b->own.slot;
	}
	if (b->index->storage == STORAGE_TABLE)
		WriteEntry(b, last);
	return true;
}

/* ---- items with unusable keys ---- */

/* The key of the row seen, by its columns, as JSON. */
static char *
PrintSeenKey(const Batch *b)
{
	BaseRow		row = {.desc = RelationGetDescr(b->rel)};
	struct varlena *key;
	Oid			output;
	bool		is_varlena;
	bool		should_free;

	row.tuple = ExecFetchSlotHeapTuple(b->seen, false, &should_free);
	key = BaseRowKey(b->def, &row);
	getTypeOutputInfo(b->def->item_type, &output, &is_varlena);
	return key != NULL ? OidOutputFunctionCall(output, PointerGetDatum(key)) : pstrdup("null");
}

static void
NoteSkipped(const Batch *b, BuildState *state, const char *reason)
{
	StringInfoData list;

	if (++state->skipped > MAX_SKIPPED_ITEMS)
		return;
	initStringInfo(&list);
	appendBinaryStringInfo(&list, state->skipped_items, strlen(state->skipped_items) - 1);
	appendStringInfo(&list, "%s{\"key\": %s, \"reason\": ", state->skipped > 1 ? ", " : "",
					 PrintSeenKey(b));
	escape_json(&list, reason);
	appendStringInfoString(&list, "}]");
	state->skipped_items = MemoryContextStrdup(b->context, list.data);
}

/* ---- the pass ---- */

/* Whether there may be something to do; only then is the row locked. */
static bool
NeedsFilling(Batch *b, BuildState *state)
{
	Datum	   *values;
	bool	   *nulls;
	ValueRef	item;
	bool		changed = DeriveRow(b, b->seen, &values, &nulls, &item);
	const char *reason = LeftOutReason(b->def, b->index, item, values, nulls);

	if (reason != NULL)
		NoteSkipped(b, state, reason);
	return changed || (b->index->storage == STORAGE_TABLE && reason == NULL &&
					   ItemInIndex(b->def, b->index, item));
}

static void
FillSeen(Batch *b, BuildState *state, List **busy)
{
	ItemPointer tid;

	if (!NeedsFilling(b, state))
		return;
	tid = MemoryContextAlloc(b->context, sizeof(ItemPointerData));
	*tid = b->seen->tts_tid;
	if (!FillLocked(b, &b->seen->tts_tid, LockWaitSkip))
	{
		MemoryContextSwitchTo(b->context);
		*busy = lappend(*busy, tid);
	}
}

static TableScanDesc
BeginPass(Batch *b, const BuildState *state)
{
	ItemPointerData from;
	ItemPointerData to;

	ItemPointerSet(&from, state->block, state->offset);
	ItemPointerSet(&to, state->blocks - 1, MaxOffsetNumber);
	return table_beginscan_tidrange(b->rel, b->snapshot, &from, &to);
}

/* Goes on from the place the last batch came to; false at the end. */
static bool
FillRows(Batch *b, BuildState *state, List **busy)
{
	TableScanDesc scan;
	bool		more = true;

	if (state->blocks == 0)
		return false;
	scan = BeginPass(b, state);
	for (int n = 0; more && n < build_batch_size; n++)
	{
		CHECK_FOR_INTERRUPTS();
		more = table_scan_getnextslot_tidrange(scan, ForwardScanDirection, b->seen);
		if (!more)
			break;
		state->block = ItemPointerGetBlockNumber(&b->seen->tts_tid);
		state->offset = OffsetNumberNext(ItemPointerGetOffsetNumber(&b->seen->tts_tid));
		state->rows++;
		MemoryContextSwitchTo(b->row_context);
		FillSeen(b, state, busy);
		MemoryContextSwitchTo(b->context);
		MemoryContextReset(b->row_context);
	}
	table_endscan(scan);
	return more;
}

/* A pass that begins, also because the table has another file than before. */
static void
BeginAgain(const Batch *b, BuildState *state)
{
	memset(state, 0, sizeof(*state));
	state->file = b->rel->rd_rel->relfilenode;
	state->offset = FirstOffsetNumber;
	state->blocks = RelationGetNumberOfBlocks(b->rel);
	state->skipped_items = "[]";
}

BackfillResult
BackfillBatch(Oid relid, const char *index_name, BuildState *state, List **busy)
{
	Batch		b = {0};
	bool		more;

	if (!OpenForBackfill(&b, relid, index_name))
		return BACKFILL_GONE;
	BuildStateRead(relid, index_name, state);
	if (state->file != b.rel->rd_rel->relfilenode)
		BeginAgain(&b, state);
	BatchBegin(&b);
	more = FillRows(&b, state, busy);
	if (!more)
		state->block = state->blocks;
	BatchEnd(&b);
	if (*busy == NIL)
		BuildStateWrite(relid, index_name, state);
	return more ? BACKFILL_MORE : BACKFILL_DONE;
}

void
BackfillOne(Oid relid, const char *index_name, ItemPointer tid)
{
	Batch		b = {0};

	if (!OpenForBackfill(&b, relid, index_name))
		return;
	BatchBegin(&b);
	/* what has replaced a version that is gone is complete */
	if (ItemPointerGetBlockNumber(tid) < RelationGetNumberOfBlocks(b.rel) &&
		OwnTableFetch(&b.own, tid, b.snapshot, b.seen))
		(void) FillLocked(&b, tid, LockWaitBlock);
	BatchEnd(&b);
}
