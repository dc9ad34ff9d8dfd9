/*
 * get_row.c
 *	  Reads the item with a primary key.
 *
 * The direct path keeps its index scan open between gets of one Store, so that
 * a batch of keys opens it once.  Every get reads with the active snapshot,
 * unless the table was rewritten after it.
 *
 * A stricter isolation level shows two rows with a key if the transaction has
 * inserted it after another one deleted it: that row, which its snapshot still
 * contains, and its own.  The item is that of its own row.  The SQL path cannot
 * tell them apart, and raises an error.
 */
#include "postgres.h"

#include "access/detoast.h"
#include "access/genam.h"
#include "access/relscan.h"
#include "access/skey.h"
#include "access/sysattr.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "executor/spi.h"
#include "executor/tuptable.h"
#include "utils/builtins.h"

#include "item/slice.h"
#include "store/elsewhere.h"
#include "store/partition.h"
#include "store/plan.h"
#include "store/scan.h"
#include "table/moves.h"
#include "table/object_names.h"

struct StoreLookup
{
	Relation	index;
	bool		direct;			/* the index can be read now */
	int			nkeys;
	ScanKeyData keys[2];		/* all but their arguments */
	IndexScanDesc scan;
	TupleTableSlot *slot;
	TupleTableSlot *other;		/* for a second row; NULL until it is needed */
};

/* Whether there may be two rows with a key. */
static bool
MayShowTwoRows(void)
{
	return IsolationUsesXactSnapshot() && TransactionIdIsValid(GetTopTransactionIdIfAny());
}

/* The length of a stored item that may be compressed or out of line. */
static Size
EncodedSize(Datum stored)
{
	return toast_raw_datum_size(stored) - VARHDRSZ;
}

/* ---- direct ---- */

static void
BeginLookupScan(Store *store, StoreLookup *lookup, const ScanKeys *keys)
{
	for (int i = 0; i < lookup->nkeys; i++)
		KeyScanKey(&lookup->keys[i], lookup->index, i, keys->columns[i]->type,
				   BTEqualStrategyNumber, (Datum) 0);
	lookup->slot = table_slot_create(store->rel, NULL);
	lookup->scan = BeginIndexScan(store->rel, lookup->index, StoreSnapshot(store),
								  lookup->nkeys);
}

static StoreLookup *
LookupBegin(Store *store)
{
	const TableDef *def = store->def;
	MemoryContext old = MemoryContextSwitchTo(store->context);
	StoreLookup *lookup = palloc0(sizeof(StoreLookup));
	ScanRange	whole = {.forward = true, .start = MISSING_VALUE, .shard = -1};
	ScanKeys	keys;

	ScanKeysInit(&keys, def, &whole);
	lookup->index = index_open(def->primary_key, AccessShareLock);
	lookup->direct = DirectScanPossible(lookup->index, &keys);
	lookup->nkeys = keys.ncolumns;
	if (lookup->direct)
		BeginLookupScan(store, lookup, &keys);
	MemoryContextSwitchTo(old);
	return lookup;
}

void
StoreLookupEnd(StoreLookup *lookup)
{
	if (lookup->direct)
	{
		index_endscan(lookup->scan);
		ExecDropSingleTupleTableSlot(lookup->slot);
		if (lookup->other != NULL)
			ExecDropSingleTupleTableSlot(lookup->other);
	}
	index_close(lookup->index, NoLock);
	pfree(lookup);
}

/* Whether the row in a slot was inserted by this transaction. */
static bool
IsOwnRow(TupleTableSlot *slot)
{
	bool		isnull;
	Datum		xmin = slot_getsysattr(slot, MinTransactionIdAttributeNumber, &isnull);

	return TransactionIdIsCurrentTransactionId(DatumGetTransactionId(xmin));
}

/* Goes on to a second row with the key, which is then this transaction's, if there is one. */
static void
PreferOwnRow(Store *store, StoreLookup *lookup)
{
	TupleTableSlot *first = lookup->slot;

	if (IsOwnRow(first))
		return;
	if (lookup->other == NULL)
		lookup->other = table_slot_create(store->rel, NULL);
	if (!index_getnext_slot(lookup->scan, ForwardScanDirection, lookup->other))
		return;
	ExecClearTuple(first);
	lookup->slot = lookup->other;
	lookup->other = first;
}

/*
 * Whether a row with the key exists; it is then in lookup->slot.  The memory
 * in which the index keeps dead entries must live as long as the scan.
 */
static bool
LookupRow(Store *store, const RowKey *key)
{
	StoreLookup *lookup = store->lookup;
	MemoryContext old = MemoryContextSwitchTo(store->context);
	bool		found;

	for (int i = 0; i < lookup->nkeys; i++)
		lookup->keys[i].sk_argument = key->values[i];
	lookup->scan->xs_snapshot = StoreSnapshot(store);
	index_rescan(lookup->scan, lookup->keys, lookup->nkeys, NULL, 0);
	found = index_getnext_slot(lookup->scan, ForwardScanDirection, lookup->slot);
	if (found && MayShowTwoRows())
		PreferOwnRow(store, lookup);
	MemoryContextSwitchTo(old);
	return found;
}

static struct varlena *
DirectGet(Store *store, const RowKey *key, const Slice *names, int nnames, Size *size)
{
	StoreLookup *lookup = store->lookup;
	struct varlena *item = NULL;

	if (LookupRow(store, key))
	{
		Datum		stored = SlotItem(lookup->slot, store->def->item_attnum);

		*size = EncodedSize(stored);
		item = ItemDatumPart(stored, names, nnames);
		ExecClearTuple(lookup->slot);
	}
	return item;
}

/* ---- SQL ---- */

static const char *
GetStatement(const Store *store, Oid *types)
{
	const TableDef *def = store->def;
	int			nkeys = KeyCount(&def->key);
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "SELECT " ITEM_COLUMN " FROM ");
	AppendRelationName(&sql, store->rel);
	for (int i = 0; i < nkeys; i++)
	{
		const AttributeDef *attr = TableKeyAttribute(def, i);

		types[i] = KeyColumnType(attr->type);
		appendStringInfo(&sql, "%s%s OPERATOR(pg_catalog.=) $%d",
						 i == 0 ? " WHERE " : " AND ",
						 quote_identifier(attr->column), i + 1);
	}
	return sql.data;
}

static struct varlena *
SqlGet(Store *store, const RowKey *key, const Slice *names, int nnames, Size *size)
{
	MemoryContext caller = CurrentMemoryContext;
	struct varlena *item = NULL;
	Datum		values[2] = {key->values[0], key->values[1]};
	Oid			types[2];
	const char *sql;
	SPIPlanPtr	plan;
	int			rc;

	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	sql = GetStatement(store, types);
	plan = StorePlanAs(sql, KeyCount(&store->def->key), types, StoreRights(store));
	rc = SPI_execute_snapshot(plan, values, NULL, StoreSnapshot(store),
							  InvalidSnapshot, true, false, MayShowTwoRows() ? 2 : 1);
	if (rc != SPI_OK_SELECT)
		elog(ERROR, "SPI_execute_snapshot failed: %s", SPI_result_code_string(rc));
	StatementCheckOneRow();

	if (SPI_processed > 0)
	{
		Datum		stored = StatementItem(0);
		MemoryContext old = MemoryContextSwitchTo(caller);

		*size = EncodedSize(stored);
		item = ItemDatumPart(stored, names, nnames);
		MemoryContextSwitchTo(old);
	}
	SPI_finish();
	return item;
}

static struct varlena *
GetAtKey(Store *store, const RowKey *key, const Slice *names, int nnames, Size *size)
{
	struct varlena *item;
	Store	   *target;
	bool		direct;

	*size = 0;
	if (store->def->distributed && elsewhere->get(store, key, &item))
	{
		*size = item != NULL ? VARSIZE_ANY_EXHDR(item) : 0;
		return item;
	}
	target = StoreOfKey(store, key);
	direct = target->direct && OidIsValid(target->def->primary_key);
	if (direct && target->lookup == NULL)
		target->lookup = LookupBegin(target);
	if (direct && target->lookup->direct)
		return DirectGet(target, key, names, nnames, size);
	return SqlGet(store, key, names, nnames, size);
}

/* Returns the item that is still, or already, under another key, for the same snapshot. */
static struct varlena *
GetAtOtherKey(Store *store, const RowKey *key, Size *size)
{
	struct varlena *item;
	RowKey		other;

	if (!move_methods->other_key(store->def, ItemRoot(ItemOfKey(store->def, key)), &other))
		return NULL;
	item = GetAtKey(store, &other, NULL, 0, size);
	if (item != NULL && move_methods->is_meant(store->def, ItemRoot(item)))
		return item;
	*size = 0;
	return NULL;
}

struct varlena *
StoreGetPart(Store *store, const RowKey *key, const Slice *names, int nnames, Size *size)
{
	struct varlena *item = GetAtKey(store, key, names, nnames, size);

	return item == NULL && TableMoves(store->def) ? GetAtOtherKey(store, key, size) : item;
}

struct varlena *
StoreGet(Store *store, const RowKey *key)
{
	Size		size;

	return StoreGetPart(store, key, NULL, 0, &size);
}

/* ---- batches ---- */

void
StoreReadAhead(Store *store, const RowKey *keys, int n)
{
	if (store->def->distributed)
		elsewhere->read_ahead(store, keys, n);
}
