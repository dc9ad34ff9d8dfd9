/*
 * write_functions.c
 *	  dynamo.put_item, dynamo.update_item, dynamo.delete_item.
 */
#include "postgres.h"

#include "op/sql_args.h"

static Datum
WriteAndReturn(FunctionCallInfo fcinfo, const WriteOp *op)
{
	WriteResult result;

	WriteItem(op, &result);
	if (result.attributes == NULL)
		PG_RETURN_NULL();
	PG_RETURN_POINTER(result.attributes);
}

DYNAMO_FUNCTION(dynamo_put_item);

Datum
dynamo_put_item(PG_FUNCTION_ARGS)
{
	WriteOp		op = {WRITE_KIND_PUT};

	op.table_name = ArgTableName(fcinfo, 0);
	op.item = ArgRequiredItem(fcinfo, 1, "item", &op.datum);
	op.condition = ArgExpr(fcinfo, 2);
	op.args = ArgExprArgs(fcinfo, 3, 4);
	op.return_values = ArgReturnValues(fcinfo, 5);
	op.return_old_on_failure = ArgReturnOldOnFailure(fcinfo, 6);
	return WriteAndReturn(fcinfo, &op);
}

DYNAMO_FUNCTION(dynamo_delete_item);

Datum
dynamo_delete_item(PG_FUNCTION_ARGS)
{
	WriteOp		op = {WRITE_KIND_DELETE};

	op.table_name = ArgTableName(fcinfo, 0);
	op.item = ArgRequiredItem(fcinfo, 1, "key", NULL);
	op.condition = ArgExpr(fcinfo, 2);
	op.args = ArgExprArgs(fcinfo, 3, 4);
	op.return_values = ArgReturnValues(fcinfo, 5);
	op.return_old_on_failure = ArgReturnOldOnFailure(fcinfo, 6);
	return WriteAndReturn(fcinfo, &op);
}

DYNAMO_FUNCTION(dynamo_update_item);

Datum
dynamo_update_item(PG_FUNCTION_ARGS)
{
	WriteOp		op = {WRITE_KIND_UPDATE};

	op.table_name = ArgTableName(fcinfo, 0);
	op.item = ArgRequiredItem(fcinfo, 1, "key", NULL);
	op.update = ArgExpr(fcinfo, 2);
	op.condition = ArgExpr(fcinfo, 3);
	op.args = ArgExprArgs(fcinfo, 4, 5);
	op.return_values = ArgReturnValues(fcinfo, 6);
	op.return_old_on_failure = ArgReturnOldOnFailure(fcinfo, 7);
	op.count_overhead = true;
	return WriteAndReturn(fcinfo, &op);
}
