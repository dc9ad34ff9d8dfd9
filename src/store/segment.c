/*
 * segment.c
 *	  Determines which keys are in a segment.
 */
#include "postgres.h"

#include "store/segment.h"
#include "table/object_names.h"

/* ---- keys ---- */

int
SegmentCompareKeys(const Slice *a, const Slice *b, int npartition)
{
	int			order = 0;

	for (int i = 0; i < npartition && order == 0; i++)
		order = SliceCompare(a[i], b[i]);
	return order;
}

static int
CompareToBound(const SegmentMap *map, const Slice *key, int bound)
{
	const ValueRef *values = &map->bounds[bound * map->npartition];
	int			order = 0;

	for (int i = 0; i < map->npartition && order == 0; i++)
		order = SliceCompare(key[i], ValuePayload(values[i]));
	return order;
}

int
SegmentRangeOf(const SegmentMap *map, const Slice *key)
{
	int			low = 0;
	int			high = map->nranges - 1;

	while (low < high)
	{
		int			middle = (low + high) / 2;

		if (CompareToBound(map, key, middle) < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static uint32
HashKey(const SegmentMap *map, const Slice *key)
{
	uint64		hash = 0;

	for (int i = 0; i < map->npartition; i++)
		hash = StableHash(key[i].data, key[i].len, hash);
	return (uint32) (hash >> 32);
}

/* ---- segments ---- */

/* Returns the first position of segment s.  No product exceeds 2^62. */
static uint64
FindSegmentBegin(const SegmentMap *map, uint64 s, uint32 total_segments)
{
	uint64		length = (uint64) map->nranges << 32;

	return (s * length + total_segments - 1) / total_segments;
}

void
SegmentSliceInit(SegmentSlice *slice, const SegmentMap *map,
				 uint32 segment, uint32 total_segments)
{
	slice->map = map;
	slice->first = FindSegmentBegin(map, segment, total_segments);
	slice->last = FindSegmentBegin(map, (uint64) segment + 1, total_segments) - 1;
}

const ValueRef *
SegmentLower(const SegmentSlice *slice)
{
	int			range = (int) (slice->first >> 32);

	return range == 0 ? NULL : &slice->map->bounds[(range - 1) * slice->map->npartition];
}

const ValueRef *
SegmentUpper(const SegmentSlice *slice)
{
	int			range = (int) (slice->last >> 32);

	return range == slice->map->nranges - 1 ? NULL :
		&slice->map->bounds[range * slice->map->npartition];
}

bool
SegmentIsWhole(const SegmentSlice *slice)
{
	return (uint32) slice->first == 0 && (uint32) slice->last == PG_UINT32_MAX;
}

bool
SegmentHas(const SegmentSlice *slice, const Slice *key)
{
	uint64		position = ((uint64) SegmentRangeOf(slice->map, key) << 32) |
		HashKey(slice->map, key);

	return position >= slice->first && position <= slice->last;
}
