/*
 * op.c
 *	  Comparison, hash and size of items and values as SQL functions.
 *
 * An item is a value, so that one set of functions serves both types.
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/builtins.h"

#include "item/item.h"

DYNAMO_FUNCTION(dynamo_value_eq);

Datum
dynamo_value_eq(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(ValueEqual(PG_GETARG_VALUE(0), PG_GETARG_VALUE(1)));
}

DYNAMO_FUNCTION(dynamo_value_ne);

Datum
dynamo_value_ne(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(!ValueEqual(PG_GETARG_VALUE(0), PG_GETARG_VALUE(1)));
}

DYNAMO_FUNCTION(dynamo_value_lt);

Datum
dynamo_value_lt(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(ValueCompare(PG_GETARG_VALUE(0), PG_GETARG_VALUE(1)) < 0);
}

DYNAMO_FUNCTION(dynamo_value_le);

Datum
dynamo_value_le(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(ValueCompare(PG_GETARG_VALUE(0), PG_GETARG_VALUE(1)) <= 0);
}

DYNAMO_FUNCTION(dynamo_value_gt);

Datum
dynamo_value_gt(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(ValueCompare(PG_GETARG_VALUE(0), PG_GETARG_VALUE(1)) > 0);
}

DYNAMO_FUNCTION(dynamo_value_ge);

Datum
dynamo_value_ge(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(ValueCompare(PG_GETARG_VALUE(0), PG_GETARG_VALUE(1)) >= 0);
}

DYNAMO_FUNCTION(dynamo_value_cmp);

Datum
dynamo_value_cmp(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32(ValueCompare(PG_GETARG_VALUE(0), PG_GETARG_VALUE(1)));
}

/* The values themselves, not copies: an aggregate copies what it keeps. */
DYNAMO_FUNCTION(dynamo_value_smaller);

Datum
dynamo_value_smaller(PG_FUNCTION_ARGS)
{
	bool		first = ValueCompare(PG_GETARG_VALUE(0), PG_GETARG_VALUE(1)) <= 0;

	PG_RETURN_DATUM(PG_GETARG_DATUM(first ? 0 : 1));
}

DYNAMO_FUNCTION(dynamo_value_larger);

Datum
dynamo_value_larger(PG_FUNCTION_ARGS)
{
	bool		first = ValueCompare(PG_GETARG_VALUE(0), PG_GETARG_VALUE(1)) >= 0;

	PG_RETURN_DATUM(PG_GETARG_DATUM(first ? 0 : 1));
}

DYNAMO_FUNCTION(dynamo_value_hash);

Datum
dynamo_value_hash(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32((int32) ValueHash(PG_GETARG_VALUE(0), 0));
}

DYNAMO_FUNCTION(dynamo_value_hash_extended);

Datum
dynamo_value_hash_extended(PG_FUNCTION_ARGS)
{
	PG_RETURN_UINT64(ValueHash(PG_GETARG_VALUE(0), PG_GETARG_INT64(1)));
}

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
