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
#include "catalog/pg_class.h"
#include "executor/executor.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "catalog/objects.h"
#include "index/index.h"

/* ---- keys ---- */

ValueRef
BaseRowItem(const TableDef *def, BaseRow *row)
{
	if (row->item == NULL)
	{
		bool		isnull;
		Datum		datum = heap_getattr(row->tuple, def->item_attnum, row->desc, &isnull);

		if (isnull)
			elog(ERROR, "item of a stored row is null");
		row->item = PG_DETOAST_DATUM_PACKED(datum);
	}
	return ItemRoot(row->item);
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
	key->present = true;
	if (index->shards > 0)
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
HasGuard(Relation rel)
{
	Oid			function = DynamoFunctionOid(FUNCTION_GUARD_INDEX);

	for (int i = 0; rel->trigdesc != NULL && i < rel->trigdesc->numtriggers; i++)
	{
		if (rel->trigdesc->triggers[i].tgfoid == function)
			return true;
	}
	return false;
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
	return TupleDescAttr(desc, desc->natts - 1)->atttypid == ItemTypeOid();
}

bool
IsIndexTable(Relation rel, const TableDef *def, const IndexDef *index)
{
	char		kind = index->shards > 0 ? RELKIND_PARTITIONED_TABLE : RELKIND_RELATION;

	return rel->rd_rel->relkind == kind && HasGuard(rel) && HasColumns(rel, def, index) &&
		OidIsValid(RelationGetPrimaryKey(rel)) &&
		rel->rd_rel->relowner == RelationOwner(def->relid);
}

static void
CheckIndexTable(Relation rel, const TableDef *def, const IndexDef *index)
{
	if (!IsIndexTable(rel, def, index))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("\"%s\" is not the index table of index \"%s\" of table \"%s\"",
						RelationGetRelationName(rel), index->name, get_rel_name(def->relid)),
				 errdetail("An index table has its table's owner, the columns of its index and the trigger dynamo.guard_index."),
				 errhint("Use dynamo.reindex to build it again.")));
}

static Relation
OpenShard(Relation parent, const IndexDef *index, int shard, LOCKMODE lockmode)
{
	Oid		   *oids = palloc(sizeof(Oid) * index->shards);
	Oid			relid;

	IndexShardRelations(parent, index, oids);
	relid = oids[shard];
	pfree(oids);
	return table_open(relid, lockmode);
}

void
EntryTableOpen(EntryTable *t, const TableDef *def, const IndexDef *index,
			   int shard, LOCKMODE lockmode)
{
	t->def = def;
	t->index = index;
	t->snapshot = SnapshotSelf; /* sees the changes of this very command */
	t->parent = table_open(IndexDefRelation(def, index), lockmode);
	CheckIndexTable(t->parent, def, index);
	t->rel = index->shards > 0 ? OpenShard(t->parent, index, shard, lockmode) : t->parent;
	if (!OidIsValid(RelationGetPrimaryKey(t->rel)))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("index table \"%s\" has lost its primary key",
						RelationGetRelationName(t->rel)),
				 errhint("Use dynamo.reindex to build it again.")));
	t->estate = CreateExecutorState();
	t->result = makeNode(ResultRelInfo);
	InitResultRelInfo(t->result, t->rel, 0, NULL, 0);
	t->result->ri_TrigDesc = NULL;	/* the guard is not for us */
	ExecOpenIndices(t->result, false);
	t->found = table_slot_create(t->rel, NULL);
	t->new = table_slot_create(t->rel, NULL);
}

void
EntryTableClose(EntryTable *t)
{
	ExecDropSingleTupleTableSlot(t->found);
	ExecDropSingleTupleTableSlot(t->new);
	ExecCloseIndices(t->result);
	FreeExecutorState(t->estate);
	if (t->rel != t->parent)
		table_close(t->rel, NoLock);
	table_close(t->parent, NoLock);
}

/* ---- finding ---- */

static Relation
PrimaryKeyOf(EntryTable *t)
{
	Oid			relid = RelationGetPrimaryKey(t->rel);

	for (int i = 0; i < t->result->ri_NumIndices; i++)
	{
		if (RelationGetRelid(t->result->ri_IndexRelationDescs[i]) == relid)
			return t->result->ri_IndexRelationDescs[i];
	}
	elog(ERROR, "primary key of \"%s\" is not open", RelationGetRelationName(t->rel));
}

static RegProcedure
EqualityOf(ValueType type)
{
	if (type == VALUE_S)
		return F_TEXTEQ;
	return type == VALUE_N ? F_NUMERIC_EQ : F_BYTEAEQ;
}

void
KeyScanKey(ScanKey scan_key, Relation btree, int column, ValueType type, Datum value)
{
	ScanKeyEntryInitialize(scan_key, 0, column + 1, BTEqualStrategyNumber, InvalidOid,
						   btree->rd_indcollation[column], EqualityOf(type), value);
}

bool
EntryFind(EntryTable *t, const EntryKey *key)
{
	Relation	pkey = PrimaryKeyOf(t);
	ScanKeyData keys[KEY_MAX_ATTRIBUTES + 2];
	IndexScanDesc scan;
	bool		found;

	for (int i = 0; i < t->index->nentry; i++)
		KeyScanKey(&keys[i], pkey, i, t->def->attributes[t->index->entry[i]].type,
				   key->keys[i]);
	scan = BeginIndexScan(t->rel, pkey, t->snapshot, t->index->nentry);
	index_rescan(scan, keys, t->index->nentry, NULL, 0);
	found = index_getnext_slot(scan, ForwardScanDirection, t->found);
	if (found)
		ExecMaterializeSlot(t->found);
	index_endscan(scan);
	return found;
}

struct varlena *
EntryItem(EntryTable *t)
{
	bool		isnull;
	Datum		datum = slot_getattr(t->found, RelationGetDescr(t->rel)->natts, &isnull);

	return PG_DETOAST_DATUM_PACKED(datum);
}

/* ---- writing ---- */

static void
FormEntry(EntryTable *t, const EntryKey *key, struct varlena *item)
{
	TupleTableSlot *slot = t->new;
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

void
EntryInsert(EntryTable *t, const EntryKey *key, struct varlena *item)
{
	FormEntry(t, key, item);
	simple_table_tuple_insert(t->rel, t->new);
	InsertIndexTuples(t->result, t->new, t->estate);
	ResetPerTupleExprContext(t->estate);
}

void
EntryUpdate(EntryTable *t, const EntryKey *key, struct varlena *item)
{
	UpdatedIndexes updated = NO_UPDATED_INDEXES;

	FormEntry(t, key, item);
	simple_table_tuple_update(t->rel, &t->found->tts_tid, t->new,
							  GetActiveSnapshot(), &updated);
	if (updated != NO_UPDATED_INDEXES)
		InsertUpdatedIndexTuples(t->result, t->new, t->estate, updated);
	ResetPerTupleExprContext(t->estate);
}

void
EntryDelete(EntryTable *t)
{
	simple_table_tuple_delete(t->rel, &t->found->tts_tid, GetActiveSnapshot());
}
