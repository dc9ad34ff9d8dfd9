/*
 * copy_sum.c
 *	  Computes totals from the contributions of children.
 *
 * Contributions to counts and sums can be added in any order.  Those to a
 * minimum or maximum keep the extreme of the values added and of those
 * removed: if the latter reaches the total, it may be gone.
 */
#include "postgres.h"

#include "utils/builtins.h"

#include "copy/copy.h"
#include "errors.h"
#include "item/builder.h"
#include "item/number.h"

/* ---- values ---- */

static ValueRef
NumberValue(const uint8 *number, uint32 len)
{
	ItemBuilder b;
	ValueRef	value;

	ItemBuilderInit(&b, 1, DUPLICATE_NAME_LAST);
	ItemBuilderNumber(&b, number, len);
	value = ItemRoot(ItemBuilderFinish(&b));
	ItemBuilderRelease(&b);
	return value;
}

static ValueRef
CountValue(int64 n)
{
	uint8		number[NUMBER_MAX_BYTES];

	return NumberValue(number, NumberFromInt64(n, number));
}

static Numeric
NumericOfValue(ValueRef v)
{
	Slice		number = ValuePayload(v);

	return NumberToNumeric((const uint8 *) number.data, number.len);
}

static ValueRef
ValueOfNumeric(const Total *total, Numeric n)
{
	uint8		number[NUMBER_MAX_BYTES];
	uint32		len;

	if (NumberFromNumeric(n, number, &len) != NUMBER_OK)
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_VALIDATION),
				 errmsg("total \"%.*s\" would need more than 38 digits",
						(int) total->attribute.len, total->attribute.data)));
	return NumberValue(number, len);
}

static bool
IsNumber(ValueRef v)
{
	return !ValueIsMissing(v) && ValueTypeOf(v) == VALUE_N;
}

/* Whether the second value is beyond the first, or there is no first value. */
static bool
IsBeyond(const Total *total, ValueRef extreme, ValueRef v)
{
	int			order;

	if (ValueIsMissing(extreme))
		return true;
	order = ValueCompare(v, extreme);
	return total->function == TOTAL_MIN ? order < 0 : order > 0;
}

static ValueRef
GetRoot(const struct varlena *value)
{
	return value == NULL ? MISSING_VALUE : ItemRoot(value);
}

/* ---- contributions ---- */

static void
AddToSum(Contribution *c, ValueRef v, bool removed)
{
	Numeric		before = c->sum;
	Numeric		n = NumericOfValue(v);

	if (before == NULL)
		before = int64_to_numeric(0);
	c->sum = DatumGetNumeric(removed ?
							 DirectFunctionCall2(numeric_sub, NumericGetDatum(before), NumericGetDatum(n)) :
							 DirectFunctionCall2(numeric_add, NumericGetDatum(before), NumericGetDatum(n)));
	pfree(before);
	pfree(n);
}

static void
KeepExtreme(const Total *total, struct varlena **extreme, ValueRef v)
{
	if (!ValueTypeIsKey(ValueTypeOf(v)) || !IsBeyond(total, GetRoot(*extreme), v))
		return;
	if (*extreme != NULL)
		pfree(*extreme);
	*extreme = ValueCopy(v);
}

void
Contribute(const Total *total, Contribution *c, ValueRef child, bool removed)
{
	ValueRef	v = AttributeFind(child, total->of.data, total->of.len);

	if (total->function == TOTAL_COUNT)
		c->count += removed ? -1 : 1;
	else if (ValueIsMissing(v))
		return;
	else if (total->function != TOTAL_SUM)
		KeepExtreme(total, removed ? &c->removed : &c->added, v);
	else if (IsNumber(v))
		AddToSum(c, v, removed);
}

/* ---- totals ---- */

ValueRef
TotalValue(const Total *total, const Contribution *c)
{
	if (total->function == TOTAL_COUNT)
		return CountValue(c->count);
	if (total->function == TOTAL_SUM)
		return c->sum == NULL ? CountValue(0) : ValueOfNumeric(total, c->sum);
	return GetRoot(c->added);
}

ValueRef
TotalOfNone(const Total *total)
{
	Contribution none = {0};

	return TotalValue(total, &none);
}

static ValueRef
AddToTotal(const Total *total, ValueRef before, Numeric change)
{
	if (change == NULL)
		return before;
	return ValueOfNumeric(total, DatumGetNumeric(DirectFunctionCall2(numeric_add,
																	 NumericGetDatum(NumericOfValue(before)),
																	 NumericGetDatum(change))));
}

static bool
ExtremeChanged(const Total *total, const Contribution *c, ValueRef before, ValueRef *after)
{
	ValueRef	removed = GetRoot(c->removed);
	ValueRef	added = GetRoot(c->added);

	if (c->unsure)
		return false;

	/*
	 * a value at least as extreme was removed, unless it is the one that
	 * remains
	 */
	if (!ValueIsMissing(removed) && (ValueIsMissing(before) || !IsBeyond(total, removed, before)))
		return false;
	*after = !ValueIsMissing(added) && IsBeyond(total, before, added) ? added : before;
	return true;
}

bool
TotalChanged(const Total *total, const Contribution *c, ValueRef before, ValueRef *after)
{
	int64		count;

	if (total->function == TOTAL_MIN || total->function == TOTAL_MAX)
		return ExtremeChanged(total, c, before, after);
	if (!IsNumber(before))
		return false;
	if (total->function == TOTAL_SUM)
	{
		*after = AddToTotal(total, before, c->sum);
		return true;
	}
	if (!NumberToInt64((const uint8 *) ValuePayload(before).data, ValuePayload(before).len, &count))
		return false;
	*after = CountValue(count + c->count);
	return true;
}
