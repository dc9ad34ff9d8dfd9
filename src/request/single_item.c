/*
 * single_item.c
 *	  GetItem, PutItem, UpdateItem and DeleteItem as requests.
 */
#include "postgres.h"

#include "op/write.h"
#include "request/capacity.h"
#include "request/legacy.h"
#include "request/operation.h"
#include "request/params.h"

/* ---- GetItem ---- */

void
GetItemRequest(Request *request)
{
	const Field *input = request->input;
	CapacityDetail detail = FieldCapacity(input);
	GetOp		op = {0};
	GetResult	result;
	bool		consistent;

	CheckMixing(input, &get_params);
	consistent = FieldConsistentRead(input);
	FieldExprArgs(input, &get_params, &op.args);
	op.table_name = FieldTableName(input);
	op.key = FieldItemRef(input, "Key");
	op.built_projection = LegacyProjection(input);
	op.projection = FieldExpr(input, "ProjectionExpression");
	op.consistent = consistent;
	op.sizes = detail != CAPACITY_NONE;
	op.of_node = request->origin == REQUEST_OF_NODE;
	(void) GetItem(&op, &result, NULL);

	if (result.item != NULL)
		WriterItemMember(request->out, "Item", result.item);
	if (detail != CAPACITY_NONE)
	{
		Capacity	c;

		CapacityBegin(&c, op.table_name);
		CapacityAddRead(&c, NULL, ReadUnits(result.size, consistent));
		WriterName(request->out, "ConsumedCapacity");
		WriterCapacity(request->out, &c, detail, CAPACITY_PLAIN);
		CapacityEnd(&c);
	}
}

/* ---- writes ---- */

/* Writes the capacity of a write and the size of the item's collection. */
static void
AnswerMetrics(Request *request, const WriteOp *op, const WriteResult *result)
{
	const Field *input = request->input;
	CapacityDetail detail = FieldCapacity(input);
	bool		metrics = FieldIs(input, "ReturnItemCollectionMetrics", "SIZE");
	Capacity	c;

	if (detail == CAPACITY_NONE && !metrics)
		return;
	CapacityBegin(&c, op->table_name);
	if (detail != CAPACITY_NONE)
	{
		CapacityAddWrite(&c, result->old_item, result->new_item);
		WriterName(request->out, "ConsumedCapacity");
		WriterCapacity(request->out, &c, detail, CAPACITY_PLAIN);
	}
	if (metrics && c.def->has_local)
	{
		WriterName(request->out, "ItemCollectionMetrics");
		WriterCollection(request->out, c.def, op->item);
	}
	CapacityEnd(&c);
}

/*
 * Reads the parameters that the three writes share; item is the name of the
 * member with the item or key.
 */
static void
ExecuteWrite(Request *request, WriteKind kind, const char *item, const ParamRules *rules)
{
	const Field *input = request->input;
	WriteOp		op = {0};
	WriteResult result;

	CheckMixing(input, rules);
	FieldExprArgs(input, rules, &op.args);
	op.kind = kind;
	op.table_name = FieldTableName(input);
	op.datum = FieldItem(FieldMember(input, item));
	op.item = ItemRoot(op.datum);
	op.condition = FieldExpr(input, "ConditionExpression");
	if (kind == WRITE_KIND_UPDATE)
	{
		op.update = FieldExpr(input, "UpdateExpression");
		op.built_update = LegacyUpdates(input);
		op.charge_update = op.built_update == NULL;
	}
	op.return_values = FieldReturnValues(input);
	op.return_old_on_failure =
		FieldIs(input, "ReturnValuesOnConditionCheckFailure", "ALL_OLD");
	op.images = FieldCapacity(input) != CAPACITY_NONE;
	op.of_node = request->origin == REQUEST_OF_NODE;
	/* these errors have precedence over those below */
	if (FieldMember(input, "Expected") != NULL ||
		FieldMember(input, "ConditionalOperator") != NULL)
		WriteCheckRequest(&op);
	op.built_condition = LegacyExpected(input);
	WriteItem(&op, &result);

	if (result.attributes != NULL)
		WriterItemMember(request->out, "Attributes", result.attributes);
	AnswerMetrics(request, &op, &result);
}

void
PutItemRequest(Request *request)
{
	ExecuteWrite(request, WRITE_KIND_PUT, "Item", &put_params);
}

void
UpdateItemRequest(Request *request)
{
	ExecuteWrite(request, WRITE_KIND_UPDATE, "Key", &update_params);
}

void
DeleteItemRequest(Request *request)
{
	ExecuteWrite(request, WRITE_KIND_DELETE, "Key", &delete_params);
}
