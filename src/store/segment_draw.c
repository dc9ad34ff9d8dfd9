/*
 * segment_draw.c
 *	  Drawing ranges of equal numbers of items, from the sample of ANALYZE.
 *
 * The keys are those in the sampled rows' columns; items are not looked at.
 * How uneven ranges are is measured by the probability that two items of the
 * sample are in one: 1/n if all n ranges have the same number.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#include "item/number.h"
#include "store/segment.h"
#include "subtransaction.h"

/* Sampled items of a range, at least: their number is uneven by a tenth or so. */
#define ITEMS_PER_RANGE		64

/* With fewer ranges it is as well to walk the index. */
#define MIN_RANGES			16

/* Bounds of one key have no more bytes than this. */
#define MAX_BOUND_BYTES		(64 * 1024)

/* Ranges are drawn anew if they are so many times as uneven as they could be. */
#define UNEVEN				4

typedef struct Sample
{
	int			nkeys;
	int			npartition;
	struct varlena **values;	/* npartition for each key, as values */
	Slice	   *payloads;		/* the same; sorted by key */
} Sample;

typedef struct Drawing
{
	VacAttrStats *stats;
	int			slot;
	int			nrows;
	Relation	rel;
	const TableDef *def;
	bool		may_lock;		/* the table's segments */
	bool		locked;
	int			nitems;			/* for the slot */
	Datum	   *items;
} Drawing;

/* ---- the sample ---- */

/* Whether a row has all attributes of a key. */
static bool
RowHasKey(const Drawing *d, HeapTuple row, const KeySchema *key, const int *attributes)
{
	for (int i = 0; i < KeyCount(key); i++)
	{
		if (heap_attisnull(row, d->def->attributes[attributes[i]].attnum, d->stats->tupDesc))
			return false;
	}
	return true;
}

/* Adds the partition key of a row; false if a column holds what no item can. */
static bool
AddKey(const Drawing *d, Sample *sample, HeapTuple row, const int *attributes)
{
	int			first = sample->nkeys * sample->npartition;

	for (int i = 0; i < sample->npartition; i++)
	{
		const AttributeDef *attr = &d->def->attributes[attributes[i]];
		bool		isnull;
		Datum		datum = heap_getattr(row, attr->attnum, d->stats->tupDesc, &isnull);
		struct varlena *value = KeyDatumToValue(attr->type, datum);

		if (value == NULL)
			return false;
		sample->values[first + i] = value;
		sample->payloads[first + i] = ValuePayload(ItemRoot(value));
	}
	sample->nkeys++;
	return true;
}

static int
CompareKeys(const void *a, const void *b, void *npartition)
{
	return SegmentCompareKeys(a, b, *(int *) npartition);
}

static void
TakeSample(const Drawing *d, Sample *sample, const KeySchema *key, const int *attributes)
{
	int			max = d->nrows * key->npartition;

	sample->nkeys = 0;
	sample->npartition = key->npartition;
	sample->values = palloc(sizeof(struct varlena *) * Max(max, 1));
	sample->payloads = palloc(sizeof(Slice) * Max(max, 1));
	for (int i = 0; i < d->nrows; i++)
	{
		if (RowHasKey(d, d->stats->rows[i], key, attributes))
			(void) AddKey(d, sample, d->stats->rows[i], attributes);
	}
	qsort_arg(sample->payloads, sample->nkeys, sizeof(Slice) * sample->npartition,
			  CompareKeys, &sample->npartition);
}

/* ---- ranges ---- */

/* A value's payload stands behind its tag. */
static ValueRef
PayloadToValue(Slice payload)
{
	return (ValueRef) {(const uint8 *) payload.data - 1, payload.len + 1};
}

static Size
BoundBytes(const SegmentMap *map)
{
	Size		bytes = 0;

	for (int i = 0; i < (map->nranges - 1) * map->npartition; i++)
		bytes += map->bounds[i].len;
	return bytes;
}

/* Bounds at equal distances in the sample. */
static void
SetBounds(SegmentMap *map, const Sample *sample, int nranges)
{
	map->nranges = nranges;
	for (int i = 0; i < nranges - 1; i++)
	{
		int			key = (int) ((int64) (i + 1) * sample->nkeys / nranges);

		for (int k = 0; k < sample->npartition; k++)
			map->bounds[i * sample->npartition + k] =
				PayloadToValue(sample->payloads[key * sample->npartition + k]);
	}
}

/* As many ranges as the sample is good for, a power of two: most n divide it. */
static SegmentMap *
DrawRanges(const Sample *sample)
{
	SegmentMap *map = palloc(sizeof(SegmentMap));
	int			nranges = SEGMENT_MAX_RANGES;

	while (nranges > 1 && nranges * ITEMS_PER_RANGE > sample->nkeys)
		nranges /= 2;
	map->npartition = sample->npartition;
	map->bounds = palloc(sizeof(ValueRef) * nranges * sample->npartition);
	SetBounds(map, sample, nranges);
	while (map->nranges > 1 && BoundBytes(map) > MAX_BOUND_BYTES)
		SetBounds(map, sample, map->nranges / 2);
	if (map->nranges < MIN_RANGES)
		map->nranges = 1;
	return map;
}

/* The probability that two items are in one range. */
static double
ComputeUnevenness(const SegmentMap *map, const Sample *sample)
{
	int		   *counts = palloc0(sizeof(int) * map->nranges);
	double		sum = 0;

	for (int i = 0; i < sample->nkeys; i++)
		counts[SegmentRangeOf(map, &sample->payloads[i * sample->npartition])]++;
	for (int i = 0; i < map->nranges; i++)
		sum += (double) counts[i] * counts[i];
	return sum / ((double) sample->nkeys * sample->nkeys);
}

/* Whether nobody reads segments; asked for once, when it matters. */
static bool
MayDraw(Drawing *d)
{
	if (d->may_lock)
		d->locked = SegmentsLock(RelationGetRelid(d->rel));
	d->may_lock = false;
	return d->locked;
}

/* The ranges that a key is to have: those it has, or better ones. */
static const SegmentMap *
ChooseRanges(Drawing *d, const IndexDef *index, const KeySchema *key, const int *attributes)
{
	const SegmentMap *old = SegmentMapRead(d->rel, d->def, index);
	const SegmentMap *new;
	Sample		sample;

	TakeSample(d, &sample, key, attributes);
	new = DrawRanges(&sample);
	if (new->nranges == 1 || ComputeUnevenness(old, &sample) <= UNEVEN * ComputeUnevenness(new, &sample))
		return old;
	return MayDraw(d) ? new : old;
}

static void
AddRanges(Drawing *d, const IndexDef *index, const KeySchema *key, const int *attributes)
{
	const SegmentMap *map = ChooseRanges(d, index, key, attributes);
	MemoryContext old;

	if (map->nranges == 1)
		return;
	old = MemoryContextSwitchTo(d->stats->anl_context);
	d->items[d->nitems++] =
		PointerGetDatum(SegmentMapItem(map, key, index != NULL ? index->name : NULL));
	MemoryContextSwitchTo(old);
}

/* ---- the statistics ---- */

static void
FillSlot(Drawing *d)
{
	VacAttrStats *stats = d->stats;
	int			slot = d->slot;

	if (d->nitems == 0)
		return;
	stats->stakind[slot] = SEGMENT_STATISTICS;
	stats->stavalues[slot] = d->items;
	stats->numvalues[slot] = d->nitems;
	stats->statypid[slot] = d->def->item_type;
	get_typlenbyvalalign(d->def->item_type, &stats->statyplen[slot],
						 &stats->statypbyval[slot], &stats->statypalign[slot]);
}

static void
DrawTable(void *arg)
{
	Drawing    *d = arg;
	TableDef   *def = TableDefAcquire(d->rel);

	d->def = def;
	if (def->item_attnum == d->stats->tupattnum)
	{
		d->items = MemoryContextAlloc(d->stats->anl_context, sizeof(Datum) * (def->nindexes + 1));
		AddRanges(d, NULL, &def->key, def->key_attributes);
		for (int i = 0; i < def->nindexes; i++)
			AddRanges(d, &def->indexes[i], &def->indexes[i].key, def->indexes[i].attributes);
		FillSlot(d);
	}
	TableDefRelease(def);
}

/*
 * In memory that does not outlive it.  In a transaction block ANALYZE keeps the
 * ranges that there are: readers would wait for its end.  A definition that is damaged is no
 * reason for ANALYZE to fail, which may be that of the whole database.
 */
void
SegmentsDraw(VacAttrStats *stats, int slot, int nrows)
{
	Drawing		d = {.stats = stats, .slot = slot, .nrows = nrows, .may_lock = !IsTransactionBlock()};
	ErrorData  *error = NULL;
	MemoryContext context;
	MemoryContext old;

	if (stats->tupDesc == NULL)	/* an expression of an index, or of statistics */
		return;
	context = AllocSetContextCreate(CurrentMemoryContext, "dynamo segments", ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(context);
	d.rel = table_open(TupleDescAttr(stats->tupDesc, 0)->attrelid, NoLock);
	if (RelationIsDynamoTable(d.rel))
		error = TryInSubtransaction(DrawTable, &d);
	if (error != NULL)
		ereport(DEBUG1,
				(errmsg_internal("no ranges of keys drawn for table \"%s\": %s",
								 RelationGetRelationName(d.rel), error->message)));
	table_close(d.rel, NoLock);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
}
