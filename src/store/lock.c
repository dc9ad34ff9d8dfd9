/*
 * lock.c
 *	  Locks a row, or the absence of a row, without writing it.
 *
 * Without a row there is nothing to lock.  A placeholder is created: a row
 * with the key is inserted, with an entry only in the primary key's index, and
 * deleted immediately.  Until this transaction ends, any other transaction
 * that inserts the key finds this insertion in progress and waits.  Nobody
 * ever sees the row, so that no triggers, constraint checks or other index
 * entries are needed.
 *
 * Two placeholders of one key would wait for each other.  Speculative
 * insertion, which can be undone, is not possible: logical decoding must skip
 * the insertion and cannot skip its confirmation.  A transaction that creates
 * a placeholder therefore takes a named lock on the key, searches again,
 * creates the placeholder and releases the named lock; from then on the
 * placeholder is the lock.  The lock table has room for only some thousands,
 * and a transaction may check more keys.  No transaction waits for another one
 * while it holds the named lock; otherwise two transactions could wait for
 * each other.
 *
 * Logical decoding still sees the deletion, of a row that subscribers do not
 * have; they ignore it.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "catalog/index.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "storage/lock.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "store/elsewhere.h"
#include "store/partition.h"
#include "store/write_direct.h"
#include "table/stored.h"

/* ---- locks by name ---- */

/*
 * This field distinguishes key locks from users' advisory locks, which have 1
 * and 2.
 */
#define KEY_LOCK_CLASS	0xD7

static LOCKTAG
KeyLockTag(const Store *store, const RowKey *key)
{
	uint64		hash = 0;
	LOCKTAG		tag;

	for (int i = 0; i < KeyCount(&store->def->key); i++)
		hash = ValueHash(key->attributes[i], hash);
	SET_LOCKTAG_ADVISORY(tag, MyDatabaseId, RelationGetRelid(store->rel),
						 (uint32) hash, KEY_LOCK_CLASS);
	return tag;
}

void
LockKeyByName(const Store *store, const RowKey *key)
{
	LOCKTAG		tag = KeyLockTag(store, key);

	(void) LockAcquire(&tag, ExclusiveLock, false, false);
}

static void
UnlockKeyByName(const Store *store, const RowKey *key)
{
	LOCKTAG		tag = KeyLockTag(store, key);

	(void) LockRelease(&tag, ExclusiveLock, false);
}

/* ---- placeholders ---- */

static void
MakePlaceholder(DirectWrite *d)
{
	TupleTableSlot *slot = EmptyNewRow(d);
	int			natts = RelationGetDescr(d->rel)->natts;

	memset(slot->tts_values, 0, natts * sizeof(Datum));
	memset(slot->tts_isnull, true, natts * sizeof(bool));
	for (int i = 0; i < KeyCount(&d->def->key); i++)
	{
		int			column = TableKeyAttribute(d->def, i)->attnum - 1;

		slot->tts_values[column] = d->request->key->values[i];
		slot->tts_isnull[column] = false;
	}
	CheckKeyEntryLength(d->def, slot->tts_values, slot->tts_isnull);
	ExecStoreVirtualTuple(slot);
	ExecMaterializeSlot(slot);
	slot->tts_tableOid = RelationGetRelid(d->rel);
}

/*
 * Inserts an entry into the primary key's index; false if there may be a
 * conflict.
 */
static bool
IndexPlaceholder(DirectWrite *d)
{
	IndexInfo  *info = BuildIndexInfo(d->primary);
	Datum		values[INDEX_MAX_KEYS];
	bool		isnull[INDEX_MAX_KEYS];

	GetPerTupleExprContext(d->estate)->ecxt_scantuple = d->new;
	FormIndexDatum(info, d->new, d->estate, values, isnull);
	return index_insert(d->primary, values, isnull, &d->new->tts_tid, d->rel,
						UNIQUE_CHECK_PARTIAL, false, info);
}

static void
DeletePlaceholder(DirectWrite *d)
{
	ItemPointerData tid = d->new->tts_tid;
	TM_FailureData failure;
	TM_Result	result;

	/* A command does not see, and cannot delete, what it inserted itself. */
	CommandCounterIncrement();
	d->cid = GetCurrentCommandId(true);
	result = DeleteTuple(d->rel, &tid, d->cid, d->estate->es_snapshot, true, &failure);
	if (result != TM_Ok)
		elog(ERROR, "unexpected table_tuple_delete status: %u", result);

	/* Nor would the next search see the deletion: it would find a row forever. */
	CommandCounterIncrement();
	d->cid = GetCurrentCommandId(true);
}

/*
 * Returns false if another transaction was faster; the caller then finds its
 * row and waits.
 */
static bool
LockAbsence(DirectWrite *d)
{
	bool		inserted = false;

	LockKeyByName(d->request->store, d->request->key);
	if (!RowIsThere(d))
	{
		MakePlaceholder(d);
		table_tuple_insert(d->rel, d->new, d->cid, TABLE_INSERT_NO_LOGICAL, NULL);
		inserted = IndexPlaceholder(d);
		DeletePlaceholder(d);
	}
	UnlockKeyByName(d->request->store, d->request->key);
	return inserted;
}

/* ---- one row ---- */

static struct varlena *
CopyCurrentItem(DirectWrite *d)
{
	Datum		datum = SlotItem(d->old, d->def->item_attnum);
	MemoryContext old = MemoryContextSwitchTo(d->caller);
	struct varlena *item = PG_DETOAST_DATUM_COPY(datum);

	MemoryContextSwitchTo(old);
	return item;
}

/*
 * Locks a row in the heap, or its absence if "absence" is set.  Returns the
 * current item, or NULL.
 */
static struct varlena *
LockDirect(WriteRequest *request, Relation primary, bool absence, RowLock *lock)
{
	DirectWrite d;
	struct varlena *item = NULL;

	DirectBegin(&d, request, primary, false);
	for (;;)
	{
		FoundState	found = FindCurrentRow(&d, true);

		if (found == ROW_FOUND)
		{
			item = CopyCurrentItem(&d);
			lock->present = true;
			lock->tid = d.old->tts_tid;
			if (!absence)
				lock->shown = table_tuple_satisfies_snapshot(d.rel, d.old, GetActiveSnapshot());
			break;
		}
		if (found == ROW_ABSENT && (!absence || LockAbsence(&d)))
			break;
		CHECK_FOR_INTERRUPTS();
	}
	DirectEnd(&d);
	return item;
}

bool
StoreHold(Store *store, const RowKey *key, bool share)
{
	Store	   *shard = ShardToLock(store, key);
	Relation	primary = shard != NULL ? OpenPrimaryKey(shard->def) : NULL;
	WriteRequest request = {shard, key, true, .share = share};
	RowLock		lock;

	if (primary == NULL)
		return false;
	(void) LockDirect(&request, primary, true, &lock);
	index_close(primary, NoLock);
	return true;
}

/*
 * Locks a row whose heap is not to be read here, or its absence.  Of a distributed table, it is
 * locked in its shard first, where no triggers and constraints see that.
 */
static struct varlena *
LockThroughSql(WriteRequest *request, bool absence)
{
	if (!request->store->def->distributed)
		return StoreLockSql(request, SQL_LOCK_ROW_OR_ABSENCE);
	if (!absence)
		return StoreLockSql(request, SQL_LOCK_ROW);
	return elsewhere->hold(request) || StoreHold(request->store, request->key, request->share) ?
		StoreLockSql(request, SQL_LOCK_NOTHING) : StoreLockSql(request, SQL_LOCK_ROW_OR_ABSENCE);
}

static struct varlena *
LockOneRow(Store *store, const RowKey *key, bool absence, bool share, RowLock *lock)
{
	WriteRequest request = {store, key, true, .share = share};
	struct varlena *item;
	Relation	primary;
	Store	   *target;

	Assert(StoreForWriting(store));
	memset(lock, 0, sizeof(*lock));
	if (store->def->distributed && elsewhere->lock(&request, absence, &item))
		return item;
	target = StoreOfKey(store, key);
	primary = target->local ? OpenPrimaryKey(target->def) : NULL;
	lock->direct = primary != NULL;
	if (primary == NULL)
		return LockThroughSql(&request, absence);

	request.store = target;
	item = LockDirect(&request, primary, absence, lock);
	request.store = store;
	index_close(primary, NoLock);

	/*
	 * Without the direct path, the user may be allowed to see only some rows.
	 */
	return target->direct ? item : StoreLockSql(&request, SQL_LOCK_NOTHING);
}

bool
StoreMayUpdate(Store *store, const RowKey *key)
{
	WriteRequest request = {store, key, true};

	return StoreLockSql(&request, SQL_LOCK_ROW_OR_ABSENCE) != NULL;
}

struct varlena *
StoreLock(Store *store, const RowKey *key, RowLock *lock)
{
	return LockOneRow(store, key, true, false, lock);
}

struct varlena *
StoreLockShared(Store *store, const RowKey *key, RowLock *lock)
{
	return LockOneRow(store, key, true, true, lock);
}

struct varlena *
StoreLockPresent(Store *store, const RowKey *key, RowLock *lock)
{
	return LockOneRow(store, key, false, false, lock);
}
