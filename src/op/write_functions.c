/*
 * write_functions.c
 *	  dynamo.put_item, dynamo.update_item, dynamo.delete_item; and dynamo_system.write_on_shard,
 *	  which executes them for another node.
 */
#include "postgres.h"

#include "op/sql_args.h"

/* Reads the arguments from n on.  update: the third one is an update expression. */
static void
ReadArguments(FunctionCallInfo fcinfo, WriteOp *op, int n, bool update)
{
	bool		put = op->kind == WRITE_KIND_PUT;

	op->table_name = ArgTableName(fcinfo, n);
	op->item = ArgRequiredItem(fcinfo, n + 1, put ? "item" : "key", put ? &op->datum : NULL);
	n += 2;
	if (update)
		op->update = ArgExpr(fcinfo, n++);
	op->condition = ArgExpr(fcinfo, n);
	op->args = ArgExprArgs(fcinfo, n + 1, n + 2);
	op->return_values = ArgReturnValues(fcinfo, n + 3);
	op->return_old_on_failure = ArgReturnOldOnFailure(fcinfo, n + 4);
	op->charge_update = op->kind == WRITE_KIND_UPDATE;
}

static Datum
WriteAndReturn(FunctionCallInfo fcinfo, const WriteOp *op)
{
	WriteResult result;

	WriteItem(op, &result);
	if (result.attributes == NULL)
		PG_RETURN_NULL();
	PG_RETURN_POINTER(result.attributes);
}

static Datum
ExecuteWrite(FunctionCallInfo fcinfo, WriteKind kind)
{
	WriteOp		op = {kind, .call = fcinfo};

	ReadArguments(fcinfo, &op, 0, kind == WRITE_KIND_UPDATE);
	return WriteAndReturn(fcinfo, &op);
}

DYNAMO_FUNCTION(dynamo_put_item);

Datum
dynamo_put_item(PG_FUNCTION_ARGS)
{
	return ExecuteWrite(fcinfo, WRITE_KIND_PUT);
}

DYNAMO_FUNCTION(dynamo_delete_item);

Datum
dynamo_delete_item(PG_FUNCTION_ARGS)
{
	return ExecuteWrite(fcinfo, WRITE_KIND_DELETE);
}

DYNAMO_FUNCTION(dynamo_update_item);

Datum
dynamo_update_item(PG_FUNCTION_ARGS)
{
	return ExecuteWrite(fcinfo, WRITE_KIND_UPDATE);
}

/*
 * update_item(text, item, text, item): without it, PostgreSQL would only say that there is no
 * such function.
 */
DYNAMO_FUNCTION(dynamo_refuse_values);

Datum
dynamo_refuse_values(PG_FUNCTION_ARGS)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("condition_expression must be a text, not an item"),
			 errdetail("In dynamo.update_item, the values come after the condition expression."),
			 errhint("Name the parameter: expression_attribute_values => ...")));
	PG_RETURN_NULL();			/* keep compiler quiet */
}

/* Anybody may call it: it does what these functions do, but only on a shard of this server. */
DYNAMO_FUNCTION(dynamo_write_on_shard);

Datum
dynamo_write_on_shard(PG_FUNCTION_ARGS)
{
	WriteOp		op = {.of_node = true};

	if (PG_ARGISNULL(0) || PG_GETARG_INT32(0) < WRITE_KIND_PUT || PG_GETARG_INT32(0) > WRITE_KIND_DELETE)
		InvalidArgument("kind must be between %d and %d", WRITE_KIND_PUT, WRITE_KIND_DELETE);
	op.kind = (WriteKind) PG_GETARG_INT32(0);
	ReadArguments(fcinfo, &op, 1, true);
	op.update.given &= op.kind == WRITE_KIND_UPDATE;
	return WriteAndReturn(fcinfo, &op);
}
