/*
 * convert.c
 *	  Casts between values and SQL's scalar types.
 *
 * A cast does not convert between types: as everywhere in DynamoDB, a value of
 * a type other than the target's is an error.  The NULL type becomes a null.
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/numeric.h"

#include "item/base64.h"
#include "item/builder.h"
#include "item/convert.h"
#include "item/item.h"
#include "item/json.h"
#include "item/number.h"

/* ---- to SQL ---- */

void
CheckSliceIsText(Slice s)
{
	if (unlikely(memchr(s.data, '\0', s.len) != NULL))
		ereport(ERROR,
				(errcode(ERRCODE_UNTRANSLATABLE_CHARACTER),
				 errmsg("unsupported Unicode character U+0000"),
				 errdetail("It is valid in items but cannot be converted to text.")));
}

text *
SliceToText(Slice s)
{
	CheckSliceIsText(s);
	return cstring_to_text_with_len(s.data, (int) s.len);
}

/*
 * Returns DynamoDB JSON for a value that has no text of its own; nothing is
 * lost.
 */
static text *
DynamoJsonText(ValueRef v)
{
	StringInfoData out;
	text	   *result;

	initStringInfo(&out);
	ValueToJson(&out, v);
	result = cstring_to_text_with_len(out.data, out.len);
	pfree(out.data);
	return result;
}

static text *
BinaryText(Slice bytes)
{
	StringInfoData out;

	initStringInfo(&out);
	Base64Append(&out, bytes.data, bytes.len);
	return cstring_to_text_with_len(out.data, out.len);
}

text *
ValueToText(ValueRef v)
{
	Slice		payload = ValuePayload(v);
	char		number[NUMBER_MAX_TEXT];

	switch (ValueTypeOf(v))
	{
		case VALUE_S:
			return SliceToText(payload);
		case VALUE_N:
			return cstring_to_text_with_len(number,
											(int) NumberToText((const uint8 *) payload.data,
															   payload.len, number));
		case VALUE_B:
			return BinaryText(payload);
		case VALUE_BOOL:
			return cstring_to_text(ValueBool(v) ? "true" : "false");
		case VALUE_NULL:
			return NULL;
		default:
			return DynamoJsonText(v);
	}
}

/*
 * Whether a value of this type is to be converted: false for the NULL type,
 * an error for any other.
 */
static bool
CheckCast(ValueRef v, ValueType wanted, const char *target)
{
	ValueType	type = ValueTypeOf(v);

	if (type == VALUE_NULL)
		return false;
	if (type != wanted)
		ereport(ERROR,
				(errcode(ERRCODE_CANNOT_COERCE),
				 errmsg("cannot cast dynamo.value of type %s to %s",
						ValueTypeName(type), target),
				 errhint("Only values of type %s can be cast to %s. The ->> operator returns any value as text.",
						 ValueTypeName(wanted), target)));
	return true;
}

DYNAMO_FUNCTION(dynamo_value_to_text);

Datum
dynamo_value_to_text(PG_FUNCTION_ARGS)
{
	ValueRef	v = PG_GETARG_VALUE(0);

	if (!CheckCast(v, VALUE_S, "text"))
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(SliceToText(ValuePayload(v)));
}

DYNAMO_FUNCTION(dynamo_value_to_bytea);

Datum
dynamo_value_to_bytea(PG_FUNCTION_ARGS)
{
	ValueRef	v = PG_GETARG_VALUE(0);
	Slice		payload;

	if (!CheckCast(v, VALUE_B, "bytea"))
		PG_RETURN_NULL();
	payload = ValuePayload(v);
	PG_RETURN_BYTEA_P((bytea *) cstring_to_text_with_len(payload.data, (int) payload.len));
}

DYNAMO_FUNCTION(dynamo_value_to_boolean);

Datum
dynamo_value_to_boolean(PG_FUNCTION_ARGS)
{
	ValueRef	v = PG_GETARG_VALUE(0);

	if (!CheckCast(v, VALUE_BOOL, "boolean"))
		PG_RETURN_NULL();
	PG_RETURN_BOOL(ValueBool(v));
}

static Numeric
PayloadNumeric(ValueRef v)
{
	Slice		payload = ValuePayload(v);

	return NumberToNumeric((const uint8 *) payload.data, payload.len);
}

DYNAMO_FUNCTION(dynamo_value_to_numeric);

Datum
dynamo_value_to_numeric(PG_FUNCTION_ARGS)
{
	ValueRef	v = PG_GETARG_VALUE(0);

	if (!CheckCast(v, VALUE_N, "numeric"))
		PG_RETURN_NULL();
	PG_RETURN_NUMERIC(PayloadNumeric(v));
}

DYNAMO_FUNCTION(dynamo_value_to_bigint);

Datum
dynamo_value_to_bigint(PG_FUNCTION_ARGS)
{
	ValueRef	v = PG_GETARG_VALUE(0);
	Slice		payload;
	int64		integer;

	if (!CheckCast(v, VALUE_N, "bigint"))
		PG_RETURN_NULL();
	payload = ValuePayload(v);
	if (NumberToInt64((const uint8 *) payload.data, payload.len, &integer))
		PG_RETURN_INT64(integer);

	/* numeric_int8 rounds, and raises its own errors. */
	PG_RETURN_DATUM(DirectFunctionCall1(numeric_int8, NumericGetDatum(PayloadNumeric(v))));
}

DYNAMO_FUNCTION(dynamo_value_to_integer);

Datum
dynamo_value_to_integer(PG_FUNCTION_ARGS)
{
	ValueRef	v = PG_GETARG_VALUE(0);

	if (!CheckCast(v, VALUE_N, "integer"))
		PG_RETURN_NULL();
	PG_RETURN_DATUM(DirectFunctionCall1(numeric_int4, NumericGetDatum(PayloadNumeric(v))));
}

DYNAMO_FUNCTION(dynamo_value_to_float8);

Datum
dynamo_value_to_float8(PG_FUNCTION_ARGS)
{
	ValueRef	v = PG_GETARG_VALUE(0);

	if (!CheckCast(v, VALUE_N, "double precision"))
		PG_RETURN_NULL();
	PG_RETURN_DATUM(DirectFunctionCall1(numeric_float8, NumericGetDatum(PayloadNumeric(v))));
}

DYNAMO_FUNCTION(dynamo_value_to_item);

Datum
dynamo_value_to_item(PG_FUNCTION_ARGS)
{
	struct varlena *value = PG_DETOAST_DATUM_PACKED(PG_GETARG_DATUM(0));
	ValueType	type = ValueTypeOf(ItemRoot(value));

	if (type == VALUE_NULL)
		PG_RETURN_NULL();
	if (type != VALUE_M)
		ereport(ERROR,
				(errcode(ERRCODE_CANNOT_COERCE),
				 errmsg("cannot cast dynamo.value of type %s to dynamo.item",
						ValueTypeName(type)),
				 errhint("Only values of type M can be cast to an item.")));
	PG_RETURN_POINTER(value);
}

/* ---- from SQL ---- */

/* Returns a separate value made from one scalar. */
#define RETURN_BUILT(add) \
	do { \
		ItemBuilder b; \
		ItemBuilderInit(&b, 1, DUPLICATE_NAME_LAST); \
		add; \
		PG_RETURN_POINTER(ItemBuilderFinish(&b)); \
	} while (0)

DYNAMO_FUNCTION(dynamo_value_from_bytea);

Datum
dynamo_value_from_bytea(PG_FUNCTION_ARGS)
{
	bytea	   *bytes = PG_GETARG_BYTEA_PP(0);

	RETURN_BUILT(ItemBuilderBinary(&b, VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes)));
}

DYNAMO_FUNCTION(dynamo_value_from_boolean);

Datum
dynamo_value_from_boolean(PG_FUNCTION_ARGS)
{
	RETURN_BUILT(ItemBuilderBool(&b, PG_GETARG_BOOL(0)));
}

DYNAMO_FUNCTION(dynamo_value_from_numeric);

Datum
dynamo_value_from_numeric(PG_FUNCTION_ARGS)
{
	char	   *number = DatumGetCString(DirectFunctionCall1(numeric_out,
															 PG_GETARG_DATUM(0)));

	RETURN_BUILT(ItemBuilderNumberText(&b, number, strlen(number)));
}

/* Adds an integer without converting it to text first. */
static void
AddInteger(ItemBuilder *b, int64 integer)
{
	uint8		number[NUMBER_MAX_BYTES];

	ItemBuilderNumber(b, number, NumberFromInt64(integer, number));
}

DYNAMO_FUNCTION(dynamo_value_from_bigint);

Datum
dynamo_value_from_bigint(PG_FUNCTION_ARGS)
{
	RETURN_BUILT(AddInteger(&b, PG_GETARG_INT64(0)));
}

DYNAMO_FUNCTION(dynamo_value_from_integer);

Datum
dynamo_value_from_integer(PG_FUNCTION_ARGS)
{
	RETURN_BUILT(AddInteger(&b, PG_GETARG_INT32(0)));
}
