/*
 * transact.c
 *	  TransactWriteItems and TransactGetItems.
 *
 * A write transaction first locks all its rows, and the absence of missing
 * ones, in key order.  After that no other transaction can change the items
 * that its conditions read.  All conditions are evaluated and all updates
 * computed before anything is written.
 *
 * A put without a condition does not depend on any item.  Its row is not
 * locked but written, at its turn in key order, which saves a lock and its WAL
 * record.  If the transaction is canceled, the error undoes the write.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/rel.h"

#include "errors.h"
#include "item/json.h"
#include "op/consumed.h"
#include "op/get.h"
#include "op/sql_args.h"
#include "op/tables.h"
#include "op/write.h"

/* One action and the results of its stages. */
typedef struct Action
{
	const WriteOp *op;
	PreparedWrite prepared;
	Store	   *store;
	RowLock		lock;
	struct varlena *old;		/* the locked item, or NULL */
	bool		written;		/* written at its turn instead of locked */
	bool		holds;			/* whether the condition holds for that item */
	WriteAction write;			/* what to write; set by ApplyAction */
	struct varlena *item;		/* the item to store */
	WriteConsumption consumed;
} Action;

static void
DuplicateActionsError(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_VALIDATION),
			 errmsg("Transaction request cannot include multiple operations on one item")));
}

/* ---- reasons ---- */

static TransactReason *
CreateReasons(int n)
{
	TransactReason *reasons = palloc0(sizeof(TransactReason) * Max(n, 1));

	for (int i = 0; i < n; i++)
		reasons[i].code = "None";
	return reasons;
}

static void
CancelByAction(TransactResult *result, int n, int action, const char *message)
{
	result->canceled = true;
	result->reasons = CreateReasons(n);
	result->reasons[action].code = "ValidationError";
	result->reasons[action].message = message;
}

/*
 * Handles the problem of one action.  The first one cancels the transaction;
 * that of an empty key is raised as an error of the request.
 */
static void
CancelByProblem(TransactResult *result, int n, int action, const Problem *problem)
{
	if (problem->code == PROBLEM_EMPTY_KEY)
		ProblemRaise(problem);
	if (!result->canceled)
		CancelByAction(result, n, action, ProblemMessage(problem));
}

/* A stage of one action; false if a problem was noted. */
typedef bool (*Stage) (Action *action, Problem *problem);

/*
 * Runs a stage for all actions; returns whether a problem of one has canceled
 * the transaction.  It does not stop at the first problem, because an error of
 * the request is more important than problems of actions.
 */
static bool
StageCancels(Stage stage, Action *actions, int n, TransactResult *result)
{
	for (int i = 0; i < n; i++)
	{
		Problem		problem = NO_PROBLEM;

		if (!stage(&actions[i], &problem))
			CancelByProblem(result, n, i, &problem);
	}
	return result->canceled;
}

/* ---- stages ---- */

/* Checks that an action has the expressions it requires. */
static void
CheckExpressionsGiven(const WriteOp *op, int position)
{
	if (op->kind == WRITE_KIND_UPDATE && !op->update.given && op->built_update == NULL)
		ModelError(NULL, psprintf("transactItems.%d.member.update.updateExpression",
								  position + 1), "Member must not be null");
	if (op->kind == WRITE_KIND_CHECK && !op->condition.given && op->built_condition == NULL)
		ModelError(NULL, psprintf("transactItems.%d.member.conditionCheck.conditionExpression",
								  position + 1), "Member must not be null");
}

/* A Stage; raises the error of an item that is too large. */
static bool
BindAction(Action *a, Problem *problem)
{
	WriteCheckRequest(a->op);
	if (!WriteCompose(&a->prepared, a->store, problem) || !WriteBindTable(&a->prepared, problem))
		return false;
	WriteBring(&a->prepared, a->store);
	return true;
}

/*
 * A Stage.  If the condition of an action is false, its update is not
 * evaluated.
 */
static bool
ApplyAction(Action *a, Problem *problem)
{
	if (a->holds && !a->written)
		a->write = WriteApply(&a->prepared, a->old != NULL ? ItemRoot(a->old) : MISSING_VALUE,
							  &a->item, problem);
	return !ProblemIsNoted(problem);
}

static void
OpenTables(Action *actions, int n, OpTables *tables)
{
	int		   *table = palloc(sizeof(int) * Max(n, 1));

	for (int i = 0; i < n; i++)
		table[i] = OpTablesAdd(tables, actions[i].op->table_name, WriteAccess(actions[i].op->kind));
	OpTablesOpen(tables);
	(void) OpTablesCoordinate(tables, "a write transaction");
	for (int i = 0; i < n; i++)
		actions[i].store = &tables->tables[table[i]].store;
	pfree(table);
}

/*
 * Whether an action can be written before the conditions of others are
 * evaluated.  Triggers could change or show what those depend on.
 */
static bool
WritesAtOnce(const Action *a)
{
	return a->op->kind == WRITE_KIND_PUT && a->prepared.condition == NULL &&
		!a->op->insert && StoreWritesRowOnly(a->store) && !PutNeedsOld(a->store->def);
}

static void
LockOrWrite(Action *a, WriteResult *result)
{
	a->written = WritesAtOnce(a);
	if (a->written)
		WriteRow(a->store, &a->prepared, result);
	else
		a->old = StoreLock(a->store, &a->prepared.key, &a->lock);
}

static void
LockActions(Action *actions, int n, TransactResult *result)
{
	OpRow	   *rows = palloc(sizeof(OpRow) * Max(n, 1));

	for (int i = 0; i < n; i++)
		rows[i] = (OpRow) {actions[i].store, &actions[i].prepared.key, i};
	if (!OpRowsSort(rows, n))
		DuplicateActionsError();
	for (int i = 0; i < n; i++)
	{
		int			position = rows[i].position;

		CHECK_FOR_INTERRUPTS();
		result->locking = position;
		LockOrWrite(&actions[position], &result->writes[position]);
	}
	pfree(rows);
}

static void
EvaluateConditions(Action *actions, int n)
{
	for (int i = 0; i < n; i++)
	{
		Action	   *a = &actions[i];

		a->holds = a->written ||
			WriteCondition(&a->prepared, a->old != NULL ? ItemRoot(a->old) : MISSING_VALUE);
	}
}

/* Reports all conditions that are false; returns whether there are any. */
static bool
ConditionsCancel(Action *actions, int n, TransactResult *result)
{
	for (int i = 0; i < n; i++)
	{
		Action	   *a = &actions[i];

		if (a->holds)
			continue;
		if (!result->canceled)
			result->reasons = CreateReasons(n);
		result->canceled = true;
		if (a->op->insert)
		{
			result->reasons[i].code = "DuplicateItem";
			result->reasons[i].message = DUPLICATE_ITEM_MESSAGE;
			continue;
		}
		result->reasons[i].code = "ConditionalCheckFailed";
		result->reasons[i].message = "The conditional request failed";
		if (a->op->return_old_on_failure)
			result->reasons[i].item = a->old;
	}
	return result->canceled;
}

static void
FillWriteResult(const Action *a, struct varlena *stored, WriteResult *result)
{
	if (a->op->images)
	{
		result->old_item = a->old;
		result->new_item = stored;
	}
	if (a->op->sizes)
	{
		result->old_size = a->old != NULL ? ItemSize(ItemRoot(a->old)) : 0;
		result->new_size = stored != NULL ? ItemSize(ItemRoot(stored)) : 0;
	}
}

/*
 * Counts the capacity of all actions after their conditions were evaluated.  If
 * these have canceled the transaction, it takes what it would have taken of its
 * tables, and nothing of their indexes.
 */
static void
CountActions(Action *actions, int n, bool canceled)
{
	for (int i = 0; ConsumptionIsCounted() && i < n; i++)
	{
		Action	   *a = &actions[i];
		ValueRef	old = a->old != NULL ? ItemRoot(a->old) : MISSING_VALUE;

		if (!a->written)
			WriteConsumptionCompute(&a->consumed, a->store->def, old, ItemAfter(a->write, old, a->item));
		if (canceled)
			StatConsumed(RelationGetRelid(a->store->rel), InvalidOid, 0,
						 a->consumed.table * TRANSACTION_FACTOR);
		else
			WriteConsumptionCount(&a->consumed, a->store, TRANSACTION_FACTOR);
	}
}

static void
WriteActions(Action *actions, int n, TransactResult *result)
{
	for (int i = 0; i < n; i++)
	{
		Action	   *a = &actions[i];
		struct varlena *stored = NULL;

		if (a->written)
			continue;
		CHECK_FOR_INTERRUPTS();
		if (a->write != WRITE_NOTHING)
			StoreWriteLocked(a->store, &a->prepared.key, &a->lock, a->write, a->item, &stored);
		else
			stored = a->old;
		FillWriteResult(a, stored, &result->writes[i]);
	}
}

struct TransactWrite
{
	int			n;
	const WriteOp *ops;
	Action	   *actions;
};

TransactWrite *
TransactWriteBegin(const WriteOp *ops, int n)
{
	TransactWrite *t = palloc(sizeof(TransactWrite));

	t->n = n;
	t->ops = ops;
	t->actions = palloc0(sizeof(Action) * Max(n, 1));
	return t;
}

void
TransactWriteBind(TransactWrite *t, int i)
{
	Action	   *a = &t->actions[i];

	a->op = &t->ops[i];
	CheckExpressionsGiven(a->op, i);
	WriteBind(&a->prepared, a->op);
	a->prepared.consumed = &a->consumed;
}

void
TransactWriteExecute(TransactWrite *t, TransactResult *result)
{
	Action	   *actions = t->actions;
	int			n = t->n;
	OpTables	tables;
	bool		canceled;

	memset(result, 0, sizeof(*result));
	result->locking = -1;
	result->writes = palloc0(sizeof(WriteResult) * Max(n, 1));
	OpTablesInit(&tables, n);
	OpenTables(actions, n, &tables);

	if (!StageCancels(BindAction, actions, n, result))
	{
		LockActions(actions, n, result);
		EvaluateConditions(actions, n);
		/* An invalid action is reported before conditions of others. */
		canceled = StageCancels(ApplyAction, actions, n, result) ||
			ConditionsCancel(actions, n, result);
		if (!canceled)
			WriteActions(actions, n, result);
		CountActions(actions, n, canceled);
	}
	OpTablesClose(&tables);
}

void
TransactWriteItems(const WriteOp *ops, int n, TransactResult *result)
{
	TransactWrite *t = TransactWriteBegin(ops, n);

	for (int i = 0; i < n; i++)
		TransactWriteBind(t, i);
	TransactWriteExecute(t, result);
}

/* ---- the error ---- */

static void
AppendReason(StringInfo json, const TransactReason *reason)
{
	appendStringInfoString(json, "{\"Code\": ");
	JsonAppendString(json, reason->code, strlen(reason->code));
	if (reason->message != NULL)
	{
		appendStringInfoString(json, ", \"Message\": ");
		JsonAppendString(json, reason->message, strlen(reason->message));
	}
	if (reason->item != NULL)
	{
		appendStringInfoString(json, ", \"Item\": ");
		ItemToJson(json, ItemRoot(reason->item));
	}
	appendStringInfoChar(json, '}');
}

void
TransactCanceledError(const TransactResult *result, int n)
{
	StringInfoData codes;
	StringInfoData reasons;

	initStringInfo(&codes);
	initStringInfo(&reasons);
	for (int i = 0; i < n; i++)
	{
		appendStringInfo(&codes, "%s%s", i == 0 ? "" : ", ", result->reasons[i].code);
		appendStringInfoString(&reasons, i == 0 ? "[" : ", ");
		AppendReason(&reasons, &result->reasons[i]);
	}
	appendStringInfoChar(&reasons, ']');

	/* Reasons can contain items, which must not reach the server log. */
	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_TRANSACTION_CANCELED),
			 errmsg("Transaction cancelled, please refer cancellation reasons for specific reasons [%s]",
					codes.data),
			 errdetail_internal("%s", reasons.data),
			 errdetail_log("The reasons are not written to the log.")));
}

/* ---- TransactGetItems ---- */

/*
 * Binds the keys; a key that does not fit its table cancels the transaction.
 */
static void
BindGetKeys(const GetOp *gets, OpTables *tables, const int *table, int n, RowKey *keys)
{
	TransactResult result = {0};

	for (int i = 0; i < n; i++)
	{
		Problem		problem = NO_PROBLEM;

		if (!GetBindKey(tables->tables[table[i]].store.def, gets[i].key, &keys[i], &problem))
			CancelByProblem(&result, n, i, &problem);
	}
	if (result.canceled)
		TransactCanceledError(&result, n);
}

/*
 * Reads a row.  One of a distributed table is locked, or its absence: when the last
 * row is locked, all of them are as they were read.
 */
static void
ReadOneRow(Store *store, const BoundGet *bound, const RowKey *key, GetResult *result)
{
	if (store->def->distributed)
		GetLockedRow(store, bound, key, result);
	else
		GetRow(store, bound, key, result);
}

void
TransactGetItems(const GetOp *gets, int n, GetResult *results)
{
	OpRow	   *rows = palloc(sizeof(OpRow) * Max(n, 1));
	RowKey	   *keys = palloc(sizeof(RowKey) * Max(n, 1));
	BoundGet   *bound = palloc(sizeof(BoundGet) * Max(n, 1));
	int		   *table = palloc(sizeof(int) * Max(n, 1));
	OpTables	tables;

	OpTablesInit(&tables, n);
	for (int i = 0; i < n; i++)
	{
		GetBind(&bound[i], &gets[i].projection, &gets[i].args,
				gets[i].built_projection, gets[i].sizes);
		bound[i].filter = gets[i].built_filter;
		bound[i].halves = TRANSACTION_FACTOR * HALVES_OF_READ(true);
		table[i] = OpTablesAdd(&tables, gets[i].table_name, ACL_SELECT);
	}
	OpTablesOpenAtOnce(&tables, "a read transaction");
	BindGetKeys(gets, &tables, table, n, keys);
	for (int i = 0; i < n; i++)
	{
		Store	   *store = &tables.tables[table[i]].store;

		GetCheckPaths(&bound[i], store->def);
		GetFindNeeded(&bound[i]);
		rows[i] = (OpRow) {store, &keys[i], i};
	}
	if (!OpRowsSort(rows, n))
		DuplicateActionsError();
	for (int i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		ReadOneRow(rows[i].store, &bound[rows[i].position], rows[i].key,
				   &results[rows[i].position]);
	}
	OpTablesClose(&tables);
}
