/*
 * request_transact.c
 *	  TransactGetItems and TransactWriteItems as requests.
 */
#include "postgres.h"

#include "errors.h"
#include "op/call_bindings.h"
#include "request/capacity.h"
#include "request/collections.h"
#include "request/model.h"
#include "request/operation.h"
#include "request/params.h"
#include "request/token.h"
#include "request/transaction.h"
#include "request/wording.h"

#define TRANSACT_WORDS	{.min = WORDING_NO_ACTIONS, .max = WORDING_MANY_ACTIONS}

/* ---- TransactGetItems ---- */

static void
PrepareGet(const Field *get, GetOp *op)
{
	memset(op, 0, sizeof(*op));
	op->table_name = FieldTableName(get);
	op->key = FieldItemRef(get, "Key");
	op->projection = FieldExpr(get, "ProjectionExpression");
	op->sizes = true;
	FieldExprArgs(get, &transact_get_params, &op->args);
}

static const Member transact_get_members[] = {
	REQUIRED("Key", model_item),
	REQUIRED("TableName", model_table_name),
	MEMBER("ProjectionExpression", model_string),
	MEMBER("ExpressionAttributeNames", model_name_map),
};
static const Shape transact_get = STRUCTURE("Get", transact_get_members);
static const Member transact_get_item_members[] = {REQUIRED("Get", transact_get)};
static const Shape transact_get_item = STRUCTURE("TransactGetItem", transact_get_item_members);
static const Shape transact_get_list = {.kind = SHAPE_LIST, .min = 1, .max = 100,
.element = &transact_get_item, .words = TRANSACT_WORDS};

static const Member transact_get_items_members[] = {
	REQUIRED("TransactItems", transact_get_list),
	MEMBER("ReturnConsumedCapacity", model_return_capacity),
};
static const Shape transact_get_items_input = STRUCTURE("TransactGetItemsInput", transact_get_items_members);

static void
TransactGetItemsRequest(Request *request)
{
	const Field *items = FieldMember(request->input, "TransactItems");
	CapacityDetail detail = FieldCapacity(request->input);
	GetOp	   *gets = palloc(items->count * sizeof(GetOp));
	GetResult  *results = palloc0(items->count * sizeof(GetResult));
	CapacityList list;

	for (int i = 0; i < items->count; i++)
		PrepareGet(FieldMember(items->fields[i], "Get"), &gets[i]);
	TransactionRead(gets, items->count, results);
	TransactionAnswerReads(request->out, results, items->count);
	if (detail == CAPACITY_NONE)
		return;
	CapacityListInit(&list, items->count);
	for (int i = 0; i < items->count; i++)
	{
		CapacityAddRead(CapacityListGet(&list, gets[i].table_name), NULL,
						ReadUnits(results[i].size, true));
	}
	WriterCapacityList(request->out, &list, detail, CAPACITY_TRANSACT_READ);
}

OPERATION(TransactGetItems, &transact_get_items_input, TransactGetItemsRequest);

/* ---- TransactWriteItems ---- */

/* The kinds of actions and the names of their members. */
static const struct
{
	const char *member;
	WriteKind	kind;
	const char *item;
}			action_kinds[] = {
	{"ConditionCheck", WRITE_KIND_CHECK, "Key"},
	{"Put", WRITE_KIND_PUT, "Item"},
	{"Delete", WRITE_KIND_DELETE, "Key"},
	{"Update", WRITE_KIND_UPDATE, "Key"},
};

/*
 * Returns the only member of an action; *kind is its position in action_kinds.
 */
static const Field *
FindAction(const Field *transact_item, int *kind)
{
	int			given = 0;

	for (int i = 0; i < (int) lengthof(action_kinds); i++)
	{
		if (FieldMember(transact_item, action_kinds[i].member) == NULL)
			continue;
		given++;
		*kind = i;
	}
	if (given != 1)
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_VALIDATION),
				 errmsg_internal("%s", given == 0 ? WordingText(WORDING_NO_ACTION) : WORDING_ONE_ACTION)));
	return FieldMember(transact_item, action_kinds[*kind].member);
}

/* Raises what is wrong with the text of an action's expressions. */
static void
ParseExpressions(const WriteOp *op)
{
	if (op->update.given)
		(void) OpParse(EXPR_UPDATE, &op->update);
	if (op->condition.given)
		(void) OpParse(EXPR_CONDITION, &op->condition);
}

static bool
HasInvalidValues(const Field *action)
{
	const Field *values = FieldMember(action, "ExpressionAttributeValues");

	return values != NULL && values->problem != NULL;
}

/*
 * Prepares an action; raises its first fault: of the expressions, then of the
 * values, then of the item or key.
 */
static void
PrepareAction(Transaction *t, int position, const Field *transact_item, bool images)
{
	WriteOp    *op = &t->actions[position];
	int			kind;
	const Field *action = FindAction(transact_item, &kind);

	memset(op, 0, sizeof(*op));
	op->kind = action_kinds[kind].kind;
	op->table_name = FieldTableName(action);
	op->condition = FieldExpr(action, "ConditionExpression");
	if (op->kind == WRITE_KIND_UPDATE)
		op->update = FieldExpr(action, "UpdateExpression");
	op->return_old_on_failure =
		FieldIs(action, "ReturnValuesOnConditionCheckFailure", "ALL_OLD");
	op->images = images;
	if (HasInvalidValues(action))
		ParseExpressions(op);
	FieldExprArgs(action, op->kind == WRITE_KIND_UPDATE ? &update_params : &transact_put_params,
				  &op->args);
	TransactWriteBind(t->write, position);
	op->datum = FieldItem(FieldMember(action, action_kinds[kind].item));
	op->item = ItemRoot(op->datum);
}

/*
 * Returns the size that counts: of the items, keys and values, not of their
 * JSON.
 */
static uint64
SizeOfAction(const WriteOp *op)
{
	return ItemSize(op->item) + (ValueIsMissing(op->args.values) ? 0 : ItemSize(op->args.values));
}

static void
PrepareTransaction(Transaction *t, const Field *input)
{
	const Field *items = FieldMember(input, "TransactItems");
	uint64		size = 0;

	t->n = items->count;
	t->actions = palloc(t->n * sizeof(WriteOp));
	t->write = TransactWriteBegin(t->actions, t->n);
	for (int i = 0; i < t->n; i++)
	{
		PrepareAction(t, i, items->fields[i], MetricsNeedItems(input));
		size += SizeOfAction(&t->actions[i]);
	}
	TransactionCheckSize(size);
}

/*
 * Writes the response.  repeated: the transaction was executed before and
 * nothing was done now; the capacity is what the service charges for reading
 * the items.
 */
static void
AnswerTransaction(Request *request, const Transaction *t, bool repeated)
{
	CapacityDetail detail = FieldCapacity(request->input);
	CapacityList list;

	if (FieldIs(request->input, "ReturnItemCollectionMetrics", "SIZE"))
		AnswerCollections(request, t->actions, repeated ? NULL : t->result.writes, t->n);
	if (detail == CAPACITY_NONE)
		return;
	CapacityListInit(&list, t->n);
	for (int i = 0; i < t->n; i++)
	{
		Capacity   *c = CapacityListGet(&list, t->actions[i].table_name);

		if (repeated)
			CapacityAddRead(c, NULL, TransactionLookUnits(c->def, &t->actions[i]));
		else
			CapacityAddWrite(c, t->result.writes[i].old_item, t->result.writes[i].new_item);
	}
	WriterCapacityList(request->out, &list, detail,
					   repeated ? CAPACITY_TRANSACT_READ : CAPACITY_TRANSACT_WRITE);
}

/* Whether the transaction was executed with this token before. */
static bool
TransactionWasExecuted(const Transaction *t, const Field *token)
{
	Oid		   *tables = palloc(t->n * sizeof(Oid));

	for (int i = 0; i < t->n; i++)
	{
		const char *name = t->actions[i].table_name;

		tables[i] = i > 0 && strcmp(name, t->actions[i - 1].table_name) == 0 ?
			tables[i - 1] : TableNameLock(name, AccessShareLock, true);
	}
	return !TokenTake(token->string, DigestOfActions(t->actions, t->n), tables, t->n);
}

#define TRANSACT_COMMON \
	REQUIRED("TableName", model_table_name), \
	MEMBER("ExpressionAttributeNames", model_name_map), \
	MEMBER("ExpressionAttributeValues", model_value_map), \
	MEMBER("ReturnValuesOnConditionCheckFailure", model_return_on_failure)

static const Member check_members[] = {
	REQUIRED("Key", model_item),
	REQUIRED("ConditionExpression", model_string),
	TRANSACT_COMMON,
};
static const Member transact_put_members[] = {
	REQUIRED("Item", model_item),
	MEMBER("ConditionExpression", model_string),
	TRANSACT_COMMON,
};
static const Member transact_delete_members[] = {
	REQUIRED("Key", model_item),
	MEMBER("ConditionExpression", model_string),
	TRANSACT_COMMON,
};
static const Member transact_update_members[] = {
	REQUIRED("Key", model_item),
	REQUIRED("UpdateExpression", model_string),
	MEMBER("ConditionExpression", model_string),
	TRANSACT_COMMON,
};
static const Shape transact_check = STRUCTURE("ConditionCheck", check_members);
static const Shape transact_put = STRUCTURE("Put", transact_put_members);
static const Shape transact_delete = STRUCTURE("Delete", transact_delete_members);
static const Shape transact_update = STRUCTURE("Update", transact_update_members);

static const Member transact_write_members[] = {
	MEMBER("ConditionCheck", transact_check),
	MEMBER("Put", transact_put),
	MEMBER("Delete", transact_delete),
	MEMBER("Update", transact_update),
};
static const Shape transact_write = STRUCTURE("TransactWriteItem", transact_write_members);
static const Shape transact_write_list = {.kind = SHAPE_LIST, .min = 1, .max = 100,
.element = &transact_write, .words = TRANSACT_WORDS};

static const Shape write_token = {.kind = SHAPE_STRING, .min = 1, .max = 36, .words = {.max = WORDING_LONG_TOKEN}};
static const Member transact_write_items_members[] = {
	MEMBER("ClientRequestToken", write_token),
	MEMBER("ReturnConsumedCapacity", model_return_capacity),
	MEMBER("ReturnItemCollectionMetrics", model_return_metrics),
	REQUIRED("TransactItems", transact_write_list),
};
static const Shape transact_write_items_input = STRUCTURE("TransactWriteItemsInput", transact_write_items_members);

static void
TransactWriteItemsRequest(Request *request)
{
	const Field *token = FieldMember(request->input, "ClientRequestToken");
	Transaction t;
	bool		repeated;

	PrepareTransaction(&t, request->input);
	repeated = token != NULL && TransactionWasExecuted(&t, token);
	if (!repeated)
		TransactionExecute(request, &t);
	AnswerTransaction(request, &t, repeated);
}

OPERATION(TransactWriteItems, &transact_write_items_input, TransactWriteItemsRequest, .on_coordinator = true);
