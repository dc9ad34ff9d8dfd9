/*
 * statistics.c
 *	  The statistics that ANALYZE collects for items, and selectivities from
 *	  them.
 *
 * PostgreSQL's standard analysis would store hundreds of whole items as most
 * common values and histogram bounds, which are large and match nothing.  This
 * analysis stores attribute names and how many items have each.  It uses the
 * form of array elements (STATISTIC_KIND_MCELEM, of text), so that
 * pg_stats.most_common_elems shows the attributes of a table's items.  Another
 * slot holds ranges of keys, which define the segments of scans
 * (store/segment.h).
 */
#include "postgres.h"

#include "access/detoast.h"
#include "access/htup_details.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "commands/vacuum.h"
#include "common/hashfn.h"
#include "fmgr.h"
#include "nodes/nodeFuncs.h"
#include "nodes/pathnodes.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"

#include "compat.h"
#include "item/item.h"
#include "store/segment.h"

/* Statistics slots. */
#define NAMES_SLOT		0
#define SEGMENTS_SLOT	1

#define NAMES_TRACKED		10000	/* names that appear later are not counted */
#define NAMES_RECENT		64
#define NAME_MAX_KEPT		KEY_MAX_NAME	/* bytes */
#define ITEM_MAX_READ		(64 * 1024) /* bytes of an item whose names are read */

/* The fraction of items assumed to have an attribute, without statistics. */
#define DEFAULT_EXISTS_SEL	0.1

typedef struct NameCount
{
	Slice		name;			/* the hash key */
	int			items;
} NameCount;

/* ---- counting names ---- */

static uint32
NameHash(const void *key, Size keysize)
{
	const Slice *name = key;

	return DatumGetUInt32(hash_any((const unsigned char *) name->data, name->len));
}

static int
NameMatch(const void *a, const void *b, Size keysize)
{
	return SliceCompare(*(const Slice *) a, *(const Slice *) b);
}

static HTAB *
CreateNameTable(void)
{
	HASHCTL		control = {0};

	control.keysize = sizeof(Slice);
	control.entrysize = sizeof(NameCount);
	control.hash = NameHash;
	control.match = NameMatch;
	control.hcxt = CurrentMemoryContext;
	return hash_create("dynamo attribute names", 256, &control,
					   HASH_ELEM | HASH_FUNCTION | HASH_COMPARE | HASH_CONTEXT);
}

/* Returns the entry of a name, or NULL if names like it are not counted. */
static NameCount *
FindNameCount(HTAB *names, Slice name)
{
	bool		full = hash_get_num_entries(names) >= NAMES_TRACKED;
	bool		found;
	NameCount  *entry;

	/* Statistics use text, which cannot contain NUL. */
	if (name.len > NAME_MAX_KEPT || memchr(name.data, '\0', name.len) != NULL)
		return NULL;

	entry = hash_search(names, &name, full ? HASH_FIND : HASH_ENTER, &found);
	if (entry != NULL && !found)
	{
		char	   *copy = palloc(name.len);

		memcpy(copy, name.data, name.len);
		entry->name.data = copy;
		entry->items = 0;
	}
	return entry;
}

/*
 * Counts the names of an item.  Most items have the names of the one before, at the same
 * places: those are in recent, and need no search.
 */
static void
CountNames(HTAB *names, NameCount **recent, Datum datum)
{
	struct varlena *item = PG_DETOAST_DATUM_PACKED(datum);
	Container	attributes;

	ContainerOpen(ItemRoot(item), &attributes);
	for (uint32 i = 0; i < attributes.count; i++)
	{
		NameCount **entry = &recent[i % NAMES_RECENT];
		Slice		name;

		MapEntry(&attributes, i, &name);
		if (*entry == NULL || !SliceEqual((*entry)->name, name))
			*entry = FindNameCount(names, name);
		if (*entry != NULL)
			(*entry)->items++;
	}
	if ((Pointer) item != DatumGetPointer(datum))
		pfree(item);
}

/* ---- the slot of most common elements ---- */

static int
CompareCounts(const void *a, const void *b)
{
	return (*(NameCount *const *) b)->items - (*(NameCount *const *) a)->items;
}

/* The most frequent names, at most limit, in byte order. */
static NameCount **
SelectFrequentNames(HTAB *names, int limit, int *n)
{
	NameCount **sorted = palloc(sizeof(NameCount *) * (hash_get_num_entries(names) + 1));
	HASH_SEQ_STATUS scan;
	NameCount  *entry;
	int			count = 0;

	hash_seq_init(&scan, names);
	while ((entry = hash_seq_search(&scan)) != NULL)
		sorted[count++] = entry;

	qsort(sorted, count, sizeof(NameCount *), CompareCounts);
	*n = Min(count, limit);
	qsort(sorted, *n, sizeof(NameCount *), ComparePointersBySlice);
	return sorted;
}

/*
 * Stores the names.  numbers contains the frequency of each name, then the
 * lowest and the highest frequency.
 */
static void
StoreNames(VacAttrStats *stats, HTAB *names, int items)
{
	int			n;
	NameCount **sorted = SelectFrequentNames(names, StatisticsTarget(stats) * 10, &n);
	MemoryContext caller;
	Datum	   *values;
	float4	   *numbers;
	int			least = items;
	int			most = 0;

	if (n == 0)
		return;
	caller = MemoryContextSwitchTo(stats->anl_context);
	values = palloc(sizeof(Datum) * n);
	numbers = palloc(sizeof(float4) * (n + 2));
	for (int i = 0; i < n; i++)
	{
		values[i] = PointerGetDatum(cstring_to_text_with_len(sorted[i]->name.data,
															 sorted[i]->name.len));
		numbers[i] = (double) sorted[i]->items / items;
		least = Min(least, sorted[i]->items);
		most = Max(most, sorted[i]->items);
	}
	numbers[n] = (double) least / items;
	numbers[n + 1] = (double) most / items;
	MemoryContextSwitchTo(caller);

	stats->stakind[NAMES_SLOT] = STATISTIC_KIND_MCELEM;
	stats->staop[NAMES_SLOT] = TextEqualOperator;
	stats->stacoll[NAMES_SLOT] = C_COLLATION_OID;
	stats->stanumbers[NAMES_SLOT] = numbers;
	stats->numnumbers[NAMES_SLOT] = n + 2;
	stats->stavalues[NAMES_SLOT] = values;
	stats->numvalues[NAMES_SLOT] = n;
	stats->statypid[NAMES_SLOT] = TEXTOID;
	stats->statyplen[NAMES_SLOT] = -1;
	stats->statypbyval[NAMES_SLOT] = false;
	stats->statypalign[NAMES_SLOT] = TYPALIGN_INT;
}

/* ---- the analysis ---- */

static void
ComputeItemStatistics(VacAttrStats *stats, AnalyzeAttrFetchFunc fetch,
					  int rows, double total_rows)
{
	HTAB	   *names = CreateNameTable();
	NameCount  *recent[NAMES_RECENT] = {NULL};
	int			nulls = 0;
	int			read = 0;
	double		width = 0;

	for (int i = 0; i < rows; i++)
	{
		bool		isnull;
		Datum		datum;

		AnalyzeDelayPoint();
		datum = fetch(stats, i, &isnull);
		if (isnull)
		{
			nulls++;
			continue;
		}
		width += VARSIZE_ANY(DatumGetPointer(datum));
		if (toast_raw_datum_size(datum) > ITEM_MAX_READ)
			continue;
		CountNames(names, recent, datum);
		read++;
	}

	if (rows == 0)
		return;
	stats->stats_valid = true;
	stats->stanullfrac = (double) nulls / rows;
	if (nulls < rows)
	{
		stats->stawidth = width / (rows - nulls);
		/* Items contain their key, so that no two are equal. */
		stats->stadistinct = -1.0 * (1.0 - stats->stanullfrac);
	}
	if (read > 0)
		StoreNames(stats, names, read);
	SegmentsDraw(stats, SEGMENTS_SLOT, rows);
	hash_destroy(names);
}

DYNAMO_FUNCTION(dynamo_item_typanalyze);
Datum
dynamo_item_typanalyze(PG_FUNCTION_ARGS)
{
	VacAttrStats *stats = (VacAttrStats *) PG_GETARG_POINTER(0);

	if (StatisticsTarget(stats) < 0)
		StatisticsTarget(stats) = default_statistics_target;
	stats->compute_stats = ComputeItemStatistics;
	stats->minrows = 300 * StatisticsTarget(stats);
	PG_RETURN_BOOL(true);
}

/* ---- selectivity of item ? name ---- */

/*
 * The fraction of items that have an attribute, from the slot of names.  A
 * name that is not in the slot is rarer than all names in it.
 */
static double
FrequencyOfName(const AttStatsSlot *slot, const text *name)
{
	Slice		wanted = SliceOfVarlena(name);

	if (slot->nnumbers != slot->nvalues + 2)
		return DEFAULT_EXISTS_SEL;
	for (int i = 0; i < slot->nvalues; i++)
	{
		const text *known = DatumGetTextPP(slot->values[i]);
		Slice		have = SliceOfVarlena(known);

		if (SliceEqual(have, wanted))
			return slot->numbers[i];
	}
	return slot->numbers[slot->nvalues] / 2;
}

static double
EstimateExists(VariableStatData *vardata, Oid operator, Node *other)
{
	AttStatsSlot slot;
	double		result = DEFAULT_EXISTS_SEL;

	if (!IsA(other, Const))
		return result;
	if (((Const *) other)->constisnull)
		return 0.0;
	if (!HeapTupleIsValid(vardata->statsTuple) ||
		!statistic_proc_security_check(vardata, get_opcode(operator)) ||
		!get_attstatsslot(&slot, vardata->statsTuple, STATISTIC_KIND_MCELEM, InvalidOid,
						  ATTSTATSSLOT_VALUES | ATTSTATSSLOT_NUMBERS))
		return result;

	if (slot.valuetype == TEXTOID)
		result = FrequencyOfName(&slot, DatumGetTextPP(((Const *) other)->constvalue)) *
			(1.0 - ((Form_pg_statistic) GETSTRUCT(vardata->statsTuple))->stanullfrac);
	free_attstatsslot(&slot);
	return result;
}

/* The restriction estimator of the operator item ? text. */
DYNAMO_FUNCTION(dynamo_exists_selectivity);
Datum
dynamo_exists_selectivity(PG_FUNCTION_ARGS)
{
	PlannerInfo *root = (PlannerInfo *) PG_GETARG_POINTER(0);
	List	   *args = (List *) PG_GETARG_POINTER(2);
	double		result = DEFAULT_EXISTS_SEL;
	VariableStatData vardata;
	Node	   *other;
	bool		varonleft;

	if (get_restriction_variable(root, args, PG_GETARG_INT32(3),
								 &vardata, &other, &varonleft))
	{
		if (varonleft && exprType(other) == TEXTOID)
			result = EstimateExists(&vardata, PG_GETARG_OID(1), other);
		ReleaseVariableStats(vardata);
	}
	CLAMP_PROBABILITY(result);
	PG_RETURN_FLOAT8(result);
}
