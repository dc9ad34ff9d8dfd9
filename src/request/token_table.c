/*
 * token_table.c
 *	  Reads and writes the table of ClientRequestTokens below SQL.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/heapam.h"
#include "access/htup_details.h"
#include "access/skey.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "executor/tuptable.h"
#include "fmgr.h"
#include "storage/bufmgr.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "compat.h"
#include "extension_objects.h"
#include "request/token_table.h"
#include "security/settings_owner.h"
#include "store/raw_table.h"
#include "table/distribution.h"

#define TOKEN_TABLE		"request_tokens"

/* The time for which a token counts. */
#define LIFETIME		(10 * USECS_PER_MINUTE)

/* The number of blocks that a sweep reads. */
#define SWEPT_BLOCKS	2

enum
{
	COLUMN_HASH = 1,
	COLUMN_OWNER,
	COLUMN_TOKEN,
	COLUMN_DIGEST,
	COLUMN_COMPLETED_AT,
	COLUMNS = COLUMN_COMPLETED_AT
};

/* ---- the table ---- */

void
TokenTableOpen(TokenTable *table)
{
	Oid			relid = OwnTableOid(TOKEN_TABLE);
	Oid			primary_key;

	table->rel = OidIsValid(relid) ? try_table_open(relid, RowExclusiveLock) : NULL;
	if (table->rel == NULL)
		elog(ERROR, "table %s.%s is missing", INTERNAL_SCHEMA, TOKEN_TABLE);
	RequireLocalRows(table->rel, "Call undistribute_table.");
	primary_key = PrimaryKeyIndex(table->rel);
	if (!OidIsValid(primary_key) || list_length(table->rel->rd_indexlist) > 1)
		elog(ERROR, "table %s.%s must have a primary key and no other index",
			 INTERNAL_SCHEMA, TOKEN_TABLE);
	table->index = index_open(primary_key, RowExclusiveLock);
	table->now = GetCurrentTimestamp();
}

void
TokenTableClose(TokenTable *table)
{
	index_close(table->index, NoLock);
	table_close(table->rel, NoLock);
}

/* ---- searching ---- */

static Datum
GetTokenColumn(TupleTableSlot *slot, int column)
{
	bool		isnull;

	return slot_getattr(slot, column, &isnull);
}

static bool
IsText(TupleTableSlot *slot, int column, Slice wanted)
{
	return SliceCompare(SliceOfVarlena(DatumGetTextPP(GetTokenColumn(slot, column))), wanted) == 0;
}

static void
ReadRow(TupleTableSlot *slot, const TokenKey *key, TokenRow *row)
{
	row->place = slot->tts_tid;
	row->same_token = IsText(slot, COLUMN_OWNER, key->owner) &&
		IsText(slot, COLUMN_TOKEN, key->token);
	row->completed = DatumGetTimestampTz(GetTokenColumn(slot, COLUMN_COMPLETED_AT));
	row->content = SliceOfVarlena(DatumGetByteaPCopy(GetTokenColumn(slot, COLUMN_DIGEST)));
}

bool
TokenTableFind(const TokenTable *table, const TokenKey *key, TokenRow *row)
{
	IndexScanDesc scan = BeginIndexScan(table->rel, table->index, SnapshotSelf, 1);
	TupleTableSlot *slot = table_slot_create(table->rel, NULL);
	ScanKeyData test;
	bool		found;

	ScanKeyInit(&test, COLUMN_HASH, BTEqualStrategyNumber, F_INT8EQ,
				Int64GetDatum((int64) key->hash));
	index_rescan(scan, &test, 1, NULL, 0);
	found = index_getnext_slot(scan, ForwardScanDirection, slot);
	if (found)
		ReadRow(slot, key, row);
	index_endscan(scan);
	ExecDropSingleTupleTableSlot(slot);
	return found;
}

bool
TokenCounts(const TokenTable *table, TimestampTz completed)
{
	return table->now - completed < LIFETIME;
}

/* ---- writing ---- */

static void
DeleteTokenRow(const TokenTable *table, ItemPointerData place)
{
	(void) TryDeleteRow(table->rel, &place, SnapshotAny, false);
}

void
TokenTableDelete(const TokenTable *table, const TokenRow *row)
{
	DeleteTokenRow(table, row->place);
	CommandCounterIncrement();
}

static Datum
TextOfSlice(Slice slice)
{
	return PointerGetDatum(cstring_to_text_with_len(slice.data, (int) slice.len));
}

static HeapTuple
MakeTuple(const TokenTable *table, Datum *values)
{
	bool		nulls[COLUMNS] = {false};

	return heap_form_tuple(RelationGetDescr(table->rel), values, nulls);
}

/*
 * Inserts an entry into the index.  The column of the primary key is the first
 * of the table; like the index of a TOAST table, a btree needs no others.
 */
static bool
InsertTokenEntry(const TokenTable *table, Datum *values, ItemPointer place)
{
	bool		nulls[COLUMNS] = {false};

	return index_insert(table->index, values, nulls, place, table->rel, UNIQUE_CHECK_PARTIAL,
						false, NULL);
}

/*
 * Inserts the row before checking that it is the only one, because it almost
 * always is.
 */
bool
TokenTableAdd(const TokenTable *table, const TokenKey *key, bytea *content)
{
	Datum		values[COLUMNS];
	HeapTuple	tuple;
	bool		added;

	values[COLUMN_HASH - 1] = Int64GetDatum((int64) key->hash);
	values[COLUMN_OWNER - 1] = TextOfSlice(key->owner);
	values[COLUMN_TOKEN - 1] = TextOfSlice(key->token);
	values[COLUMN_DIGEST - 1] = PointerGetDatum(content);
	values[COLUMN_COMPLETED_AT - 1] = TimestampTzGetDatum(table->now);
	tuple = MakeTuple(table, values);
	simple_heap_insert(table->rel, tuple);
	added = InsertTokenEntry(table, values, &tuple->t_self);
	CommandCounterIncrement();
	if (!added)
	{
		DeleteTokenRow(table, tuple->t_self);
		CommandCounterIncrement();
	}
	return added;
}

/* ---- sweeping ---- */

static void
SweepBlocks(const TokenTable *table, BlockNumber first, BlockNumber n)
{
	TableScanDesc scan = table_beginscan_strat(table->rel, SnapshotSelf, 0, NULL, true, false);
	TupleTableSlot *slot = table_slot_create(table->rel, NULL);

	heap_setscanlimits(scan, first, n);
	while (table_scan_getnextslot(scan, ForwardScanDirection, slot))
	{
		if (!TokenCounts(table, DatumGetTimestampTz(GetTokenColumn(slot, COLUMN_COMPLETED_AT))))
			DeleteTokenRow(table, slot->tts_tid);
	}
	table_endscan(scan);
	ExecDropSingleTupleTableSlot(slot);
	CommandCounterIncrement();
}

void
TokenTableSweep(const TokenTable *table, uint32 number)
{
	BlockNumber blocks = RelationGetNumberOfBlocks(table->rel);
	BlockNumber first;

	if (blocks == 0)
		return;
	first = number % blocks;
	SweepBlocks(table, first, Min(SWEPT_BLOCKS, blocks - first));
}
