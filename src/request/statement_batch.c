/*
 * statement_batch.c
 *	  BatchExecuteStatement: many statements, each of which succeeds or fails
 *	  independently.
 *
 * Every statement is executed in a subtransaction, in the order of the
 * request.  A failed statement is rolled back and reported at its position;
 * errors that end the session end the request.  Statements that cannot be
 * combined (reads and writes, two on the same item) fail the request before
 * any of them is executed.
 */
#include "postgres.h"

#include "errors.h"
#include "request/failure.h"
#include "request/model.h"
#include "request/operation.h"
#include "request/params.h"
#include "request/statement.h"
#include "request/wording.h"
#include "subtransaction.h"
#include "table/key_parts.h"

/* A statement of a batch and its result. */
typedef struct BatchStatement
{
	const Field *input;
	PreparedStatement s;
	ErrorData  *failure;		/* NULL if it succeeded */
	bool		ran;			/* it was not refused before */
	bool		images;			/* capacity needs the items */
	GetOp		get;			/* either get or write is used */
	WriteOp		write;
	ValueRef	key;			/* of its item, or the item, with the key attributes if there are any */
	WriteResult written;
	GetResult	read;
} BatchStatement;

/* ---- errors ---- */

static const struct
{
	int			sqlstate;
	const char *code;
}			error_codes[] = {
	{ERRCODE_DYNAMO_CONDITION_FAILED, "ConditionalCheckFailed"},
	{ERRCODE_DYNAMO_COLLECTION_SIZE_LIMIT, "ItemCollectionSizeLimitExceeded"},
	{ERRCODE_DYNAMO_LIMIT_EXCEEDED, "RequestLimitExceeded"},
	{ERRCODE_DYNAMO_VALIDATION, "ValidationError"},
	{ERRCODE_DYNAMO_THROUGHPUT_EXCEEDED, "ProvisionedThroughputExceeded"},
	{ERRCODE_DYNAMO_TRANSACTION_CONFLICT, "TransactionConflict"},
	{ERRCODE_DYNAMO_RESOURCE_NOT_FOUND, "ResourceNotFound"},
	{ERRCODE_DYNAMO_ACCESS_DENIED, "AccessDenied"},
	{ERRCODE_DYNAMO_DUPLICATE_ITEM, "DuplicateItem"},
};

static const char *
ErrorCode(const ErrorData *edata)
{
	int			sqlstate = DynamoExceptionForSqlstate(edata->sqlerrcode)->sqlstate;

	for (size_t i = 0; i < lengthof(error_codes); i++)
	{
		if (error_codes[i].sqlstate == sqlstate)
			return error_codes[i].code;
	}
	return "InternalServerError";
}

static void
AnswerError(Writer *out, const ErrorData *edata)
{
	const char *message = FailureMessage(edata);
	const char *item = FailureItem(edata);

	FailureLog(edata);
	WriterName(out, "Error");
	WriterBeginObject(out);
	WriterStringMember(out, "Code", ErrorCode(edata));
	if (message != NULL)
		WriterStringMember(out, "Message", message);
	if (item != NULL)
	{
		WriterName(out, "Item");
		WriterRaw(out, SliceOf(item));
	}
	WriterEndObject(out);
}

/* ---- one statement ---- */

static void
PrepareBatchStatement(void *arg)
{
	BatchStatement *b = arg;

	(void) StatementPrepare(&b->s, b->input, NULL);
}

/* Whether the text is a statement. */
static bool
IsStatement(const BatchStatement *b)
{
	return b->s.bound.table.data != NULL;
}

static bool
IsRead(const BatchStatement *b)
{
	return StatementReads(b->s.bound.kind);
}

/*
 * Finds the key of the statement's item, also one that its parts compose.  What is wrong
 * with it is said when the statement is executed.
 */
static void
FindStatementKey(BatchStatement *b)
{
	Problem		problem = NO_PROBLEM;
	struct varlena *composed = NULL;

	b->key = IsRead(b) ? b->get.key : b->write.item;
	if (b->s.bound.kind != STATEMENT_INSERT)
		(void) TakeKeyParameter(b->s.def, &b->key, &problem);
	else if (ComposePutItem(b->s.def, b->key, false, &composed, &problem) && composed != NULL)
		b->key = ItemRoot(composed);
}

static void
MakeOperation(void *arg)
{
	BatchStatement *b = arg;
	bool		consistent;
	bool		by_parts;

	StatementOpen(&b->s);
	if (b->s.bound.kind == STATEMENT_EXISTS)
		InvalidRequest(WORDING_EXISTS_ALONE);
	if (!IsRead(b))
	{
		(void) StatementWrite(&b->s, b->images, &b->write, NULL);
		FindStatementKey(b);
		return;
	}
	consistent = FieldConsistentRead(b->input); /* raises an error on a standby */
	if (!StatementGet(&b->s, &b->get, &by_parts) || b->get.built_filter != NULL)
		InvalidRequest(WORDING_BATCH_SELECT);
	b->get.consistent = consistent;
	FindStatementKey(b);
}

static void
ExecuteBatchStatement(void *arg)
{
	BatchStatement *b = arg;

	b->ran = true;
	if (IsRead(b))
		(void) GetItem(&b->get, &b->read, NULL);
	else
		WriteItem(&b->write, &b->written);
}

/* ---- the batch ---- */

/* All valid statements must read, or all must write. */
static void
CheckKinds(const BatchStatement *batch, int n)
{
	bool		reads = false;
	bool		writes = false;

	for (int i = 0; i < n; i++)
	{
		if (!IsStatement(&batch[i]))
			continue;
		if (IsRead(&batch[i]))
			reads = true;
		else
			writes = true;
	}
	if (reads && writes)
		InvalidRequest(WORDING_MIXED_BATCH);
}

/* Runs a step of all statements that have not failed. */
static void
RunAll(void (*step) (void *b), BatchStatement *batch, int n)
{
	for (int i = 0; i < n; i++)
	{
		if (batch[i].failure == NULL)
			batch[i].failure = TryInSubtransaction(step, &batch[i]);
	}
}

/*
 * Whether two statements, whose operations are prepared, concern the same
 * item.
 */
static bool
ConcernSameItem(const BatchStatement *a, const BatchStatement *b)
{
	const KeySchema *key = &a->s.def->key;

	if (a->s.def->relid != b->s.def->relid)
		return false;
	for (int i = 0; i < KeyCount(key); i++)
	{
		Slice		name = key->attributes[i].name;
		ValueRef	x = AttributeFind(a->key, name.data, name.len);
		ValueRef	y = AttributeFind(b->key, name.data, name.len);

		if (ValueIsMissing(x) || !ValueEqual(x, y))
			return false;
	}
	return true;
}

static void
CheckItemsOnce(const BatchStatement *batch, int n)
{
	for (int i = 0; i < n; i++)
	{
		for (int j = 0; j < i; j++)
		{
			if (batch[i].failure == NULL && batch[j].failure == NULL &&
				ConcernSameItem(&batch[i], &batch[j]))
				InvalidRequest(WORDING_DUPLICATE_KEYS);
		}
	}
}

static void
AnswerStatement(Writer *out, const BatchStatement *b)
{
	bool		read = IsStatement(b) && IsRead(b);
	const struct varlena *item = read ? b->read.item : b->written.attributes;

	WriterBeginObject(out);
	if (b->failure != NULL)
		AnswerError(out, b->failure);
	else if (item != NULL)
		WriterItemMember(out, "Item", item);
	if (b->ran)
		WriterStringMember(out, "TableName", b->s.table_name);
	WriterEndObject(out);
}

/* Writes the capacity of each statement that succeeded. */
static void
AnswerCapacity(Request *request, const BatchStatement *batch, int n)
{
	CapacityDetail detail = FieldCapacity(request->input);
	Writer	   *out = request->out;

	if (detail == CAPACITY_NONE)
		return;
	WriterName(out, "ConsumedCapacity");
	WriterBeginList(out);
	for (int i = 0; i < n; i++)
	{
		const BatchStatement *b = &batch[i];

		if (b->failure != NULL)
			continue;
		if (IsRead(b))
			StatementReadCapacity(out, &b->s, detail, CAPACITY_PLAIN,
								  ReadUnits(b->read.size, FieldConsistentRead(b->input)));
		else
			StatementWriteCapacity(out, &b->s, detail, CAPACITY_PLAIN,
								   b->written.old_item, b->written.new_item);
	}
	WriterEndList(out);
}

static const Member batch_statement_members[] = {
	REQUIRED("Statement", model_statement),
	MEMBER("Parameters", model_statement_parameters),
	MEMBER("ConsistentRead", model_boolean),
	MEMBER("ReturnValuesOnConditionCheckFailure", model_return_on_failure),
};
static const Shape batch_statement = STRUCTURE("BatchStatementRequest", batch_statement_members);
static const Shape batch_statements = {.kind = SHAPE_LIST, .min = 1, .max = 25,
.element = &batch_statement};

static const Member batch_execute_statement_members[] = {
	REQUIRED("Statements", batch_statements),
	MEMBER("ReturnConsumedCapacity", model_return_capacity),
};
static const Shape batch_execute_statement_input =
STRUCTURE("BatchExecuteStatementInput", batch_execute_statement_members);

static void
BatchExecuteStatementRequest(Request *request)
{
	const Field *list = FieldMember(request->input, "Statements");
	BatchStatement *batch = palloc0(list->count * sizeof(BatchStatement));

	for (int i = 0; i < list->count; i++)
	{
		batch[i].input = list->fields[i];
		batch[i].images = FieldCapacity(request->input) != CAPACITY_NONE;
	}
	RunAll(PrepareBatchStatement, batch, list->count);
	CheckKinds(batch, list->count);
	RunAll(MakeOperation, batch, list->count);
	CheckItemsOnce(batch, list->count);
	RunAll(ExecuteBatchStatement, batch, list->count);
	WriterName(request->out, "Responses");
	WriterBeginList(request->out);
	for (int i = 0; i < list->count; i++)
	{
		AnswerStatement(request->out, &batch[i]);
		if (batch[i].ran)		/* otherwise a rollback has closed the table */
			StatementClose(&batch[i].s);
	}
	WriterEndList(request->out);
	AnswerCapacity(request, batch, list->count);
}

OPERATION(BatchExecuteStatement, &batch_execute_statement_input, BatchExecuteStatementRequest);
