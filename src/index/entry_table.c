/*
 * entry_table.c
 *	  Entries of index tables: finding, inserting, changing, deleting.
 *
 * The rows are written with the access method's own calls.  There is no race
 * to take care of: an entry's key contains the base key, so whoever writes an
 * entry holds the lock on the base row (or on its absence) already.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relscan.h"
#include "access/table.h"
#include "access/tableam.h"
#include "catalog/pg_am.h"
#include "catalog/index.h"
#include "catalog/pg_class.h"
#include "catalog/pg_index.h"
#include "executor/executor.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

#include "catalog/limits.h"
#include "catalog/objects.h"
#include "catalog/owner.h"
#include "catalog/stored.h"
#include "compat.h"
#include "index/index.h"

/* ---- keys ---- */

ValueRef
BaseRowItem(const TableDef *def, BaseRow *row)
{
	if (row->item == NULL)
		row->item = PG_DETOAST_DATUM_PACKED(TupleItem(def, row->tuple, row->desc));
	return ItemRoot(row->item);
}

struct varlena *
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

		key->keys[i] = heap_getattr(row->tuple, def->attributes[index->entry[i]].attnum,
									row->desc, &isnull);
		if (isnull)
			return;
	}
	key->present = IndexAdmits(def, index, key->keys, NULL);
	if (key->present && index->shards > 0)
		key->shard = IndexShardOf(def, index, BaseRowItem(def, row));
}

bool
EntryKeysEqual(const TableDef *def, const IndexDef *index,
			   const EntryKey *a, const EntryKey *b)
{
	if (a->shard != b->shard)
		return false;
	for (int i = 0; i < index->nentry; i++)
	{
		if (!KeyDatumsEqual(def->attributes[index->entry[i]].type, a->keys[i], b->keys[i]))
			return false;
	}
	return true;
}

/* ---- opening ---- */

static bool
HasGuard(Relation rel, const TableDef *def)
{
	return HasTriggerOf(rel, OidIsValid(def->guard_function) ? def->guard_function :
						DynamoFunctionOid(FUNCTION_GUARD_INDEX));
}

static bool
HasColumns(Relation rel, const TableDef *def, const IndexDef *index)
{
	TupleDesc	desc = RelationGetDescr(rel);
	int			first = index->shards > 0 ? 1 : 0;

	if (desc->natts != first + index->nentry + 1)
		return false;
	for (int i = 0; i < index->nentry; i++)
	{
		if (TupleDescAttr(desc, first + i)->atttypid !=
			KeyColumnType(def->attributes[index->entry[i]].type))
			return false;
	}
	return TupleDescAttr(desc, desc->natts - 1)->atttypid ==
		(OidIsValid(def->item_type) ? def->item_type : ItemTypeOid());
}

/* The primary key has the columns of an entry, then perhaps the shard. */
static bool
HasPrimaryKey(Relation rel, const IndexDef *index)
{
	HeapTuple	tuple = SearchSysCache1(INDEXRELID,
										ObjectIdGetDatum(PrimaryKeyIndex(rel)));
	Form_pg_index form;
	int			first = index->shards > 0 ? 1 : 0;
	bool		fits;

	if (!HeapTupleIsValid(tuple))
		return false;
	form = (Form_pg_index) GETSTRUCT(tuple);
	fits = form->indnatts == index->nentry + first && form->indisready;
	for (int i = 0; fits && i < index->nentry; i++)
		fits = form->indkey.values[i] == first + i + 1;
	ReleaseSysCache(tuple);
	return fits;
}

bool
IsIndexTable(Relation rel, const TableDef *def, const IndexDef *index)
{
	char		kind = index->shards > 0 ? RELKIND_PARTITIONED_TABLE : RELKIND_RELATION;

	return rel->rd_rel->relkind == kind && HasGuard(rel, def) && HasColumns(rel, def, index) &&
		HasPrimaryKey(rel, index) &&
		rel->rd_rel->relowner == RelationOwner(TableDefRoot(def));
}

static void
NotIndexTable(Relation rel, const TableDef *def, const IndexDef *index)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATA_CORRUPTED),
			 errmsg("\"%s\" is not the index table of index \"%s\" of table \"%s\"",
					RelationGetRelationName(rel), index->name, get_rel_name(TableDefRoot(def))),
			 errdetail("An index table has its table's owner, the columns and primary key of its index and the trigger dynamo.guard_index."),
			 errhint("Use dynamo.reindex to build it again.")));
}

static Relation
OpenShard(Relation parent, const TableDef *def, const IndexDef *index,
		  int shard, LOCKMODE lockmode)
{
	Oid		   *oids = palloc(sizeof(Oid) * index->shards);
	Oid			relid;
	Relation	rel;

	IndexShardRelations(parent, index, oids);
	relid = oids[shard];
	pfree(oids);
	rel = table_open(relid, lockmode);
	if (!HasColumns(rel, def, index) || !HasPrimaryKey(rel, index))
		NotIndexTable(rel, def, index);
	return rel;
}

/*
 * An index table has its primary key only, which is written without an
 * executor state; that is for indexes that its owner has added.  Expressions
 * of theirs are evaluated as the owner, whoever writes to the table.
 */
static void
OpenOtherIndexes(EntryTable *t)
{
	OwnerScope	scope;

	OwnerScopeEnter(&scope, t->rel->rd_rel->relowner);
	t->estate = CreateExecutorState();
	t->result = makeNode(ResultRelInfo);
	InitResultRelInfo(t->result, t->rel, 0, NULL, 0);
	ExecOpenIndices(t->result, false);
	OwnerScopeLeave(&scope);
}

void
EntryTableOpen(EntryTable *t, const TableDef *def, const IndexDef *index,
			   int shard, LOCKMODE lockmode)
{
	t->def = def;
	t->index = index;
	t->snapshot = SnapshotSelf; /* sees the changes of this very command */
	t->parent = table_open(IndexDefRelation(def, index), lockmode);
	if (!IsIndexTable(t->parent, def, index))
		NotIndexTable(t->parent, def, index);
	t->rel = index->shards > 0 ? OpenShard(t->parent, def, index, shard, lockmode) : t->parent;
	t->pkey = index_open(PrimaryKeyIndex(t->rel), RowExclusiveLock);
	t->info = BuildIndexInfo(t->pkey);
	t->slot = table_slot_create(t->rel, NULL);
	t->estate = NULL;
	if (HasOtherIndexes(t->rel))
		OpenOtherIndexes(t);
}

void
EntryTableClose(EntryTable *t)
{
	if (t->estate != NULL)
	{
		ExecCloseIndices(t->result);
		FreeExecutorState(t->estate);
	}
	ExecDropSingleTupleTableSlot(t->slot);
	index_close(t->pkey, NoLock);
	if (t->rel != t->parent)
		table_close(t->rel, NoLock);
	table_close(t->parent, NoLock);
}

/* ---- finding ---- */

void
KeyScanKey(ScanKey scan_key, Relation btree, int column, ValueType type, Datum value)
{
	ScanKeyEntryInitialize(scan_key, 0, column + 1, BTEqualStrategyNumber, InvalidOid,
						   btree->rd_indcollation[column], KeyEqualityFunction(type), value);
}

/* A scan of the entries with a key; keys is room for its scan keys. */
static IndexScanDesc
BeginKeyScan(EntryTable *t, const EntryKey *key, ScanKey keys)
{
	IndexScanDesc scan = BeginIndexScan(t->rel, t->pkey, t->snapshot, t->index->nentry);

	for (int i = 0; i < t->index->nentry; i++)
		KeyScanKey(&keys[i], t->pkey, i, t->def->attributes[t->index->entry[i]].type,
				   key->keys[i]);
	index_rescan(scan, keys, t->index->nentry, NULL, 0);
	return scan;
}

bool
EntryFind(EntryTable *t, const EntryKey *key)
{
	ScanKeyData keys[KEY_MAX_ATTRIBUTES + 2];
	IndexScanDesc scan = BeginKeyScan(t, key, keys);
	bool		found = index_getnext_slot(scan, ForwardScanDirection, t->slot);

	if (found)
		t->tid = t->slot->tts_tid;
	index_endscan(scan);
	return found;
}

struct varlena *
EntryItem(EntryTable *t)
{
	bool		isnull;
	Datum		datum = slot_getattr(t->slot, RelationGetDescr(t->rel)->natts, &isnull);

	return isnull ? NULL : PG_DETOAST_DATUM_PACKED(datum);
}

/* ---- writing ---- */

static void
FormEntry(EntryTable *t, const EntryKey *key, struct varlena *item)
{
	TupleTableSlot *slot = t->slot;
	int			n = 0;

	ExecClearTuple(slot);
	if (t->index->shards > 0)
		slot->tts_values[n++] = Int32GetDatum(key->shard);
	for (int i = 0; i < t->index->nentry; i++)
		slot->tts_values[n++] = key->keys[i];
	slot->tts_values[n++] = PointerGetDatum(item);
	memset(slot->tts_isnull, 0, sizeof(bool) * n);
	ExecStoreVirtualTuple(slot);
}

/*
 * unchanged: the row's last version has the same key.  Returns false if there is
 * an entry with this key, unless check is UNIQUE_CHECK_YES.
 */
static bool
InsertIntoPrimaryKey(EntryTable *t, const EntryKey *key, bool unchanged, IndexUniqueCheck check)
{
	Datum		values[KEY_MAX_ATTRIBUTES + 3];
	bool		nulls[KEY_MAX_ATTRIBUTES + 3] = {0};

	memcpy(values, key->keys, sizeof(Datum) * t->index->nentry);
	values[t->index->nentry] = Int32GetDatum(key->shard);	/* if sharded */
	return index_insert(t->pkey, values, nulls, &t->slot->tts_tid, t->rel,
						check, unchanged, t->info);
}

/* updated: what the update of the row said; NULL for a new row. */
static void
InsertIntoAllIndexes(EntryTable *t, const UpdatedIndexes *updated)
{
	OwnerScope	scope;

	OwnerScopeEnter(&scope, t->rel->rd_rel->relowner);
	if (updated == NULL)
		InsertIndexTuples(t->result, t->slot, t->estate);
	else
		InsertUpdatedIndexTuples(t->result, t->slot, t->estate, *updated);
	ResetPerTupleExprContext(t->estate);
	OwnerScopeLeave(&scope);
}

/*
 * Deletes entries with this key other than the one at tid (NULL: all).  They are
 * of an item that has left its key, whose event has not been fired yet, or
 * differences that verify_index would have found.
 */
static void
DeleteOthers(EntryTable *t, const EntryKey *key, ItemPointer tid)
{
	ScanKeyData keys[KEY_MAX_ATTRIBUTES + 2];
	TupleTableSlot *slot = table_slot_create(t->rel, NULL);
	IndexScanDesc scan = BeginKeyScan(t, key, keys);

	while (index_getnext_slot(scan, ForwardScanDirection, slot))
	{
		if (tid == NULL || !ItemPointerEquals(tid, &slot->tts_tid))
			simple_table_tuple_delete(t->rel, &slot->tts_tid, GetActiveSnapshot());
	}
	index_endscan(scan);
	ExecDropSingleTupleTableSlot(slot);
}

void
EntryInsert(EntryTable *t, const EntryKey *key, struct varlena *item)
{
	if (t->estate != NULL)
		DeleteOthers(t, key, NULL);
	FormEntry(t, key, item);
	simple_table_tuple_insert(t->rel, t->slot);
	if (t->estate != NULL)
		InsertIntoAllIndexes(t, NULL);
	else if (!InsertIntoPrimaryKey(t, key, false, UNIQUE_CHECK_PARTIAL))
	{
		DeleteOthers(t, key, &t->slot->tts_tid);
		InsertIntoPrimaryKey(t, key, false, UNIQUE_CHECK_EXISTING);
	}
}

void
EntryUpdate(EntryTable *t, const EntryKey *key, struct varlena *item)
{
	UpdatedIndexes updated = NO_UPDATED_INDEXES;

	FormEntry(t, key, item);
	simple_table_tuple_update(t->rel, &t->tid, t->slot, GetActiveSnapshot(), &updated);
	if (updated == NO_UPDATED_INDEXES)
		return;
	if (t->estate != NULL)
		InsertIntoAllIndexes(t, &updated);
	else
		(void) InsertIntoPrimaryKey(t, key, true, UNIQUE_CHECK_YES);
}

void
EntryDelete(EntryTable *t)
{
	simple_table_tuple_delete(t->rel, &t->tid, GetActiveSnapshot());
}
