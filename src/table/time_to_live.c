/*
 * time_to_live.c
 *	  Time to live: the expiry time in an attribute.
 */
#include "postgres.h"

#include <math.h>

#include "utils/builtins.h"
#include "utils/fmgrprotos.h"

#include "item/number.h"
#include "table/time_to_live.h"

/* Later than any valid time; the column contains whole seconds. */
#define SECONDS_LIMIT	1e18

bool
TtlSeconds(ValueRef value, int64 *seconds)
{
	Slice		payload;
	Datum		number;

	if (ValueIsMissing(value) || ValueTypeOf(value) != VALUE_N)
		return false;
	payload = ValuePayload(value);
	if (NumberToInt64((const uint8 *) payload.data, payload.len, seconds))
		return true;
	number = NumericGetDatum(NumberToNumeric((const uint8 *) payload.data, payload.len));
	if (fabs(DatumGetFloat8(DirectFunctionCall1(numeric_float8, number))) > SECONDS_LIMIT)
		return false;
	number = DirectFunctionCall1(numeric_floor, number);
	*seconds = DatumGetInt64(DirectFunctionCall1(numeric_int8, number));
	return true;
}
