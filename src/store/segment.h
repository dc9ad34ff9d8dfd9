/*
 * segment.h
 *	  Segments of a parallel scan.
 *
 * The requests of a scan may come from different sessions, and nothing
 * identifies them as parts of the same scan.  An item must always be in the
 * same one of n segments, at any time and in any session.  Its segment
 * therefore depends on its key and as little else as possible.
 *
 * A partition key has a position on a line.  The line consists of key ranges
 * of equal length.  Within its range, the position of a key is a hash of its
 * encoded values in schema order; the hash function never changes:
 *
 *	range 0		 range 1	  range 2	   range 3
 *	|  . . .  .  | .  . .   . | . .  .   . |  .  . .  .|
 *	0			2^32		 2^33				 4 * 2^32
 *
 * Segment s of n is the s-th of n equal parts of the line: a few ranges, read
 * as one range of the btree.  The first and the last of these may belong to
 * the segment in part; there the hash of each index entry is checked.  A
 * segment therefore costs little more than an n-th of the scan as long as
 * there are n ranges, for any n.  A partition is in one segment, and halving a
 * segment does not move items to other segments.
 *
 * Unless dynamo.segment_ranges is on, a scan has a single range, in which the
 * hash decides.  An item's segment then depends on its partition key and n
 * alone, whatever becomes of the table and of its statistics, but every segment
 * reads the whole index.  This is the rule, because a scan may pause for any
 * time, and its requests come through any connection.
 *
 * ANALYZE, which has a sample of the table, computes ranges with equal numbers
 * of items and stores them with the statistics of the column "item".  There
 * every session finds them, also on standbys, and nobody else writes them.
 * ANALYZE keeps existing ranges, and computes others only when the existing
 * ones have become much less even.
 *
 * A scan by ranges misses items, or returns them twice, if ranges change
 * meanwhile.  A session that reads a segment by ranges holds a lock on the
 * table's segments; ANALYZE changes ranges only if nobody holds it.  The lock
 * is for the current period of five minutes, and locks of the previous period
 * also count, so that an idle session keeps ranges for no longer.  Such a scan
 * is therefore safe if it pauses for no more than five minutes and one of its
 * sessions is connected.  Sessions of a standby cannot lock segments of the
 * primary.
 *
 * A segment of a distributed table consists of whole shards, which are
 * read one after another; segments that are more than the shards are empty.  Both
 * the segments and the order of a scan change only when shards are split.
 *
 * Under row security a table has one range, because the bounds of ranges would
 * reveal keys of rows that the user may not see.
 */
#ifndef DYNAMO_SEGMENT_H
#define DYNAMO_SEGMENT_H

#include "commands/vacuum.h"

#include "table/table.h"

#define SEGMENT_MAX_RANGES	1024

/* The key ranges of a table or an index. */
typedef struct SegmentMap
{
	int			nranges;		/* at least 1 */
	int			npartition;		/* values of each bound */

	/*
	 * Bound i is the exclusive end of range i and the start of the next:
	 * npartition values for each of nranges - 1 bounds, in ascending order.
	 */
	ValueRef   *bounds;
} SegmentMap;

/* A segment: shards of a distributed table, or positions from first to last. */
typedef struct SegmentSlice
{
	TableDef   *def;			/* of a distributed table; or NULL */
	int			first_shard;	/* its shards from this one to before the next one */
	int			end_shard;

	const SegmentMap *map;
	uint64		first;
	uint64		last;
} SegmentSlice;

/* ---- segment.c ---- */

/* Computes a segment; map must live as long as the slice. */
extern void SegmentSliceInit(SegmentSlice *slice, const SegmentMap *map,
							 uint32 segment, uint32 total_segments);

/*
 * The bounds of the segment's keys: lower is inclusive, upper exclusive; NULL
 * if none.
 */
extern const ValueRef *SegmentLower(const SegmentSlice *slice);
extern const ValueRef *SegmentUpper(const SegmentSlice *slice);

/* Whether all keys within these bounds are in the segment. */
extern bool SegmentIsWhole(const SegmentSlice *slice);

/* Whether a partition key, given by its encoded values, is in the segment. */
extern bool SegmentHas(const SegmentSlice *slice, const Slice *key);

/* Finds the range of a partition key; and compares partition keys. */
extern int	SegmentRangeOf(const SegmentMap *map, const Slice *key);
extern int	SegmentCompareKeys(const Slice *a, const Slice *b, int npartition);

/* ---- segment_map.c ---- */

/* A single range; the result is palloc'd. */
extern SegmentMap *SegmentMapWhole(const KeySchema *key);

/*
 * Reads the ranges of a table, or of one of its indexes; a single range if
 * none are stored.  rel is the table; the result is palloc'd.
 */
extern SegmentMap *SegmentMapRead(Relation rel, const TableDef *def, const IndexDef *index);

/*
 * Converts a list of ranges to an item; and returns the kind of statistics for
 * such items.
 */
extern struct varlena *SegmentMapItem(const SegmentMap *map, const KeySchema *key,
									  const char *index_name);
#define SEGMENT_STATISTICS	27451	/* one of those for private use */

/* ---- segment_lock.c ---- */

/*
 * Locks the ranges of a table while this session continues to read segments.
 */
extern void SegmentsKeep(Oid relid);

/*
 * Whether no session reads segments of a table.  If so, none can start until
 * the transaction ends.
 */
extern bool SegmentsLock(Oid relid);

/* Releases all other advisory locks of the session; outside transactions. */
extern void SegmentsReleaseOthers(void);

/* ---- segment_draw.c ---- */

/*
 * Called by ANALYZE for a column: fills a slot of its statistics with the
 * ranges of the table, if the column is the item column of a dynamo table.
 */
extern void SegmentsDraw(VacAttrStats *stats, int slot, int nrows);

#endif							/* DYNAMO_SEGMENT_H */
