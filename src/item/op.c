/*
 * op.c
 *	  Comparison, hash and size of items and values as SQL functions.
 *
 * An item is a value, so one set of functions serves both types.
 */
#include "postgres.h"

#include "access/detoast.h"
#include "fmgr.h"
#include "utils/builtins.h"

#include "item/item.h"

/* ---- comparison ---- */

/*
 * Frees detoasted copies: sorts and index builds compare all their rows in one
 * memory context.
 */
static int
CompareArguments(FunctionCallInfo fcinfo)
{
	struct varlena *a = PG_GETARG_VARLENA_PP(0);
	struct varlena *b = PG_GETARG_VARLENA_PP(1);
	int			order = ValueCompare(ItemRoot(a), ItemRoot(b));

	PG_FREE_IF_COPY(a, 0);
	PG_FREE_IF_COPY(b, 1);
	return order;
}

/* Values of different lengths are different and need not be detoasted. */
static bool
ArgumentsEqual(FunctionCallInfo fcinfo)
{
	struct varlena *a;
	struct varlena *b;
	bool		equal;

	if (toast_raw_datum_size(PG_GETARG_DATUM(0)) != toast_raw_datum_size(PG_GETARG_DATUM(1)))
		return false;
	a = PG_GETARG_VARLENA_PP(0);
	b = PG_GETARG_VARLENA_PP(1);
	equal = ValueEqual(ItemRoot(a), ItemRoot(b));
	PG_FREE_IF_COPY(a, 0);
	PG_FREE_IF_COPY(b, 1);
	return equal;
}

DYNAMO_FUNCTION(dynamo_value_eq);

Datum
dynamo_value_eq(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(ArgumentsEqual(fcinfo));
}

DYNAMO_FUNCTION(dynamo_value_ne);

Datum
dynamo_value_ne(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(!ArgumentsEqual(fcinfo));
}

DYNAMO_FUNCTION(dynamo_value_lt);

Datum
dynamo_value_lt(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(CompareArguments(fcinfo) < 0);
}

DYNAMO_FUNCTION(dynamo_value_le);

Datum
dynamo_value_le(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(CompareArguments(fcinfo) <= 0);
}

DYNAMO_FUNCTION(dynamo_value_gt);

Datum
dynamo_value_gt(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(CompareArguments(fcinfo) > 0);
}

DYNAMO_FUNCTION(dynamo_value_ge);

Datum
dynamo_value_ge(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(CompareArguments(fcinfo) >= 0);
}

DYNAMO_FUNCTION(dynamo_value_cmp);

Datum
dynamo_value_cmp(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32(CompareArguments(fcinfo));
}

/*
 * Return the argument itself, not a copy: an aggregate copies what it keeps.
 */
DYNAMO_FUNCTION(dynamo_value_smaller);

Datum
dynamo_value_smaller(PG_FUNCTION_ARGS)
{
	PG_RETURN_DATUM(PG_GETARG_DATUM(CompareArguments(fcinfo) <= 0 ? 0 : 1));
}

DYNAMO_FUNCTION(dynamo_value_larger);

Datum
dynamo_value_larger(PG_FUNCTION_ARGS)
{
	PG_RETURN_DATUM(PG_GETARG_DATUM(CompareArguments(fcinfo) >= 0 ? 0 : 1));
}

static uint64
HashArgument(FunctionCallInfo fcinfo, uint64 seed)
{
	struct varlena *v = PG_GETARG_VARLENA_PP(0);
	uint64		hash = ValueHash(ItemRoot(v), seed);

	PG_FREE_IF_COPY(v, 0);
	return hash;
}

DYNAMO_FUNCTION(dynamo_value_hash);

Datum
dynamo_value_hash(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32((int32) HashArgument(fcinfo, 0));
}

DYNAMO_FUNCTION(dynamo_value_hash_extended);

Datum
dynamo_value_hash_extended(PG_FUNCTION_ARGS)
{
	PG_RETURN_UINT64(HashArgument(fcinfo, PG_GETARG_INT64(1)));
}

/* ---- others ---- */

DYNAMO_FUNCTION(dynamo_item_size);

Datum
dynamo_item_size(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT64((int64) ItemSize(PG_GETARG_VALUE(0)));
}

DYNAMO_FUNCTION(dynamo_value_type);

Datum
dynamo_value_type(PG_FUNCTION_ARGS)
{
	PG_RETURN_TEXT_P(cstring_to_text(ValueTypeName(ValueTypeOf(PG_GETARG_VALUE(0)))));
}
