/*
 * get.c
 *	  GetItem, and dynamo.get_item.
 */
#include "postgres.h"

#include "op/bind.h"
#include "op/sql_args.h"

void
GetItem(const GetOp *op, GetResult *result)
{
	ExprBindings *b;
	Projection *projection = NULL;
	Store		store;
	RowKey		key;
	struct varlena *item;

	b = OpBindings(&op->args, op->projection.given, false, NULL);
	if (b != NULL)
	{
		projection = ProjectionBind(OpParse(EXPR_PROJECTION, &op->projection), b);
		ExprBindingsCheckUnused(b);
	}

	StoreOpen(&store, op->table_name, ACL_SELECT);
	CheckKeyParameter(store.def, op->key);
	if (projection != NULL)
		ProjectionVisitPaths(projection, KeyPathVisitor, store.def);
	RowKeyFromItem(store.def, op->key, &key);
	item = StoreGet(&store, &key);
	StoreClose(&store);

	result->size = op->sizes && item != NULL ? ItemSize(ItemRoot(item)) : 0;
	if (item != NULL && projection != NULL)
		item = ProjectionApply(projection, ItemRoot(item));
	result->item = item;
}

DYNAMO_FUNCTION(dynamo_get_item);

Datum
dynamo_get_item(PG_FUNCTION_ARGS)
{
	GetOp		op = {0};
	GetResult	result;

	op.table_name = ArgTableName(fcinfo, 0);
	op.key = ArgRequiredItem(fcinfo, 1, "key", NULL);
	op.projection = ArgExpr(fcinfo, 2);
	op.args = ArgExprArgs(fcinfo, -1, 3);
	GetItem(&op, &result);
	if (result.item == NULL)
		PG_RETURN_NULL();
	PG_RETURN_POINTER(result.item);
}
