/*
 * exact.c
 *	  Reads the entries of a vector index and offers the best of them.
 *
 * The entries of a partition are found through the primary key of the index
 * table, which begins with the HASH attribute.  Without one, all entries are
 * read in the order of their pages.
 *
 * A vector fills many cache lines, and the entries of a partition lie on
 * different pages.  The processor is told to load the next entry while the score
 * of the current one is computed, so that it does not wait for memory.  This
 * takes two slots.  A sequential scan does without: the processor loads adjacent
 * pages by itself, and two slots of the scan would share one tuple.
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
#include "utils/snapmgr.h"

#include "compat.h"
#include "search/search.h"
#include "store/scan.h"
#include "table/index_relation.h"
#include "table/stored.h"

/* Bytes that a processor loads at once. */
#define CACHE_LINE	64

/* A scan of entries in progress. */
typedef struct EntryScan
{
	const VectorSearch *search;
	Relation	rel;
	Relation	pkey;			/* NULL: all entries */
	Snapshot	snapshot;
	TableScanDesc all;
	IndexScanDesc partition;
	TupleTableSlot *slot;		/* the entry to offer */
	TupleTableSlot *ahead;		/* the one after it, of a partition */
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
				 errmsg("vector index \"%s\" has rules, children or an access method other than heap",
						RelationGetRelationName(rel))));
}

/* Tells the processor to load the row in a slot of a heap into its cache. */
static void
PrefetchRow(TupleTableSlot *slot)
{
	HeapTuple	tuple = ((HeapTupleTableSlot *) slot)->tuple;

	for (uint32 i = 0; i < tuple->t_len; i += CACHE_LINE)
		__builtin_prefetch((const char *) tuple->t_data + i);
}

/* Reads an entry ahead; the slot is empty after the last one. */
static void
ReadAhead(EntryScan *s)
{
	if (index_getnext_slot(s->partition, ForwardScanDirection, s->ahead))
		PrefetchRow(s->ahead);
	else
		ExecClearTuple(s->ahead);
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
	ReadAhead(s);
}

static void
ScanBegin(EntryScan *s, const VectorSearch *search)
{
	Store	   *store = search->store;

	memset(s, 0, sizeof(*s));
	s->search = search;
	s->snapshot = RegisterSnapshot(StoreIndexSnapshot(store, search->index));
	s->rel = IndexTableOpen(store->def, search->index, AccessShareLock);
	CheckPlainTable(s->rel);
	s->slot = table_slot_create(s->rel, NULL);
	s->ahead = table_slot_create(s->rel, NULL);
	s->row_context = AllocSetContextCreate(CurrentMemoryContext, "dynamo vector search",
										   ALLOCSET_DEFAULT_SIZES);
	if (ValueIsMissing(search->hash))
		s->all = table_beginscan(s->rel, s->snapshot, 0, NULL);
	else
		BeginPartition(s);
}

static bool
NextOfPartition(EntryScan *s)
{
	TupleTableSlot *slot = s->ahead;

	if (TTS_EMPTY(slot))
		return false;
	s->ahead = s->slot;
	s->slot = slot;
	ReadAhead(s);
	return true;
}

static bool
ScanNext(EntryScan *s)
{
	return s->partition != NULL ? NextOfPartition(s) :
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
	ExecDropSingleTupleTableSlot(s->ahead);
	table_close(s->rel, NoLock);
	UnregisterSnapshot(s->snapshot);
	MemoryContextDelete(s->row_context);
}

/* ---- entries ---- */

/*
 * Offers the entry in the slot.  The most expensive checks come last, because
 * few entries are better than the best so far.
 */
static void
OfferEntry(const EntryScan *s, Nearest *nearest, MemoryContext context)
{
	const VectorSearch *search = s->search;
	int			natts = RelationGetDescr(s->rel)->natts;
	VectorEntry entry = {search, s->rel, &s->slot->tts_tid, MISSING_VALUE};
	bool		isnull;
	Datum		stored = slot_getattr(s->slot, natts - 1, &isnull);
	const float *vector;
	double		score;

	if (isnull)
		InvalidVectorEntry(&entry, "The vector is null.");
	if (search->ntests > 0)
	{
		entry.item = DatumGetValue(SlotItem(s->slot, natts));
		if (!VectorEntryPasses(&entry))
			return;
	}
	vector = VectorEntryElements(&entry, stored);
	score = VectorScore(&search->query, vector);
	if (!NearestAccepts(nearest, score))
		return;
	entry.item = DatumGetValue(SlotItem(s->slot, natts));
	if (!VectorEntryIsVisible(&entry))
		return;
	MemoryContextSwitchTo(context);
	NearestAdd(nearest, score, entry.item, search->keep_vectors ? vector : NULL, search->query.dimensions);
}

void
SearchExactly(const VectorSearch *search, Nearest *nearest)
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
