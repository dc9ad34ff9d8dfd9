/*
 * item_list.h
 *	  Returns results of gets as the rows of a set-returning function.
 */
#ifndef DYNAMO_ITEM_LIST_H
#define DYNAMO_ITEM_LIST_H

#include "funcapi.h"

#include "op/op.h"

typedef struct ItemList
{
	int			n;
	GetResult  *results;
	bool		skip_missing;	/* otherwise a missing item is a null row */
} ItemList;

/* Allocates in the current context, which should be the multi-call context. */
extern ItemList *ItemListMake(int n, bool skip_missing);

/* Returns the next row of the list that read makes at the first call. */
extern Datum ItemListReturn(FunctionCallInfo fcinfo, ItemList *(*read) (FunctionCallInfo fcinfo));

#endif							/* DYNAMO_ITEM_LIST_H */
