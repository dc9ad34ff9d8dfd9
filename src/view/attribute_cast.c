/*
 * attribute_cast.c
 *	  Casts attributes to SQL types.
 *
 * What most items have takes no cast: a number in a numeric column, an integer in an
 * integer one, a boolean, a time in UTC.  Other values of frequent types go through the input function
 * of the type.  Only types with more to do (domains, arrays, a length) need an expression.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parse_coerce.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"

#include "entity/template_time.h"
#include "item/convert.h"
#include "item/number.h"
#include "subtransaction.h"
#include "view/attribute_cast.h"
#include "view/typed_attribute.h"

#define MAX_EXACT_TIME		27	/* length of a time with six decimals */
#define UNIX_TO_POSTGRES	((POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * USECS_PER_DAY)

typedef enum CastKind
{
	CAST_TEXT,					/* the text itself */
	CAST_INPUT,					/* the input function of the type reads the text */
	CAST_INSTANT,				/* dynamo.parse_time reads it */
	CAST_EXPRESSION
} CastKind;

struct AttributeCast
{
	Oid			type;
	int32		typmod;
	CastKind	kind;

	/* CAST_INPUT */
	FmgrInfo	input;
	Oid			io_param;

	/* CAST_EXPRESSION */
	Oid			source;			/* type of the datum that is cast */
	ExprState  *expression;
	ExprContext *econtext;
};

/* ---- preparing ---- */

/* Types whose casts from text take nothing but the input function. */
static Oid
FindFrequentInput(Oid type, int32 typmod)
{
	switch (type)
	{
		case INT2OID:
			return F_INT2IN;
		case INT4OID:
			return F_INT4IN;
		case INT8OID:
			return F_INT8IN;
		case FLOAT4OID:
			return F_FLOAT4IN;
		case FLOAT8OID:
			return F_FLOAT8IN;
		case BOOLOID:
			return F_BOOLIN;
		case DATEOID:
			return F_DATE_IN;
		case UUIDOID:
			return F_UUID_IN;
		case NUMERICOID:
			return F_NUMERIC_IN;
		case TIMESTAMPOID:
			return F_TIMESTAMP_IN;
		case TIMESTAMPTZOID:
			return F_TIMESTAMPTZ_IN;
	}
	return InvalidOid;
}

/* The same for other types of this kind, which the catalogs tell. */
static bool
FindOtherInput(AttributeCast *cast, Oid *input)
{
	Oid			function;

	if (cast->typmod >= 0 || get_typtype(cast->type) == TYPTYPE_DOMAIN || cast->source != TEXTOID ||
		find_coercion_pathway(cast->type, TEXTOID, COERCION_EXPLICIT, &function) != COERCION_PATH_COERCEVIAIO)
		return false;
	getTypeInputInfo(cast->type, input, &cast->io_param);
	return true;
}

/* The type of the datum from which a cast starts. */
static Oid
FindSource(Oid type)
{
	Oid			base = getBaseType(type);

	if (base == BYTEAOID)
		return BYTEAOID;
	if (base == JSONBOID || base == JSONOID)
		return JSONBOID;
	return OidIsValid(get_element_type(base)) ? TEXTARRAYOID : TEXTOID;
}

/* Prepares the cast as an expression of the datum, as the parser makes it. */
static void
PrepareExpression(AttributeCast *cast)
{
	CaseTestExpr *datum = makeNode(CaseTestExpr);
	Node	   *expression;

	datum->typeId = cast->source;
	datum->typeMod = -1;
	datum->collation = get_typcollation(cast->source);
	expression = coerce_to_target_type(NULL, (Node *) datum, cast->source, cast->type, cast->typmod,
									   COERCION_EXPLICIT, COERCE_EXPLICIT_CAST, -1);
	if (expression == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_CANNOT_COERCE),
				 errmsg("cannot cast type %s to %s", format_type_be(cast->source), format_type_be(cast->type))));
	cast->kind = CAST_EXPRESSION;
	cast->expression = ExecInitExpr(expression_planner((Expr *) expression), NULL);
	cast->econtext = CreateStandaloneExprContext();
}

AttributeCast *
AttributeCastMake(Oid type, int32 typmod)
{
	AttributeCast *cast = palloc0(sizeof(AttributeCast));
	Oid			input;

	cast->type = type;
	cast->typmod = typmod;
	cast->io_param = type;
	cast->kind = typmod < 0 && (type == TEXTOID || type == VARCHAROID) ? CAST_TEXT : CAST_INPUT;
	if (typmod == INSTANT_TYPMOD && type == TIMESTAMPTZOID)
		cast->kind = CAST_INSTANT;
	if (cast->kind != CAST_INPUT)
		return cast;
	input = FindFrequentInput(type, typmod);
	if (!OidIsValid(input))
	{
		cast->source = FindSource(type);
		if (!FindOtherInput(cast, &input))
			PrepareExpression(cast);
	}
	if (OidIsValid(input))
		fmgr_info_cxt(input, &cast->input, CurrentMemoryContext);
	return cast;
}

/* ---- times of keys ---- */

/* Sets a time, of ISO 8601 or a number of seconds; false for an empty text, which is missing in keys, too. */
static bool
ParseTime(Slice text, TimestampTz *time)
{
	int64		instant;

	if (text.len == 0)
		return false;
	if (!InstantFromText(text, &instant) && !InstantFromSeconds(text, &instant))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_DATETIME_FORMAT),
				 errmsg("invalid time: \"%.*s\"", (int) text.len, text.data),
				 errdetail("A time is a text in ISO 8601, such as 2026-01-31T12:00:00Z, or a number of seconds since 1970.")));
	*time = instant - UNIX_TO_POSTGRES;
	return true;
}

/* parse_time(text) returns timestamptz; NULL for an empty text */
DYNAMO_FUNCTION(dynamo_parse_time);
Datum
dynamo_parse_time(PG_FUNCTION_ARGS)
{
	text	   *argument = PG_GETARG_TEXT_PP(0);
	TimestampTz time;

	if (!ParseTime(SliceOfVarlena(argument), &time))
		PG_RETURN_NULL();
	PG_RETURN_TIMESTAMPTZ(time);
}

/* ---- without a cast ---- */

/* Sets an integer of at most nine digits. */
static bool
ParseShortInteger(Slice text, int64 *integer)
{
	bool		negative = text.len > 1 && text.data[0] == '-';

	*integer = 0;
	if (text.len == 0 || text.len > 9)
		return false;
	for (uint32 i = negative; i < text.len; i++)
	{
		if (text.data[i] < '0' || text.data[i] > '9')
			return false;
		*integer = *integer * 10 + (text.data[i] - '0');
	}
	if (negative)
		*integer = -*integer;
	return true;
}

/* Sets a time that is written in UTC with Z, of which no digit is rounded. */
static bool
InstantAtOnce(const AttributeCast *cast, ValueRef value, Datum *result)
{
	Slice		text = ValuePayload(value);
	int64		instant;

	if (ValueTypeOf(value) != VALUE_S || cast->typmod >= 0 || text.len > MAX_EXACT_TIME || text.len == 0 ||
		text.data[text.len - 1] != 'Z' || !InstantFromText(text, &instant))
		return false;
	*result = TimestampTzGetDatum(instant - UNIX_TO_POSTGRES);
	return true;
}

static bool
IntegerAtOnce(const AttributeCast *cast, ValueRef value, Datum *result)
{
	Slice		payload = ValuePayload(value);
	int64		integer;

	if (ValueTypeOf(value) == VALUE_N ? !NumberToInt64((const uint8 *) payload.data, payload.len, &integer) :
		ValueTypeOf(value) != VALUE_S || !ParseShortInteger(payload, &integer))
		return false;
	switch (cast->type)
	{
		case INT2OID:
			*result = Int16GetDatum((int16) integer);
			return integer >= PG_INT16_MIN && integer <= PG_INT16_MAX;
		case INT4OID:
			*result = Int32GetDatum((int32) integer);
			return integer >= PG_INT32_MIN && integer <= PG_INT32_MAX;
	}
	*result = Int64GetDatum(integer);
	return true;
}

bool
AttributeCastAtOnce(const AttributeCast *cast, ValueRef value, Datum *result)
{
	Slice		payload;

	if (ValueIsMissing(value))
		return false;
	payload = ValuePayload(value);
	switch (cast->type)
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
			return IntegerAtOnce(cast, value, result);
		case TIMESTAMPTZOID:
			return InstantAtOnce(cast, value, result);
		case NUMERICOID:
			if (ValueTypeOf(value) != VALUE_N || cast->typmod >= 0)
				return false;
			*result = NumericGetDatum(NumberToNumeric((const uint8 *) payload.data, payload.len));
			return true;
		case BOOLOID:
			if (ValueTypeOf(value) != VALUE_BOOL)
				return false;
			*result = BoolGetDatum(ValueBool(value));
			return true;
		case BYTEAOID:
			if (ValueTypeOf(value) != VALUE_B)
				return false;
			*result = PointerGetDatum(cstring_to_text_with_len(payload.data, (int) payload.len));
			return true;
	}
	return false;
}

/* ---- the datum that is cast ---- */

static Datum
BinaryDatum(ValueRef value)
{
	Slice		payload = ValuePayload(value);

	if (ValueTypeOf(value) != VALUE_B)
		ereport(ERROR,
				(errcode(ERRCODE_CANNOT_COERCE),
				 errmsg("cannot cast dynamo.value of type %s to bytea", ValueTypeName(ValueTypeOf(value)))));
	return PointerGetDatum(cstring_to_text_with_len(payload.data, (int) payload.len));
}

/* Returns an element of a JSON array as text; NULL for null. */
static text *
ElementText(const JsonbValue *element)
{
	if (element->type == jbvNull)
		return NULL;
	if (element->type == jbvString)
		return cstring_to_text_with_len(element->val.string.val, element->val.string.len);
	return cstring_to_text(JsonbToCString(NULL, &JsonbValueToJsonb(unconstify(JsonbValue *, element))->root, -1));
}

static Datum
ArrayDatum(ValueRef value)
{
	Jsonb	   *list = ValueToJsonb(value);
	ArrayBuildState *array = initArrayResult(TEXTOID, CurrentMemoryContext, false);

	if (!JB_ROOT_IS_ARRAY(list) || JB_ROOT_IS_SCALAR(list))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a dynamo.value of type %s has no elements", ValueTypeName(ValueTypeOf(value))),
				 errhint("Only lists and sets have elements.")));
	for (uint32 i = 0; i < JB_ROOT_COUNT(list); i++)
	{
		text	   *element = ElementText(getIthJsonbValueFromContainer(&list->root, i));

		array = accumArrayResult(array, PointerGetDatum(element), element == NULL, TEXTOID, CurrentMemoryContext);
	}
	return makeArrayResult(array, CurrentMemoryContext);
}

/* Returns a value as the datum from which the expression starts; sets *isnull. */
static Datum
SourceDatum(const AttributeCast *cast, ValueRef value, bool *isnull)
{
	bool		null = !ValueIsMissing(value) && ValueTypeOf(value) == VALUE_NULL;
	text	   *shown;

	*isnull = ValueIsMissing(value) || (null && cast->source != JSONBOID);
	if (*isnull)
		return (Datum) 0;
	switch (cast->source)
	{
		case BYTEAOID:
			return BinaryDatum(value);
		case JSONBOID:
			return JsonbPGetDatum(ValueToJsonb(value));
		case TEXTARRAYOID:
			return ArrayDatum(value);
	}
	shown = ValueToText(value);
	*isnull = shown == NULL;
	return PointerGetDatum(shown);
}

/* ---- casting ---- */

static Datum
EvaluateExpression(AttributeCast *cast, ValueRef value, bool *isnull)
{
	ExprContext *econtext = cast->econtext;

	econtext->caseValue_datum = SourceDatum(cast, value, &econtext->caseValue_isNull);
	return ExecEvalExpr(cast->expression, econtext, isnull);
}

/* Returns the text of a value that is not NULL, for an input function. */
static char *
ValueToCString(ValueRef value)
{
	Slice		payload = ValuePayload(value);
	char	   *number;

	switch (ValueTypeOf(value))
	{
		case VALUE_S:
			CheckSliceIsText(payload);
			return pnstrdup(payload.data, payload.len);
		case VALUE_N:
			number = palloc(NUMBER_MAX_TEXT);
			number[NumberToText((const uint8 *) payload.data, payload.len, number)] = '\0';
			return number;
		default:
			return text_to_cstring(ValueToText(value));
	}
}

static Datum
ParseInstant(text *shown, bool *isnull)
{
	TimestampTz time = 0;

	*isnull = !ParseTime(SliceOfVarlena(shown), &time);
	return TimestampTzGetDatum(time);
}

Datum
AttributeCastValue(AttributeCast *cast, ValueRef value, bool *isnull)
{
	Datum		result;

	*isnull = false;
	if (AttributeCastAtOnce(cast, value, &result))
		return result;
	if (cast->kind == CAST_EXPRESSION)
		return EvaluateExpression(cast, value, isnull);
	*isnull = ValueIsMissing(value) || ValueTypeOf(value) == VALUE_NULL;
	if (*isnull)
		return (Datum) 0;
	if (cast->kind == CAST_TEXT)
		return PointerGetDatum(ValueToText(value));
	if (cast->kind == CAST_INSTANT)
		return ParseInstant(ValueToText(value), isnull);
	return InputFunctionCall(&cast->input, ValueToCString(value), cast->io_param, cast->typmod);
}

/* ---- trying ---- */

/* Whether a text is a date or a time in UTC, in ISO 8601, which every time type reads. */
static bool
IsPlainInstant(Slice text)
{
	int64		instant;

	return InstantFromText(text, &instant) &&
		(text.len <= 10 || (memchr(text.data + 10, '+', text.len - 10) == NULL && memchr(text.data + 10, '-', text.len - 10) == NULL));
}

/* Whether a number has fewer digits before the point than a numeric(p, s) has room for, so that rounding does no harm. */
static bool
FitsPrecision(Slice number, int32 typmod)
{
	char		text[NUMBER_MAX_TEXT];
	uint32		len = NumberToText((const uint8 *) number.data, number.len, text);
	const char *point = memchr(text, '.', len);
	int			precision = ((typmod - VARHDRSZ) >> 16) & 0xffff;
	int			scale = (((typmod - VARHDRSZ) & 0x7ff) ^ 1024) - 1024;

	return (point == NULL ? (int) len : (int) (point - text)) < precision - scale;
}

/* Whether a uuid is written as PostgreSQL writes it, in whatever case. */
static bool
IsPlainUuid(Slice text)
{
	if (text.len != 36)
		return false;
	for (uint32 i = 0; i < text.len; i++)
	{
		bool		hyphen = i == 8 || i == 13 || i == 18 || i == 23;

		if (hyphen ? text.data[i] != '-' : !isxdigit((unsigned char) text.data[i]))
			return false;
	}
	return true;
}

static bool
NumberIsSafe(const AttributeCast *cast, Slice number)
{
	return cast->kind == CAST_TEXT || cast->type == FLOAT8OID ||
		(cast->type == NUMERICOID && FitsPrecision(number, cast->typmod));
}

/* Whether a cast cannot fail, for values that AttributeCastAtOnce does not take. */
static bool
CastIsSafe(const AttributeCast *cast, ValueRef value)
{
	if (cast->kind == CAST_EXPRESSION)
		return false;
	if (ValueIsMissing(value) || ValueTypeOf(value) == VALUE_NULL)
		return true;
	if (ValueTypeOf(value) == VALUE_N)
		return NumberIsSafe(cast, ValuePayload(value));
	if (ValueTypeOf(value) != VALUE_S)
		return cast->kind == CAST_TEXT;
	if (cast->type == UUIDOID)
		return IsPlainUuid(ValuePayload(value));
	if (cast->kind == CAST_TEXT)
		return ValuePayload(value).len == 0 || memchr(ValuePayload(value).data, '\0', ValuePayload(value).len) == NULL;
	return cast->typmod < 0 && IsPlainInstant(ValuePayload(value)) &&
		(cast->type == DATEOID || cast->type == TIMESTAMPOID || cast->type == TIMESTAMPTZOID);
}

bool
ErrorIsOfValue(const ErrorData *edata)
{
	int			category = ERRCODE_TO_CATEGORY(edata->sqlerrcode);

	return edata->elevel == ERROR && edata->sqlerrcode != ERRCODE_INSUFFICIENT_PRIVILEGE &&
		(category == ERRCODE_DATA_EXCEPTION || category == ERRCODE_INTEGRITY_CONSTRAINT_VIOLATION ||
		 category == ERRCODE_PLPGSQL_ERROR || category == ERRCODE_SYNTAX_ERROR_OR_ACCESS_RULE_VIOLATION);
}

typedef struct CastAttempt
{
	AttributeCast *cast;
	ValueRef	value;
	Datum		result;
	bool		isnull;
} CastAttempt;

static void
AttemptCast(void *arg)
{
	CastAttempt *attempt = arg;

	attempt->result = AttributeCastValue(attempt->cast, attempt->value, &attempt->isnull);
}

ErrorData *
AttributeCastTry(AttributeCast *cast, ValueRef value, Datum *result, bool *isnull)
{
	CastAttempt attempt = {.cast = cast, .value = value};
	ErrorData  *failure;

	*isnull = false;
	if (AttributeCastAtOnce(cast, value, result))
		return NULL;
	if (CastIsSafe(cast, value))
	{
		*result = AttributeCastValue(cast, value, isnull);
		return NULL;
	}
	failure = TryInSubtransaction(AttemptCast, &attempt);
	if (failure != NULL && !ErrorIsOfValue(failure))
		ReThrowError(failure);
	*result = attempt.result;
	*isnull = attempt.isnull;
	return failure;
}
