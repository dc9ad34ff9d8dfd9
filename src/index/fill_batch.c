/*
 * fill_batch.c
 *	  Fills a new index from existing rows, in batches.
 *
 * This invariant holds from the commit that makes the index CREATING until the
 * end of the pass:
 *
 *	  If a version of a row is not complete, it is older than that commit and
 *	  the pass has not reached it yet.
 *
 * A version is complete if its key columns have the values of its item and,
 * for an index table, its entry exists.  The pass visits all blocks that the
 * table had when the pass began, starting at the recorded position.  The
 * invariant holds for these reasons:
 *
 * - The statement that makes the index CREATING locks out all others: every
 *   transaction that wrote before, including prepared ones, has ended.
 * - Every later write makes its version complete.  derive_keys sets the
 *   columns. maintain_indexes writes the entry even if the change does not
 *   affect the index, because the new version may be in a block that the pass
 *   does not visit.  A rollback of a (sub)transaction removes both the version
 *   and the entry.
 * - The pass completes the versions that it visits.  It first locks the last
 *   version of the row, so that it stays the last one until the batch commits
 *   and no other session writes its entry.  Each batch has a new snapshot.
 * - If rows are rewritten without firing triggers (fill_columns.c, for dynamo.reindex
 *   of another index), the pass starts again.  It also does if the table's
 *   file has changed (VACUUM FULL, CLUSTER, TRUNCATE).
 *
 * One pass is therefore enough, and only its position must be recorded.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/tableam.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "utils/builtins.h"
#include "utils/json.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "index/build.h"
#include "security/owner.h"
#include "table/stored.h"

/* Maximum number of unusable keys that are recorded. */
#define MAX_SKIPPED_ITEMS	5

int			build_batch_size = 500;

typedef struct Batch
{
	Relation	rel;
	TableDef   *def;
	const IndexDef *index;
	RawTable	own;			/* its slot has the row with its key columns */
	Snapshot	snapshot;
	TupleTableSlot *seen;		/* version the snapshot sees */
	TupleTableSlot *locked;		/* last version of the row */
	EntryShards entries;		/* entries of an index table */
	MemoryContext context;
	MemoryContext row_context;
	OwnerScope	scope;
} Batch;

/* ---- a batch ---- */

/*
 * Opens the table.  False if the build is over: the table or the index does
 * not exist any more, or the index is not to be filled.
 */
static bool
OpenToFill(Batch *b, Oid relid, const char *index_name)
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
 * Opens the indexes last, because that evaluates constant expressions of the
 * owner, which requires the owner's rights and a snapshot.
 */
static void
BatchBegin(Batch *b)
{
	OwnerScopeEnter(&b->scope, b->rel->rd_rel->relowner);
	b->snapshot = RegisterSnapshot(GetLatestSnapshot());
	PushActiveSnapshot(b->snapshot);
	RawTableBegin(&b->own, b->rel);
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
	RawTableEnd(&b->own);
	PopActiveSnapshot();
	UnregisterSnapshot(b->snapshot);
	TableDefRelease(b->def);
	MemoryContextDelete(b->row_context);
	OwnerScopeLeave(&b->scope);
	table_close(b->rel, NoLock);
}

/* ---- a row ---- */

/*
 * Derives the columns of a row; returns whether any columns of its item were
 * missing.
 */
static bool
DeriveBatchRow(Batch *b, TupleTableSlot *slot, Datum **values, bool **nulls, ValueRef *item)
{
	*item = CopyColumns(b->def, slot, values, nulls);
	return DeriveStoredKeys(b->def, *item, *values, *nulls);
}

/*
 * Writes the entry of a row, unless it is not in the index or a later write
 * has already made the entry.
 */
static void
WriteBatchEntry(Batch *b, TupleTableSlot *slot)
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

/* Locks and completes a row; false if another transaction has locked it. */
static bool
FillLocked(Batch *b, ItemPointer tid, LockWaitPolicy policy)
{
	Datum	   *values;
	bool	   *nulls;
	ValueRef	item;
	TM_Result	result = RawTableLock(&b->own, tid, b->snapshot, b->locked, policy);
	TupleTableSlot *last = b->locked;

	if (result != TM_Ok)
		return result != TM_WouldBlock; /* other results: the row was deleted */
	if (DeriveBatchRow(b, b->locked, &values, &nulls, &item))
	{
		RawTableForm(&b->own, values, nulls);
		RawTableUpdate(&b->own, &b->locked->tts_tid, b->snapshot);
		last = b->own.slot;
	}
	if (b->index->kind->own_entries)
		WriteBatchEntry(b, last);
	return true;
}

/* ---- items with unusable keys ---- */

/* Prints the key of the visible version as JSON, from its columns. */
static char *
PrintSeenKey(const Batch *b)
{
	BaseRow		row = {.desc = RelationGetDescr(b->rel)};
	Datum		key;
	bool		none;
	Oid			output;
	bool		is_varlena;
	bool		should_free;

	row.tuple = ExecFetchSlotHeapTuple(b->seen, false, &should_free);
	key = MaybeItemDatum(BaseRowKey(b->def, &row), &none);
	getTypeOutputInfo(b->def->item_type, &output, &is_varlena);
	return none ? pstrdup("null") : OidOutputFunctionCall(output, key);
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

/* Whether a row may be incomplete; only then is it locked. */
static bool
NeedsFilling(Batch *b, BuildState *state)
{
	Datum	   *values;
	bool	   *nulls;
	ValueRef	item;
	bool		changed = DeriveBatchRow(b, b->seen, &values, &nulls, &item);
	const char *reason = LeftOutReason(b->def, b->index, item, values, nulls);

	if (reason != NULL)
		NoteSkipped(b, state, reason);
	return changed || (b->index->kind->own_entries && reason == NULL &&
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
BeginFillPass(Batch *b, const BuildState *state)
{
	ItemPointerData from;
	ItemPointerData to;

	ItemPointerSet(&from, state->block, state->offset);
	ItemPointerSet(&to, state->blocks - 1, MaxOffsetNumber);
	return BeginTidRangeScan(b->rel, b->snapshot, &from, &to);
}

/* Continues after the last batch; false at the end. */
static bool
FillRows(Batch *b, BuildState *state, List **busy)
{
	TableScanDesc scan;
	bool		more = true;

	if (state->blocks == 0)
		return false;
	scan = BeginFillPass(b, state);
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

/* Begins a pass, possibly because the table's file has changed. */
static void
BeginAgain(const Batch *b, BuildState *state)
{
	memset(state, 0, sizeof(*state));
	state->file = b->rel->rd_rel->relfilenode;
	state->offset = FirstOffsetNumber;
	state->blocks = RelationGetNumberOfBlocks(b->rel);
	state->skipped_items = "[]";
}

FillBatchResult
FillBatch(Oid relid, const char *index_name, BuildState *state, List **busy)
{
	Batch		b = {0};
	bool		more;

	if (!OpenToFill(&b, relid, index_name))
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
FillOneRow(Oid relid, const char *index_name, ItemPointer tid)
{
	Batch		b = {0};

	if (!OpenToFill(&b, relid, index_name))
		return;
	BatchBegin(&b);
	/* If the version does not exist any more, its replacement is complete. */
	if (ItemPointerGetBlockNumber(tid) < RelationGetNumberOfBlocks(b.rel) &&
		RawTableFetch(&b.own, tid, b.snapshot, b.seen))
		(void) FillLocked(&b, tid, LockWaitBlock);
	BatchEnd(&b);
}
