/*
 * verify_table.c
 *	  Compares an index table with its table in both directions: every row must
 *	  have its entry, and every entry its row.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/relscan.h"
#include "access/tableam.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#include "index/verify.h"
#include "item/builder.h"
#include "stat/progress.h"
#include "store/scan.h"
#include "table/limits.h"

/* ---- rows without their entries ---- */

/* Determines the key of a row's entry from its item. */
static void
ExpectedKey(Verification *v, bool report, BaseRow *row, EntryKey *key)
{
	bool		nulls[KEY_MAX_ATTRIBUTES + 2];

	ExpectedEntry(report ? v : NULL, v->def, v->index, row, key->keys, nulls);
	key->present = true;
	key->shard = 0;
	for (int i = 0; i < v->index->nentry; i++)
		key->present &= !nulls[i];
	if (key->present)
		EntryKeyComplete(v->def, v->index, row, key);
}

/* Whether the entry found has the projection of the row's item. */
static bool
HasProjectedItem(Verification *v, EntryTable *shard, BaseRow *row)
{
	struct varlena *stored = EntryItem(shard);

	return stored != NULL &&
		ValueEqual(ItemRoot(stored),
				   ItemRoot(IndexEntryItem(v->def, v->index, BaseRowItem(v->def, row))));
}

/* Verifies the columns of a row and, if there are shards, its entry in one of them. */
static void
VerifyTableRow(Verification *v, EntryShards *shards, BaseRow *row)
{
	const IndexKind *kind = v->index->kind;
	EntryKey	key;
	EntryTable *shard;

	ExpectedKey(v, true, row, &key);
	if (shards == NULL || !key.present)
		return;
	shard = EntryShardsGet(shards, key.shard);
	if (!EntryFind(shard, &key))
		ReportProblem(v, "missing entry", BaseRowKey(v->def, row), NULL);
	else if (kind->beside != NULL && !kind->has_beside(shard, &key))
		ReportProblem(v, "stale entry", BaseRowKey(v->def, row), kind->beside_differs);
	else if (!HasProjectedItem(v, shard, row))
		ReportProblem(v, "stale entry", BaseRowKey(v->def, row),
					  "The projected item differs.");
}

/* ---- entries without their rows ---- */

MaybeItem
BuildBaseKey(const Verification *v, const EntryKey *key)
{
	ItemBuilder *b = ItemBuilderCreate(0, DUPLICATE_NAME_ERROR);

	ItemBuilderBeginMap(b);
	for (int i = 0; i < v->index->nentry; i++)
	{
		const AttributeDef *attr = EntryAttribute(v->def, v->index, i);

		for (int j = 0; j < KeyCount(&v->def->key); j++)
		{
			ValueRef	value;

			if (v->def->key_attributes[j] != v->index->entry[i])
				continue;
			if (!MaybeItemOpen(KeyDatumToValue(attr->type, key->keys[i]), &value))
				return NO_ITEM;
			ItemBuilderName(b, attr->name.data, attr->name.len);
			ItemBuilderValue(b, value);
		}
	}
	ItemBuilderEnd(b);
	return MaybeItemOf(ItemBuilderFinish(b));
}

/* Finds the row with an entry's base key in the current base table. */
static bool
FindBaseRow(Verification *v, const EntryKey *key, TupleTableSlot *slot)
{
	int			nkey = KeyCount(&v->def->key);
	Relation	pkey = index_open(v->def->primary_key, AccessShareLock);
	ScanKeyData keys[2];
	IndexScanDesc scan;
	bool		found;

	for (int i = 0; i < nkey; i++)
	{
		int			position = 0;

		while (v->index->entry[position] != v->def->key_attributes[i])
			position++;
		KeyScanKey(&keys[i], pkey, i, TableKeyAttribute(v->def, i)->type,
				   BTEqualStrategyNumber, key->keys[position]);
	}
	scan = BeginIndexScan(v->rel, pkey, v->snapshot, nkey);
	index_rescan(scan, keys, nkey, NULL, 0);
	found = index_getnext_slot(scan, ForwardScanDirection, slot);
	if (found)
		ExecMaterializeSlot(slot);
	index_endscan(scan);
	index_close(pkey, NoLock);
	return found;
}

static void
ReadEntryKey(Verification *v, int shard, TupleTableSlot *slot, EntryKey *key)
{
	int			first = v->index->kind->before != NULL ? 1 : 0;
	bool		isnull;

	key->present = true;
	key->shard = shard;
	for (int i = 0; i < v->index->nentry; i++)
		key->keys[i] = slot_getattr(slot, first + i + 1, &isnull);
}

/*
 * Whether the current base table has the row of an entry; reports other
 * problems.
 */
static bool
VerifyEntryIn(Verification *v, const EntryKey *key)
{
	BaseRow		row = {.desc = RelationGetDescr(v->rel)};
	TupleTableSlot *slot = table_slot_create(v->rel, NULL);
	bool		found = FindBaseRow(v, key, slot);
	EntryKey	expected;
	bool		should_free;

	if (found)
	{
		row.tuple = ExecFetchSlotHeapTuple(slot, false, &should_free);
		ExpectedKey(v, false, &row, &expected);
		if (!expected.present || !EntryKeysEqual(v->def, v->index, &expected, key))
			ReportProblem(v, "surplus entry", BuildBaseKey(v, key),
						  "The item has other index keys.");
	}
	ExecDropSingleTupleTableSlot(slot);
	return found;
}

static void
VerifyEntry(Verification *v, const EntryKey *key)
{
	for (int i = 0; i < v->nbases; i++)
	{
		UseBaseTable(v, &v->bases[i]);
		if (VerifyEntryIn(v, key))
			return;
	}
	ReportProblem(v, "surplus entry", BuildBaseKey(v, key), "There is no such item.");
}

/* ---- both directions ---- */

static void
VerifyRowSlot(Verification *v, EntryShards *shards, TupleTableSlot *slot)
{
	BaseRow		row = {.desc = RelationGetDescr(v->rel)};
	bool		should_free;

	row.tuple = ExecFetchSlotHeapTuple(slot, false, &should_free);
	VerifyTableRow(v, shards, &row);
}

static void
VerifyRows(Verification *v, EntryShards *shards)
{
	TupleTableSlot *slot = table_slot_create(v->rel, NULL);
	TableScanDesc scan = BeginTableScan(v->rel, v->snapshot);

	while (table_scan_getnextslot(scan, ForwardScanDirection, slot))
	{
		MemoryContext old = MemoryContextSwitchTo(v->row_context);

		CHECK_FOR_INTERRUPTS();
		VerifyRowSlot(v, shards, slot);
		ProgressRow();
		MemoryContextSwitchTo(old);
		MemoryContextReset(v->row_context);
	}
	table_endscan(scan);
	ExecDropSingleTupleTableSlot(slot);
}

static void
VerifyShard(Verification *v, EntryTable *t, int shard)
{
	TableScanDesc scan = BeginTableScan(t->own.rel, v->snapshot);

	while (table_scan_getnextslot(scan, ForwardScanDirection, t->own.slot))
	{
		MemoryContext old = MemoryContextSwitchTo(v->row_context);
		EntryKey	key;

		CHECK_FOR_INTERRUPTS();
		ReadEntryKey(v, shard, t->own.slot, &key);
		VerifyEntry(v, &key);
		MemoryContextSwitchTo(old);
		MemoryContextReset(v->row_context);
	}
	table_endscan(scan);
}

/* Whether all base tables have primary keys, by which rows are found. */
static bool
HavePrimaryKeys(Verification *v)
{
	bool		all = true;

	for (int i = 0; i < v->nbases; i++)
	{
		if (OidIsValid(v->bases[i].def->primary_key))
			continue;
		ReportProblem(v, "primary key missing", NO_ITEM,
					  psprintf("Table \"%s\" has no primary key on its key columns.",
							   RelationGetRelationName(v->bases[i].rel)));
		all = false;
	}
	return all;
}

void
VerifyTable(Verification *v, Relation index_table)
{
	EntryShards shards;

	EntryShardsBegin(&shards, v->def, v->index, AccessShareLock);
	for (int i = 0; i < shards.n; i++)
		EntryShardsGet(&shards, i)->snapshot = v->snapshot;
	for (int i = 0; i < v->nbases; i++)
	{
		UseBaseTable(v, &v->bases[i]);
		VerifyRows(v, &shards);
	}
	if (HavePrimaryKeys(v))
	{
		for (int i = 0; i < shards.n; i++)
			VerifyShard(v, EntryShardsGet(&shards, i), i);
	}
	EntryShardsEnd(&shards);
}

void
VerifyColumns(Verification *v)
{
	VerifyRows(v, NULL);
}
