/*
 * node_row.c
 *	  Reads and writes rows on other nodes of Citus.
 *
 * What is decided on a row is decided here, and so are all checks of an operation;
 * the other node finds, locks and stores one row.  For a write, both nodes share the lock
 * of the place of the shard: this one before it chooses the node.  The other one says if
 * the shard is being moved or is not there: the row is then accessed by a statement of
 * Citus.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "citus/node_call.h"
#include "citus/node_row.h"
#include "citus/remote.h"
#include "citus/session.h"
#include "item/io.h"

/* A row on another node. */
typedef struct NodeRow
{
	const Store *store;
	NodeCall	call;
	StringInfoData key;			/* an item with its key, in binary form */
	struct varlena *item;		/* of the last answer; or NULL */
} NodeRow;

/* ---- where it is ---- */

static void
SetRowKey(NodeRow *row, const RowKey *key)
{
	initStringInfo(&row->key);
	ItemSend(&row->key, ItemRoot(ItemOfKey(row->store->def, key)));
}

bool
FindOtherNode(const Store *store, const ShardMap *map, int position, NodeCall *call)
{
	call->shard = GetShardPlace(map, position, &call->group);
	return store->direct_partitions && !store->of_node && ShardIsElsewhere(map, position) &&
		RemoteIsPossible();
}

bool
FindNodeOfKey(const Store *store, const RowKey *key, NodeCall *call)
{
	const ShardMap *map = ShardsOfTable(store->def);

	return map != NULL && FindOtherNode(store, map, FindShardPosition(map, key->values[0]), call);
}

static void
BeginNodeRow(NodeRow *row, const Store *store, const RowKey *key)
{
	RemoteCheckNesting();
	row->store = store;
	row->item = NULL;
	row->call.function = LINK_ROW;
	SetRowKey(row, key);
}

/* Finds the node of a row to read it. */
static bool
FindNodeRow(NodeRow *row, const Store *store, const RowKey *key)
{
	if (!FindNodeOfKey(store, key, &row->call))
		return false;
	BeginNodeRow(row, store, key);
	return true;
}

/*
 * Finds the node of a row to lock or write it, which is the same until the end of the
 * transaction.
 */
static bool
LockNodeOfRow(NodeRow *row, const Store *store, const RowKey *key)
{
	const ShardMap *map;

	if (!FindNodeOfKey(store, key, &row->call))
		return false;
	map = LockShardToWrite(store->def, ShardOfKey(store->def, key->values[0]));
	if (map == NULL || !FindOtherNode(store, map, FindShardPosition(map, key->values[0]), &row->call))
		return false;
	BeginNodeRow(row, store, key);
	return true;
}

/* ---- calls ---- */

static NodeStatus
ReadAnswer(NodeRow *row, Slice answer)
{
	if (answer.len == 0)
		elog(ERROR, "another node of Citus has given no answer");
	row->item = answer.len > 1 ? ItemReceive((Slice) {answer.data + 1, answer.len - 1}) : NULL;
	return (NodeStatus) answer.data[0];
}

static void
SetRowCall(NodeRow *row, NodeAction action, AclMode access, const StringInfoData *item)
{
	Relation	rel = row->store->rel;

	row->call.args[0] = NodeInteger(action);
	row->call.args[1] = NodeText(get_namespace_name(RelationGetNamespace(rel)));
	row->call.args[2] = NodeText(RelationGetRelationName(rel));
	row->call.args[3] = NodeInteger((int32) access);
	row->call.args[4] = NodeBytes(item);
}

static NodeStatus
CallInTransaction(NodeRow *row, NodeAction action, const StringInfoData *item)
{
	SetRowCall(row, action, row->store->access, item);
	return ReadAnswer(row, NodeValue(NodeCallInTransaction(&row->call, true)));
}

/* ---- reading ---- */

static void
SetGetCall(NodeRow *row)
{
	Relation	rel = row->store->rel;

	StaticAssertStmt(NODE_GET == 0, "LINK_GET has this number");
	row->call.function = LINK_GET;
	row->call.args[0] = NodeText(get_namespace_name(RelationGetNamespace(rel)));
	row->call.args[1] = NodeText(RelationGetRelationName(rel));
	row->call.args[2] = NodeBytes(&row->key);
}

bool
NodeGet(Store *store, const RowKey *key, struct varlena **item)
{
	NodeRow		row;
	NodeStatus	status;
	PGresult   *answer;

	if (NodeGetAhead(store, key, item))
		return true;
	if (!FindNodeRow(&row, store, key))
		return false;
	SetGetCall(&row);
	if (!NodeCallRead(&row.call, &answer))
		return false;
	status = ReadAnswer(&row, NodeValue(answer));
	*item = row.item;
	return status != NODE_ELSEWHERE;
}

/* ---- writing ---- */

/* Stores an item: inserts it, or replaces the row of the decision. */
static NodeStatus
PutItem(NodeRow *row, NodeAction action, struct varlena *item)
{
	StringInfoData bytes;

	initStringInfo(&bytes);
	ItemSend(&bytes, ItemRoot(item));
	return CallInTransaction(row, action, &bytes);
}

/* Makes one attempt to execute a decision; the status is that of the last call. */
static NodeStatus
ExecuteDecision(NodeRow *row, WriteRequest *request, WriteAction decided, bool absent,
				struct varlena *item)
{
	NodeStatus	status;

	switch (decided)
	{
		case WRITE_PUT:
			status = PutItem(row, absent ? NODE_INSERT : NODE_PUT, item);
			if (status == NODE_DONE)
				request->stored = row->item != NULL ? row->item : item;
			return status;
		case WRITE_DELETE:
			return absent ? NODE_NOTHING : CallInTransaction(row, NODE_DELETE, &row->key);
		case WRITE_NOTHING:
			break;
	}
	return NODE_NOTHING;
}

/*
 * Without need_old, nothing is known of a row before it is written.  A row that is
 * inserted meanwhile by somebody else is found by the next attempt.
 */
bool
NodeWrite(WriteRequest *request, WriteAction *action)
{
	NodeRow		row;
	NodeStatus	status = NODE_EXISTS;

	if (!LockNodeOfRow(&row, request->store, request->key))
		return false;
	while (status == NODE_EXISTS)
	{
		struct varlena *item = NULL;
		struct varlena *old;

		CHECK_FOR_INTERRUPTS();
		if (request->need_old && CallInTransaction(&row, NODE_FIND, &row.key) == NODE_ELSEWHERE)
			return false;
		old = row.item;
		*action = request->decide(request->arg, old != NULL ? ItemRoot(old) : MISSING_VALUE, &item);
		status = ExecuteDecision(&row, request, *action, request->need_old && old == NULL, item);
		if (status == NODE_ELSEWHERE)
			return false;
	}
	if (status != NODE_DONE)
		*action = WRITE_NOTHING;
	return true;
}

bool
NodeHold(WriteRequest *request)
{
	Store	   *store = request->store;
	NodeRow		row = {.store = store};
	const ShardMap *map = store->partitioned && !store->of_node && RemoteIsPossible() ?
		LockShardToWrite(store->def, ShardOfKey(store->def, request->key->values[0])) : NULL;
	int			position;

	if (map == NULL)
		return false;
	position = FindShardPosition(map, request->key->values[0]);
	row.call.shard = GetShardPlace(map, position, &row.call.group);
	if (!ShardIsElsewhere(map, position) && CitusSessionIsLocal())
		return false;
	BeginNodeRow(&row, store, request->key);
	return CallInTransaction(&row, request->share ? NODE_HOLD_SHARED : NODE_HOLD, &row.key) != NODE_ELSEWHERE;
}

bool
NodeLock(WriteRequest *request, bool absence, struct varlena **item)
{
	NodeAction	action = !absence ? NODE_FIND : request->share ? NODE_SHARE : NODE_LOCK;
	NodeRow		row;
	bool		done;

	if (!LockNodeOfRow(&row, request->store, request->key))
		return false;
	done = CallInTransaction(&row, action, &row.key) != NODE_ELSEWHERE;
	*item = row.item;
	return done;
}
