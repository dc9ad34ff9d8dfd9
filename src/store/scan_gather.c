/*
 * scan_gather.c
 *	  Merges the shards of an index into one ordered stream.
 *
 * This is a k-way merge with one scan per shard, in the order of the index's
 * key: first its sort attributes, then the table's key.  Every entry therefore
 * has a unique position, whichever shard contains it, and a read can continue
 * after any entry.  Each shard is read one entry ahead.
 *
 * Entries are compared by their encoded key attributes, which memcmp orders
 * for every type (item.h, number.h).  They are extracted from each item once.
 */
#include "postgres.h"

#include "lib/binaryheap.h"

#include "store/scan.h"

/* One shard and its current entry. */
typedef struct Shard
{
	ScanSource *source;
	struct varlena *item;
	Slice		keys[SCAN_MAX_COLUMNS]; /* columns that are not fixed */
} Shard;

typedef struct GatherSource
{
	ScanSource	source;
	const ScanKeys *keys;
	int			nshards;
	Shard	   *shards;
	binaryheap *heap;			/* shards that have an entry */
	bool		started;		/* the heap has been filled */
	Shard	   *current;		/* shard of the entry returned last */
} GatherSource;

/*
 * Compares in reverse, because binaryheap keeps the greatest element on top.
 */
static int
CompareShards(Datum a, Datum b, void *arg)
{
	const Shard *x = (const Shard *) DatumGetPointer(a);
	const Shard *y = (const Shard *) DatumGetPointer(b);
	const ScanKeys *keys = (const ScanKeys *) arg;

	for (int i = 0; i < keys->ncolumns - keys->nfixed; i++)
	{
		int			order = SliceCompare(x->keys[i], y->keys[i]);

		if (order != 0)
			return keys->forward ? -order : order;
	}
	return 0;
}

/*
 * Returns the value by which an entry is ordered.  If the item does not have
 * its key, this is the column, as in statements of the SQL path.
 */
static Slice
GetKeyColumn(const Shard *shard, const ScanKeys *keys, int column)
{
	const AttributeDef *attr = keys->columns[column];
	bool		isnull;
	Datum		stored = shard->source->methods->column(shard->source, column, &isnull);
	ValueRef	value;
	RowPlace	place;

	if (!isnull && MaybeItemOpen(KeyDatumToValue(attr->type, stored), &value))
		return ValuePayload(value);
	shard->source->methods->place(shard->source, &place);
	InvalidRowError(&place, ColumnProblem(attr, stored, isnull));
}

/* Moves a shard to its next entry; false at its end. */
static bool
AdvanceShard(const GatherSource *g, Shard *shard)
{
	const ScanKeys *keys = g->keys;
	Container	entry;

	shard->item = shard->source->methods->next(shard->source);
	if (shard->item == NULL)
		return false;

	ContainerOpen(ItemRoot(shard->item), &entry);
	for (int i = keys->nfixed; i < keys->ncolumns; i++)
	{
		const AttributeDef *attr = keys->columns[i];
		ValueRef	v = MapFind(&entry, attr->name.data, attr->name.len);

		if (unlikely(ValueIsMissing(v) || ValueTypeOf(v) != attr->type))
			shard->keys[i - keys->nfixed] = GetKeyColumn(shard, keys, i);
		else
			shard->keys[i - keys->nfixed] = ValuePayload(v);
	}
	return true;
}

static void
StartHeap(GatherSource *g)
{
	for (int i = 0; i < g->nshards; i++)
	{
		if (AdvanceShard(g, &g->shards[i]))
			binaryheap_add_unordered(g->heap, PointerGetDatum(&g->shards[i]));
	}
	binaryheap_build(g->heap);
	g->started = true;
}

static struct varlena *
GatherNext(ScanSource *source)
{
	GatherSource *g = (GatherSource *) source;

	if (!g->started)
		StartHeap(g);
	else if (g->current != NULL)
	{
		if (AdvanceShard(g, g->current))
			binaryheap_replace_first(g->heap, PointerGetDatum(g->current));
		else
			binaryheap_remove_first(g->heap);
	}

	g->current = binaryheap_empty(g->heap) ? NULL :
		(Shard *) DatumGetPointer(binaryheap_first(g->heap));
	return g->current != NULL ? g->current->item : NULL;
}

static Datum
GatherColumn(ScanSource *source, int column, bool *isnull)
{
	ScanSource *current = ((GatherSource *) source)->current->source;

	return current->methods->column(current, column, isnull);
}

static void
GatherPlace(ScanSource *source, RowPlace *place)
{
	ScanSource *current = ((GatherSource *) source)->current->source;

	current->methods->place(current, place);
}

static void
GatherEnd(ScanSource *source)
{
	GatherSource *g = (GatherSource *) source;

	for (int i = 0; i < g->nshards; i++)
		g->shards[i].source->methods->end(g->shards[i].source);
}

static const ScanSourceMethods gather_methods = {GatherNext, GatherColumn, GatherPlace, GatherEnd};

ScanSource *
GatherBegin(ScanSource **sources, int nsources, const ScanKeys *keys)
{
	GatherSource *g = palloc0(sizeof(GatherSource));

	g->source.methods = &gather_methods;
	g->keys = keys;
	g->nshards = nsources;
	g->shards = palloc0(sizeof(Shard) * nsources);
	for (int i = 0; i < nsources; i++)
		g->shards[i].source = sources[i];
	g->heap = binaryheap_allocate(nsources, CompareShards, unconstify(ScanKeys *, keys));
	return &g->source;
}
