/*
 * query_and_scan.c
 *	  Query and Scan as requests: one page of results at a time.
 */
#include "postgres.h"

#include "request/capacity.h"
#include "request/legacy.h"
#include "request/operation.h"
#include "request/params.h"

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
FieldReadOp(const Field *input, ReadOp *op)
{
	op->table_name = FieldTableName(input);
	op->index_name = FieldString(input, "IndexName");
	op->start = FieldStartKey(input);
	op->filter = FieldExpr(input, "FilterExpression");
	op->projection = FieldExpr(input, "ProjectionExpression");
	op->built_projection = LegacyProjection(input);
	op->select = ReadSelect(input);
	op->consistent = FieldConsistentRead(input);
	op->shard = -1;
	op->shard_value = MISSING_VALUE;
}

static void
ExecuteRead(Request *request, const ReadOp *op)
{
	Writer	   *out = request->out;
	ReadPageResult page;

	ReadPage(op, FieldInteger(request->input, "Limit", 0), &page);
	if (op->select != SELECT_COUNT)
	{
		WriterName(out, "Items");
		WriterBeginList(out);
		for (int i = 0; i < page.count; i++)
			WriterItem(out, page.items[i]);
		WriterEndList(out);
	}
	WriterIntegerMember(out, "Count", page.count);
	WriterIntegerMember(out, "ScannedCount", page.scanned_count);
	if (page.last_key != NULL)
		WriterItemMember(out, "LastEvaluatedKey", page.last_key);
	WriterPageCapacity(out, FieldCapacity(request->input), op, &page);
}

void
QueryRequest(Request *request)
{
	const Field *input = request->input;
	ReadOp		op = {0};

	CheckMixing(input, &query_params);
	FieldExprArgs(input, &query_params, &op.args);
	op.query = true;
	op.key_condition = FieldExpr(input, "KeyConditionExpression");
	op.built_filter = LegacyFilter(input, "QueryFilter");
	op.forward = FieldBool(input, "ScanIndexForward", true);
	FieldReadOp(input, &op);
	LegacyKeyConditions(input, &op);
	op.pause = request->pause;
	op.of_node = request->origin == REQUEST_OF_NODE;
	ExecuteRead(request, &op);
}

void
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
	FieldReadOp(input, &op);
	op.pause = request->pause;
	ExecuteRead(request, &op);
}
