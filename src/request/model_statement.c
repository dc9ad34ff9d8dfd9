/*
 * model_statement.c
 *	  Inputs of the operations that take PartiQL statements.
 */
#include "postgres.h"

#include "partiql/partiql.h"
#include "request/model.h"

static const Shape statement = {.kind = SHAPE_STRING, .min = 1, .max = STATEMENT_MAX_SIZE};
static const Shape parameters = {.kind = SHAPE_LIST, .min = 1, .element = &model_value};
static const Shape next_token = {.kind = SHAPE_STRING, .min = 1, .max = 32768};
static const Shape request_token = {.kind = SHAPE_STRING, .min = 1, .max = 36};

static const Member execute_statement_members[] = {
	REQUIRED("Statement", statement),
	MEMBER("Parameters", parameters),
	MEMBER("ConsistentRead", model_boolean),
	MEMBER("NextToken", next_token),
	MEMBER("ReturnConsumedCapacity", model_return_capacity),
	MEMBER("Limit", model_positive_integer),
	MEMBER("ReturnValuesOnConditionCheckFailure", model_return_on_failure),
};
const Shape model_execute_statement = STRUCTURE("ExecuteStatementInput", execute_statement_members);

static const Member batch_statement_members[] = {
	REQUIRED("Statement", statement),
	MEMBER("Parameters", parameters),
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
const Shape model_batch_execute_statement =
STRUCTURE("BatchExecuteStatementInput", batch_execute_statement_members);

static const Member transact_statement_members[] = {
	REQUIRED("Statement", statement),
	MEMBER("Parameters", parameters),
	MEMBER("ReturnValuesOnConditionCheckFailure", model_return_on_failure),
};
static const Shape transact_statement = STRUCTURE("ParameterizedStatement", transact_statement_members);
static const Shape transact_statements = {.kind = SHAPE_LIST, .min = 1, .max = 100,
.element = &transact_statement};

static const Member execute_transaction_members[] = {
	REQUIRED("TransactStatements", transact_statements),
	MEMBER("ClientRequestToken", request_token),
	MEMBER("ReturnConsumedCapacity", model_return_capacity),
};
const Shape model_execute_transaction = STRUCTURE("ExecuteTransactionInput", execute_transaction_members);
