/*
 * row_on_shard.c
 *	  dynamo_system.row_on_shard: reads and writes one row for another node of Citus.
 *
 * Anybody may call it: it does what the functions for items do, with the rights of the
 * caller and the same checks, but only on a shard of this server.
 */
#include "postgres.h"

#include "catalog/namespace.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "utils/acl.h"
#include "utils/builtins.h"

#include "citus/node_row.h"
#include "citus/on_shard.h"
#include "item/io.h"
#include "op/get.h"
#include "op/write.h"
#include "store/partition.h"

/* ---- arguments ---- */

/* The privileges that an action needs at least; the other node may need more. */
static AclMode
AccessOfAction(NodeAction action, AclMode given)
{
	switch (action)
	{
		case NODE_GET:
			return ACL_SELECT;
		case NODE_PUT:
			if (!(given & ACL_INSERT))
				return ACL_SELECT | ACL_UPDATE;
			return WriteAccess(WRITE_KIND_PUT);
		case NODE_INSERT:
			return WriteAccess(WRITE_KIND_PUT);
		case NODE_DELETE:
			return WriteAccess(WRITE_KIND_DELETE);
		default:
			/* it locks a row, as only UPDATE and DELETE allow */
			given &= ACL_INSERT | ACL_UPDATE | ACL_DELETE;
			return ACL_SELECT | given | ((given & (ACL_UPDATE | ACL_DELETE)) == 0 ? ACL_UPDATE : 0);
	}
}

void
OnShardOpen(Store *store, const text *schema, const text *name, AclMode access)
{
	RangeVar   *table = makeRangeVar(text_to_cstring(schema), text_to_cstring(name), -1);

	StoreOpenRelation(store, RangeVarGetRelid(table, AccessShareLock, false), access);
}

/* ---- actions ---- */

typedef struct ShardWrite
{
	const TableDef *def;
	NodeAction	action;
	bool		may_insert;		/* the store has been opened for it */
	struct varlena *item;
	NodeStatus	status;
} ShardWrite;

/*
 * The other node has composed the keys by the table's entities, as for an update or as
 * for a put, but anybody can call this function.
 */
static struct varlena *
ComposeKeys(const ShardWrite *w, ValueRef old)
{
	Problem		problem = NO_PROBLEM;
	struct varlena *composed;

	if (!ComposeEntityKeys(w->def, ItemRoot(w->item), old, true, true, &composed, &problem))
		(void) ComposeEntityKeys(w->def, ItemRoot(w->item), MISSING_VALUE, false, true, &composed, NULL);
	return composed != NULL ? composed : w->item;
}

/* A WriteDecider. */
static WriteAction
DecideWrite(void *arg, ValueRef old, struct varlena **item)
{
	ShardWrite *w = arg;
	ReplacedItem replaced = {.item = old};

	w->status = NODE_DONE;
	if (w->action == NODE_DELETE)
		return WRITE_DELETE;
	if (w->action == NODE_INSERT && !ValueIsMissing(old))
	{
		w->status = NODE_EXISTS;
		return WRITE_NOTHING;
	}
	if (!w->may_insert && ValueIsMissing(old))
	{
		w->status = NODE_NOTHING;
		return WRITE_NOTHING;
	}
	(void) SettlePutItem(w->def, &w->item, old, true, NULL);
	*item = ComposeKeys(w, old);
	(void) CheckItemKeys(w->def, ItemRoot(*item), ValueIsMissing(old) ? NULL : &replaced, NULL);
	return WRITE_PUT;
}

static NodeStatus
WriteOnShard(Store *store, const RowKey *key, NodeAction action, struct varlena **item)
{
	ShardWrite	w = {store->def, action, (store->access & ACL_INSERT) != 0, *item};
	struct varlena *stored = NULL;

	if (StoreWrite(store, key, action != NODE_DELETE, DecideWrite, &w, &stored) == WRITE_NOTHING &&
		w.status == NODE_DONE)
		w.status = NODE_NOTHING;
	*item = stored != *item ? stored : NULL;
	return w.status;
}

/* Sets *item to the item of the answer, or to NULL. */
static NodeStatus
ExecuteAction(Store *store, Store *shard, const RowKey *key, NodeAction action, struct varlena **item)
{
	RowLock		lock;

	switch (action)
	{
		case NODE_GET:
			*item = StoreGet(shard, key);
			return NODE_DONE;
		case NODE_FIND:
			*item = StoreLockPresent(store, key, &lock);
			return NODE_DONE;
		case NODE_LOCK:
			*item = StoreLock(store, key, &lock);
			return NODE_DONE;
		case NODE_SHARE:
			*item = StoreLockShared(store, key, &lock);
			return NODE_DONE;
		default:
			return WriteOnShard(store, key, action, item);
	}
}

/* What the item must be: one to store, or only a key. */
static void
ReadKeyOfRow(const Store *store, NodeAction action, struct varlena *item, RowKey *key)
{
	if (action == NODE_INSERT || action == NODE_PUT)
	{
		CheckItemSize(ItemRoot(item));
		if (!RowKeyFromItem(store->def, ItemRoot(item), key, NULL))
			return;
	}
	else
		(void) GetBindKey(store->def, ItemRoot(item), key, NULL);
}

/* Tells nothing of the row. */
static NodeStatus
HoldOnShard(Store *store, NodeAction action, struct varlena **item)
{
	RowKey		key;

	if (!store->partitioned || !store->def->distributed)
		return NODE_ELSEWHERE;
	ReadKeyOfRow(store, action, *item, &key);
	*item = NULL;
	return StoreHold(store, &key, action == NODE_HOLD_SHARED) ? NODE_DONE : NODE_ELSEWHERE;
}

DYNAMO_FUNCTION(dynamo_row_on_shard);
Datum
dynamo_row_on_shard(PG_FUNCTION_ARGS)
{
	int			action = PG_GETARG_INT32(0);
	struct varlena *item = ItemReceive(SliceOfVarlena(PG_GETARG_BYTEA_PP(4)));
	NodeStatus	status = NODE_ELSEWHERE;
	StringInfoData answer;
	Store		store;
	RowKey		key;

	if (action < 0 || action >= NODE_ACTIONS)
		InvalidArgument("action must be between 0 and %d", NODE_ACTIONS - 1);
	OnShardOpen(&store, PG_GETARG_TEXT_PP(1), PG_GETARG_TEXT_PP(2),
				AccessOfAction(action, (AclMode) PG_GETARG_INT32(3)));
	/* the caller has locked the place on its node, for which the move may wait */
	store.at_once = true;
	if (action == NODE_HOLD || action == NODE_HOLD_SHARED)
		status = HoldOnShard(&store, action, &item);
	else if (StoreIsForNode(&store))
	{
		Store	   *shard;

		ReadKeyOfRow(&store, action, item, &key);
		shard = StoreOfKey(&store, &key);
		if (shard->direct)
			status = ExecuteAction(&store, shard, &key, action, &item);
	}
	if (status == NODE_ELSEWHERE)
		item = NULL;
	initStringInfo(&answer);
	appendStringInfoSpaces(&answer, VARHDRSZ);
	appendStringInfoChar(&answer, (char) status);
	if (item != NULL)
		ItemSend(&answer, ItemRoot(item));
	SET_VARSIZE(answer.data, answer.len);
	StoreClose(&store);
	PG_RETURN_POINTER(answer.data);
}
