/*
 * archive_filter.c
 *	  The items of an export with a filter.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "archive/archive_filter.h"
#include "item/json.h"
#include "table/table_name.h"

static void
ReadExprNames(JsonReader *r, ExprArgs *args)
{
	int			allocated = 8;
	Slice		name;

	args->names_given = true;
	args->names = palloc(allocated * sizeof(NamePair));
	JsonBeginObject(r);
	while (JsonNextMember(r, &name))
	{
		if (args->nnames == allocated)
			args->names = repalloc(args->names, (allocated *= 2) * sizeof(NamePair));
		args->names[args->nnames].placeholder = name;
		args->names[args->nnames++].name = JsonString(r);
	}
}

bool
ReadExprMember(JsonReader *r, Slice name, ExprArgs *args)
{
	ItemBuilder *builder;

	if (SliceIs(name, "ExpressionAttributeNames"))
	{
		ReadExprNames(r, args);
		return true;
	}
	if (!SliceIs(name, "ExpressionAttributeValues"))
		return false;
	builder = ItemBuilderCreate(0, DUPLICATE_NAME_LAST);
	ReadItemJson(r, builder);
	args->values = ItemRoot(ItemBuilderFinish(builder));
	return true;
}

/* The request has checked all that can be wrong with it. */
static void
ReadFilter(const char *filter, ReadOp *op)
{
	JsonReader	r;
	Slice		name;

	op->args.values = MISSING_VALUE;
	JsonReaderInit(&r, filter, (uint32) strlen(filter));
	JsonBeginObject(&r);
	while (JsonNextMember(&r, &name))
	{
		if (JsonPeek(&r) == JSON_NULL)
			JsonSkipValue(&r);
		else if (SliceIs(name, "KeyConditionExpression"))
			op->key_condition = (ExprText) {true, JsonString(&r)};
		else if (SliceIs(name, "FilterExpression"))
			op->filter = (ExprText) {true, JsonString(&r)};
		else if (SliceIs(name, "ProjectionExpression"))
			op->projection = (ExprText) {true, JsonString(&r)};
		else if (!ReadExprMember(&r, name, &op->args))
			JsonSkipValue(&r);
	}
	JsonEnd(&r);
	op->query = op->key_condition.given;
}

int64
ReadFiltered(Oid relid, const char *filter, void (*take) (void *arg, struct varlena *item), void *arg)
{
	ReadOp		op = {
		.table_name = TableNameOfOid(relid),
		.consistent = true,
		.forward = true,
		.start = MISSING_VALUE,
		.shard = -1,
		.shard_value = MISSING_VALUE,
		.sizes = true
	};
	Reader	   *reader;
	ReadRow		row;
	int64		size = 0;

	ReadFilter(filter, &op);
	reader = ReaderOpen(&op);
	while (ReaderNext(reader, &row))
	{
		size += (int64) row.size;
		if (row.matched)
			take(arg, row.item);
	}
	ReaderClose(reader);
	return size;
}
