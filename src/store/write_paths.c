/*
 * write_paths.c
 *	  Writes one row by one of the two paths.
 */
#include "postgres.h"

#include "access/xact.h"

#include "errors.h"
#include "store/elsewhere.h"
#include "store/partition.h"
#include "store/write_paths.h"

static WriteAction
WriteOnPath(WriteRequest *request, struct varlena **stored)
{
	Store	   *target;
	WriteAction action;

	Assert(StoreForWriting(request->store));
	if (request->store->def->distributed && elsewhere->write(request, &action))
	{
		*stored = request->stored;
		return action;
	}
	target = StoreOfKey(request->store, request->key);
	if (target->direct)
	{
		request->store = target;
		action = StoreWriteDirect(request);
	}
	else
		action = StoreWriteSql(request);
	*stored = request->stored;
	return action;
}

WriteAction
StoreWrite(Store *store, const RowKey *key, bool need_old,
		   WriteDecider decide, void *arg, struct varlena **stored)
{
	WriteRequest request = {store, key, need_old, decide, arg};

	return WriteOnPath(&request, stored);
}

WriteAction
StorePut(Store *store, const RowKey *key, bool need_old,
		 WriteDecider decide, void *arg, struct varlena **stored)
{
	WriteRequest request = {store, key, need_old, decide, arg, .put = true};

	return WriteOnPath(&request, stored);
}

WriteAction
StoreChangeLocked(Store *store, const RowKey *key, const RowLock *lock,
				  WriteDecider decide, void *arg, struct varlena **stored)
{
	WriteRequest request = {store, key, true, decide, arg, lock};

	return WriteOnPath(&request, stored);
}

/* ---- new rows ---- */

bool
StoreCanInsert(const Store *store)
{
	return StoreWritesRowOnly(store) && !IsolationUsesXactSnapshot();
}

WriteAction
StoreInsert(Store *store, const RowKey *key, WriteDecider decide, void *arg,
			struct varlena **stored)
{
	WriteRequest request = {store, key, true, decide, arg, .insert = true};

	Assert(StoreCanInsert(store));
	return WriteOnPath(&request, stored);
}

void
DuplicateItemError(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_DUPLICATE_ITEM),
			 errmsg(DUPLICATE_ITEM_MESSAGE)));
}

/* ---- locked rows ---- */

typedef struct Decision
{
	WriteAction action;
	struct varlena *item;
} Decision;

/* A WriteDecider. */
static WriteAction
TakeDecision(void *arg, ValueRef old, struct varlena **item)
{
	const Decision *d = (const Decision *) arg;

	*item = d->item;
	return d->action;
}

/* Whether an item has another key than the row that it replaces. */
static bool
HasOtherKey(const TableDef *def, const RowKey *key, ValueRef item)
{
	for (int i = 0; i < KeyCount(&def->key); i++)
	{
		Slice		name = TableKeyAttribute(def, i)->name;

		if (!ValueEqual(AttributeFind(item, name.data, name.len), key->attributes[i]))
			return true;
	}
	return false;
}

WriteAction
StoreWriteLocked(Store *store, const RowKey *key, const RowLock *lock,
				 WriteAction action, struct varlena *item, struct varlena **stored)
{
	Decision	decision = {action, item};
	WriteRequest request = {store, key, false, TakeDecision, &decision, lock};

	/* A row that was absent when it was locked may exist now. */
	if (action == WRITE_DELETE && !lock->present)
		request.lock = NULL;

	/* the new key may be in another partition */
	if (store->partitioned && action == WRITE_PUT && HasOtherKey(store->def, key, ItemRoot(item)))
	{
		action = StoreWriteSql(&request);
		*stored = request.stored;
		return action;
	}
	return WriteOnPath(&request, stored);
}
