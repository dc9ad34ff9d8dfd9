/*
 * item_list.c
 *	  Returns results of gets as the rows of a set-returning function.
 */
#include "postgres.h"

#include "op/item_list.h"

ItemList *
ItemListMake(int n, bool skip_missing)
{
	ItemList   *list = palloc(sizeof(ItemList));

	list->n = n;
	list->results = palloc0(sizeof(GetResult) * Max(n, 1));
	list->skip_missing = skip_missing;
	return list;
}

Datum
ItemListReturn(FunctionCallInfo fcinfo, ItemList *(*read) (FunctionCallInfo fcinfo))
{
	FuncCallContext *context;
	ItemList   *list;

	if (SRF_IS_FIRSTCALL())
	{
		MemoryContext old;

		context = SRF_FIRSTCALL_INIT();
		old = MemoryContextSwitchTo(context->multi_call_memory_ctx);
		context->user_fctx = read(fcinfo);
		MemoryContextSwitchTo(old);
	}
	context = SRF_PERCALL_SETUP();
	list = context->user_fctx;
	while (context->call_cntr < (uint64) list->n)
	{
		struct varlena *item = list->results[context->call_cntr].item;

		if (item != NULL)
			SRF_RETURN_NEXT(context, PointerGetDatum(item));
		if (!list->skip_missing)
			SRF_RETURN_NEXT_NULL(context);
		context->call_cntr++;
	}
	SRF_RETURN_DONE(context);
}
