/*
 * get.h
 *	  The stages of one get, for GetItem, batches and transactions.
 */
#ifndef DYNAMO_GET_H
#define DYNAMO_GET_H

#include "expr/name_set.h"
#include "op/op.h"

typedef struct BoundGet
{
	Projection *projection;		/* NULL: none, as the next */
	Condition  *filter;
	bool		sizes;
	NameSet		needed;			/* of the item; none: all of it */
} BoundGet;

/* Binds the projection (built: NULL, or instead of it): what needs no table. */
extern void GetBind(BoundGet *b, const ExprText *projection, const ExprArgs *args,
					Projection *built, bool sizes);

/* Checks the projection's paths against the table's keys. */
extern void GetCheckPaths(const BoundGet *b, const TableDef *def);

/* Finds what is needed of the items, after all expressions are bound. */
extern void GetFindNeeded(BoundGet *b);

/* Checks a key parameter. */
extern void GetBindKey(const TableDef *def, ValueRef key, RowKey *row_key);

/* Reads the row of a key, filtered and projected. */
extern void GetRow(Store *store, const BoundGet *b, const RowKey *key, GetResult *result);

#endif							/* DYNAMO_GET_H */
