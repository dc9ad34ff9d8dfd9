/*
 * segment.h
 *	  Segments of a parallel scan.
 *
 * The requests of a scan come through any session, and nothing in them tells
 * that they belong together.  An item must be in the same one of n segments
 * whenever and wherever that is asked, so its segment follows from its key, and
 * from as little else as possible.
 *
 * A partition key has a position on a line.  The line consists of ranges of
 * keys, all of one length; within its range a key's place is told by a hash
 * (of the encoded values in schema order, which never changes):
 *
 *		range 0		 range 1	  range 2	   range 3
 *		|  . . .  .  | .  . .   . | . .  .   . |  .  . .  .|
 *		0			2^32		 2^33				 4 * 2^32
 *
 * Segment s of n is the s-th of n equal parts of the line: a few ranges, read
 * as one range of the btree, of which the first and the last one may belong to
 * it in part; there each index entry is asked for its hash.  So a segment costs
 * little more than a n-th of the scan as long as there are n ranges, and n may
 * be any number.  A partition is in one segment, and halving a segment keeps
 * what is in it.
 *
 * Without ranges there is one, all of it by hash: right, but every segment
 * walks the whole index.  Ranges of equal numbers of items are drawn by
 * ANALYZE, which has a sample of the table, and kept with the statistics of the
 * column "item": there every session finds them, standbys as well, and nobody
 * else writes them.  ANALYZE keeps ranges that it finds, and draws others only
 * when these have become much less even.
 *
 * Ranges must not change under a scan, or items would be missed or returned
 * twice.  Whoever reads a segment holds a lock, for the session, on the table's
 * segments; ANALYZE draws ranges only while nobody holds it.  The lock is one
 * on the current period of five minutes, and those of the last period count:
 * a session that idles keeps ranges for no longer.  So a scan is safe as long
 * as it pauses for no more than that, and one of its sessions is connected.
 * A standby's sessions cannot hold up the primary.
 *
 * Under row security a table has one range: where ranges begin tells keys of
 * rows that the user may not see.
 */
#ifndef DYNAMO_SEGMENT_H
#define DYNAMO_SEGMENT_H

#include "commands/vacuum.h"

#include "catalog/table.h"

/* Attributes of a partition key, the table's or an index's. */
#define SEGMENT_KEYS		4

#define SEGMENT_MAX_RANGES	1024

/* The ranges of a table's keys, or an index's. */
typedef struct SegmentMap
{
	int			nranges;		/* at least 1 */
	int			npartition;		/* values of each bound */

	/*
	 * Bound i is where range i ends and the next begins, which has it:
	 * npartition values for each of nranges - 1 bounds, in ascending order.
	 */
	ValueRef   *bounds;
} SegmentMap;

/* A segment: positions from first to last. */
typedef struct SegmentSlice
{
	const SegmentMap *map;
	uint64		first;
	uint64		last;
} SegmentSlice;

/* ---- segment.c ---- */

/* map must live as long as the slice. */
extern void SegmentSliceInit(SegmentSlice *slice, const SegmentMap *map,
							 uint32 segment, uint32 total_segments);

/* The bounds of its keys: not below lower, and below upper; NULL: none. */
extern const ValueRef *SegmentLower(const SegmentSlice *slice);
extern const ValueRef *SegmentUpper(const SegmentSlice *slice);

/* Whether all keys within these bounds are in the segment. */
extern bool SegmentIsWhole(const SegmentSlice *slice);

/* Whether a partition key is: its encoded values. */
extern bool SegmentHas(const SegmentSlice *slice, const Slice *key);

/* The range of a partition key, and an order of such keys. */
extern int	SegmentRangeOf(const SegmentMap *map, const Slice *key);
extern int	SegmentCompareKeys(const Slice *a, const Slice *b, int npartition);

/* ---- segment_map.c ---- */

/*
 * Reads the ranges of a table, or of one of its indexes; one range if there
 * are no others.  rel: the table; palloc'd.
 */
extern SegmentMap *SegmentMapRead(Relation rel, const TableDef *def, const IndexDef *index);

/* A list of ranges as an item, and the kind of statistics that holds such items. */
extern struct varlena *SegmentMapItem(const SegmentMap *map, const KeySchema *key,
									  const char *index_name);
#define SEGMENT_STATISTICS	27451	/* one of those for private use */

/* ---- segment_lock.c ---- */

/* The ranges of a table stay as they are while this session goes on reading segments. */
extern void SegmentsKeep(Oid relid);

/*
 * Whether nobody reads segments of a table.  If so, nobody begins to until the
 * transaction ends.
 */
extern bool SegmentsLock(Oid relid);

/*
 * Before and after all advisory locks of the session are released, in a
 * transaction: what it reads segments of stays as it is.
 */
extern void SegmentsHold(void);
extern void SegmentsHoldAgain(void);

/* ---- segment_draw.c ---- */

/*
 * During ANALYZE of a column: fills a slot of its statistics with the ranges
 * of the table, if the column is that of the items of a dynamo table.
 */
extern void SegmentsDraw(VacAttrStats *stats, int slot, int nrows);

#endif							/* DYNAMO_SEGMENT_H */
