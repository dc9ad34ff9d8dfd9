/*
 * search_sql.c
 *	  The SQL functions of vector indexes.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type_d.h"
#include "funcapi.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#include "errors.h"
#include "index/index.h"
#include "op/sql_args.h"
#include "search/search.h"
#include "table/table_name.h"
#include "vector/sketch_index.h"

/* ---- vectors as arguments ---- */

/* Returns the elements of an array without nulls, aligned; NULL if it has other elements. */
static const float *
FiniteElements(ArrayType *array, int *n)
{
	const float *elements;

	*n = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	if (ARR_NDIM(array) > 1 || array_contains_nulls(array))
		return NULL;
	elements = (const float *) ARR_DATA_PTR(array);
	for (int i = 0; i < *n; i++)
	{
		if (!isfinite(elements[i]))
			return NULL;
	}
	return elements;
}

/* ---- search_vectors ---- */

enum
{
	SEARCH_TABLE,
	SEARCH_INDEX,
	SEARCH_VECTOR,
	SEARCH_COUNT,
	SEARCH_CONDITION,
	SEARCH_VALUES,
	SEARCH_NAMES,
	SEARCH_PROJECTION
};

static void
ArgVector(FunctionCallInfo fcinfo, SearchOp *op)
{
	if (PG_ARGISNULL(SEARCH_VECTOR))
		ModelError(NULL, "searchVector", "Member must not be null");
	op->vector = FiniteElements(PG_GETARG_ARRAYTYPE_P(SEARCH_VECTOR), &op->dimensions);
	if (op->vector == NULL)
		SearchVectorError();
	if (op->dimensions == 0)
		InvalidRequest("1 validation error detected: Value at 'SearchVector' failed to satisfy constraint: Member must have length greater than or equal to 1");
}

static void
PutMatches(ReturnSetInfo *out, const SearchResult *result)
{
	for (int i = 0; i < result->count; i++)
	{
		Datum		values[2] = {
			PointerGetDatum(result->matches[i].item), Float8GetDatum(result->matches[i].score)
		};
		bool		nulls[2] = {false};

		tuplestore_putvalues(out->setResult, out->setDesc, values, nulls);
	}
}

DYNAMO_FUNCTION(dynamo_search_vectors);
Datum
dynamo_search_vectors(PG_FUNCTION_ARGS)
{
	SearchOp	op = {0};
	SearchResult result;

	op.table_name = ArgTableName(fcinfo, SEARCH_TABLE);
	op.index_name = ArgString(fcinfo, SEARCH_INDEX);
	if (op.index_name == NULL)
		ModelError(NULL, "indexName", "Member must not be null");
	ArgVector(fcinfo, &op);
	op.count = PG_ARGISNULL(SEARCH_COUNT) ? 0 : PG_GETARG_INT32(SEARCH_COUNT);
	SearchCheckCount(op.count);
	op.condition = ArgExpr(fcinfo, SEARCH_CONDITION);
	op.args = ArgExprArgs(fcinfo, SEARCH_VALUES, SEARCH_NAMES);
	op.projection = ArgExpr(fcinfo, SEARCH_PROJECTION);
	InitMaterializedSRF(fcinfo, 0);
	SearchVectors(&op, &result);
	PutMatches((ReturnSetInfo *) fcinfo->resultinfo, &result);
	return (Datum) 0;
}

/* ---- distances ---- */

/* Converts the list of numbers in argument 0; NULL if it is not a vector. */
static float *
ArgListVector(FunctionCallInfo fcinfo, int *n)
{
	ValueRef	value = PG_GETARG_VALUE(0);
	Container	list;
	float	   *vector;

	if (ValueTypeOf(value) != VALUE_L)
		return NULL;
	ContainerOpen(value, &list);
	*n = (int) list.count;
	vector = palloc(sizeof(float) * Max(*n, 1));
	for (uint32 i = 0; i < list.count; i++)
	{
		ValueRef	number = ListElement(&list, i);

		if (ValueTypeOf(number) != VALUE_N || !VectorElement(number, &vector[i]))
			return NULL;
	}
	return vector;
}

/* Null if one of the arguments is not a vector, or they have different lengths. */
static Datum
ComputeDistance(FunctionCallInfo fcinfo, VectorDistance distance)
{
	int			n = 0;
	int			nother;
	float	   *vector = ArgListVector(fcinfo, &n);
	const float *other = FiniteElements(PG_GETARG_ARRAYTYPE_P(1), &nother);
	VectorQuery query;

	if (vector == NULL || other == NULL || n != nother || n == 0)
		PG_RETURN_NULL();
	VectorQueryInit(&query, distance, other, n);
	PG_RETURN_FLOAT8(VectorScore(&query, vector));
}

DYNAMO_FUNCTION(dynamo_cosine_distance);
Datum
dynamo_cosine_distance(PG_FUNCTION_ARGS)
{
	return ComputeDistance(fcinfo, DISTANCE_COSINE);
}

DYNAMO_FUNCTION(dynamo_euclidean_distance);
Datum
dynamo_euclidean_distance(PG_FUNCTION_ARGS)
{
	return ComputeDistance(fcinfo, DISTANCE_EUCLIDEAN);
}

DYNAMO_FUNCTION(dynamo_dot_product);
Datum
dynamo_dot_product(PG_FUNCTION_ARGS)
{
	return ComputeDistance(fcinfo, DISTANCE_DOT_PRODUCT);
}

DYNAMO_FUNCTION(dynamo_vector);

/* Returns a list of numbers as real[]; null if it is not a vector. */
Datum
dynamo_vector(PG_FUNCTION_ARGS)
{
	int			n = 0;
	float	   *vector = ArgListVector(fcinfo, &n);

	if (vector == NULL)
		PG_RETURN_NULL();
	if (n == 0)
		PG_RETURN_ARRAYTYPE_P(construct_empty_array(FLOAT4OID));
	PG_RETURN_DATUM(VectorToArray(vector, n));
}

/* ---- sketches ---- */

DYNAMO_FUNCTION(dynamo_vector_sketch);

/* Together, a key and a sketch that is too long for it would be refused by the btree. */
Datum
dynamo_vector_sketch(PG_FUNCTION_ARGS)
{
	int			n;
	int64		key_bytes = PG_GETARG_INT32(1);
	const float *vector = FiniteElements(PG_GETARG_ARRAYTYPE_P(0), &n);
	bytea	   *sketch = palloc(VARHDRSZ + VECTOR_SKETCH_BYTES(n));
	uint32		len = 0;

	if (vector != NULL && n > 0 && key_bytes + (int64) VECTOR_SKETCH_BYTES(n) <= SKETCH_MAX_BYTES)
		len = VectorSketchMake(vector, n, VARDATA(sketch));
	SET_VARSIZE(sketch, VARHDRSZ + len);
	PG_RETURN_BYTEA_P(sketch);
}

/* ---- definitions ---- */

enum
{
	CREATE_TABLE,
	CREATE_INDEX,
	CREATE_ATTRIBUTE,
	CREATE_DIMENSIONS,
	CREATE_DISTANCE,
	CREATE_PARTITION,
	CREATE_PARTITION_TYPE,
	CREATE_FILTERS,
	CREATE_FILTER_TYPES,
	CREATE_PROJECTION,
	CREATE_NON_KEY,
	CREATE_METHOD
};

static Slice
RequiredSlice(FunctionCallInfo fcinfo, int arg, const char *name)
{
	return SliceOf(RequiredText(fcinfo, arg, name));
}

static VectorDistance
ArgDistance(FunctionCallInfo fcinfo)
{
	const char *name = RequiredText(fcinfo, CREATE_DISTANCE, "distance");
	int			distance = VectorDistanceFromName(name);

	if (distance < 0)
		ModelError(name, "distanceFunction", "Member must satisfy enum value set: [COSINE, DOT_PRODUCT, EUCLIDEAN]");
	return (VectorDistance) distance;
}

/*
 * Reads filters and their types into a key schema, and from there into the
 * definition.
 */
static void
ArgFilters(FunctionCallInfo fcinfo, VectorDef *vector)
{
	int			n;
	int			ntypes;
	char	  **names = TextArrayArgument(fcinfo, CREATE_FILTERS, &n);
	char	  **types = TextArrayArgument(fcinfo, CREATE_FILTER_TYPES, &ntypes);

	if (n > VECTOR_MAX_FILTERS)
		InvalidParameter("The SearchSchema exceeds the maximum allowed number of %d INLINE_FILTER attributes",
						 VECTOR_MAX_FILTERS);
	vector->nfilters = n;
	vector->filters = palloc(sizeof(VectorFilter) * Max(n, 1));
	if (ntypes != 0 && ntypes != n)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("there must be one type for each filter attribute")));
	for (int i = 0; i < n; i++)
	{
		vector->filters[i].name = SliceOf(names[i]);
		vector->filters[i].type = ntypes > 0 ? KeyTypeOfName(types[i]) : VALUE_S;
	}
}

static void
ArgPartition(FunctionCallInfo fcinfo, CreateIndexSpec *spec)
{
	char	   *name = PG_ARGISNULL(CREATE_PARTITION) ? NULL : RequiredText(fcinfo, CREATE_PARTITION, "partition_key");
	char	   *type = PG_ARGISNULL(CREATE_PARTITION_TYPE) ? NULL :
		RequiredText(fcinfo, CREATE_PARTITION_TYPE, "partition_key_type");

	spec->key.npartition = AppendKeyPart(spec, &name, name != NULL ? 1 : 0, &type, type != NULL ? 1 : 0);
}

static bool
ArgMethod(FunctionCallInfo fcinfo)
{
	const char *method = RequiredText(fcinfo, CREATE_METHOD, "method");

	if (strcmp(method, "exact") != 0 && strcmp(method, "hnsw") != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("method of a vector index must be \"exact\" or \"hnsw\"")));
	return strcmp(method, "hnsw") == 0;
}

DYNAMO_FUNCTION(dynamo_create_vector_index);
Datum
dynamo_create_vector_index(PG_FUNCTION_ARGS)
{
	char	   *table_name = RequiredTableArgument(fcinfo, CREATE_TABLE);
	VectorDef  *vector = palloc0(sizeof(VectorDef));
	CreateIndexSpec spec = {.kind = IndexKindFind("table", 0, vector), .vector = vector};
	char	  **non_key;
	int			n;

	spec.name = RequiredText(fcinfo, CREATE_INDEX, "index_name");
	vector->attribute = RequiredSlice(fcinfo, CREATE_ATTRIBUTE, "vector_attribute");
	if (PG_ARGISNULL(CREATE_DIMENSIONS))
		ModelError(NULL, "dimensions", "Member must not be null");
	vector->dimensions = PG_GETARG_INT32(CREATE_DIMENSIONS);
	vector->distance = ArgDistance(fcinfo);
	ArgPartition(fcinfo, &spec);
	ArgFilters(fcinfo, vector);
	vector->hnsw = ArgMethod(fcinfo);
	non_key = TextArrayArgument(fcinfo, CREATE_NON_KEY, &n);
	SetProjection(&spec, PG_ARGISNULL(CREATE_PROJECTION) ? NULL :
				  RequiredText(fcinfo, CREATE_PROJECTION, "projection"), non_key, n);
	if (!IndexCreate(table_name, &spec))
		ReportBackgroundBuild(table_name, spec.name);
	PG_RETURN_VOID();
}

DYNAMO_FUNCTION(dynamo_drop_vector_index);
Datum
dynamo_drop_vector_index(PG_FUNCTION_ARGS)
{
	char	   *table_name = TableArgument(fcinfo, 0);
	char	   *index_name = text_to_cstring(PG_GETARG_TEXT_PP(1));
	Oid			relid;
	TableDef   *def = LockForIndexDdl(table_name, &relid);
	const IndexDef *index = TableDefIndex(def, index_name);

	if (index == NULL || index->vector == NULL)
		FailNoIndex(def, table_name, index_name);
	IndexDrop(table_name, index_name);
	PG_RETURN_VOID();
}
