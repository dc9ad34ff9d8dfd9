/*
 * scan.h
 *	  The parts of a range scan; only for scan*.c, get_row.c, expired.c, and
 *	  those who read rows elsewhere (elsewhere.h).
 *
 *	scan_range.c	converts a ScanRange to tests on the columns of one btree
 *					(ScanKeys)
 *	scan_direct.c	reads the range from one relation through the index
 *	scan_sql.c		reads the range with SQL statements
 *	scan_gather.c	merges several sources: the shards of an index
 *	scan_entries.c	sources of index tables
 *	scan.c			StoreScan: one source, or several merged ones
 *
 * The btree is a table's primary key, an inline index, or the primary key of
 * an index table.  Its columns are the index's key attributes followed by the
 * table's other key attributes.  Their order is the order of a read, and every
 * entry has a unique position.
 */
#ifndef DYNAMO_SCAN_H
#define DYNAMO_SCAN_H

#include "access/skey.h"
#include "access/stratnum.h"
#include "lib/stringinfo.h"
#include "utils/relcache.h"

#include "exported.h"
#include "store/store.h"
#include "table/stored.h"

/*
 * Columns of a btree: up to 8 index attributes and 2 attributes of the table's
 * key.
 */
#define SCAN_MAX_COLUMNS	(KEY_MAX_ATTRIBUTES + 2)

/* One test for each column, two for a range. */
#define SCAN_MAX_TESTS		(SCAN_MAX_COLUMNS + 1)

/* A test "column strategy value"; column is a position in ScanKeys.columns. */
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
	const KeySchema *schema;	/* key of the index or table */
	int			nfixed;			/* leading columns fixed by equality */

	int			ntests;			/* in column order */
	ScanTest	tests[SCAN_MAX_TESTS];

	/*
	 * Key attributes of an inline index without tests.  Their columns may be
	 * NULL; the item is then not in the index.
	 */
	int			nnotnull;
	int			notnull[SCAN_MAX_COLUMNS];

	/*
	 * Exclusive start as a row comparison: (all columns after the fixed ones)
	 * > (start values), or < when backwards.  nstart is 0 if there is none.
	 */
	int			nstart;
	Datum		start[SCAN_MAX_COLUMNS];

	/* There are no positions after the start: nothing to read. */
	bool		empty;

	/*
	 * The segment to read; NULL for all.  Its bounds are row comparisons of
	 * the partition columns: >= lower, < upper.
	 */
	const struct SegmentSlice *segment;
	bool		has_lower;
	bool		has_upper;
	Datum		lower[KEY_MAX_ATTRIBUTES];
	Datum		upper[KEY_MAX_ATTRIBUTES];

	/* If not NULL, only the shard of a distributed table with this value of this column is read. */
	const AttributeDef *shard_column;
	Datum		shard_key;

	/* If not NULL, only rows within the limits of this index are read. */
	const IndexDef *limited;
	const TableDef *def;		/* definition of limited's table */

	/* The attributes needed of the items; none for all. */
	const Slice *needed;
	int			nneeded;
} ScanKeys;

/* ---- scan_range.c ---- */

/* Fills in keys; they point to data in the current memory context. */
extern void ScanKeysInit(ScanKeys *keys, const TableDef *def,
						 const ScanRange *range);

/*
 * Whether a row within the bounds is in the segment, by its partition columns,
 * the first of keys->columns.  *problem is set if one of them contains a value
 * that no item can contain, otherwise to NULL.
 */
extern bool ColumnsInSegment(const ScanKeys *keys, const Datum *values, const bool *nulls,
							 const char **problem);

/* ---- scan_explain.c ---- */

/* Appends lines about range, start, segment and order. */
extern void ScanKeysDescribe(const ScanKeys *keys, StringInfo out);

/* ---- sources ---- */

/* An ordered range of one relation. */
typedef struct ScanSource ScanSource;

typedef struct ScanSourceMethods
{
	/*
	 * Returns the next stored item, detoasted, valid until the next call; or
	 * NULL.
	 */
	struct varlena *(*next) (ScanSource *source);

	/*
	 * Return a column of the last row, by its position in ScanKeys.columns,
	 * and the row's place.
	 */
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
 * Whether an index is valid and, by the planner's rules, was not built over
 * broken HOT chains, so that older snapshots can use it.
 */
extern bool IndexIsUsable(Relation index);

/*
 * Whether an index can be read with the keys' operators now: it is valid, has
 * the expected order, and is usable with this snapshot.
 */
extern bool DirectScanPossible(Relation index, const ScanKeys *keys);

/*
 * Creates a source that reads through an index.  rel and index must stay open
 * as long as the source; the caller closes them.  The snapshot must be
 * registered.
 */
extern ScanSource *DirectScanBegin(Relation rel, Relation index,
								   AttrNumber item_attnum,
								   const ScanKeys *keys, Snapshot snapshot);

/*
 * Initializes a scan key "column strategy value" for a column of the given
 * type.
 */
extern DYNAMO_EXPORT void KeyScanKey(ScanKey key, Relation index, int column,
									 ValueType type, StrategyNumber strategy, Datum value);

/* ---- scan_sql.c ---- */

/*
 * Creates a source that reads with SQL statements.  rel must stay open as long
 * as the source.  shard is the shard to read of a sharded index table, or -1.
 * The statements have the rights of StorePlanAs: PLAN_ALL_ROWS for an index
 * table, for which the user needs no privilege.
 */
extern DYNAMO_EXPORT ScanSource *SqlScanBegin(Relation rel, int shard, Oid rights,
											  const ScanKeys *keys, Snapshot snapshot);

/* ---- elsewhere ---- */

/* A shard of a distributed table, or of one of its index tables. */
typedef struct ScanShard
{
	Relation	rel;			/* the table or the index table */
	Oid			rights;			/* with which statements read it, as of SqlScanBegin */
	const struct ShardMap *map;	/* its shards; NULL if no single shard has the range */
	int			position;
} ScanShard;

/* ---- scan.c ---- */

/* A scan in progress. */
struct StoreScan
{
	Store	   *store;
	ScanRange	range;
	ScanKeys	keys;
	Snapshot	snapshot;
	ScanSource *source;			/* NULL if there is nothing to read */
	bool		direct;			/* the source reads through an index */
	bool		on_node;		/* the source reads on another node */
	int			nshards;		/* merged shards of an index table, or 0 */

	/* of a distributed table that is read shard by shard */
	int			place;			/* the present shard */
	int			end_place;		/* after the last one; or 0 */
	MemoryContext context;

	List	   *relations;		/* open index tables and shards */
	List	   *indexes;		/* btrees opened for the scan */

	struct varlena *item;		/* current item */

	MemoryContext visible_context;	/* NULL: all are visible */
};

/* Creates the source of a scan of rows of the table, by its key or an inline index. */
extern ScanSource *ScanRows(StoreScan *scan);

/* Opens a btree of a relation for a scan; NULL if the direct path cannot read it. */
extern Relation ScanOpenBtree(StoreScan *scan, Relation rel, Oid btree);

/* Creates the source of a shard on another node; NULL if the shard is not to be read there. */
extern ScanSource *NodeSourceOfShard(StoreScan *scan, const ScanShard *shard);

/* ---- scan_entries.c ---- */

/* Create the source of a scan of an index table, or of one in parts. */
extern ScanSource *ScanEntries(StoreScan *scan);
extern ScanSource *ScanShards(StoreScan *scan);

/* ---- scan_gather.c ---- */

/*
 * Creates a source that merges the entries of all sources in key order; takes
 * over the sources.
 */
extern ScanSource *GatherBegin(ScanSource **sources, int nsources, const ScanKeys *keys);

#endif							/* DYNAMO_SCAN_H */
