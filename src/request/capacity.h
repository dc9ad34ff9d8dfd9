/*
 * capacity.h
 *	  Consumed capacity: what a request would have cost.
 *
 * Nothing is metered.  The units are computed from the sizes of the items
 * read and written, by the service's rules, for requests that ask for them.
 */
#ifndef DYNAMO_CAPACITY_H
#define DYNAMO_CAPACITY_H

#include "op/op.h"
#include "request/shape.h"
#include "request/writer.h"

typedef enum CapacityKind
{
	CAPACITY_PLAIN,
	CAPACITY_TRANSACT_READ,		/* twice as much of the table, though not of
								 * indexes; reported by kind */
	CAPACITY_TRANSACT_WRITE
} CapacityKind;

typedef enum CapacityDetail
{
	CAPACITY_NONE,
	CAPACITY_TOTAL,
	CAPACITY_INDEXES
} CapacityDetail;

/* Units of one table and its indexes. */
typedef struct Capacity
{
	const char *name;			/* of the table */
	const TableDef *def;
	double		table;
	double	   *indexes;		/* one per index of def; negative: not touched */
} Capacity;

/* The accounts of a request on several tables. */
typedef struct CapacityList
{
	int			n;
	Capacity   *tables;
} CapacityList;

/* ReturnConsumedCapacity */
extern CapacityDetail FieldCapacity(const Field *input);

/*
 * Begins an account of a table.  The definition is pinned; CapacityEnd
 * releases it.
 */
extern void CapacityBegin(Capacity *c, const char *table_name);
extern void CapacityEnd(Capacity *c);

/*
 * Units of reads: size of one item, or of all items a query read.  Those of
 * an item that does not exist are those of an empty one.
 */
extern double ReadUnits(uint64 size, bool consistent);

/* Adds to the table or, if index is not NULL, to an index of the table. */
extern void CapacityAddRead(Capacity *c, const char *index, double units);

/*
 * Writes ConsumedCapacity of a page: of what was read from the table or an
 * index, and of the items that a local index had to fetch from the table.
 */
extern void WriterPageCapacity(Writer *w, CapacityDetail detail, const ReadOp *op,
							   const ReadPageResult *page);

/* Adds a write and what it does to every index.  NULL: there was, or is, none. */
extern void CapacityAddWrite(Capacity *c, const struct varlena *old_item,
							 const struct varlena *new_item);

/* Writes the value of ConsumedCapacity. */
extern void WriterCapacity(Writer *w, const Capacity *c, CapacityDetail detail,
						   CapacityKind kind);

/* Makes an empty list for at most max tables; the account of a table. */
extern void CapacityListInit(CapacityList *list, int max);
extern Capacity *CapacityListGet(CapacityList *list, const char *table_name);

/* Writes ConsumedCapacity, unless detail is CAPACITY_NONE; ends the accounts. */
extern void WriterCapacityList(Writer *w, CapacityList *list, CapacityDetail detail,
							   CapacityKind kind);

/*
 * Writes ItemCollectionMetrics' value for the item with these keys; only for
 * tables with local indexes.
 */
extern void WriterCollection(Writer *w, const TableDef *def, ValueRef item);

#endif							/* DYNAMO_CAPACITY_H */
