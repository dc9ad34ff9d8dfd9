/*
 * scan.c
 *	  A range of a table or an index in key order, whichever path reads it.
 */
#include "postgres.h"

#include "access/genam.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "store/scan.h"

struct StoreScan
{
	Store	   *store;
	ScanRange	range;
	ScanKeys	keys;
	Snapshot	snapshot;
	Relation	index;			/* open for the direct path, or NULL */
	bool		direct;			/* read through the index */
	ScanSource *source;			/* NULL: nothing to read */
};

/* The btree of a range on the table itself: its key or an inline index. */
static Oid
BtreeOfRange(const Store *store, const ScanRange *range)
{
	if (range->index == NULL)
		return store->def->primary_key;
	return IndexDefRelation(store->def, range->index);
}

/* The source for a range on the table's own rows. */
static ScanSource *
TableSource(StoreScan *scan, const ScanRange *range)
{
	Store	   *store = scan->store;

	if (store->direct && OidIsValid(BtreeOfRange(store, range)))
	{
		scan->index = index_open(BtreeOfRange(store, range), AccessShareLock);
		scan->direct = DirectScanPossible(scan->index, &scan->keys);
		if (scan->direct)
			return DirectScanBegin(store->rel, scan->index,
								   store->def->item_attnum,
								   &scan->keys, scan->snapshot);
	}
	return SqlScanBegin(store->rel, -1, InvalidOid, &scan->keys, scan->snapshot);
}

StoreScan *
StoreScanBegin(Store *store, const ScanRange *range)
{
	StoreScan  *scan = palloc0(sizeof(StoreScan));

	scan->store = store;
	scan->range = *range;
	ScanKeysInit(&scan->keys, store->def, range);
	scan->snapshot = RegisterSnapshot(GetActiveSnapshot());
	if (!scan->keys.empty)
		scan->source = TableSource(scan, range);
	return scan;
}

bool
StoreScanNext(StoreScan *scan, struct varlena **item)
{
	if (scan->source == NULL)
		return false;
	*item = scan->source->methods->next(scan->source);
	return *item != NULL;
}

/* Locks are kept to the end of the transaction, as the executor keeps them. */
void
StoreScanEnd(StoreScan *scan)
{
	if (scan->source != NULL)
		scan->source->methods->end(scan->source);
	if (scan->index != NULL)
		index_close(scan->index, NoLock);
	UnregisterSnapshot(scan->snapshot);
}

void
StoreScanDescribe(const StoreScan *scan, StringInfo out)
{
	Oid			btree = BtreeOfRange(scan->store, &scan->range);

	appendStringInfo(out, "\nreads: %s through %s%s",
					 RelationGetRelationName(scan->store->rel),
					 OidIsValid(btree) ? get_rel_name(btree) : "no index",
					 scan->direct ? "" : ", by SQL statements");
	ScanKeysDescribe(&scan->keys, out);
}
