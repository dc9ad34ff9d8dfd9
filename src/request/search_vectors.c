/*
 * search_vectors.c
 *	  SearchVectors.
 *
 * The model's constraints on this operation have messages of their own, which
 * do not repeat the value.
 */
#include "postgres.h"

#include <math.h>

#include "errors.h"
#include "request/capacity.h"
#include "request/model.h"
#include "request/operation.h"
#include "request/params.h"
#include "request/wording.h"
#include "search/search.h"
#include "stat/stat.h"

/* The bytes that a search is charged for each dimension, and at least. */
#define BYTES_PER_DIMENSION	17.6
#define LEAST_BYTES			1024

/* ---- the model's constraints ---- */

static void ConstraintError(const char *member, const char *constraint) pg_attribute_noreturn();

static void
ConstraintError(const char *member, const char *constraint)
{
	InvalidRequest("1 validation error detected: Value at '%s' " WORDING_FAILED_CONSTRAINT "%s",
				   member, constraint);
}

static void
CheckGiven(const Field *input, const char *member)
{
	if (FieldMember(input, member) == NULL)
		ConstraintError(member, WORDING_NOT_NULL);
}

static void
CheckLength(const char *member, int64 length, int64 min, int64 max)
{
	if (length < min)
		ConstraintError(member, psprintf(WORDING_AT_LEAST, "length", (long long) min));
	if (length > max)
		ConstraintError(member, psprintf(WORDING_AT_MOST, "length", (long long) max));
}

static void
CheckSearchInput(const Field *input)
{
	if (FieldMember(input, "TableName") == NULL)
		InvalidRequest(WORDING_MISSING_FIELD, "TableName", input->text.len);
	CheckGiven(input, "IndexName");
	CheckGiven(input, "SearchVector");
	CheckGiven(input, "TopK");
	CheckLength("TableName", FieldSlice(input, "TableName").len, 1, MAX_ARN);
	CheckLength("IndexName", FieldSlice(input, "IndexName").len, 3, 255);
	CheckLength("SearchVector", FieldMember(input, "SearchVector")->count, 1, VECTOR_MAX_DIMENSIONS);
}

/* ---- the vector ---- */

static float
FieldElement(const Field *element)
{
	float		number = 0;
	ValueRef	value;

	if (element == NULL || element->item == NULL)
		SearchVectorError();
	value = ItemRoot(element->item);
	if (ValueTypeOf(value) != VALUE_N || !VectorElement(value, &number))
		SearchVectorError();
	return number;
}

static void
ReadQueryVector(const Field *list, SearchOp *op)
{
	float	   *vector = palloc(sizeof(float) * list->count);

	for (int i = 0; i < list->count; i++)
		vector[i] = FieldElement(list->fields[i]);
	op->vector = vector;
	op->dimensions = list->count;
}

/* ---- the operation ---- */

static void
WriterMatches(Writer *w, const SearchResult *result)
{
	WriterName(w, "SearchResults");
	WriterBeginList(w);
	for (int i = 0; i < result->count; i++)
	{
		WriterBeginObject(w);
		WriterItemMember(w, "Item", result->matches[i].item);
		WriterName(w, "Score");
		WriterDouble(w, result->matches[i].score);
		WriterEndObject(w);
	}
	WriterEndList(w);
}

static void
WriterSearchCapacity(Writer *w, const SearchOp *op, const SearchResult *result)
{
	double		bytes = BYTES_PER_DIMENSION * op->dimensions + (double) result->stored_bytes;

	WriterName(w, "ConsumedCapacity");
	WriterBeginObject(w);
	WriterName(w, "VectorSearchRequestBytes");
	WriterUnits(w, floor(Max(bytes, LEAST_BYTES)));
	WriterEndObject(w);
}

/* Their constraints are checked, with other messages, by search_vectors.c. */
static const Shape search_string = {.kind = SHAPE_STRING, .not_null = "a string"};
static const Shape search_vector = {.kind = SHAPE_LIST, .element = &model_value, .not_null = "a sequence"};
static const Shape top_k = {.kind = SHAPE_INTEGER, .whole = true, .not_null = "i32"};
static const Member search_vectors_members[] = {
	MEMBER("TableName", search_string),
	MEMBER("IndexName", search_string),
	MEMBER("SearchVector", search_vector),
	MEMBER("TopK", top_k),
	MEMBER("SearchConditionExpression", model_string),
	MEMBER("ProjectionExpression", model_string),
	MEMBER("ExpressionAttributeNames", model_name_map),
	MEMBER("ExpressionAttributeValues", model_value_map),
	MEMBER("ReturnConsumedCapacity", model_return_capacity),
};
static const Shape search_vectors_input = STRUCTURE("SearchVectorsInput", search_vectors_members);

static void
SearchVectorsRequest(Request *request)
{
	const Field *input = request->input;
	SearchOp	op = {0};
	SearchResult result;

	CheckSearchInput(input);
	ReadQueryVector(FieldMember(input, "SearchVector"), &op);
	op.count = FieldInteger(input, "TopK", 0);
	SearchCheckCount(op.count);
	FieldExprArgs(input, &search_params, &op.args);
	op.table_name = FieldTableName(input);
	op.index_name = FieldString(input, "IndexName");
	op.condition = FieldExpr(input, "SearchConditionExpression");
	op.projection = FieldExpr(input, "ProjectionExpression");
	SearchVectors(&op, &result);
	StatAdd(STAT_ITEMS_RETURNED, result.count);
	StatAdd(STAT_ITEMS_READ, result.count);
	WriterMatches(request->out, &result);
	if (FieldCapacity(input) != CAPACITY_NONE)
		WriterSearchCapacity(request->out, &op, &result);
}

OPERATION(SearchVectors, &search_vectors_input, SearchVectorsRequest);
