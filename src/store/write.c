/*
 * write.c
 *	  Writing one row: the choice between the two paths.
 */
#include "postgres.h"

#include "store/write_paths.h"

WriteAction
StoreWrite(Store *store, const RowKey *key, bool need_old,
		   WriteDecider decide, void *arg, struct varlena **stored)
{
	WriteRequest request = {store, key, need_old, decide, arg, NULL};
	WriteAction action;

	Assert(StoreForWriting(store));
	action = store->direct ? StoreWriteDirect(&request) : StoreWriteSql(&request);
	*stored = request.stored;
	return action;
}
