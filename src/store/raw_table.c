/*
 * raw_table.c
 *	  Rows that the extension writes itself.
 *
 * Facts about a relation are cached by its OID until a relcache invalidation.
 * They may be used only while the relation is locked: messages about earlier
 * changes have then arrived, and no other session can change it.  A rollback
 * to a savepoint sends invalidations, too.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/relscan.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "catalog/pg_am.h"
#include "catalog/index.h"
#include "executor/executor.h"
#include "utils/hsearch.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "compat.h"
#include "store/raw_table.h"
#include "table/relation_change.h"

/* ---- cached facts about relations ---- */

/* The indexes of a relation. */
typedef struct Indexes
{
	Oid			pkey;			/* InvalidOid if there is no primary key */
	bool		only_pkey;		/* pkey is the only index */
	IndexInfo	info;			/* of pkey; refers to no other memory */
} Indexes;

typedef struct Facts
{
	Oid			relid;			/* hash key */
	bool		has_indexes;	/* the field "indexes" is set */
	Indexes		indexes;
} Facts;

static HTAB *facts;
static uint64 changes = 1;

static void
ForgetFacts(Oid relid)
{
	HASH_SEQ_STATUS status;
	Facts	   *f;

	changes++;
	if (OidIsValid(relid))
	{
		hash_search(facts, &relid, HASH_REMOVE, NULL);
		return;
	}
	hash_seq_init(&status, facts);
	while ((f = hash_seq_search(&status)) != NULL)
		hash_search(facts, &f->relid, HASH_REMOVE, NULL);
}

void
RawTableInit(void)
{
	const HASHCTL ctl = {.keysize = sizeof(Oid), .entrysize = sizeof(Facts)};

	facts = hash_create("dynamo own tables", 64, &ctl, HASH_ELEM | HASH_BLOBS);
	OnRelationChange(ForgetFacts);
}

static Facts *
FindFacts(Oid relid)
{
	return hash_search(facts, &relid, HASH_FIND, NULL);
}

static Facts *
EnterFacts(Oid relid)
{
	bool		found;
	Facts	   *f = hash_search(facts, &relid, HASH_ENTER, &found);

	if (!found)
		f->has_indexes = false;
	return f;
}

static void
LookUpIndexes(Relation rel, Indexes *indexes)
{
	Relation	pkey;

	memset(indexes, 0, sizeof(*indexes));
	/*
	 * PrimaryKeyIndex makes rd_indexlist valid, which any lookup can
	 * invalidate.
	 */
	indexes->pkey = PrimaryKeyIndex(rel);
	indexes->only_pkey = OidIsValid(indexes->pkey) && list_length(rel->rd_indexlist) == 1;
	if (!OidIsValid(indexes->pkey))
		return;
	pkey = index_open(indexes->pkey, RowExclusiveLock);
	indexes->info = *BuildIndexInfo(pkey);
	/* The info of an index that excludes overlaps refers to operators. */
	indexes->only_pkey &= pkey->rd_rel->relam == BTREE_AM_OID;
	index_close(pkey, NoLock);
}

static void
GetIndexes(Relation rel, Indexes *indexes)
{
	const Facts *known = FindFacts(RelationGetRelid(rel));
	uint64		since = changes;
	Facts	   *f;

	if (known != NULL && known->has_indexes)
	{
		*indexes = known->indexes;
		return;
	}
	LookUpIndexes(rel, indexes);
	if (since != changes)
		return;
	f = EnterFacts(RelationGetRelid(rel));
	f->has_indexes = true;
	f->indexes = *indexes;
}

bool
HasPrimaryKeyOnly(Relation rel, IndexInfo *info)
{
	Indexes		indexes;

	GetIndexes(rel, &indexes);
	*info = indexes.info;
	info->ii_Context = CurrentMemoryContext;
	return indexes.only_pkey;
}

/* ---- opening ---- */

static void
OpenAllIndexes(RawTable *t)
{
	t->estate = CreateExecutorState();
	t->result = makeNode(ResultRelInfo);
	InitResultRelInfo(t->result, t->rel, 0, NULL, 0);
	ExecOpenIndices(t->result, false);
}

void
RawTableBegin(RawTable *t, Relation rel)
{
	Indexes		indexes;

	GetIndexes(rel, &indexes);
	t->rel = rel;
	t->pkey = NULL;
	t->slot = table_slot_create(rel, NULL);
	t->estate = NULL;
	if (OidIsValid(indexes.pkey))
	{
		t->pkey = index_open(indexes.pkey, RowExclusiveLock);
		t->info = indexes.info;
		t->info.ii_Context = CurrentMemoryContext;
	}
	if (!indexes.only_pkey)
		OpenAllIndexes(t);
}

void
RawTableEnd(RawTable *t)
{
	if (t->estate != NULL)
	{
		ExecCloseIndices(t->result);
		FreeExecutorState(t->estate);
	}
	ExecDropSingleTupleTableSlot(t->slot);
	if (t->pkey != NULL)
		index_close(t->pkey, NoLock);
}

/* ---- finding ---- */

static IndexScanDesc
BeginKeyScan(RawTable *t, ScanKey keys, int nkeys, Snapshot snapshot)
{
	IndexScanDesc scan = BeginIndexScan(t->rel, t->pkey, snapshot, nkeys);

	index_rescan(scan, keys, nkeys, NULL, 0);
	return scan;
}

static bool
FindRow(RawTable *t, ScanKey keys, int nkeys, Snapshot snapshot, ScanDirection direction)
{
	IndexScanDesc scan = BeginKeyScan(t, keys, nkeys, snapshot);
	bool		found = index_getnext_slot(scan, direction, t->slot);

	index_endscan(scan);
	return found;
}

bool
RawTableFind(RawTable *t, ScanKey keys, int nkeys, Snapshot snapshot)
{
	return FindRow(t, keys, nkeys, snapshot, ForwardScanDirection);
}

bool
RawTableFindLast(RawTable *t, ScanKey keys, int nkeys, Snapshot snapshot)
{
	return FindRow(t, keys, nkeys, snapshot, BackwardScanDirection);
}

TM_Result
RawTableLock(RawTable *t, ItemPointer tid, Snapshot snapshot, TupleTableSlot *locked,
			 LockWaitPolicy policy)
{
	TM_FailureData failure;

	return table_tuple_lock(t->rel, tid, snapshot, locked, GetCurrentCommandId(true),
							LockTupleNoKeyExclusive, policy,
							TUPLE_LOCK_FLAG_FIND_LAST_VERSION, &failure);
}

bool
RawTableFetch(RawTable *t, ItemPointer tid, Snapshot snapshot, TupleTableSlot *fetched)
{
	return table_tuple_fetch_row_version(t->rel, tid, snapshot, fetched);
}

bool
RowIsSeen(Relation rel, TupleTableSlot *slot, Snapshot snapshot)
{
	return table_tuple_satisfies_snapshot(rel, slot, snapshot);
}

/* ---- writing ---- */

void
RawTableForm(RawTable *t, const Datum *values, const bool *nulls)
{
	int			natts = RelationGetDescr(t->rel)->natts;

	ExecClearTuple(t->slot);
	memcpy(t->slot->tts_values, values, sizeof(Datum) * natts);
	memcpy(t->slot->tts_isnull, nulls, sizeof(bool) * natts);
	ExecStoreVirtualTuple(t->slot);
}

static bool
InsertIntoPrimaryKey(RawTable *t, Datum *values, bool *nulls, IndexUniqueCheck check,
					 bool unchanged)
{
	return index_insert(t->pkey, values, nulls, &t->slot->tts_tid, t->rel,
						check, unchanged, &t->info);
}

/* Returns the columns of the primary key from t->slot. */
static void
FormKey(RawTable *t, Datum *values, bool *nulls)
{
	for (int i = 0; i < t->info.ii_NumIndexAttrs; i++)
		values[i] = slot_getattr(t->slot, t->info.ii_IndexAttrNumbers[i], &nulls[i]);
}

/* updated is the result of updating the row; NULL for a new row. */
static void
InsertIntoAllIndexes(RawTable *t, const UpdatedIndexes *updated)
{
	if (updated == NULL)
		InsertIndexTuples(t->result, t->slot, t->estate);
	else if (t->result->ri_NumIndices > 0)
		InsertUpdatedIndexTuples(t->result, t->slot, t->estate, *updated);
	ResetPerTupleExprContext(t->estate);
}

void
RawTableInsert(RawTable *t)
{
	Datum		values[INDEX_MAX_KEYS];
	bool		nulls[INDEX_MAX_KEYS];

	if (t->estate == NULL)
		FormKey(t, values, nulls);
	simple_table_tuple_insert(t->rel, t->slot);
	if (t->estate == NULL)
		(void) InsertIntoPrimaryKey(t, values, nulls, UNIQUE_CHECK_YES, false);
	else
		InsertIntoAllIndexes(t, NULL);
}

/* Makes the scan keys for the rows with a primary key. */
static void
BuildKeys(RawTable *t, const Datum *values, ScanKey keys)
{
	for (int i = 0; i < t->info.ii_NumIndexAttrs; i++)
	{
		Oid			type = t->pkey->rd_opcintype[i];
		Oid			equal = get_opfamily_member(t->pkey->rd_opfamily[i], type, type,
												BTEqualStrategyNumber);

		ScanKeyEntryInitialize(&keys[i], 0, i + 1, BTEqualStrategyNumber, InvalidOid,
							   t->pkey->rd_indcollation[i], get_opcode(equal), values[i]);
	}
}

/* Deletes all rows with a primary key, except the one at tid if that is not NULL. */
static void
DeleteOthers(RawTable *t, const Datum *key, ItemPointer tid)
{
	TupleTableSlot *slot = table_slot_create(t->rel, NULL);
	ScanKeyData keys[INDEX_MAX_KEYS];
	IndexScanDesc scan;

	BuildKeys(t, key, keys);
	scan = BeginKeyScan(t, keys, t->info.ii_NumIndexAttrs, SnapshotSelf);
	while (index_getnext_slot(scan, ForwardScanDirection, slot))
	{
		if (tid == NULL || !ItemPointerEquals(tid, &slot->tts_tid))
			RawTableDelete(t, &slot->tts_tid, GetActiveSnapshot());
	}
	index_endscan(scan);
	ExecDropSingleTupleTableSlot(slot);
}

/*
 * Inserts a row that is in the heap into the primary key, and deletes all other
 * rows with its key.
 */
static void
ReplaceInPrimaryKey(RawTable *t, Datum *values, bool *nulls)
{
	if (InsertIntoPrimaryKey(t, values, nulls, UNIQUE_CHECK_PARTIAL, false))
		return;
	DeleteOthers(t, values, &t->slot->tts_tid);
	(void) InsertIntoPrimaryKey(t, values, nulls, UNIQUE_CHECK_EXISTING, false);
}

void
RawTableReplace(RawTable *t)
{
	Datum		values[INDEX_MAX_KEYS];
	bool		nulls[INDEX_MAX_KEYS];

	FormKey(t, values, nulls);
	if (t->estate != NULL)
	{
		DeleteOthers(t, values, NULL);
		RawTableInsert(t);
		return;
	}
	simple_table_tuple_insert(t->rel, t->slot);
	ReplaceInPrimaryKey(t, values, nulls);
}

void
RawTableUpdate(RawTable *t, ItemPointer tid, Snapshot snapshot)
{
	UpdatedIndexes updated = NO_UPDATED_INDEXES;
	Datum		values[INDEX_MAX_KEYS];
	bool		nulls[INDEX_MAX_KEYS];

	simple_table_tuple_update(t->rel, tid, t->slot, snapshot, &updated);
	if (updated == NO_UPDATED_INDEXES)
		return;
	if (t->estate != NULL)
	{
		InsertIntoAllIndexes(t, &updated);
		return;
	}
	FormKey(t, values, nulls);
	(void) InsertIntoPrimaryKey(t, values, nulls, UNIQUE_CHECK_YES, true);
}

void
RawTableMove(RawTable *t, ItemPointer tid, Snapshot snapshot)
{
	UpdatedIndexes updated = NO_UPDATED_INDEXES;
	Datum		values[INDEX_MAX_KEYS];
	bool		nulls[INDEX_MAX_KEYS];

	FormKey(t, values, nulls);
	if (t->estate != NULL)
		DeleteOthers(t, values, NULL);
	simple_table_tuple_update(t->rel, tid, t->slot, snapshot, &updated);
	if (t->estate != NULL)
		InsertIntoAllIndexes(t, NULL);
	else
		ReplaceInPrimaryKey(t, values, nulls);
}

void
RawTableDelete(RawTable *t, ItemPointer tid, Snapshot snapshot)
{
	simple_table_tuple_delete(t->rel, tid, snapshot);
}

bool
TryDeleteRow(Relation rel, ItemPointer tid, Snapshot snapshot, bool wait)
{
	TM_FailureData failure;

	return DeleteTuple(rel, tid, GetCurrentCommandId(true), snapshot, wait, &failure) == TM_Ok;
}
