/*
 * statement_transaction.c
 *	  ExecuteTransaction: an atomic transaction of reads or of writes.
 *
 * Statements become the gets of TransactGetItems or the actions of
 * TransactWriteItems.  What is wrong with a statement itself is an error of the
 * request that names its position; only what is wrong with it and the item that
 * it concerns cancels the transaction.
 */
#include "postgres.h"

#include "errors.h"
#include "request/model.h"
#include "request/operation.h"
#include "request/statement.h"
#include "request/token.h"
#include "request/transaction.h"
#include "request/wording.h"

/* A statement of a transaction. */
typedef struct TransactStatement
{
	const Field *input;
	bool		images;			/* capacity needs the items */
	PreparedStatement s;
	GetOp		get;			/* either get or write is used */
	WriteOp		write;
} TransactStatement;

typedef struct StatementList
{
	int			n;
	TransactStatement *list;
} StatementList;

/* ---- steps of one statement ---- */

/* A step of one statement; false if it notes a problem. */
typedef bool (*StatementStep) (TransactStatement *t, Problem *problem);

static bool
PrepareTransactStatement(TransactStatement *t, Problem *problem)
{
	if (!StatementPrepare(&t->s, t->input, problem))
		return false;
	return t->s.bound.returning == RETURNING_NOTHING || NoteInvalid(problem, WORDING_NO_RETURNING);
}

static bool
MakeGet(TransactStatement *t, Problem *problem)
{
	bool		by_parts;

	if (t->s.bound.index.data != NULL)
		return NoteInvalid(problem, WORDING_NO_INDEX_READS);
	return (StatementGet(&t->s, &t->get, &by_parts) && t->get.built_filter == NULL) ||
		NoteInvalid(problem, WORDING_TRANSACTION_SELECT);
}

static bool
MakeStatementWrite(TransactStatement *t, Problem *problem)
{
	return StatementWrite(&t->s, t->images, &t->write, problem);
}

/*
 * Runs a step of every statement; raises the error of the first invalid one.  The
 * service does not name the position of a parameter that is no valid value.
 */
static void
RunSteps(const StatementList *l, StatementStep step)
{
	for (int i = 0; i < l->n; i++)
	{
		Problem		problem = NO_PROBLEM;

		if (step(&l->list[i], &problem))
			continue;
		if (problem.sqlstate == ERRCODE_DYNAMO_VALIDATION && !l->list[i].s.bad_parameter)
			problem.message = psprintf(WORDING_TRANSACT_STATEMENT, i, ProblemMessage(&problem));
		ProblemRaise(&problem);
	}
}

/* ---- preparing all ---- */

/* Whether the statements read; all of them must read, or all must write. */
static bool
ListReads(const StatementList *l)
{
	bool		reads = StatementReads(l->list[0].s.bound.kind);

	for (int i = 1; i < l->n; i++)
	{
		if (StatementReads(l->list[i].s.bound.kind) != reads)
			InvalidRequest(WORDING_MIXED_TRANSACTION);
	}
	return reads;
}

/* Returns the size that counts: of the statement and of its parameters. */
static uint64
SizeOfStatement(const PreparedStatement *s)
{
	uint64		size = s->text.len;

	for (int i = 0; i < s->nparameters; i++)
		size += ValueSize(s->parameters[i]);
	return size;
}

static void
PrepareList(StatementList *l, const Field *input)
{
	const Field *statements = FieldMember(input, "TransactStatements");
	uint64		size = 0;

	l->n = statements->count;
	l->list = palloc0(l->n * sizeof(TransactStatement));
	for (int i = 0; i < l->n; i++)
	{
		l->list[i].input = statements->fields[i];
		l->list[i].images = FieldCapacity(input) != CAPACITY_NONE;
	}
	RunSteps(l, PrepareTransactStatement);
	for (int i = 0; i < l->n; i++)
		size += SizeOfStatement(&l->list[i].s);
	TransactionCheckSize(size);
}

static void
OpenStatementList(StatementList *l)
{
	for (int i = 0; i < l->n; i++)
		StatementOpen(&l->list[i].s);
}

static void
CloseStatementList(StatementList *l)
{
	for (int i = 0; i < l->n; i++)
		StatementClose(&l->list[i].s);
}

/* ---- reads ---- */

static void
AnswerReads(Request *request, const StatementList *l, const GetResult *results)
{
	CapacityDetail detail = FieldCapacity(request->input);
	Writer	   *out = request->out;

	TransactionAnswerReads(out, results, l->n);
	if (detail == CAPACITY_NONE)
		return;
	WriterName(out, "ConsumedCapacity");
	WriterBeginList(out);
	for (int i = 0; i < l->n; i++)
		StatementReadCapacity(out, &l->list[i].s, detail, CAPACITY_TRANSACT_READ,
							  ReadUnits(results[i].size, true));
	WriterEndList(out);
}

static void
ExecuteReads(Request *request, StatementList *l)
{
	GetOp	   *gets = palloc(l->n * sizeof(GetOp));
	GetResult  *results = palloc0(l->n * sizeof(GetResult));

	RunSteps(l, MakeGet);
	for (int i = 0; i < l->n; i++)
		gets[i] = l->list[i].get;
	TransactionRead(gets, l->n, results);
	AnswerReads(request, l, results);
}

/* ---- writes ---- */

static bytea *
DigestOfList(const StatementList *l)
{
	Digest		digest;

	DigestBegin(&digest);
	for (int i = 0; i < l->n; i++)
	{
		DigestStatement(&digest, &l->list[i].s);
		DigestBytes(&digest, l->list[i].write.return_old_on_failure ? "1" : "0", 1);
	}
	return DigestEnd(&digest);
}

/*
 * Writes the response.  written is NULL if the transaction was executed
 * before.
 */
static void
AnswerWrites(Request *request, const StatementList *l, const WriteResult *written)
{
	CapacityDetail detail = FieldCapacity(request->input);
	Writer	   *out = request->out;

	WriterName(out, "Responses");
	WriterBeginList(out);
	WriterEndList(out);
	if (detail == CAPACITY_NONE)
		return;
	WriterName(out, "ConsumedCapacity");
	WriterBeginList(out);
	for (int i = 0; i < l->n; i++)
	{
		const TransactStatement *t = &l->list[i];

		if (written != NULL)
			StatementWriteCapacity(out, &t->s, detail, CAPACITY_TRANSACT_WRITE,
								   written[i].old_item, written[i].new_item);
		else
			StatementReadCapacity(out, &t->s, detail, CAPACITY_TRANSACT_READ,
								  TransactionLookUnits(t->s.def, &t->write));
	}
	WriterEndList(out);
}

/* Whether the transaction was executed with this token before. */
static bool
StatementsWereExecuted(const StatementList *l, const Field *token)
{
	Oid		   *tables = palloc(l->n * sizeof(Oid));

	for (int i = 0; i < l->n; i++)
		tables[i] = l->list[i].s.def->relid;
	return !TokenTake(token->string, DigestOfList(l), tables, l->n);
}

static void
ExecuteWrites(Request *request, StatementList *l)
{
	const Field *token = FieldMember(request->input, "ClientRequestToken");
	Transaction t = {.n = l->n};

	RunSteps(l, MakeStatementWrite);
	if (token != NULL && StatementsWereExecuted(l, token))
	{
		AnswerWrites(request, l, NULL);
		return;
	}
	t.actions = palloc(l->n * sizeof(WriteOp));
	for (int i = 0; i < l->n; i++)
		t.actions[i] = l->list[i].write;
	t.write = TransactWriteBegin(t.actions, t.n);
	for (int i = 0; i < l->n; i++)
		TransactWriteBind(t.write, i);
	TransactionExecute(request, &t);
	AnswerWrites(request, l, t.result.writes);
}

static const Member transact_statement_members[] = {
	REQUIRED("Statement", model_statement),
	MEMBER("Parameters", model_statement_parameters),
	MEMBER("ReturnValuesOnConditionCheckFailure", model_return_on_failure),
};
static const Shape transact_statement = STRUCTURE("ParameterizedStatement", transact_statement_members);
static const Shape transact_statements = {.kind = SHAPE_LIST, .min = 1, .max = 100,
.element = &transact_statement};

static const Member execute_transaction_members[] = {
	REQUIRED("TransactStatements", transact_statements),
	MEMBER("ClientRequestToken", model_request_token),
	MEMBER("ReturnConsumedCapacity", model_return_capacity),
};
static const Shape execute_transaction_input = STRUCTURE("ExecuteTransactionInput", execute_transaction_members);

static void
ExecuteTransactionRequest(Request *request)
{
	StatementList l;
	bool		reads;

	PrepareList(&l, request->input);
	reads = ListReads(&l);
	OpenStatementList(&l);
	if (reads)
		ExecuteReads(request, &l);
	else
		ExecuteWrites(request, &l);
	CloseStatementList(&l);
}

OPERATION(ExecuteTransaction, &execute_transaction_input, ExecuteTransactionRequest, .on_coordinator = true);
