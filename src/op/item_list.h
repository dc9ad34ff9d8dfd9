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

/* Returns the next row; context->user_fctx is the list. */
extern Datum ItemListNext(FunctionCallInfo fcinfo, FuncCallContext *context);

#endif							/* DYNAMO_ITEM_LIST_H */
