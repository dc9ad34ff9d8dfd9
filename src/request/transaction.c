/*
 * transaction.c
 *	  Functions that TransactWriteItems and ExecuteTransaction share.
 */
#include "postgres.h"

#include "errors.h"
#include "request/capacity.h"
#include "request/params.h"
#include "request/transaction.h"
#include "request/wording.h"

/* limit of the request's data, and of the items that are read */
#define MAX_TRANSACTION_BYTES	(4 * 1024 * 1024)

void
TransactionCheckSize(uint64 size)
{
	if (size > MAX_TRANSACTION_BYTES)
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_VALIDATION),
				 errmsg_internal(WORDING_TRANSACTION_SIZE)));
}

void
TransactionRead(const GetOp *gets, int n, GetResult *results)
{
	uint64		size = 0;

	PreventStaleRead();
	TransactGetItems(gets, n, results);
	for (int i = 0; i < n; i++)
		size += results[i].size;
	if (size > MAX_TRANSACTION_BYTES)
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_VALIDATION),
				 errmsg_internal(WORDING_TRANSACTION_ITEMS)));
}

static bool
HasAnyAttribute(const struct varlena *item)
{
	Container	c;

	ContainerOpen(ItemRoot(item), &c);
	return c.count > 0;
}

void
TransactionAnswerReads(Writer *out, const GetResult *results, int n)
{
	WriterName(out, "Responses");
	WriterBeginList(out);
	for (int i = 0; i < n; i++)
	{
		WriterBeginObject(out);
		if (results[i].item != NULL && HasAnyAttribute(results[i].item))
			WriterItemMember(out, "Item", results[i].item);
		WriterEndObject(out);
	}
	WriterEndList(out);
}

void
TransactionCancelBy(int n, int position, const char *code, const char *message)
{
	TransactResult result = {0};

	result.reasons = palloc0(n * sizeof(TransactReason));
	for (int i = 0; i < n; i++)
		result.reasons[i].code = "None";
	result.reasons[position].code = code;
	result.reasons[position].message = message;
	TransactCanceledError(&result, n);
}

void
TransactionConflictError(const Transaction *t)
{
	TransactionCancelBy(t->n, Max(t->result.locking, 0), "TransactionConflict",
						WORDING_CONFLICT_REASON);
}

/* After an error, the caller's variables are gone: the request gets a copy. */
void
TransactionExecute(Request *request, Transaction *t)
{
	Transaction *kept = palloc(sizeof(Transaction));

	*kept = *t;
	kept->result.locking = -1;
	request->transaction = kept;
	TransactWriteExecute(kept->write, &kept->result);
	request->transaction = NULL;
	t->result = kept->result;
	if (t->result.canceled)
		TransactCanceledError(&t->result, t->n);
}

/*
 * The key of the item that an action has concerned, composed again if it was composed.
 * The definition may have changed since; then there is a problem, and no item.
 */
static bool
KeyOfAction(const TableDef *def, const WriteOp *action, ValueRef *key, Problem *problem)
{
	struct varlena *composed = NULL;
	ValueRef	item = action->item;

	*key = item;
	if (action->kind != WRITE_KIND_PUT)
		return true;
	if (!ComposePutItem(def, item, false, &composed, problem))
		return false;
	if (composed != NULL)
		item = ItemRoot(composed);
	if (!CheckItemKeys(def, item, NULL, problem))
		return false;
	*key = ItemRoot(KeyOfItem(def, item));
	return true;
}

double
TransactionLookUnits(const TableDef *def, const WriteOp *action)
{
	Problem		problem = NO_PROBLEM;
	GetOp		get = {0};
	GetResult	result = {0};

	get.table_name = action->table_name;
	get.args.values = MISSING_VALUE;
	get.sizes = true;
	get.consistent = get.transaction = true;
	if (KeyOfAction(def, action, &get.key, &problem))
		(void) GetItem(&get, &result, &problem);
	return ReadUnits(result.size, true);
}
