/*
 * named_read.h
 *	  Reads of requests that name an access pattern in place of an index, "pattern:NAME".
 */
#ifndef DYNAMO_NAMED_READ_H
#define DYNAMO_NAMED_READ_H

#include "op/op.h"
#include "table/named_query.h"

/* A query that was found, and its table, which stays open. */
typedef struct NamedRead
{
	Relation	table;
	NamedQuery *query;
	ReadOp		op;				/* what NamedReadPlan sets: index, expressions, order, size of items */
	int64		limit;			/* items to read at most; 0: as many as fit */
	int			n;				/* queries that are read as one; 0: nothing can be found */
	ValueRef   *values;			/* of each */
} NamedRead;

/* Finds the query with this name; raises an error if there is none. */
extern void NamedReadBegin(NamedRead *read, const char *table_name, Slice name);

/* Makes the operation for parameters by their names. */
extern void NamedReadPlan(NamedRead *read, ValueRef parameters);

/*
 * Sets the number of items to read and, if forward is given, the order.  A query whose
 * number of items is limited has its own order, and at most so many items on a page.
 */
extern void NamedReadSetPage(NamedRead *read, int64 limit, const bool *forward);

/* Reads a page. */
extern void NamedReadPage(NamedRead *read, ReadPageResult *page);
extern void NamedReadEnd(NamedRead *read);

#endif							/* DYNAMO_NAMED_READ_H */
