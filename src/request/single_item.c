/*
 * single_item.c
 *	  GetItem, PutItem, UpdateItem and DeleteItem as requests.
 */
#include "postgres.h"

#include "op/write.h"
#include "request/capacity.h"
#include "request/frame.h"
#include "request/legacy.h"
#include "request/model.h"
#include "request/operation.h"
#include "request/params.h"

/* ---- GetItem ---- */

static const Member get_item_members[] = {
	MEMBER("ReturnConsumedCapacity", model_return_capacity),
	MEMBER("AttributesToGet", model_attribute_names),
	REQUIRED("TableName", model_table_name),
	REQUIRED("Key", model_item),
	MEMBER("ConsistentRead", model_boolean),
	MEMBER("ProjectionExpression", model_string),
	MEMBER("ExpressionAttributeNames", model_name_map),
};
static const Shape get_item_input = STRUCTURE("GetItemInput", get_item_members);

static void
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

OPERATION(GetItem, &get_item_input, GetItemRequest, .item = "Key", .new_values = true);

/* ---- writes ---- */

static const char *const return_values[] = {
	"ALL_NEW", "UPDATED_OLD", "ALL_OLD", "NONE", "UPDATED_NEW", NULL
};
static const Shape return_value = {.kind = SHAPE_STRING, .values = return_values,
.words = {.values = WORDING_RETURN_VALUES}};
static const Shape write_operator = {.kind = SHAPE_STRING, .values = model_conditional_operators,
.words = {.values = WORDING_CONDITIONAL}};
static const Shape written_table = MODEL_TABLE_NAME(.min = WORDING_WRITTEN_TABLE);

static const Member expected_members[] = {
	MEMBER("Value", model_value),
	MEMBER("Exists", model_boolean),
	MEMBER("ComparisonOperator", model_comparison_operator),
	MEMBER("AttributeValueList", model_values),
};
static const Shape expected_value = STRUCTURE("ExpectedAttributeValue", expected_members);
static const Shape expected = {.kind = SHAPE_MAP, .key = &model_attribute_name, .element = &expected_value};

/* in writes, an empty name hides other violations */
#define WRITTEN_TABLE	{"TableName", &written_table, true, HIDES_IF_EMPTY}

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
		WriterCollection(request->out, c.def, CollectionKey(c.def, op, result));
	}
	CapacityEnd(&c);
}

/*
 * Reads the item or key.  A value that is nested very deeply matters less than the
 * return values.
 */
static void
ReadWritten(const Field *field, WriteOp *op)
{
	if (unlikely(field->problem != NULL && field->problem->very_deep))
		WriteCheckReturn(op);
	op->datum = FieldItem(field);
	op->item = ItemRoot(op->datum);
}

/*
 * Reads the parameters that the three writes share; item is the name of the
 * member with the item or key.
 */
static void
ReadWriteOp(const Request *request, const char *item, const ParamRules *rules, WriteOp *op)
{
	const Field *input = request->input;

	CheckMixing(input, rules);
	FieldExprArgs(input, rules, &op->args);
	op->table_name = FieldTableName(input);
	op->return_values = FieldReturnValues(input);
	ReadWritten(FieldMember(input, item), op);
	op->condition = FieldExpr(input, "ConditionExpression");
	if (op->kind == WRITE_KIND_UPDATE)
	{
		op->update = FieldExpr(input, "UpdateExpression");
		op->built_update = LegacyUpdates(input);
		op->charge_update = op->built_update == NULL && WordingIsCurrent();
	}
	op->return_old_on_failure =
		FieldIs(input, "ReturnValuesOnConditionCheckFailure", "ALL_OLD");
	op->images = MetricsNeedItems(input);
	op->of_node = request->origin == REQUEST_OF_NODE;
	WriteCheckReturn(op);
}

/* Executes a write.  Errors that need no table have a frame, except that of an item's size. */
static void
ExecuteWriteRequest(Request *request, WriteKind kind, const char *item, const ParamRules *rules)
{
	const Field *input = request->input;
	WriteOp		op = {.kind = kind};
	PreparedWrite prepared;
	WriteResult result;
	ErrorFrame	frame;

	FrameBegin(&frame, input);
	ReadWriteOp(request, item, rules, &op);
	FrameEnd(&frame);
	if (kind == WRITE_KIND_PUT)
		CheckItemSize(op.item);
	FrameBegin(&frame, input);
	op.built_condition = LegacyExpected(input);
	WriteBind(&prepared, &op);
	FrameEnd(&frame);
	WriteBound(&prepared, &result);

	if (result.attributes != NULL)
		WriterItemMember(request->out, "Attributes", result.attributes);
	AnswerMetrics(request, &op, &result);
}

/* first: the member that is checked first in the current wording */
#define WRITE_INPUT(title, list, first) \
	{.kind = SHAPE_STRUCTURE, .name = title, .nmembers = lengthof(list), .members = list, \
	 .current_first = first, .partly_classic = true}

/*
 * the order of returnValues and returnConsumedCapacity was captured from the
 * service
 */
static const Member put_item_members[] = {
	MEMBER("ReturnValues", return_value),
	MEMBER("ReturnConsumedCapacity", model_return_capacity),
	WRITTEN_TABLE,
	REQUIRED("Item", model_item),
	MEMBER("ConditionalOperator", write_operator),
	MEMBER("Expected", expected),
	MEMBER("ReturnItemCollectionMetrics", model_return_metrics),
	MEMBER("ReturnValuesOnConditionCheckFailure", model_return_on_failure),
	MEMBER("ConditionExpression", model_string),
	MEMBER("ExpressionAttributeNames", model_name_map),
	MEMBER("ExpressionAttributeValues", model_value_map),
};
static const Shape put_item_input = WRITE_INPUT("PutItemInput", put_item_members, "ReturnConsumedCapacity");

static void
PutItemRequest(Request *request)
{
	ExecuteWriteRequest(request, WRITE_KIND_PUT, "Item", &put_params);
}

OPERATION(PutItem, &put_item_input, PutItemRequest, .item = "Item", .new_values = true);

static const char *const update_actions[] = {"ADD", "DELETE", "PUT", NULL};
static const Shape update_action = ENUM(update_actions);
static const Member update_members[] = {
	MEMBER("Action", update_action),
	MEMBER("Value", model_value),
};
static const Shape attribute_update = STRUCTURE("AttributeValueUpdate", update_members);
static const Shape attribute_updates = {.kind = SHAPE_MAP, .key = &model_attribute_name, .element = &attribute_update};

static const Member update_item_members[] = {
	MEMBER("ReturnConsumedCapacity", model_return_capacity),
	MEMBER("ConditionalOperator", write_operator),
	WRITTEN_TABLE,
	MEMBER("ReturnItemCollectionMetrics", model_return_metrics),
	{"ReturnValues", &return_value, false, HIDES_ALWAYS},
	REQUIRED("Key", model_item),
	MEMBER("Expected", expected),
	MEMBER("AttributeUpdates", attribute_updates),
	MEMBER("ReturnValuesOnConditionCheckFailure", model_return_on_failure),
	MEMBER("UpdateExpression", model_string),
	MEMBER("ConditionExpression", model_string),
	MEMBER("ExpressionAttributeNames", model_name_map),
	MEMBER("ExpressionAttributeValues", model_value_map),
};
static const Shape update_item_input = WRITE_INPUT("UpdateItemInput", update_item_members, NULL);

static void
UpdateItemRequest(Request *request)
{
	ExecuteWriteRequest(request, WRITE_KIND_UPDATE, "Key", &update_params);
}

OPERATION(UpdateItem, &update_item_input, UpdateItemRequest, .item = "Key", .new_values = true);

static const Member delete_item_members[] = {
	MEMBER("ReturnValues", return_value),
	MEMBER("ReturnConsumedCapacity", model_return_capacity),
	WRITTEN_TABLE,
	MEMBER("ReturnItemCollectionMetrics", model_return_metrics),
	REQUIRED("Key", model_item),
	MEMBER("ConditionalOperator", write_operator),
	MEMBER("Expected", expected),
	MEMBER("ReturnValuesOnConditionCheckFailure", model_return_on_failure),
	MEMBER("ConditionExpression", model_string),
	MEMBER("ExpressionAttributeNames", model_name_map),
	MEMBER("ExpressionAttributeValues", model_value_map),
};
static const Shape delete_item_input = WRITE_INPUT("DeleteItemInput", delete_item_members, "ReturnConsumedCapacity");

static void
DeleteItemRequest(Request *request)
{
	ExecuteWriteRequest(request, WRITE_KIND_DELETE, "Key", &delete_params);
}

OPERATION(DeleteItem, &delete_item_input, DeleteItemRequest, .item = "Key", .new_values = true);
