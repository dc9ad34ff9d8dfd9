/*
 * items_left_out.c
 *	  Finds items that an index leaves out.
 *
 * This happens before the index is built.  The user is told about the items,
 * and the btree of an inline index must be limited if it would otherwise
 * contain some of them (table/limits.c).
 */
#include "postgres.h"

#include "access/table.h"
#include "access/tableam.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "index/index.h"
#include "store/elsewhere.h"
#include "table/distribution.h"
#include "table/limits.h"
#include "table/stored.h"

typedef struct Search
{
	const TableDef *def;
	const IndexDef *index;
	ColumnsState columns;
	LeftOut    *found;
} Search;

#define KEY_TOO_LONG_FOR_PAGE	"its key is too long for one entry of a PostgreSQL index"

/* Keeps the reason for the first item, which is reported to the user. */
static void
KeepExample(LeftOut *found, const char *reason)
{
	if (found->example[0] == '\0')
		strlcpy(found->example, reason, sizeof(found->example));
}

static bool
HasAllColumns(const TableDef *def, const IndexDef *index, const bool *nulls)
{
	for (int i = 0; i < index->nentry; i++)
	{
		if (nulls[EntryAttribute(def, index, i)->attnum - 1])
			return false;
	}
	return true;
}

const char *
LeftOutReason(const TableDef *def, const IndexDef *index, ValueRef item,
			  const Datum *values, const bool *nulls)
{
	const char *violation = IndexKeyViolation(def, index, item);

	if (violation == NULL && HasAllColumns(def, index, nulls) &&
		!IndexAdmitsRow(def, index, values, nulls))
		return KEY_TOO_LONG_FOR_PAGE;
	return violation;
}

/* Derives the columns that the row will have. */
static ValueRef
DeriveFutureRow(const Search *s, TupleTableSlot *slot, Datum **values, bool **nulls)
{
	ValueRef	item = CopyColumns(s->def, slot, values, nulls);

	if (s->columns == COLUMNS_STALE)
		(void) ForgetStaleColumns(s->def, item, *values, *nulls);
	(void) DeriveStoredKeys(s->def, item, *values, *nulls);
	return item;
}

/*
 * Checks a row.  The item is read only if the columns are not sufficient.  A
 * btree can contain a row that is not in the index because a sort attribute is
 * missing.
 */
static void
LookAtRow(const Search *s, TupleTableSlot *slot)
{
	Datum	   *values = slot->tts_values;
	bool	   *nulls = slot->tts_isnull;
	bool		complete;
	bool		left_out = false;
	bool		exceeds;

	slot_getallattrs(slot);
	complete = s->columns != COLUMNS_STALE && s->index->kind->has_item == NULL &&
		HasAllColumns(s->def, s->index, nulls);
	if (!complete && s->columns != COLUMNS_FILLED)
	{
		ValueRef	item = DeriveFutureRow(s, slot, &values, &nulls);
		const char *reason = LeftOutReason(s->def, s->index, item, values, nulls);

		left_out = reason != NULL;
		if (left_out)
			KeepExample(s->found, reason);
	}
	exceeds = RowHasEntry(s->def, s->index, nulls) &&
		!IndexAdmitsRow(s->def, s->index, values, nulls);
	s->found->by_limits |= exceeds;
	if (left_out || (complete && exceeds))
		s->found->items++;
	if (complete && exceeds)
		KeepExample(s->found, KEY_TOO_LONG_FOR_PAGE);
}

static void
SearchRelation(Relation rel, const char *index_name, ColumnsState columns, LeftOut *found)
{
	TableDef   *def = TableDefAcquire(rel);
	Search		search = {def, TableDefIndexOf(def, index_name), columns, found};
	Snapshot	snapshot = RegisterSnapshot(GetLatestSnapshot());
	TableScanDesc scan = BeginTableScan(rel, snapshot);
	TupleTableSlot *slot = table_slot_create(rel, NULL);
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "dynamo left out items",
												  ALLOCSET_DEFAULT_SIZES);

	while (table_scan_getnextslot(scan, ForwardScanDirection, slot))
	{
		MemoryContext old = MemoryContextSwitchTo(context);

		CHECK_FOR_INTERRUPTS();
		LookAtRow(&search, slot);
		MemoryContextSwitchTo(old);
		MemoryContextReset(context);
	}
	MemoryContextDelete(context);
	ExecDropSingleTupleTableSlot(slot);
	table_endscan(scan);
	UnregisterSnapshot(snapshot);
	TableDefRelease(def);
}

LeftOut
FindLeftOut(Oid relid, const char *index_name, ColumnsState columns)
{
	LeftOut		found = {0};
	ListCell   *cell;

	if (RelationIsDistributed(relid))
	{
		elsewhere->work_on_shards(relid, SHARD_SEARCH + columns, index_name, &found);
		return found;
	}
	foreach(cell, find_all_inheritors(relid, AccessShareLock, NULL))
	{
		Relation	rel = table_open(lfirst_oid(cell), NoLock);

		if (rel->rd_rel->relkind == RELKIND_RELATION)
			SearchRelation(rel, index_name, columns, &found);
		table_close(rel, NoLock);
	}
	return found;
}

void
ReportLeftOut(const char *index_name, const LeftOut *found)
{
	if (found->items > 0)
		ereport(NOTICE,
				(errmsg_plural("index \"%s\" leaves out " INT64_FORMAT " item with unusable key attributes",
							   "index \"%s\" leaves out " INT64_FORMAT " items with unusable key attributes",
							   (unsigned long) found->items, index_name, found->items),
				 errdetail("For example, %s.", found->example),
				 errhint("dynamo.verify_index lists them. The parameters partition_key_type and sort_key_type set the types of the index's key.")));
}
