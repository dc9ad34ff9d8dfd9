/*
 * update_value.c
 *	  Sums of numbers, concatenated lists, unions and differences of sets.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "errors.h"
#include "expr/error.h"
#include "expr/update_value.h"
#include "item/number.h"
#include "item/splice.h"

static void
RequireType(ValueRef v, ValueType type, const Path *target)
{
	if (ValueTypeOf(v) != type)
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_VALIDATION),
				 errmsg("An operand in the update expression has an incorrect data type"),
				 errdetail("In the update of %s: %s where %s is needed.",
						   ExprPathText(target), ValueTypeName(ValueTypeOf(v)),
						   ValueTypeName(type))));
}

void
RequireSet(ValueRef v, const Path *target)
{
	if (!ValueTypeIsSet(ValueTypeOf(v)))
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_VALIDATION),
				 errmsg("An operand in the update expression has an incorrect data type"),
				 errdetail("In the update of %s: %s where a set is needed.",
						   ExprPathText(target), ValueTypeName(ValueTypeOf(v)))));
}

ValueRef
ValueSum(ValueRef a, ValueRef b, bool subtract, const Path *target)
{
	uint8	   *sum = palloc(1 + NUMBER_MAX_BYTES);
	uint32		len;
	NumberStatus status;

	RequireType(a, VALUE_N, target);
	RequireType(b, VALUE_N, target);
	status = NumberAdd(a.data + 1, a.len - 1, b.data + 1, b.len - 1, subtract,
					   sum + 1, &len);
	if (status != NUMBER_OK)
		NumberError(status, "", 0);
	sum[0] = VALUE_N;
	return (ValueRef) {sum, 1 + len};
}

ValueRef
ListConcat(ValueRef a, ValueRef b, const Path *target)
{
	Container	ca;
	Container	cb;
	SpliceEdit *edits;

	RequireType(a, VALUE_L, target);
	RequireType(b, VALUE_L, target);
	ContainerOpen(a, &ca);
	ContainerOpen(b, &cb);
	edits = palloc(Max(cb.count, 1) * sizeof(SpliceEdit));
	for (uint32 i = 0; i < cb.count; i++)
		edits[i] = (SpliceEdit) {
			.position = ca.count,
			.inserts = true,
			.bytes = ContainerSlice(&cb, i)
		};
	return ContainerSplice(VALUE_L, &ca, edits, cb.count);
}

/*
 * a with the members of b added, or removed.  Members of both stand in the
 * same order, and so do the edits.
 */
static ValueRef
SetChange(ValueRef a, ValueRef b, bool add, const Path *target)
{
	Container	ca;
	Container	cb;
	SpliceEdit *edits;
	uint32		n = 0;

	Assert(ValueTypeIsSet(ValueTypeOf(b)));
	RequireType(a, ValueTypeOf(b), target);
	ContainerOpen(a, &ca);
	ContainerOpen(b, &cb);
	edits = palloc(Max(cb.count, 1) * sizeof(SpliceEdit));
	for (uint32 i = 0; i < cb.count; i++)
	{
		Slice		member = ContainerSlice(&cb, i);
		uint32		position;

		if (SetPosition(&ca, member, &position) == add)
			continue;
		edits[n++] = (SpliceEdit) {
			.position = position,
			.removes = !add,
			.inserts = add,
			.bytes = member
		};
	}
	if (n == 0)
		return a;
	if (!add && n == ca.count)
		return MISSING_VALUE;
	return ContainerSplice(ca.type, &ca, edits, n);
}

ValueRef
SetUnion(ValueRef a, ValueRef b, const Path *target)
{
	return SetChange(a, b, true, target);
}

ValueRef
SetDifference(ValueRef a, ValueRef b, const Path *target)
{
	return SetChange(a, b, false, target);
}

int
ValueDepth(ValueRef v)
{
	Container	c;
	int			depth = 0;

	if (ValueTypeOf(v) != VALUE_L && ValueTypeOf(v) != VALUE_M)
		return 0;
	check_stack_depth();
	ContainerOpen(v, &c);
	for (uint32 i = 0; i < c.count; i++)
	{
		Slice		name;
		int			inside = ValueDepth(c.type == VALUE_L ?
										ListElement(&c, i) :
										MapEntry(&c, i, &name));

		depth = Max(depth, inside);
	}
	return depth + 1;
}
