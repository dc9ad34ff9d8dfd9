/*
 * entry_table.c
 *	  Finds, inserts, changes and deletes entries of index tables.
 *
 * Concurrent writes of an entry are not possible: its key contains the base
 * key, so its writer already holds the lock on the base row or on its absence.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "compat.h"
#include "index/index.h"
#include "store/scan.h"
#include "table/index_relation.h"
#include "table/limits.h"
#include "table/stored.h"

/* ---- keys ---- */

Datum
BaseRowColumn(BaseRow *row, AttrNumber attnum, bool *isnull)
{
	if (row->values == NULL)
	{
		row->values = palloc(sizeof(Datum) * row->desc->natts);
		row->nulls = palloc(sizeof(bool) * row->desc->natts);
		heap_deform_tuple(row->tuple, row->desc, row->values, row->nulls);
	}
	*isnull = row->nulls[attnum - 1];
	return row->values[attnum - 1];
}

Datum
BaseRowStoredItem(const TableDef *def, BaseRow *row)
{
	bool		isnull;
	Datum		item = BaseRowColumn(row, def->item_attnum, &isnull);

	return likely(!isnull) ? item : TupleItem(def, row->tuple, row->desc);
}

ValueRef
BaseRowItem(const TableDef *def, BaseRow *row)
{
	if (row->item == NULL)
		row->item = PG_DETOAST_DATUM_PACKED(BaseRowStoredItem(def, row));
	return ItemRoot(row->item);
}

MaybeItem
BaseRowKey(const TableDef *def, const BaseRow *row)
{
	const char *problem;

	return KeyOfTuple(def, row->tuple, row->desc, &problem);
}

void
EntryKeyOfRow(const TableDef *def, const IndexDef *index, BaseRow *row, EntryKey *key)
{
	key->present = false;
	key->shard = 0;
	if (row->tuple == NULL)
		return;
	for (int i = 0; i < index->nentry; i++)
	{
		bool		isnull;

		key->keys[i] = BaseRowColumn(row, EntryAttribute(def, index, i)->attnum, &isnull);
		if (isnull)
			return;
	}
	EntryKeyComplete(def, index, row, key);
}

void
EntryKeyComplete(const TableDef *def, const IndexDef *index, BaseRow *row, EntryKey *key)
{
	key->present = IndexAdmits(def, index, key->keys, NULL);
	if (key->present && index->kind->complete_key != NULL)
		index->kind->complete_key(def, index, BaseRowItem(def, row), key);
}

bool
EntryKeysEqual(const TableDef *def, const IndexDef *index,
			   const EntryKey *a, const EntryKey *b)
{
	if (a->shard != b->shard)
		return false;
	for (int i = 0; i < index->nentry; i++)
	{
		if (!KeyDatumsEqual(EntryAttribute(def, index, i)->type, a->keys[i], b->keys[i]))
			return false;
	}
	return true;
}

/* ---- opening ---- */

void
EntryTableOpen(EntryTable *t, const TableDef *def, const IndexDef *index,
			   int shard, LOCKMODE lockmode)
{
	t->def = def;
	t->index = index;
	t->snapshot = SnapshotSelf; /* sees changes of this command */
	t->parent = IndexTableOpen(def, index, lockmode);
	RawTableBegin(&t->own, index->kind->in_parts ?
				  IndexShardOpen(t->parent, def, index, shard, lockmode) : t->parent);
}

void
EntryTableOpenShard(EntryTable *t, const TableDef *def, const IndexDef *index, Relation shard)
{
	t->def = def;
	t->index = index;
	t->snapshot = SnapshotSelf;
	t->parent = shard;
	RawTableBegin(&t->own, shard);
}

void
EntryTableClose(EntryTable *t)
{
	RawTableEnd(&t->own);
	if (t->own.rel != t->parent)
		table_close(t->own.rel, NoLock);
	table_close(t->parent, NoLock);
}

void
EntryShardsBegin(EntryShards *shards, const TableDef *def, const IndexDef *index,
				 LOCKMODE lockmode)
{
	shards->def = def;
	shards->index = index;
	shards->lockmode = lockmode;
	shards->context = CurrentMemoryContext;
	shards->n = Max(index->shards, 1);
	shards->tables = palloc0(sizeof(EntryTable *) * shards->n);
}

EntryTable *
EntryShardsGet(EntryShards *shards, int shard)
{
	MemoryContext old;

	if (shards->tables[shard] != NULL)
		return shards->tables[shard];
	old = MemoryContextSwitchTo(shards->context);
	shards->tables[shard] = palloc(sizeof(EntryTable));
	EntryTableOpen(shards->tables[shard], shards->def, shards->index, shard, shards->lockmode);
	MemoryContextSwitchTo(old);
	return shards->tables[shard];
}

void
EntryShardsEnd(EntryShards *shards)
{
	for (int i = 0; i < shards->n; i++)
	{
		if (shards->tables[i] != NULL)
			EntryTableClose(shards->tables[i]);
	}
}

/* ---- finding ---- */

bool
EntryFind(EntryTable *t, const EntryKey *key)
{
	ScanKeyData keys[KEY_MAX_ATTRIBUTES + 2];
	bool		found;

	for (int i = 0; i < t->index->nentry; i++)
		KeyScanKey(&keys[i], t->own.pkey, i, EntryAttribute(t->def, t->index, i)->type,
				   BTEqualStrategyNumber, key->keys[i]);
	found = RawTableFind(&t->own, keys, t->index->nentry, t->snapshot);
	if (found)
		t->tid = t->own.slot->tts_tid;
	return found;
}

struct varlena *
EntryItem(EntryTable *t)
{
	bool		isnull;
	Datum		datum = slot_getattr(t->own.slot, RelationGetDescr(t->own.rel)->natts, &isnull);

	return isnull ? NULL : PG_DETOAST_DATUM_PACKED(datum);
}

/* ---- writing ---- */

static void
FormEntry(EntryTable *t, const EntryKey *key, struct varlena *item)
{
	Datum		values[KEY_MAX_ATTRIBUTES + 5];
	bool		nulls[KEY_MAX_ATTRIBUTES + 5] = {false};
	const IndexKind *kind = t->index->kind;
	int			first = kind->before != NULL ? 1 : 0;

	memcpy(&values[first], key->keys, sizeof(Datum) * t->index->nentry);
	if (kind->form_entry != NULL)
		kind->form_entry(t->index, key, &values[0], &values[first + t->index->nentry]);
	values[RelationGetDescr(t->own.rel)->natts - 1] = PointerGetDatum(item);
	RawTableForm(&t->own, values, nulls);
}

/*
 * An entry that is inserted or moved may find others with its key.  They belong
 * to an item that no longer has the key and whose event has not fired yet, or
 * they are differences that verify_index would have found.
 */
void
EntryInsert(EntryTable *t, const EntryKey *key, struct varlena *item)
{
	FormEntry(t, key, item);
	RawTableReplace(&t->own);
}

void
EntryMove(EntryTable *t, const EntryKey *key, struct varlena *item)
{
	FormEntry(t, key, item);
	RawTableMove(&t->own, &t->tid, GetActiveSnapshot());
}

void
EntryUpdate(EntryTable *t, const EntryKey *key, struct varlena *item)
{
	FormEntry(t, key, item);
	RawTableUpdate(&t->own, &t->tid, GetActiveSnapshot());
}

void
EntryDelete(EntryTable *t)
{
	RawTableDelete(&t->own, &t->tid, GetActiveSnapshot());
}
