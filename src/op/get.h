/*
 * get.h
 *	  The stages of one get, for GetItem, batches and transactions.
 */
#ifndef DYNAMO_GET_H
#define DYNAMO_GET_H

#include "exported.h"
#include "expr/name_set.h"
#include "op/op.h"

typedef struct BoundGet
{
	Projection *projection;		/* NULL if there is none */
	Condition  *filter;			/* NULL if there is none */
	bool		sizes;
	int			halves;			/* of a unit that 4 KB take, for statistics */
	NameSet		needed;			/* attributes needed of the item; empty: all */
} BoundGet;

/* Binds the projection without the table; built replaces it if not NULL. */
extern void GetBind(BoundGet *b, const ExprText *projection, const ExprArgs *args,
					Projection *built, bool sizes);

/* Checks the projection's paths against the table's keys. */
extern void GetCheckPaths(const BoundGet *b, const TableDef *def);

/* Determines the needed attributes, after all expressions are bound. */
extern void GetFindNeeded(BoundGet *b);

/*
 * Checks a key parameter.  Notes a problem and returns false; raises it if
 * problem is NULL.
 */
extern DYNAMO_EXPORT bool GetBindKey(const TableDef *def, ValueRef key, RowKey *row_key, Problem *problem);

/* Reads the row with a key, filters and projects it. */
extern void GetRow(Store *store, const BoundGet *b, const RowKey *key, GetResult *result);

/* The same for the current row, which stays as it is until the transaction ends. */
extern void GetLockedRow(Store *store, const BoundGet *b, const RowKey *key, GetResult *result);

#endif							/* DYNAMO_GET_H */
