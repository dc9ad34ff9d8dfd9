/*
 * statement_execute.c
 *	  ExecuteStatement: one PartiQL statement.
 */
#include "postgres.h"

#include "errors.h"
#include "request/model.h"
#include "request/operation.h"
#include "request/statement.h"
#include "request/wording.h"

static void
AnswerWrite(Request *request, const PreparedStatement *s, const WriteResult *result)
{
	CapacityDetail detail = FieldCapacity(request->input);

	WriterName(request->out, "Items");
	WriterBeginList(request->out);
	if (result->attributes != NULL)
		WriterItem(request->out, result->attributes);
	WriterEndList(request->out);
	if (detail == CAPACITY_NONE)
		return;
	WriterName(request->out, "ConsumedCapacity");
	StatementWriteCapacity(request->out, s, detail, CAPACITY_PLAIN,
						   result->old_item, result->new_item);
}

static void
ExecuteWriteStatement(Request *request, const PreparedStatement *s)
{
	WriteOp		op;
	WriteResult result;

	if (s->bound.kind == STATEMENT_EXISTS)
		InvalidRequest(WORDING_EXISTS_ALONE);
	if (FieldMember(request->input, "NextToken") != NULL)
		InvalidRequest(WORDING_INVALID_TOKEN);
	(void) StatementWrite(s, FieldCapacity(request->input) != CAPACITY_NONE, &op, NULL);
	WriteItem(&op, &result);
	AnswerWrite(request, s, &result);
}

static const Shape next_token = {.kind = SHAPE_STRING, .min = 1, .max = 32768};
static const Member execute_statement_members[] = {
	REQUIRED("Statement", model_statement),
	MEMBER("Parameters", model_statement_parameters),
	MEMBER("ConsistentRead", model_boolean),
	MEMBER("NextToken", next_token),
	MEMBER("ReturnConsumedCapacity", model_return_capacity),
	MEMBER("Limit", model_positive_integer),
	MEMBER("ReturnValuesOnConditionCheckFailure", model_return_on_failure),
};
static const Shape execute_statement_input = STRUCTURE("ExecuteStatementInput", execute_statement_members);

static void
ExecuteStatementRequest(Request *request)
{
	PreparedStatement s;

	(void) StatementPrepare(&s, request->input, NULL);
	if (s.bound.kind == STATEMENT_INSERT)
		StatementNameTable(&s);
	else
		StatementOpen(&s);
	if (StatementReads(s.bound.kind))
		StatementRead(&s, request->out);
	else
		ExecuteWriteStatement(request, &s);
	StatementClose(&s);
}

OPERATION(ExecuteStatement, &execute_statement_input, ExecuteStatementRequest);
