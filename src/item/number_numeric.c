/*
 * number_numeric.c
 *	  DynamoDB numbers and PostgreSQL's numeric: conversion and arithmetic.
 *
 * Sums of numeric are exact, and its limits are wider than DynamoDB's, which
 * are checked when the result is encoded.
 */
#include "postgres.h"

#include "common/int.h"
#include "fmgr.h"
#include "utils/builtins.h"

#include "item/number.h"

Numeric
NumberToNumeric(const uint8 *number, uint32 len)
{
	char		text[NUMBER_MAX_TEXT];
	int64		integer;
	int			scale;

	if (NumberToInt64(number, len, &integer))
		return int64_to_numeric(integer);
	if (NumberToScaledInt64(number, len, &integer, &scale))
		return int64_div_fast_to_numeric(integer, scale);

	text[NumberToText(number, len, text)] = '\0';
	return DatumGetNumeric(DirectFunctionCall3(numeric_in,
											   CStringGetDatum(text),
											   ObjectIdGetDatum(InvalidOid),
											   Int32GetDatum(-1)));
}

NumberStatus
NumberFromNumeric(Numeric num, uint8 *out, uint32 *len)
{
	char	   *text = DatumGetCString(DirectFunctionCall1(numeric_out,
														   NumericGetDatum(num)));
	NumberStatus status = NumberFromText(text, strlen(text), out, len);

	pfree(text);
	return status;
}

/* Adds or subtracts int64 numbers; false if the result is out of range. */
static bool
AddIntegers(int64 a, int64 b, bool subtract, int64 *result)
{
	return !(subtract ? pg_sub_s64_overflow(a, b, result)
			 : pg_add_s64_overflow(a, b, result));
}

NumberStatus
NumberAdd(const uint8 *a, uint32 alen, const uint8 *b, uint32 blen,
		  bool subtract, uint8 *out, uint32 *len)
{
	int64		ia;
	int64		ib;
	int64		sum;
	Datum		result;
	NumberStatus status;

	if (NumberToInt64(a, alen, &ia) && NumberToInt64(b, blen, &ib) &&
		AddIntegers(ia, ib, subtract, &sum))
	{
		*len = NumberFromInt64(sum, out);
		return NUMBER_OK;
	}

	result = DirectFunctionCall2(subtract ? numeric_sub : numeric_add,
								 NumericGetDatum(NumberToNumeric(a, alen)),
								 NumericGetDatum(NumberToNumeric(b, blen)));
	status = NumberFromNumeric(DatumGetNumeric(result), out, len);

	/* The service reports a result with too many digits as an overflow. */
	return status == NUMBER_TOO_MANY_DIGITS ? NUMBER_OVERFLOW : status;
}
