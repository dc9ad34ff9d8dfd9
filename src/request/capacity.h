/*
 * capacity.h
 *	  Consumed capacity: the units that a request would consume in DynamoDB.
 *
 * Capacity is not metered.  The units are computed from the sizes of the items
 * read and written, by the service's rules, if a request asks for them.
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
	const char *name;			/* name of the table */
	const TableDef *def;
	double		table;
	double	   *indexes;		/* one for each index of def, negative: unused;
								 * bytes instead of units for a vector index */
} Capacity;

/* The units of a request on several tables. */
typedef struct CapacityList
{
	int			n;
	Capacity   *tables;
} CapacityList;

/* Reads ReturnConsumedCapacity. */
extern CapacityDetail FieldCapacity(const Field *input);

/*
 * Starts counting units of a table.  Pins the definition; CapacityEnd releases
 * it.
 */
extern void CapacityBegin(Capacity *c, const char *table_name);
extern void CapacityEnd(Capacity *c);

/*
 * The units of a read; size is that of one item, or of all items that a query
 * has read.  A missing item counts as an empty one.
 */
extern double ReadUnits(uint64 size, bool consistent);

/*
 * Adds units to the table or, if index is not NULL, to an index of the table.
 */
extern void CapacityAddRead(Capacity *c, const char *index, double units);

/*
 * Writes the ConsumedCapacity of a page: for the rows read from the table or
 * an index, and for the items that a local index fetched from the table.
 */
extern void WriterPageCapacity(Writer *w, CapacityDetail detail, const ReadOp *op,
							   const ReadPageResult *page);

/*
 * Adds a write and its effects on every index.  NULL means no old or new item.
 */
extern void CapacityAddWrite(Capacity *c, const struct varlena *old_item,
							 const struct varlena *new_item);

/* Writes the value of ConsumedCapacity. */
extern void WriterCapacity(Writer *w, const Capacity *c, CapacityDetail detail,
						   CapacityKind kind);

/*
 * Creates an empty list for at most max tables; and returns the units of a
 * table.
 */
extern void CapacityListInit(CapacityList *list, int max);
extern Capacity *CapacityListGet(CapacityList *list, const char *table_name);

/*
 * Writes ConsumedCapacity, unless detail is CAPACITY_NONE, and releases the
 * definitions.
 */
extern void WriterCapacityList(Writer *w, CapacityList *list, CapacityDetail detail,
							   CapacityKind kind);

/*
 * The partition key of an item that was put, or of a key, also one by parts; missing if
 * there is none.  The result is what the write has stored; without its new_item, that of a
 * transaction that is repeated, keys are composed again, and a random default is another one.
 */
extern ValueRef CollectionKey(const TableDef *def, const WriteOp *write, const WriteResult *result);

/* Whether writes must leave their items in their results, for ConsumedCapacity or ItemCollectionMetrics. */
extern bool MetricsNeedItems(const Field *input);

/*
 * Writes the value of ItemCollectionMetrics for the collection with this key; only
 * for tables with local indexes.
 */
extern void WriterCollection(Writer *w, const TableDef *def, ValueRef key);

#endif							/* DYNAMO_CAPACITY_H */
