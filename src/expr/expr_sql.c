/*
 * expr_sql.c
 *	  SQL functions: dynamo.matches, dynamo.project, dynamo.apply_update and
 *	  the statistics of the expression cache.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "funcapi.h"

#include "expr/cache.h"
#include "expr/call_site.h"
#include "item/slice.h"

static const CallArguments with_values = {.text = 1, .values = 2, .names = 3};
static const CallArguments without_values = {.text = 1, .names = 2};

/* The item in argument 0, or only the attributes that the expression reads. */
static struct varlena *
GetItemArgument(FunctionCallInfo fcinfo, const BoundCall *call)
{
	return ItemDatumPartPacked(PG_GETARG_DATUM(0), call->needed.names, call->needed.n);
}

DYNAMO_FUNCTION(dynamo_matches);

/* matches(item, condition, values, names) returns boolean */
Datum
dynamo_matches(PG_FUNCTION_ARGS)
{
	const BoundCall *call;
	struct varlena *item;
	bool		result;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	call = CallSiteBind(fcinfo, EXPR_CONDITION, &with_values);
	item = GetItemArgument(fcinfo, call);
	result = ConditionMatches(call->tree, ItemRoot(item));
	PG_FREE_IF_COPY(item, 0);
	PG_RETURN_BOOL(result);
}

DYNAMO_FUNCTION(dynamo_project);

/* project(item, projection, names) returns item */
Datum
dynamo_project(PG_FUNCTION_ARGS)
{
	const BoundCall *call;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	call = CallSiteBind(fcinfo, EXPR_PROJECTION, &without_values);
	PG_RETURN_POINTER(ProjectionApply(call->tree, ItemRoot(GetItemArgument(fcinfo, call))));
}

DYNAMO_FUNCTION(dynamo_apply_update);

/* apply_update(item, update, values, names) returns item */
Datum
dynamo_apply_update(PG_FUNCTION_ARGS)
{
	const BoundCall *call;
	ValueRef	old = MISSING_VALUE;
	struct varlena *result;

	if (PG_ARGISNULL(1))
		PG_RETURN_NULL();
	call = CallSiteBind(fcinfo, EXPR_UPDATE, &with_values);
	if (!PG_ARGISNULL(0))
		old = ItemRoot(PG_GETARG_VARLENA_PP(0));
	result = UpdateApply(call->tree, old, MISSING_VALUE, NULL);
	if (result == NULL)
		PG_RETURN_NULL();
	PG_RETURN_POINTER(result);
}

DYNAMO_FUNCTION(dynamo_expression_cache_stats);

/* expression_cache_stats() returns (hits, misses, evictions, entries, capacity) */
Datum
dynamo_expression_cache_stats(PG_FUNCTION_ARGS)
{
	ExprCacheStats stats;
	TupleDesc	desc;
	Datum		values[5];
	bool		nulls[5] = {false};

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	ExprCacheGetStats(&stats);
	values[0] = Int64GetDatum(stats.hits);
	values[1] = Int64GetDatum(stats.misses);
	values[2] = Int64GetDatum(stats.evictions);
	values[3] = Int32GetDatum(stats.entries);
	values[4] = Int32GetDatum(stats.capacity);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc),
													  values, nulls)));
}
