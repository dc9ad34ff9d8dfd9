/*
 * approximate.c
 *	  Reads the entries of a vector index in the order of its HNSW index.
 *
 * pgvector returns entries one after another, roughly in the order of their
 * distances, and continues its search as long as more are wanted.  Filters and
 * row security are applied to each entry before it counts.  The scores of
 * results are computed exactly.
 *
 * A search is exact in the cases in which an approximate one would be wrong or
 * slow:
 *
 * - the partition is small;
 * - too few entries of the HNSW index pass the filters;
 * - entries may be missing that the HNSW index does not contain or cannot order:
 *   zero vectors by cosine, and numbers whose squares exceed single precision;
 * - the role may not use the schema of pgvector, whose operator the statement names.
 */
#include "postgres.h"

#include <math.h>

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relscan.h"
#include "access/table.h"
#include "catalog/pg_type_d.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "compat.h"
#include "search/search.h"
#include "store/plan.h"
#include "store/scan.h"
#include "table/index_relation.h"
#include "table/object_names.h"
#include "vector/hnsw.h"

/* Partitions up to this number of entries are read as a whole. */
#define SMALL_PARTITION		2000

/* Entries that are fetched at once. */
#define BATCH_SIZE			50

/*
 * Results beyond those wanted that are compared exactly, because single
 * precision does not tell which of two near ones is nearer.
 */
#define SPARE_RESULTS		10

/* Squares of greater numbers, or of their differences, may not be finite. */
#define GREATEST_NUMBER		1e18
#define LEAST_NUMBER		1e-18

static int	search_candidates = 200;

void
SearchInit(void)
{
	DefineCustomIntVariable("dynamo.search_candidates",
							"Number of entries that a search through an HNSW index considers at once.",
							"A greater number finds more of the nearest vectors and takes longer.",
							&search_candidates, 200, 10, 1000,
							PGC_USERSET, 0, NULL, NULL, NULL);
}

/* ---- whether to search exactly ---- */

static bool
IsSmallPartition(const VectorSearch *search, Relation rel, Snapshot snapshot)
{
	const AttributeDef *attr = EntryAttribute(search->store->def, search->index, 0);
	Relation	pkey;
	ScanKeyData key;
	IndexScanDesc scan;
	int			n = 0;

	if (ValueIsMissing(search->hash))
		return false;
	pkey = index_open(PrimaryKeyIndex(rel), AccessShareLock);
	KeyScanKey(&key, pkey, 0, attr->type, BTEqualStrategyNumber, KeyValueToDatum(attr, search->hash));
	scan = BeginIndexScan(rel, pkey, snapshot, 1);
	index_rescan(scan, &key, 1, NULL, 0);
	while (n <= SMALL_PARTITION && index_getnext_tid(scan, ForwardScanDirection) != NULL)
		n++;
	index_endscan(scan);
	index_close(pkey, NoLock);
	return n <= SMALL_PARTITION;
}

/* Whether pgvector can compute with a vector of this length. */
static bool
IsOrdinaryQuery(const VectorQuery *query)
{
	double		length = sqrt(query->norm);

	return length >= LEAST_NUMBER && length <= GREATEST_NUMBER;
}

/* Whether entries that the HNSW index omits or misplaces may be better than the worst result. */
static bool
MayLackResults(const VectorSearch *search, double worst)
{
	switch (search->query.distance)
	{
		case DISTANCE_COSINE:
			return worst >= 1;
		case DISTANCE_EUCLIDEAN:
			return worst > GREATEST_NUMBER;
		case DISTANCE_DOT_PRODUCT:
			return fabs(worst) > GREATEST_NUMBER;
	}
	return true;
}

/* ---- the statement ---- */

static void
SetSearchOption(const char *name, const char *value)
{
	(void) set_config_option(name, value, PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
}

/*
 * Changes settings until AtEOXact_GUC with the result.  Without sorts and
 * sequential scans, the order can only come from the HNSW index.
 */
static int
BeginSearchSettings(int count)
{
	int			level = NewGUCNestLevel();

	SetSearchOption("enable_sort", "off");
	SetSearchOption("enable_seqscan", "off");
	SetSearchOption("hnsw.ef_search", psprintf("%d", Max(search_candidates, count)));
	SetSearchOption("hnsw.iterative_scan", "strict_order");
	return level;
}

static Portal
OpenNearestEntries(const VectorSearch *search, Relation rel, Oid opclass)
{
	int			dimensions = search->query.dimensions;
	char	   *type = HnswTypeName(opclass, dimensions);
	char	   *sql = psprintf("SELECT " VECTOR_COLUMN ", " ITEM_COLUMN " FROM ONLY %s ORDER BY (" VECTOR_COLUMN "::%s) %s $1::%s",
							   RelationSqlName(RelationGetRelid(rel)), type,
							   HnswOperator(opclass, search->query.distance), type);
	Oid			types[1] = {FLOAT4ARRAYOID};
	Datum		values[1] = {VectorToArray(search->vector, dimensions)};

	return SPI_cursor_open(NULL, StorePlanAs(sql, 1, types, PLAN_ALL_ROWS), values, NULL, true);
}

/* ---- entries ---- */

/* The results found so far. */
typedef struct Collected
{
	Nearest    *nearest;
	MemoryContext context;		/* of nearest */
	MemoryContext row_context;	/* reset for each row */
	int			wanted;
	int			n;
} Collected;

static void
CollectRow(const VectorSearch *search, Relation rel, HeapTuple tuple, TupleDesc desc, Collected *collected)
{
	bool		isnull[2];
	Datum		stored = heap_getattr(tuple, 1, desc, &isnull[0]);
	Datum		item = heap_getattr(tuple, 2, desc, &isnull[1]);
	VectorEntry entry = {search, rel, &tuple->t_self, MISSING_VALUE};
	const float *vector;
	double		score;

	if (isnull[0] || isnull[1])
		InvalidVectorEntry(&entry, "A column is null.");
	entry.item = DatumGetValue(item);
	if (!VectorEntryPasses(&entry) || !VectorEntryIsVisible(&entry))
		return;
	collected->n++;
	vector = VectorEntryElements(&entry, stored);
	score = VectorScore(&search->query, vector);
	if (!NearestAccepts(collected->nearest, score))
		return;
	MemoryContextSwitchTo(collected->context);
	NearestAdd(collected->nearest, score, entry.item, search->keep_vectors ? vector : NULL, search->query.dimensions);
}

/* Collects results among the rows of a batch. */
static void
CollectRows(const VectorSearch *search, Relation rel, const SPITupleTable *rows, uint64 n, Collected *collected)
{
	MemoryContext old = CurrentMemoryContext;

	for (uint64 i = 0; i < n && collected->n < collected->wanted; i++)
	{
		CHECK_FOR_INTERRUPTS();
		MemoryContextSwitchTo(collected->row_context);
		CollectRow(search, rel, rows->vals[i], rows->tupdesc, collected);
		MemoryContextReset(collected->row_context);
	}
	MemoryContextSwitchTo(old);
}

/* Whether another batch may have results. */
static bool
CollectBatch(const VectorSearch *search, Relation rel, Portal portal, Collected *collected)
{
	int			level = BeginSearchSettings(collected->wanted);
	SPITupleTable *rows;
	uint64		n;

	SPI_cursor_fetch(portal, true, BATCH_SIZE);
	AtEOXact_GUC(false, level);
	n = SPI_processed;
	rows = SPI_tuptable;
	StatementCheckColumn(1, FLOAT4ARRAYOID);
	StatementCheckColumn(2, search->store->def->item_type);
	CollectRows(search, rel, rows, n, collected);
	SPI_freetuptable(rows);
	return n == BATCH_SIZE && collected->n < collected->wanted;
}

static void
CollectEntries(const VectorSearch *search, Relation rel, Oid opclass, Collected *collected)
{
	Portal		portal;
	int			level;

	SPI_connect();
	collected->row_context = AllocSetContextCreate(CurrentMemoryContext, "dynamo vector search",
												   ALLOCSET_DEFAULT_SIZES);
	level = BeginSearchSettings(collected->wanted);
	portal = OpenNearestEntries(search, rel, opclass);
	AtEOXact_GUC(false, level);
	while (CollectBatch(search, rel, portal, collected))
		;
	SPI_cursor_close(portal);
	SPI_finish();
}

/* ---- the search ---- */

static bool
SearchIndex(const VectorSearch *search, Relation rel, int count, Nearest *nearest)
{
	Oid			opclass = FindHnswClass(search->query.distance);
	Snapshot	snapshot = RegisterSnapshot(StoreIndexSnapshot(search->store, search->index));
	Collected	collected = {.nearest = nearest, .context = CurrentMemoryContext, .wanted = count + SPARE_RESULTS};
	double		worst;
	bool		exact = !OidIsValid(opclass) || !CanNameHnsw(opclass) || IsSmallPartition(search, rel, snapshot);

	if (!exact)
	{
		PushActiveSnapshot(snapshot);
		CollectEntries(search, rel, opclass, &collected);
		PopActiveSnapshot();
		exact = collected.n < count || !NearestWorst(nearest, &worst) || MayLackResults(search, worst);
	}
	UnregisterSnapshot(snapshot);
	return !exact;
}

bool
SearchApproximately(const VectorSearch *search, int count, Nearest *nearest)
{
	Relation	rel;
	bool		found;

	if (!IsOrdinaryQuery(&search->query))
		return false;
	rel = IndexTableOpen(search->store->def, search->index, AccessShareLock);
	found = OidIsValid(FindHnswIndex(rel, true)) && SearchIndex(search, rel, count, nearest);
	table_close(rel, NoLock);
	return found;
}
