/*
 * segment_draw.c
 *	  Divides keys into ranges with equal numbers of items, from the sample of
 *	  ANALYZE.
 *
 * Keys are taken from the columns of the sampled rows; items are not read.
 * The unevenness of ranges is the probability that two items of the sample are
 * in the same range: 1/n if n ranges have equal numbers.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#include "store/segment.h"
#include "subtransaction.h"

/*
 * Minimum number of sampled items per range: the numbers of items then differ
 * by about a tenth.
 */
#define ITEMS_PER_RANGE		64

/* With fewer ranges, walking the index is as good. */
#define MIN_RANGES			16

/* Maximum total size of the bounds of one key, in bytes. */
#define MAX_BOUND_BYTES		(64 * 1024)

/* Ranges are replaced if they are this many times as uneven as new ones. */
#define UNEVEN				4

/*
 * A sample has no more keys than the ranges need, and no more bytes than this
 * whatever their length, because a table may have many indexes, and every worker
 * of autovacuum may analyze one.
 */
#define SAMPLE_MAX_KEYS		(SEGMENT_MAX_RANGES * ITEMS_PER_RANGE)
#define SAMPLE_MAX_BYTES	(4 * 1024 * 1024)

/* The keys of one index; they and the ranges from them are in a context of their own. */
typedef struct Sample
{
	int			nkeys;
	int			npartition;
	Slice	   *payloads;		/* npartition values for each key; then sorted by key */
	Size		bytes;			/* of all values */
	int			step;			/* one of so many keys is taken */
	MemoryContext scratch;		/* for a single key */
} Sample;

typedef struct Drawing
{
	VacAttrStats *stats;
	int			slot;
	int			nrows;
	Relation	rel;
	const TableDef *def;
	bool		may_lock;		/* the segments may be locked */
	bool		locked;
	int			nitems;			/* number of items for the slot */
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

/* Copies a value with its tag; returns its payload. */
static Slice
CopyPayload(Sample *sample, ValueRef value)
{
	Slice		payload = ValuePayload(value);
	char	   *copy = palloc(value.len);

	memcpy(copy, value.data, value.len);
	sample->bytes += value.len;
	payload.data = copy + value.len - payload.len;
	return payload;
}

/*
 * Adds the partition key of a row, unless a column contains a value that no
 * item can contain.
 */
static void
AddToSample(const Drawing *d, Sample *sample, HeapTuple row, const int *attributes)
{
	Slice	   *payloads = &sample->payloads[sample->nkeys * sample->npartition];

	for (int i = 0; i < sample->npartition; i++)
	{
		const AttributeDef *attr = &d->def->attributes[attributes[i]];
		bool		isnull;
		Datum		datum = heap_getattr(row, attr->attnum, d->stats->tupDesc, &isnull);
		MemoryContext old = MemoryContextSwitchTo(sample->scratch);
		MaybeItem	maybe = isnull ? NO_ITEM : KeyDatumToValue(attr->type, datum);
		ValueRef	value;

		MemoryContextSwitchTo(old);
		if (!MaybeItemOpen(maybe, &value))
			return;
		payloads[i] = CopyPayload(sample, value);
		MemoryContextReset(sample->scratch);
	}
	sample->nkeys++;
}

/* Returns the value of a payload, whose tag is the byte before it. */
static ValueRef
PayloadToValue(Slice payload)
{
	return (ValueRef) {(const uint8 *) payload.data - 1, payload.len + 1};
}

static void
FreePayload(Sample *sample, Slice payload)
{
	ValueRef	value = PayloadToValue(payload);

	sample->bytes -= value.len;
	pfree(unconstify(uint8 *, value.data));
}

/* Removes every second key. */
static void
ThinSample(Sample *sample)
{
	int			kept = 0;

	for (int i = 0; i < sample->nkeys; i++)
	{
		Slice	   *payloads = &sample->payloads[i * sample->npartition];

		for (int k = 0; k < sample->npartition; k++)
		{
			if (i % 2 == 0)
				sample->payloads[kept * sample->npartition + k] = payloads[k];
			else
				FreePayload(sample, payloads[k]);
		}
		kept += i % 2 == 0;
	}
	sample->nkeys = kept;
	sample->step *= 2;
}

static int
CompareKeys(const void *a, const void *b, void *npartition)
{
	return SegmentCompareKeys(a, b, *(int *) npartition);
}

static void
TakeSample(const Drawing *d, Sample *sample, const KeySchema *key, const int *attributes)
{
	int			seen = 0;

	*sample = (Sample) {.npartition = key->npartition, .step = 1};
	sample->scratch = AllocSetContextCreate(CurrentMemoryContext, "dynamo sampled key",
											ALLOCSET_DEFAULT_SIZES);
	sample->payloads = palloc(sizeof(Slice) * sample->npartition * Min(d->nrows + 1, SAMPLE_MAX_KEYS + 1));
	for (int i = 0; i < d->nrows; i++)
	{
		if (!RowHasKey(d, d->stats->rows[i], key, attributes) || seen++ % sample->step != 0)
			continue;
		AddToSample(d, sample, d->stats->rows[i], attributes);
		if (sample->nkeys > SAMPLE_MAX_KEYS || sample->bytes > SAMPLE_MAX_BYTES)
			ThinSample(sample);
	}
	qsort_arg(sample->payloads, sample->nkeys, sizeof(Slice) * sample->npartition,
			  CompareKeys, &sample->npartition);
}

/* ---- ranges ---- */

static Size
BoundBytes(const SegmentMap *map)
{
	Size		bytes = 0;

	for (int i = 0; i < (map->nranges - 1) * map->npartition; i++)
		bytes += map->bounds[i].len;
	return bytes;
}

/* Sets the bounds at equal distances in the sample. */
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

/*
 * Returns as many ranges as the sample allows.  The number is a power of two,
 * which most numbers of segments divide.
 */
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

/* Returns the probability that two items are in the same range. */
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

/*
 * Whether no session is reading segments.  The lock is requested only once,
 * when new ranges are needed.
 */
static bool
LockForDrawing(Drawing *d)
{
	if (d->may_lock)
		d->locked = SegmentsLock(RelationGetRelid(d->rel));
	d->may_lock = false;
	return d->locked;
}

/* Returns the ranges for a key: its present ones, or better ones. */
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
	return LockForDrawing(d) ? new : old;
}

static void
AddRanges(Drawing *d, const IndexDef *index, const KeySchema *key, const int *attributes)
{
	MemoryContext own = AllocSetContextCreate(CurrentMemoryContext, "dynamo sampled keys",
											  ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(own);
	const SegmentMap *map = ChooseRanges(d, index, key, attributes);

	if (map->nranges > 1)
	{
		struct varlena *item = SegmentMapItem(map, key, index != NULL ? index->name : NULL);

		MemoryContextSwitchTo(d->stats->anl_context);
		d->items[d->nitems++] = datumCopy(PointerGetDatum(item), false, -1);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(own);
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
		{
			if (def->indexes[i].kind->secondary)
				AddRanges(d, &def->indexes[i], &def->indexes[i].key, def->indexes[i].attributes);
		}
		FillSlot(d);
	}
	TableDefRelease(def);
}

/*
 * Works in memory that is freed afterwards.  In a transaction block ANALYZE
 * keeps the present ranges, because readers would wait for the end of the
 * transaction.  A damaged definition must not make ANALYZE fail, which may
 * process the whole database.
 */
void
SegmentsDraw(VacAttrStats *stats, int slot, int nrows)
{
	Drawing		d = {.stats = stats, .slot = slot, .nrows = nrows, .may_lock = !IsTransactionBlock()};
	ErrorData  *error = NULL;
	MemoryContext context;
	MemoryContext old;

	if (stats->tupDesc == NULL)	/* the statistics are of an expression */
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
