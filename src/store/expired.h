/*
 * expired.h
 *	  Finds items whose time to live has passed, oldest first.
 *
 * In a plain table, the index on the expiry time is used.  The position of an
 * item is then its time and the position of its row, which is the order of the
 * index, including equal times.  For other tables (partitions, foreign tables,
 * a dropped index) a statement is used, and the position is the time and the
 * key.
 *
 * Deleted rows leave index entries until VACUUM removes them, which old
 * snapshots prevent.  A search that starts after a position skips entries
 * before it.
 */
#ifndef DYNAMO_EXPIRED_H
#define DYNAMO_EXPIRED_H

#include "storage/itemptr.h"
#include "utils/relcache.h"

#include "table/table.h"

/*
 * A value that is longer ago than this is not an expiry time, by the service's
 * rules.
 */
#define OLDEST_SECONDS	INT64CONST(157680000)	/* five years of 365 days */

/* Maximum number of attributes of a table's key. */
#define EXPIRED_KEYS	2

typedef struct ExpiredPosition
{
	bool		set;			/* otherwise the position before the first item */
	int64		seconds;		/* since 1970 */
	ItemPointerData entry;		/* the row of the index entry; or */
	Datum		key[EXPIRED_KEYS];
} ExpiredPosition;

typedef struct ExpiredSearch
{
	Relation	rel;
	const TableDef *def;		/* table with time to live */
	int64		oldest;			/* seconds; earliest expiry time */
	int64		newest;			/* latest expiry time; both are inclusive */
	ExpiredPosition after;		/* exclusive */
	ExpiredPosition upto;		/* inclusive; if not set, to the end */
	int			limit;
	Oid			rights;			/* with which statements run, as of StorePlanAs */
} ExpiredSearch;

typedef struct ExpiredRow
{
	ExpiredPosition position;
	Datum		columns[EXPIRED_KEYS];	/* columns that identify the row */
	uint64		id;				/* a hash of its key */
} ExpiredRow;

typedef struct ExpiredRows
{
	int			n;
	ExpiredRow *rows;
	int			ncolumns;		/* columns of each row; 1 for ctid */
	Oid			types[EXPIRED_KEYS];	/* of columns */

	/*
	 * The statement that deletes rows.  $1 and $2 are oldest and newest; the
	 * other parameters are arrays of columns.  It skips rows that another
	 * transaction has locked, and rows that are no longer expired.
	 */
	char	   *delete_sql;
} ExpiredRows;

/*
 * Finds the first items after a position that are visible to the transaction's
 * snapshot.  If there are fewer than the limit, no more exist.  Allocates in
 * the current memory context.  SPI must be connected.  May run code of the
 * table's owner.
 */
extern void ExpiredFind(const ExpiredSearch *search, ExpiredRows *found);

/*
 * Finds the earliest expiry time among the visible items that have expired;
 * newest if there is none.  Returns false for a table without an index on it.
 * May run code of the table's owner.
 */
extern bool ExpiredOldest(Relation rel, const TableDef *def, int64 newest, int64 *seconds);

/* Copies a position into a memory context; frees the previous one. */
extern void ExpiredPositionKeep(ExpiredPosition *kept, const ExpiredPosition *position,
								MemoryContext context);

#endif							/* DYNAMO_EXPIRED_H */
