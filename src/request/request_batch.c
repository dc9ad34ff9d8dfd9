/*
 * request_batch.c
 *	  BatchGetItem and BatchWriteItem as requests.
 */
#include "postgres.h"

#include "errors.h"
#include "op/distinct.h"
#include "request/capacity.h"
#include "request/collections.h"
#include "request/legacy.h"
#include "request/model.h"
#include "request/operation.h"
#include "request/params.h"
#include "request/wording.h"

#define MAX_GETS			100
#define MAX_WRITES			25
#define MAX_RESPONSE_BYTES	(16 * 1024 * 1024)

/* ---- BatchGetItem ---- */

typedef struct BatchGet
{
	const Field *tables;		/* RequestItems */
	int			n;
	BatchGetTable *gets;		/* one for each table */
	GetResult **results;
	int		   *returned;		/* keys that fit into the response */
} BatchGet;

static void
CheckNumberOfKeys(const Field *tables)
{
	int			total = 0;

	if (tables->count == 0)
		InvalidRequest("%s", WordingText(WORDING_NO_KEYS));
	for (int i = 0; i < tables->count; i++)
		total += FieldMember(tables->fields[i], "Keys")->count;
	if (total > MAX_GETS)
		InvalidRequest(WORDING_TOO_MANY_KEYS);
}

static ValueRef *
ReadRequestKeys(const Field *keys)
{
	ValueRef   *refs = palloc(Max(keys->count, 1) * sizeof(ValueRef));

	for (int i = 0; i < keys->count; i++)
		refs[i] = ItemRoot(FieldItem(keys->fields[i]));
	return refs;
}

/* ---- keys that are given twice ---- */

typedef struct GivenKey
{
	ValueRef	key;
	const Field *field;
} GivenKey;

/* Returns the text of a number in a key; empty for other types. */
static Slice
NumberText(const Field *key, Slice name)
{
	for (int i = 0; i < key->count; i++)
	{
		if (SliceCompare(key->names[i], name) == 0 && FieldMember(key->fields[i], "N") != NULL)
			return FieldSlice(key->fields[i], "N");
	}
	return (Slice) {"", 0};
}

/* Whether the numbers in two keys of the same item have the same text. */
static bool
NumbersHaveSameText(const GivenKey *a, const GivenKey *b)
{
	const Field *x = FieldExpand(a->field);
	const Field *y = FieldExpand(b->field);
	Container	map;

	ContainerOpen(a->key, &map);
	for (uint32 i = 0; i < map.count; i++)
	{
		Slice		name;

		(void) MapEntry(&map, i, &name);
		if (SliceCompare(NumberText(x, name), NumberText(y, name)) != 0)
			return false;
	}
	return true;
}

/* An ElementHash. */
static uint64
HashOfGiven(const void *list, int i)
{
	return ValueHash(((const GivenKey *) list)[i].key, 0);
}

/*
 * Whether a key is repeated.  To the service keys are equal if their texts are
 * equal: 1 differs from 1.0.
 */
static bool
GivenKeysAreEqual(const void *list, int i, int j)
{
	const GivenKey *given = list;

	return ValueEqual(given[i].key, given[j].key) && NumbersHaveSameText(&given[i], &given[j]);
}

static void
CheckGivenOnce(const ValueRef *refs, const Field *keys)
{
	GivenKey   *given = palloc(Max(keys->count, 1) * sizeof(GivenKey));

	for (int i = 0; i < keys->count; i++)
		given[i] = (GivenKey) {refs[i], keys->fields[i]};
	if (!AllDistinct(given, keys->count, HashOfGiven, GivenKeysAreEqual))
		InvalidRequest(WORDING_DUPLICATE_KEYS);
	pfree(given);
}

static bool
AnyTableHas(const Field *tables, const char *member)
{
	for (int i = 0; i < tables->count; i++)
	{
		if (FieldMember(tables->fields[i], member) != NULL)
			return true;
	}
	return false;
}

/* Checks expressions and legacy parameters across all tables of a request. */
static void
CheckTablesMixing(const Field *tables)
{
	if (AnyTableHas(tables, "AttributesToGet") && AnyTableHas(tables, "ProjectionExpression"))
		InvalidRequest(WORDING_MIXED, "AttributesToGet", "ProjectionExpression");
}

static void
PrepareGets(BatchGet *batch, const Field *tables, CapacityDetail detail)
{
	batch->tables = tables;
	batch->n = tables->count;
	batch->gets = palloc0(batch->n * sizeof(BatchGetTable));
	batch->results = palloc(batch->n * sizeof(GetResult *));
	batch->returned = palloc0(batch->n * sizeof(int));
	CheckTablesMixing(tables);
	for (int i = 0; i < batch->n; i++)
	{
		const Field *request = tables->fields[i];
		const Field *keys = FieldMember(request, "Keys");
		BatchGetTable *get = &batch->gets[i];

		FieldExprArgs(request, &batch_get_params, &get->args);
		get->consistent = FieldConsistentRead(request);
		get->table_name = TableNameOf(tables->names[i]);
		get->nkeys = keys->count;
		get->keys = ReadRequestKeys(keys);
		CheckGivenOnce(get->keys, keys);
		get->repeats = true;
		get->projection = FieldExpr(request, "ProjectionExpression");
		get->built_projection = LegacyProjection(request);
		get->sizes = detail != CAPACITY_NONE || get->projection.given ||
			get->built_projection != NULL;
		batch->results[i] = palloc0(Max(keys->count, 1) * sizeof(GetResult));
	}
}

/*
 * Fills in sizes that were not requested, unless all items certainly fit into
 * a response: a stored item has at least three quarters of its size.
 */
static void
MeasureItems(BatchGet *batch)
{
	uint64		most = 0;

	for (int i = 0; i < batch->n; i++)
	{
		for (int k = 0; k < batch->gets[i].nkeys; k++)
		{
			const GetResult *result = &batch->results[i][k];

			if (result->item != NULL)
				most += batch->gets[i].sizes ? result->size : 2 * VARSIZE_ANY(result->item);
		}
	}
	for (int i = 0; i < batch->n && most > MAX_RESPONSE_BYTES; i++)
	{
		for (int k = 0; k < batch->gets[i].nkeys; k++)
		{
			GetResult  *result = &batch->results[i][k];

			if (result->item != NULL && !batch->gets[i].sizes)
				result->size = ItemSize(ItemRoot(result->item));
		}
	}
}

/*
 * Writes items up to the maximum size of a response; the first item is always
 * returned.
 */
static void
AnswerItems(Request *request, BatchGet *batch)
{
	Writer	   *out = request->out;
	uint64		size = 0;
	bool		full = false;

	WriterName(out, "Responses");
	WriterBeginObject(out);
	for (int i = 0; i < batch->n; i++)
	{
		WriterNameSlice(out, batch->tables->names[i]);
		WriterBeginList(out);
		for (int k = 0; k < batch->gets[i].nkeys && !full; k++)
		{
			const GetResult *result = &batch->results[i][k];

			full = size > 0 && size + result->size > MAX_RESPONSE_BYTES;
			if (full)
				break;
			size += result->size;
			batch->returned[i]++;
			if (result->item != NULL)
				WriterItem(out, result->item);
		}
		WriterEndList(out);
	}
	WriterEndObject(out);
}

/*
 * Writes the unprocessed part of a table's request, which the client sends
 * again.
 */
static void
AnswerUnprocessedTable(Writer *out, const Field *request, int returned)
{
	const Field *keys = FieldMember(request, "Keys");

	WriterBeginObject(out);
	for (int i = 0; i < request->count; i++)
	{
		if (request->fields[i] == NULL || request->fields[i] == keys)
			continue;
		WriterName(out, request->shape->members[i].name);
		WriterRaw(out, request->fields[i]->text);
	}
	WriterName(out, "Keys");
	WriterBeginList(out);
	for (int k = returned; k < keys->count; k++)
		WriterRaw(out, keys->fields[k]->text);
	WriterEndList(out);
	WriterEndObject(out);
}

static void
AnswerUnprocessed(Request *request, const BatchGet *batch)
{
	Writer	   *out = request->out;

	WriterName(out, "UnprocessedKeys");
	WriterBeginObject(out);
	for (int i = 0; i < batch->n; i++)
	{
		if (batch->returned[i] == batch->gets[i].nkeys)
			continue;
		WriterNameSlice(out, batch->tables->names[i]);
		AnswerUnprocessedTable(out, batch->tables->fields[i], batch->returned[i]);
	}
	WriterEndObject(out);
}

static void
AnswerGetCapacity(Request *request, const BatchGet *batch)
{
	CapacityDetail detail = FieldCapacity(request->input);
	CapacityList list;

	if (detail == CAPACITY_NONE)
		return;
	CapacityListInit(&list, batch->n);
	for (int i = 0; i < batch->n; i++)
	{
		bool		consistent = FieldConsistentRead(batch->tables->fields[i]);
		Capacity   *c;

		if (batch->returned[i] == 0)
			continue;			/* the whole request of the table is unprocessed */
		c = CapacityListGet(&list, batch->gets[i].table_name);
		for (int k = 0; k < batch->returned[i]; k++)
			CapacityAddRead(c, NULL, ReadUnits(batch->results[i][k].size, consistent));
	}
	WriterCapacityList(request->out, &list, detail, CAPACITY_PLAIN);
}

static const Shape batch_keys = {.kind = SHAPE_LIST, .min = 1, .max = 100, .element = &model_item,
.words = {.min = WORDING_TABLE_NO_KEYS, .max = WORDING_TABLE_KEYS}};
static const Member batch_get_members[] = {
	REQUIRED("Keys", batch_keys),
	MEMBER("AttributesToGet", model_attribute_names),
	MEMBER("ConsistentRead", model_boolean),
	MEMBER("ProjectionExpression", model_string),
	MEMBER("ExpressionAttributeNames", model_name_map),
};
static const Shape keys_and_attributes = STRUCTURE("KeysAndAttributes", batch_get_members);

/* no minimum length, because an empty map has a message of its own */
static const Shape batch_get_tables = {.kind = SHAPE_MAP, .max = 100,
.key = &model_table_name, .element = &keys_and_attributes, .words = {.values = WORDING_READ_TABLES}};

static const Member batch_get_item_members[] = {
	REQUIRED("RequestItems", batch_get_tables),
	MEMBER("ReturnConsumedCapacity", model_return_capacity),
};
static const Shape batch_get_item_input = STRUCTURE("BatchGetItemInput", batch_get_item_members);

static void
BatchGetItemRequest(Request *request)
{
	const Field *tables = FieldMember(request->input, "RequestItems");
	BatchGet	batch;

	CheckNumberOfKeys(tables);
	PrepareGets(&batch, tables, FieldCapacity(request->input));
	BatchGetItem(batch.gets, batch.n, batch.results);
	MeasureItems(&batch);
	AnswerItems(request, &batch);
	AnswerUnprocessed(request, &batch);
	AnswerGetCapacity(request, &batch);
}

OPERATION(BatchGetItem, &batch_get_item_input, BatchGetItemRequest, .new_values = true);

/* ---- BatchWriteItem ---- */

typedef struct BatchWrite
{
	int			n;
	WriteOp    *writes;			/* one for each request */
	WriteResult *results;
} BatchWrite;

static int
CountWrites(const Field *tables)
{
	int			total = 0;

	if (tables->count == 0)
		InvalidRequest("%s", WordingText(WORDING_NO_WRITES));
	for (int i = 0; i < tables->count; i++)
		total += tables->fields[i]->count;
	if (total > MAX_WRITES)
		InvalidRequest(WORDING_TOO_MANY_WRITES);
	return total;
}

static void
PrepareWrite(const Field *request, const char *table_name, bool images, WriteOp *op)
{
	const Field *put = FieldMember(request, "PutRequest");
	const Field *del = FieldMember(request, "DeleteRequest");

	if ((put != NULL) == (del != NULL))
		InvalidRequest(WORDING_ONE_REQUEST);
	memset(op, 0, sizeof(*op));
	op->kind = put != NULL ? WRITE_KIND_PUT : WRITE_KIND_DELETE;
	op->table_name = table_name;
	op->datum = put != NULL ? FieldItem(FieldMember(put, "Item")) :
		FieldItem(FieldMember(del, "Key"));
	op->item = ItemRoot(op->datum);
	op->args.values = MISSING_VALUE;
	op->images = images;
}

static void
PrepareWrites(BatchWrite *batch, const Field *tables, bool images)
{
	int			total = CountWrites(tables);

	batch->n = 0;
	batch->writes = palloc(total * sizeof(WriteOp));
	batch->results = palloc0(total * sizeof(WriteResult));
	for (int i = 0; i < tables->count; i++)
	{
		const char *table_name = TableNameOf(tables->names[i]);

		for (int k = 0; k < tables->fields[i]->count; k++)
			PrepareWrite(tables->fields[i]->fields[k], table_name, images,
						 &batch->writes[batch->n++]);
	}
}

static void
AnswerWriteCapacity(Request *request, const BatchWrite *batch)
{
	CapacityDetail detail = FieldCapacity(request->input);
	CapacityList list;

	if (detail == CAPACITY_NONE)
		return;
	CapacityListInit(&list, batch->n);
	for (int i = 0; i < batch->n; i++)
		CapacityAddWrite(CapacityListGet(&list, batch->writes[i].table_name),
						 batch->results[i].old_item, batch->results[i].new_item);
	WriterCapacityList(request->out, &list, detail, CAPACITY_PLAIN);
}

static const Member put_request_members[] = {REQUIRED("Item", model_item)};
static const Member delete_request_members[] = {REQUIRED("Key", model_item)};
static const Shape put_request = STRUCTURE("PutRequest", put_request_members);
static const Shape delete_request = STRUCTURE("DeleteRequest", delete_request_members);

static const Member write_request_members[] = {
	MEMBER("PutRequest", put_request),
	MEMBER("DeleteRequest", delete_request),
};
static const Shape write_request = STRUCTURE("WriteRequest", write_request_members);
static const Shape write_requests = {.kind = SHAPE_LIST, .min = 1, .max = 25, .element = &write_request,
.words = {.max = WORDING_TABLE_WRITES}};
static const Shape batch_write_tables = {.kind = SHAPE_MAP, .max = 25,
.key = &model_table_name, .element = &write_requests, .words = {.values = WORDING_WRITTEN_TABLES}};

static const Member batch_write_item_members[] = {
	MEMBER("ReturnConsumedCapacity", model_return_capacity),
	MEMBER("ReturnItemCollectionMetrics", model_return_metrics),
	{"RequestItems", &batch_write_tables, true, HIDDEN_BY_OTHERS},
};
static const Shape batch_write_item_input = STRUCTURE("BatchWriteItemInput", batch_write_item_members);

static void
BatchWriteItemRequest(Request *request)
{
	const Field *input = request->input;
	BatchWrite	batch;

	PrepareWrites(&batch, FieldMember(input, "RequestItems"),
				  MetricsNeedItems(input));
	BatchWriteItem(batch.writes, batch.n, batch.results);

	WriterName(request->out, "UnprocessedItems");
	WriterBeginObject(request->out);
	WriterEndObject(request->out);
	if (FieldIs(input, "ReturnItemCollectionMetrics", "SIZE"))
		AnswerCollections(request, batch.writes, batch.results, batch.n);
	AnswerWriteCapacity(request, &batch);
}

OPERATION(BatchWriteItem, &batch_write_item_input, BatchWriteItemRequest);
