/*
 * query_and_scan.c
 *	  Query and Scan as requests: one page of results at a time.
 */
#include "postgres.h"

#include "errors.h"
#include "item/builder.h"
#include "request/capacity.h"
#include "request/legacy.h"
#include "request/model.h"
#include "request/model_read.h"
#include "request/named_read.h"
#include "request/operation.h"
#include "request/params.h"

static const char *const select_values[] = {
	"SPECIFIC_ATTRIBUTES", "COUNT", "ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES", NULL
};
static const Shape select_value = ENUM(select_values);

static const Member condition_members[] = {
	REQUIRED("ComparisonOperator", model_comparison_operator),
	MEMBER("AttributeValueList", model_values),
};
static const Shape condition_shape = STRUCTURE("Condition", condition_members);
static const Shape conditions = {.kind = SHAPE_MAP, .key = &model_attribute_name, .element = &condition_shape};

static SelectKind
ReadSelect(const Field *input)
{
	Slice		text = FieldSlice(input, "Select");
	SelectKind	kind = SELECT_DEFAULT;

	(void) SelectKindFromText(text, &kind);
	return kind;
}

/* Prepares the parameters that Query and Scan share. */
static void
FieldReadOp(const Request *request, ReadOp *op)
{
	const Field *input = request->input;

	op->table_name = FieldTableName(input);
	op->index_name = FieldString(input, "IndexName");
	op->start = FieldStartKey(input, OperationWords(request->operation));
	op->filter = FieldExpr(input, "FilterExpression");
	op->projection = FieldExpr(input, "ProjectionExpression");
	op->built_projection = LegacyProjection(input);
	op->select = ReadSelect(input);
	op->consistent = FieldConsistentRead(input);
	op->shard = -1;
	op->shard_value = MISSING_VALUE;
}

static void
AnswerPage(Request *request, const ReadOp *op, const ReadPageResult *page)
{
	Writer	   *out = request->out;

	if (op->select != SELECT_COUNT)
	{
		WriterName(out, "Items");
		WriterBeginList(out);
		for (int i = 0; i < page->count; i++)
			WriterItem(out, page->items[i]);
		WriterEndList(out);
	}
	WriterIntegerMember(out, "Count", page->count);
	WriterIntegerMember(out, "ScannedCount", page->scanned_count);
	if (page->last_key != NULL)
		WriterItemMember(out, "LastEvaluatedKey", page->last_key);
	WriterPageCapacity(out, FieldCapacity(request->input), op, page);
}

static void
ExecuteRead(Request *request, const ReadOp *op)
{
	ReadPageResult page;

	ReadPage(op, FieldInteger(request->input, "Limit", 0), &page);
	AnswerPage(request, op, &page);
}

/* ---- Query by an access pattern ---- */

/* Refuses members that say what the pattern says itself. */
static void
RefuseExpressions(const Field *input)
{
	static const char *const members[] = {
		"KeyConditionExpression", "FilterExpression", "ProjectionExpression", "ExpressionAttributeNames",
		"KeyConditions", "QueryFilter", "AttributesToGet", "ConditionalOperator"
	};

	for (int i = 0; i < (int) lengthof(members); i++)
	{
		if (FieldMember(input, members[i]) != NULL)
			InvalidParameter("%s cannot be used with an access pattern, which has its own", members[i]);
	}
}

/* The values by the names of parameters, without the colons of :placeholders. */
static ValueRef
ParametersOf(const Field *input)
{
	const Field *values = FieldMember(input, "ExpressionAttributeValues");
	ItemBuilder *b = ItemBuilderCreate(0, DUPLICATE_NAME_ERROR);
	Container	given = {0};

	if (values != NULL)
		ContainerOpen(ItemRoot(FieldItem(values)), &given);
	ItemBuilderBeginMap(b);
	for (uint32 i = 0; i < given.count; i++)
	{
		Slice		name;
		ValueRef	v = MapEntry(&given, i, &name);

		/* the model has checked that the name begins with a colon */
		ItemBuilderName(b, name.data + 1, name.len - 1);
		ItemBuilderValue(b, v);
	}
	ItemBuilderEnd(b);
	return ItemRoot(ItemBuilderFinish(b));
}

static void
QueryNamed(Request *request, Slice name)
{
	const Field *input = request->input;
	const Field *forward = FieldMember(input, "ScanIndexForward");
	NamedRead	read;
	ReadPageResult page;

	RefuseExpressions(input);
	NamedReadBegin(&read, FieldTableName(input), name);
	NamedReadPlan(&read, ParametersOf(input));
	NamedReadSetPage(&read, FieldInteger(input, "Limit", 0), forward != NULL ? &forward->boolean : NULL);
	read.op.start = FieldStartKey(input, OperationWords(request->operation));
	read.op.select = ReadSelect(input);
	read.op.consistent = FieldConsistentRead(input);
	read.op.pause = request->pause;
	NamedReadPage(&read, &page);
	AnswerPage(request, &read.op, &page);
	NamedReadEnd(&read);
}

/* ---- Query ---- */

static const Shape query_operator = {.kind = SHAPE_STRING, .values = model_conditional_operators,
.words = {.values = WORDING_QUERY_CONDITIONAL}};
static const Shape query_limit = {.kind = SHAPE_INTEGER, .min = 1, .words = {.min = WORDING_QUERY_LIMIT}};
static const Member query_members[] = {
	MEMBER("Select", select_value),
	MEMBER("IndexName", model_queried_name),
	MEMBER("ReturnConsumedCapacity", model_return_capacity),
	MEMBER("QueryFilter", conditions),
	REQUIRED("TableName", model_table_name),
	{"ConditionalOperator", &query_operator, false, HIDES_ALWAYS},
	MEMBER("AttributesToGet", model_attribute_names),
	MEMBER("Limit", query_limit),
	MEMBER("KeyConditions", conditions),
	MEMBER("ExclusiveStartKey", model_item),
	MEMBER("ConsistentRead", model_boolean),
	MEMBER("ScanIndexForward", model_boolean),
	MEMBER("ProjectionExpression", model_string),
	MEMBER("FilterExpression", model_string),
	MEMBER("KeyConditionExpression", model_string),
	MEMBER("ExpressionAttributeNames", model_name_map),
	MEMBER("ExpressionAttributeValues", model_value_map),
};
static const Shape query_input = STRUCTURE("QueryInput", query_members);

static void
QueryRequest(Request *request)
{
	const Field *input = request->input;
	Slice		name = NamedQueryName(FieldSlice(input, "IndexName"));
	ReadOp		op = {0};

	if (name.data != NULL)
	{
		QueryNamed(request, name);
		return;
	}
	if (NamesChecksum(FieldSlice(input, "IndexName")))
	{
		QueryChecksum(request);
		return;
	}
	CheckMixing(input, &query_params);
	FieldExprArgs(input, &query_params, &op.args);
	op.query = true;
	op.key_condition = FieldExpr(input, "KeyConditionExpression");
	op.built_filter = LegacyFilter(input, "QueryFilter");
	op.forward = FieldBool(input, "ScanIndexForward", true);
	FieldReadOp(request, &op);
	LegacyKeyConditions(input, &op);
	op.pause = request->pause;
	op.of_node = request->origin == REQUEST_OF_NODE;
	ExecuteRead(request, &op);
}

OPERATION(Query, &query_input, QueryRequest, .condition = "KeyConditionExpression", .new_values = true);

/* ---- Scan ---- */

static const Shape segment = {.kind = SHAPE_INTEGER, .not_negative = true, .max = 999999,
.words = {.min = WORDING_SCAN_SEGMENT}};
static const Shape scan_limit = {.kind = SHAPE_INTEGER, .min = 1, .words = {.min = WORDING_SCAN_LIMIT}};
static const Shape total_segments = {.kind = SHAPE_INTEGER, .min = 1, .max = 1000000};
static const Member scan_members[] = {
	MEMBER("Select", select_value),
	MEMBER("IndexName", model_new_name),
	MEMBER("TotalSegments", total_segments),
	MEMBER("ReturnConsumedCapacity", model_return_capacity),
	REQUIRED("TableName", model_table_name),
	MEMBER("ConditionalOperator", model_conditional_operator),
	MEMBER("ScanFilter", conditions),
	MEMBER("Segment", segment),
	MEMBER("Limit", scan_limit),
	MEMBER("AttributesToGet", model_attribute_names),
	MEMBER("ExclusiveStartKey", model_item),
	MEMBER("ConsistentRead", model_boolean),
	MEMBER("ProjectionExpression", model_string),
	MEMBER("FilterExpression", model_string),
	MEMBER("ExpressionAttributeNames", model_name_map),
	MEMBER("ExpressionAttributeValues", model_value_map),
};
static const Shape scan_input = STRUCTURE("ScanInput", scan_members);

static void
ScanRequest(Request *request)
{
	const Field *input = request->input;
	ReadOp		op = {0};

	CheckMixing(input, &scan_params);
	FieldExprArgs(input, &scan_params, &op.args);
	op.built_filter = LegacyFilter(input, "ScanFilter");
	op.forward = true;
	op.segment_given = FieldMember(input, "Segment") != NULL;
	op.segment = FieldInteger(input, "Segment", 0);
	op.total_segments_given = FieldMember(input, "TotalSegments") != NULL;
	op.total_segments = FieldInteger(input, "TotalSegments", 0);
	FieldReadOp(request, &op);
	op.pause = request->pause;
	ExecuteRead(request, &op);
}

OPERATION(Scan, &scan_input, ScanRequest);
