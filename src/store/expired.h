/*
 * expired.h
 *	  Finding items whose time to live has passed, oldest first.
 *
 * In a plain table they are found through the index on the time of expiry,
 * and an item's position is its time and the place of its row, which is the
 * order of that index, equal times included.  Elsewhere (partitions, foreign
 * tables, an index that somebody dropped) a statement finds them, and the
 * position is the time and the key.
 *
 * Deleted rows leave entries in the index until VACUUM removes them, which it
 * cannot while an old snapshot is held.  A search that begins after a
 * position passes none of those before it.
 */
#ifndef DYNAMO_EXPIRED_H
#define DYNAMO_EXPIRED_H

#include "storage/itemptr.h"
#include "utils/relcache.h"

#include "catalog/table.h"

/* Attributes of a table's key at most. */
#define EXPIRED_KEYS	2

typedef struct ExpiredPosition
{
	bool		set;			/* else before the first item */
	int64		seconds;		/* since 1970 */
	ItemPointerData entry;		/* what the index's entry points to; or */
	Datum		key[EXPIRED_KEYS];
} ExpiredPosition;

typedef struct ExpiredSearch
{
	Relation	rel;
	const TableDef *def;		/* has a time to live */
	int64		oldest;			/* seconds: items that expired from then */
	int64		newest;			/* to then, both inclusive */
	ExpiredPosition after;		/* exclusive */
	ExpiredPosition upto;		/* inclusive; not set: to the end */
	int			limit;
} ExpiredSearch;

typedef struct ExpiredRow
{
	ExpiredPosition position;
	Datum		columns[EXPIRED_KEYS];	/* by which it is found again */
	uint64		id;				/* a hash of its key */
} ExpiredRow;

typedef struct ExpiredRows
{
	int			n;
	ExpiredRow *rows;
	int			ncolumns;		/* of each row; one: the place, ctid */
	Oid			types[EXPIRED_KEYS];	/* of columns */

	/*
	 * The statement that deletes rows: $1 and $2 are oldest and newest, the
	 * next ones arrays of columns.  Rows that another transaction holds are
	 * passed over, as are those that are not expired any more.
	 */
	char	   *delete_sql;
} ExpiredRows;

/*
 * The first items after a position that the transaction's snapshot shows;
 * fewer than the limit: there are no more.  Allocates in the current memory
 * context.  SPI must be connected.  Code of the table's owner is run.
 */
extern void ExpiredFind(const ExpiredSearch *search, ExpiredRows *found);

/* Copies a position into a memory context; frees what was kept before. */
extern void ExpiredPositionKeep(ExpiredPosition *kept, const ExpiredPosition *position,
								MemoryContext context);

#endif							/* DYNAMO_EXPIRED_H */
