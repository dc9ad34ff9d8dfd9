/*
 * scan.h
 *	  The parts of a range scan; shared by scan*.c, get.c and expired.c only.
 *
 *		scan_range.c	what to read: a ScanRange as tests on the columns of
 *						one btree (ScanKeys)
 *		scan_direct.c	reads that from one relation through the index
 *		scan_sql.c		reads the same with SQL statements
 *		scan_gather.c	merges several sources: the shards of an index
 *		scan.c			StoreScan: one such source, or several merged
 *
 * The btree is a table's primary key, an inline index, or the primary key of
 * an index table.  Its columns are the index's key attributes followed by
 * those key attributes of the table that the index does not have, so their
 * order is the order of a read and every entry has a position of its own.
 */
#ifndef DYNAMO_SCAN_H
#define DYNAMO_SCAN_H

#include "access/skey.h"
#include "access/stratnum.h"
#include "lib/stringinfo.h"
#include "utils/relcache.h"

#include "catalog/stored.h"
#include "store/store.h"

/* Index attributes (at most 8) and the table's (2). */
#define SCAN_MAX_COLUMNS	(KEY_MAX_ATTRIBUTES + 2)

/* One test a column, two for a range. */
#define SCAN_MAX_TESTS		(SCAN_MAX_COLUMNS + 1)

/* "column strategy value"; column counts from 0 in ScanKeys.columns. */
typedef struct ScanTest
{
	int			column;
	StrategyNumber strategy;
	Datum		value;
} ScanTest;

typedef struct ScanKeys
{
	bool		forward;
	int			ncolumns;
	const AttributeDef *columns[SCAN_MAX_COLUMNS];
	const KeySchema *schema;	/* of the index or the table */
	int			nfixed;			/* leading columns fixed by equality */

	int			ntests;			/* in column order */
	ScanTest	tests[SCAN_MAX_TESTS];

	/*
	 * Key attributes of an inline index that no test mentions: their columns
	 * may be NULL, and then the item is not in the index.
	 */
	int			nnotnull;
	int			notnull[SCAN_MAX_COLUMNS];

	/*
	 * Exclusive start as a row comparison: (all columns after the fixed ones)
	 * > (start values), or < when backwards.  nstart = 0: none.
	 */
	int			nstart;
	Datum		start[SCAN_MAX_COLUMNS];

	/* No position lies after the start: nothing to read. */
	bool		empty;

	/*
	 * The segment that is read, NULL: all.  Its bounds as row comparisons of
	 * the partition columns: >= lower, < upper.
	 */
	const struct SegmentSlice *segment;
	bool		has_lower;
	bool		has_upper;
	Datum		lower[KEY_MAX_ATTRIBUTES];
	Datum		upper[KEY_MAX_ATTRIBUTES];

	/* only rows that the limits of this index admit; NULL: all of them do */
	const IndexDef *limited;
	const TableDef *def;		/* with it */

	/* attributes that are needed of the items; none: all */
	const Slice *needed;
	int			nneeded;
} ScanKeys;

/* ---- scan_range.c ---- */

/* Fills keys; what it points to lives in the current memory context. */
extern void ScanKeysInit(ScanKeys *keys, const TableDef *def,
						 const ScanRange *range);

/*
 * Whether a row within the bounds is in the segment: by its partition columns,
 * the first of keys->columns.  *problem is set if one of them holds what no item
 * can, else NULL.
 */
extern bool ColumnsInSegment(const ScanKeys *keys, const Datum *values, const bool *nulls,
							 const char **problem);

/* ---- scan_explain.c ---- */

/* Appends lines about range, start, segment and order. */
extern void ScanKeysDescribe(const ScanKeys *keys, StringInfo out);

/* ---- sources ---- */

/* One ordered range of one relation. */
typedef struct ScanSource ScanSource;

typedef struct ScanSourceMethods
{
	/* The next stored item, detoasted, valid until the next call; or NULL. */
	struct varlena *(*next) (ScanSource *source);

	/* Of the row that came last: a column of ScanKeys.columns, and its place. */
	Datum		(*column) (ScanSource *source, int column, bool *isnull);
	void		(*place) (ScanSource *source, RowPlace *place);
	void		(*end) (ScanSource *source);
} ScanSourceMethods;

struct ScanSource
{
	const ScanSourceMethods *methods;
};

/* ---- scan_direct.c ---- */

/*
 * Whether an index is valid and, as the planner sees it, was not built over
 * broken HOT chains, which makes it one for newer snapshots only.
 */
extern bool IndexIsUsable(Relation index);

/*
 * Whether an index can be read with the keys' operators now: valid, ordered
 * as we expect, and usable under this snapshot.
 */
extern bool DirectScanPossible(Relation index, const ScanKeys *keys);

/*
 * rel and index stay open as long as the source; the caller closes them.
 * The snapshot must be registered.
 */
extern ScanSource *DirectScanBegin(Relation rel, Relation index,
								   AttrNumber item_attnum,
								   const ScanKeys *keys, Snapshot snapshot);

/* A scan key "column strategy value" of a column of the given type. */
extern void DirectScanKey(ScanKey key, Relation index, int column,
						  ValueType type, StrategyNumber strategy, Datum value);

/* ---- scan_sql.c ---- */

/*
 * rel stays open as long as the source.  shard: the number of the shard to
 * read of a sharded index table, or -1.  owner: whose privileges the
 * statements run with, InvalidOid for the caller's own.
 */
extern ScanSource *SqlScanBegin(Relation rel, int shard, Oid owner,
								const ScanKeys *keys, Snapshot snapshot);

/* ---- scan_gather.c ---- */

/* The entries of all sources in key order; takes over the sources. */
extern ScanSource *GatherBegin(ScanSource **sources, int nsources, const ScanKeys *keys);

#endif							/* DYNAMO_SCAN_H */
