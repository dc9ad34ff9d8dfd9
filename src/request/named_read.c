/*
 * named_read.c
 *	  Reads of requests that name an access pattern in place of an index.
 *
 * The pattern becomes the request that it is in DynamoDB, of which the parts that say what
 * is read are taken from here, as if a client had sent them.
 */
#include "postgres.h"

#include "access/table.h"

#include "errors.h"
#include "request/model.h"
#include "request/named_read.h"
#include "request/params.h"
#include "store/store.h"
#include "table/table_name.h"

/* What such a request has of the members of Query. */
static const Member named_members[] = {
	MEMBER("IndexName", model_string),
	MEMBER("TableName", model_string),
	MEMBER("Limit", model_positive_integer),
	MEMBER("ScanIndexForward", model_boolean),
	MEMBER("ProjectionExpression", model_string),
	MEMBER("FilterExpression", model_string),
	MEMBER("KeyConditionExpression", model_string),
	MEMBER("ExpressionAttributeNames", model_name_map),
	MEMBER("ExpressionAttributeValues", model_value_map),
};
static const Shape named_input = STRUCTURE("QueryInput", named_members);

void
NamedReadBegin(NamedRead *read, const char *table_name, Slice name)
{
	memset(read, 0, sizeof(*read));
	read->table = TableNameOpen(table_name, AccessShareLock, false);
	read->query = NamedQueryFind(read->table, name);
	read->op.table_name = table_name;
	read->op.query = true;
	read->op.args.values = MISSING_VALUE;
	read->op.start = MISSING_VALUE;
	read->op.shard = -1;
	read->op.shard_value = MISSING_VALUE;
}

void
NamedReadPlan(NamedRead *read, ValueRef parameters)
{
	List	   *requests = NamedQueryMake(read->query, read->table, parameters);
	const Field *made = NULL;
	ReadOp	   *op = &read->op;
	ListCell   *cell;

	read->values = palloc(sizeof(ValueRef) * Max(list_length(requests), 1));
	foreach(cell, requests)
	{
		const char *json = lfirst(cell);

		made = RequestRead(&named_input, json, strlen(json), VALUE_WORDS_OLD);
		FieldExprArgs(made, &query_params, &op->args);
		read->values[read->n++] = op->args.values;
	}
	if (made == NULL)
		return;
	op->index_name = FieldString(made, "IndexName");
	op->key_condition = FieldExpr(made, "KeyConditionExpression");
	op->filter = FieldExpr(made, "FilterExpression");
	op->projection = FieldExpr(made, "ProjectionExpression");
	op->forward = FieldBool(made, "ScanIndexForward", true);
	read->limit = FieldInteger(made, "Limit", 0);
}

void
NamedReadSetPage(NamedRead *read, int64 limit, const bool *forward)
{
	if (read->limit > 0 && limit > read->limit)
		InvalidParameter("Limit: the access pattern has at most " INT64_FORMAT " items", read->limit);
	if (read->limit > 0 && forward != NULL && *forward != read->op.forward)
		InvalidParameter("ScanIndexForward: the access pattern has the first items of its own order");
	if (limit > 0)
		read->limit = limit;
	if (forward != NULL)
		read->op.forward = *forward;
}

/* Who may not read the table learns nothing, not even that there is nothing. */
static void
AnswerNothing(const NamedRead *read, ReadPageResult *page)
{
	Store		store;

	StoreOpen(&store, read->op.table_name, ACL_SELECT);
	StoreClose(&store);
	memset(page, 0, sizeof(*page));
}

void
NamedReadPage(NamedRead *read, ReadPageResult *page)
{
	if (read->n == 0)
		AnswerNothing(read, page);
	else if (read->n > 1)
		ReadEachPage(&read->op, read->values, read->n, read->limit, page);
	else
		ReadPage(&read->op, read->limit, page);
}

void
NamedReadEnd(NamedRead *read)
{
	table_close(read->table, NoLock);
}
