/*
 * exact.c
 *	  Reads the entries of a vector index and offers the best of them.
 *
 * The sketches of vectors, or those of a partition, lie side by side in a btree
 * (sketch_index.h).  They tell which entries may be better than the worst of the
 * best so far.  Of some thousand sketches at once, the entries with the most
 * promising ones are fetched first, so that few others remain to be fetched.
 *
 * A search with filters reads all entries.  Those of a partition are found
 * through the primary key of the index table, which begins with the HASH
 * attribute.  Without one, they are read in the order of their pages.
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
#include "lib/binaryheap.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "compat.h"
#include "search/search.h"
#include "store/scan.h"
#include "table/index_relation.h"
#include "table/stored.h"
#include "vector/sketch_index.h"

/* Bytes that a processor loads at once. */
#define CACHE_LINE	64

/* Entries that wait to be fetched, at most. */
#define NEAR_MAX	2048

/* An entry whose vector may be one of the nearest. */
typedef struct NearEntry
{
	double		best;			/* its score is not better */
	ItemPointerData tid;
} NearEntry;

/* A scan of entries in progress. */
typedef struct EntryScan
{
	const VectorSearch *search;
	Nearest    *nearest;
	Relation	rel;
	Relation	btree;			/* the primary key or that of sketches; NULL for a scan of all entries */
	bool		has_sketches;	/* btree is that of sketches */
	bool		at_end;			/* of the sketches */
	VectorSketchQuery sketch;
	NearEntry  *near;			/* found by their sketches */
	binaryheap *waiting;		/* those of near to be fetched, the best first */
	IndexFetchTableData *fetch;
	Snapshot	snapshot;
	TableScanDesc all;
	IndexScanDesc entries;		/* by btree */
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
	if (index_getnext_slot(s->entries, ForwardScanDirection, s->ahead))
		PrefetchRow(s->ahead);
	else
		ExecClearTuple(s->ahead);
}

/* Begins to read all entries of a btree, or those of the partition. */
static void
BeginBtree(EntryScan *s, Oid btree)
{
	int			nkeys = ValueIsMissing(s->search->hash) ? 0 : 1;
	ScanKeyData key;

	s->btree = index_open(btree, AccessShareLock);
	if (nkeys > 0)
	{
		const AttributeDef *attr = EntryAttribute(s->search->store->def, s->search->index, 0);

		KeyScanKey(&key, s->btree, 0, attr->type, BTEqualStrategyNumber, KeyValueToDatum(attr, s->search->hash));
	}
	s->entries = BeginIndexScan(s->rel, s->btree, s->snapshot, nkeys);
	s->entries->xs_want_itup = s->has_sketches;
	index_rescan(s->entries, &key, nkeys, NULL, 0);
}

/* A binaryheap_comparator. */
static int
CompareNear(Datum a, Datum b, void *arg)
{
	double		x = ((const NearEntry *) DatumGetPointer(a))->best;
	double		y = ((const NearEntry *) DatumGetPointer(b))->best;
	const VectorQuery *query = arg;
	int			order = x < y ? 1 : -(x > y);

	return VectorGreaterIsBetter(query->distance) ? -order : order;
}

static void
BeginSketches(EntryScan *s, Oid btree)
{
	s->has_sketches = true;
	BeginBtree(s, btree);
	s->near = palloc(sizeof(NearEntry) * NEAR_MAX);
	s->waiting = binaryheap_allocate(NEAR_MAX, CompareNear, unconstify(VectorQuery *, &s->search->query));
	s->fetch = BeginIndexFetch(s->rel);
}

/* The partition is a test, too. */
static bool
HasFilters(const VectorSearch *search)
{
	return search->ntests > (ValueIsMissing(search->hash) ? 0 : 1);
}

static void
BeginEntries(EntryScan *s)
{
	Oid			sketches = HasFilters(s->search) || !VectorSketchQueryInit(&s->sketch, &s->search->query) ?
		InvalidOid : FindSketchIndex(s->rel, s->search->index->key.npartition > 0);

	if (OidIsValid(sketches))
		BeginSketches(s, sketches);
	else if (ValueIsMissing(s->search->hash))
		s->all = BeginTableScan(s->rel, s->snapshot);
	else
	{
		BeginBtree(s, PrimaryKeyIndex(s->rel));
		ReadAhead(s);
	}
}

static void
ScanBegin(EntryScan *s, const VectorSearch *search, Nearest *nearest)
{
	Store	   *store = search->store;

	memset(s, 0, sizeof(*s));
	s->search = search;
	s->nearest = nearest;
	s->snapshot = RegisterSnapshot(StoreIndexSnapshot(store, search->index));
	s->rel = IndexTableOpen(store->def, search->index, AccessShareLock);
	CheckPlainTable(s->rel);
	s->slot = table_slot_create(s->rel, NULL);
	s->ahead = table_slot_create(s->rel, NULL);
	s->row_context = AllocSetContextCreate(CurrentMemoryContext, "dynamo vector search",
										   ALLOCSET_DEFAULT_SIZES);
	BeginEntries(s);
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

/* Returns a score that the vector with the current sketch is not better than. */
static double
CurrentBest(const EntryScan *s)
{
	bool		isnull;
	Datum		datum = index_getattr(s->entries->xs_itup, RelationGetNumberOfAttributes(s->btree),
									  s->entries->xs_itupdesc, &isnull);
	struct varlena *stored;
	double		best;

	if (isnull)
		return VectorSketchBest(&s->sketch, SliceOf(""));
	stored = PG_DETOAST_DATUM_PACKED(datum);
	best = VectorSketchBest(&s->sketch, SliceOfVarlena(stored));
	if (PointerGetDatum(stored) != datum)
		pfree(stored);
	return best;
}

/* Finds more entries that may be among the nearest. */
static void
ReadSketches(EntryScan *s)
{
	int			n = 0;

	binaryheap_reset(s->waiting);
	while (n < NEAR_MAX)
	{
		ItemPointer tid = index_getnext_tid(s->entries, ForwardScanDirection);
		NearEntry  *near = &s->near[n];

		CHECK_FOR_INTERRUPTS();
		s->at_end = tid == NULL;
		if (s->at_end)
			break;
		near->best = CurrentBest(s);
		if (!NearestAccepts(s->nearest, near->best))
			continue;
		near->tid = *tid;
		binaryheap_add_unordered(s->waiting, PointerGetDatum(near));
		n++;
	}
	binaryheap_build(s->waiting);
}

/* Fetches the version of an entry that the snapshot sees. */
static bool
FetchEntry(EntryScan *s, ItemPointerData tid)
{
	bool		more = false;
	bool		all_dead = false;
	bool		found = table_index_fetch_tuple(s->fetch, &tid, s->snapshot, s->slot, &more, &all_dead);

	if (found)
		pgstat_count_heap_fetch(s->btree);
	return found;
}

/* If the best of those that wait is not good enough, none is. */
static bool
NextNear(EntryScan *s)
{
	for (;;)
	{
		while (!binaryheap_empty(s->waiting))
		{
			const NearEntry *near = (const NearEntry *) DatumGetPointer(binaryheap_remove_first(s->waiting));

			if (!NearestAccepts(s->nearest, near->best))
				break;
			if (FetchEntry(s, near->tid))
				return true;
		}
		if (s->at_end)
			return false;
		ReadSketches(s);
	}
}

static bool
ScanNext(EntryScan *s)
{
	if (s->has_sketches)
		return NextNear(s);
	return s->entries != NULL ? NextOfPartition(s) :
		table_scan_getnextslot(s->all, ForwardScanDirection, s->slot);
}

static void
ScanEnd(EntryScan *s)
{
	if (s->entries != NULL)
	{
		index_endscan(s->entries);
		index_close(s->btree, NoLock);
	}
	else
		table_endscan(s->all);
	if (s->fetch != NULL)
		table_index_fetch_end(s->fetch);
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
OfferEntry(const EntryScan *s, MemoryContext context)
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
	if (!NearestAccepts(s->nearest, score))
		return;
	entry.item = DatumGetValue(SlotItem(s->slot, natts));
	if (!VectorEntryIsVisible(&entry))
		return;
	MemoryContextSwitchTo(context);
	NearestAdd(s->nearest, score, entry.item, search->keep_vectors ? vector : NULL, search->query.dimensions);
}

void
SearchExactly(const VectorSearch *search, Nearest *nearest)
{
	MemoryContext context = CurrentMemoryContext;
	EntryScan	s;

	ScanBegin(&s, search, nearest);
	while (ScanNext(&s))
	{
		CHECK_FOR_INTERRUPTS();
		MemoryContextSwitchTo(s.row_context);
		OfferEntry(&s, context);
		MemoryContextSwitchTo(context);
		MemoryContextReset(s.row_context);
	}
	ScanEnd(&s);
}
