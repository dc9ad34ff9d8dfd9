/*
 * exact.c
 *	  Reads the entries of a vector index and offers the best of them.
 *
 * The entries of a partition are found through the primary key of the index
 * table, which begins with the HASH attribute.  Without one, all entries are
 * read in the order of their pages.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/relscan.h"
#include "access/table.h"
#include "access/tableam.h"
#include "catalog/pg_class_d.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/rls.h"
#include "utils/snapmgr.h"

#include "compat.h"
#include "search/search.h"
#include "store/scan.h"
#include "table/index_relation.h"
#include "table/stored.h"

/* A scan of entries in progress. */
typedef struct EntryScan
{
	const ExactSearch *search;
	Relation	rel;
	Relation	pkey;			/* NULL: all entries */
	Snapshot	snapshot;
	TableScanDesc all;
	IndexScanDesc partition;
	TupleTableSlot *slot;
	bool		hidden;			/* row security may hide rows from the user */
	MemoryContext row_context;
} EntryScan;

/* ---- the scan ---- */

/*
 * The index table is read without the executor, so it must be what the
 * extension has created.
 */
static void
CheckPlainTable(Relation rel)
{
	if (rel->rd_tableam != GetHeapamTableAmRoutine() || rel->rd_rel->relhassubclass || rel->rd_rel->relhasrules)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("vector index \"%s\" has rules, children or another access method than heap",
						RelationGetRelationName(rel))));
}

static void
BeginPartition(EntryScan *s)
{
	const AttributeDef *attr = EntryAttribute(s->search->store->def, s->search->index, 0);
	ScanKeyData key;

	s->pkey = index_open(PrimaryKeyIndex(s->rel), AccessShareLock);
	KeyScanKey(&key, s->pkey, 0, attr->type, BTEqualStrategyNumber,
			   KeyValueToDatum(attr, s->search->hash));
	s->partition = BeginIndexScan(s->rel, s->pkey, s->snapshot, 1);
	index_rescan(s->partition, &key, 1, NULL, 0);
}

static void
ScanBegin(EntryScan *s, const ExactSearch *search)
{
	Store	   *store = search->store;

	memset(s, 0, sizeof(*s));
	s->search = search;
	s->snapshot = RegisterSnapshot(StoreIndexSnapshot(store, search->index));
	s->rel = IndexTableOpen(store->def, search->index, AccessShareLock);
	CheckPlainTable(s->rel);
	s->slot = table_slot_create(s->rel, NULL);
	s->hidden = check_enable_rls(RelationGetRelid(store->rel), InvalidOid, true) == RLS_ENABLED;
	s->row_context = AllocSetContextCreate(CurrentMemoryContext, "dynamo vector search",
										   ALLOCSET_DEFAULT_SIZES);
	if (ValueIsMissing(search->hash))
		s->all = table_beginscan(s->rel, s->snapshot, 0, NULL);
	else
		BeginPartition(s);
}

static bool
ScanNext(EntryScan *s)
{
	return s->partition != NULL ?
		index_getnext_slot(s->partition, ForwardScanDirection, s->slot) :
		table_scan_getnextslot(s->all, ForwardScanDirection, s->slot);
}

static void
ScanEnd(EntryScan *s)
{
	if (s->partition != NULL)
	{
		index_endscan(s->partition);
		index_close(s->pkey, NoLock);
	}
	else
		table_endscan(s->all);
	ExecDropSingleTupleTableSlot(s->slot);
	table_close(s->rel, NoLock);
	UnregisterSnapshot(s->snapshot);
	MemoryContextDelete(s->row_context);
}

/* ---- entries ---- */

static void InvalidEntry(const EntryScan *s, const char *problem) pg_attribute_noreturn();

static void
InvalidEntry(const EntryScan *s, const char *problem)
{
	RowPlace	place = {RelationGetRelid(s->rel), s->slot->tts_tid, NULL};

	InvalidRowError(&place, problem);
}

static const float *
EntryVector(const EntryScan *s)
{
	bool		isnull;
	bool		copy;
	Datum		stored = slot_getattr(s->slot, RelationGetDescr(s->rel)->natts - 1, &isnull);
	const float *vector = isnull ? NULL :
		VectorOfArray(stored, s->search->query.dimensions, &copy);

	if (vector == NULL)
		InvalidEntry(s, "The vector does not have the dimensions of the index.");
	return vector;
}

static ValueRef
EntryItem(const EntryScan *s)
{
	return DatumGetValue(SlotItem(s->slot, RelationGetDescr(s->rel)->natts));
}

static bool
PassesTests(const EntryScan *s, ValueRef item)
{
	for (int i = 0; i < s->search->ntests; i++)
	{
		const SearchTest *test = &s->search->tests[i];
		ValueRef	v = AttributeFind(item, test->attribute.data, test->attribute.len);

		if (ValueIsMissing(v) || !ValueEqual(v, test->value))
			return false;
	}
	return true;
}

/* Whether the user may see the row of an entry. */
static bool
RowIsVisible(const EntryScan *s, ValueRef item)
{
	const TableDef *def = s->search->store->def;
	RowKey		key;

	if (!s->hidden)
		return true;
	for (int i = 0; i < KeyCount(&def->key); i++)
	{
		const AttributeDef *attr = TableKeyAttribute(def, i);
		const char *problem = KeyAttributeProblem(attr, AttributeFind(item, attr->name.data, attr->name.len),
												  i < def->key.npartition ? KEY_MAX_PARTITION : KEY_MAX_SORT);

		if (problem != NULL)
			InvalidEntry(s, problem);
	}
	(void) RowKeyFromItem(def, item, &key, NULL);
	return StoreGet(s->search->store, &key) != NULL;
}

/*
 * Offers the entry in the slot.  What takes most time comes last: few entries
 * are better than the best so far.
 */
static void
OfferEntry(const EntryScan *s, Nearest *nearest, MemoryContext context)
{
	const ExactSearch *search = s->search;
	const float *vector;
	double		score;
	ValueRef	item;

	if (search->ntests > 0 && !PassesTests(s, EntryItem(s)))
		return;
	vector = EntryVector(s);
	score = VectorScore(&search->query, vector);
	if (!NearestAccepts(nearest, score))
		return;
	item = EntryItem(s);
	if (!RowIsVisible(s, item))
		return;
	MemoryContextSwitchTo(context);
	NearestAdd(nearest, score, item, search->keep_vectors ? vector : NULL, search->query.dimensions);
}

void
SearchExactly(const ExactSearch *search, Nearest *nearest)
{
	MemoryContext context = CurrentMemoryContext;
	EntryScan	s;

	ScanBegin(&s, search);
	while (ScanNext(&s))
	{
		CHECK_FOR_INTERRUPTS();
		MemoryContextSwitchTo(s.row_context);
		OfferEntry(&s, nearest, context);
		MemoryContextSwitchTo(context);
		MemoryContextReset(s.row_context);
	}
	ScanEnd(&s);
}
