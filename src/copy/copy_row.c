/*
 * copy_row.c
 *	  Rows that are locked and written to keep copies and totals.
 *
 * They are written as any item is, with all triggers and checks, which run as
 * the current user, but with the rights of the table's owner.
 */
#include "postgres.h"

#include "access/xact.h"
#include "common/hashfn.h"
#include "fmgr.h"
#include "utils/fmgrprotos.h"

#include "copy/copy.h"
#include "extension_objects.h"
#include "item/builder.h"

/* A write of this file. */
typedef struct OwnWriting
{
	int			depth;			/* at which its triggers fire */
	Oid			relid;
	ValueRef	key;
	struct OwnWriting *outer;
} OwnWriting;

/* Those that have not come to their end, the innermost first. */
static OwnWriting *writing = NULL;

int
TriggerDepth(void)
{
	return DatumGetInt32(DirectFunctionCall1(pg_trigger_depth, (Datum) 0));
}

bool
IsCopyRowWrite(void)
{
	return writing != NULL && TriggerDepth() == writing->depth;
}

/*
 * Whether a trigger of a row's write in this file is running: its item may have
 * been decided, but not stored yet.
 */
static bool
IsBeingWritten(const CopyTable *table, ValueRef key)
{
	for (const OwnWriting *w = writing; w != NULL; w = w->outer)
	{
		if (w->relid == table->relid && SameKey(table->def, w->key, key))
			return true;
	}
	return false;
}

void
CopyTableOpen(CopyTable *table, Oid relid, const TableDef *def)
{
	table->relid = relid;
	table->def = def;
	StoreOpenAs(&table->store, relid, ACL_SELECT | ACL_INSERT | ACL_UPDATE, RelationOwner(relid), true);
}

void
CopyTableClose(CopyTable *table)
{
	StoreClose(&table->store);
}

/* ---- locks ---- */

/*
 * The parent that a new child has locked last.  The total at the end of the
 * statement changes it where it was then.
 */
typedef struct LockedParent
{
	Oid			relid;
	TransactionId transaction;
	SubTransactionId subtransaction;
	uint64		hash;			/* of the key */
	RowLock		lock;
} LockedParent;

static LockedParent locked_parent;

static uint64
HashCopyKey(ValueRef key)
{
	return hash_bytes_extended(key.data, key.len, 0);
}

static void
RememberLock(const CopyTable *table, ValueRef key, const RowLock *lock)
{
	locked_parent.relid = table->relid;
	locked_parent.transaction = GetTopTransactionIdIfAny();
	locked_parent.subtransaction = GetCurrentSubTransactionId();
	locked_parent.hash = HashCopyKey(key);
	locked_parent.lock = *lock;
}

/* Returns the lock on a parent that was taken last; NULL if it was another one. */
static const RowLock *
RecallLock(const CopyTable *table, ValueRef key)
{
	bool		same = locked_parent.relid == table->relid && TransactionIdIsValid(locked_parent.transaction) &&
		locked_parent.transaction == GetTopTransactionIdIfAny() &&
		locked_parent.subtransaction == GetCurrentSubTransactionId() && locked_parent.hash == HashCopyKey(key);

	return same ? &locked_parent.lock : NULL;
}

void
CopyRowLock(CopyTable *table, ValueRef key, CopyLock how, CopyRow *row)
{
	(void) RowKeyFromItem(table->store.def, key, &row->key, NULL);
	switch (how)
	{
		case COPY_LOCK_SHARED:
			row->item = StoreLockShared(&table->store, &row->key, &row->lock);
			break;
		case COPY_LOCK_UPDATE:
			row->item = StoreLock(&table->store, &row->key, &row->lock);
			RememberLock(table, key, &row->lock);
			break;
		case COPY_LOCK_PRESENT:
			row->item = StoreLockPresent(&table->store, &row->key, &row->lock);
			break;
	}
}

/* ---- writes ---- */

/* A write: of an item in place of a locked one, or of what a function decides. */
typedef struct OwnWrite
{
	const RowKey *key;
	const RowLock *lock;		/* NULL if the row is to be searched for */
	struct varlena *item;
	WriteDecider decide;		/* NULL if the item is given */
	void	   *arg;
} OwnWrite;

/*
 * The depth marks the writes of copies: triggers of users, which may fire
 * meanwhile and write other items, run at another depth.  The mark is static: it
 * must be taken back after an error, too.
 */
static void
WriteMarked(CopyTable *table, ValueRef key, const OwnWrite *w)
{
	OwnWriting	this = {.depth = TriggerDepth() + 1, .relid = table->relid, .key = key, .outer = writing};
	struct varlena *stored;

	writing = &this;
	PG_TRY();
	{
		if (w->decide != NULL && w->lock != NULL)
			(void) StoreChangeLocked(&table->store, w->key, w->lock, w->decide, w->arg, &stored);
		else if (w->decide != NULL)
			(void) StoreWrite(&table->store, w->key, true, w->decide, w->arg, &stored);
		else
			(void) StoreWriteLocked(&table->store, w->key, w->lock, WRITE_PUT, w->item, &stored);
	}
	PG_FINALLY();
	{
		writing = this.outer;
	}
	PG_END_TRY();
}

bool
CopyRowNeedsWrite(const CopyTable *table, ValueRef old, ValueRef item)
{
	return item.data != old.data || IsBeingWritten(table, old);
}

void
CopyRowWrite(CopyTable *table, const CopyRow *row, ValueRef item)
{
	OwnWrite	w = {.key = &row->key, .lock = &row->lock};
	ValueRef	old = ItemRoot(row->item);

	if (!CopyRowNeedsWrite(table, old, item))
		return;
	w.item = ValueCopy(item);
	WriteMarked(table, old, &w);
}

void
CopyRowChange(CopyTable *table, ValueRef key, WriteDecider decide, void *arg)
{
	RowKey		row_key;
	OwnWrite	w = {.key = &row_key, .lock = RecallLock(table, key), .decide = decide, .arg = arg};

	(void) RowKeyFromItem(table->store.def, key, &row_key, NULL);
	WriteMarked(table, key, &w);
}
