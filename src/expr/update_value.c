/*
 * update_value.c
 *	  Adds numbers, concatenates lists, and changes sets, for updates.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "errors.h"
#include "expr/error.h"
#include "expr/update_value.h"
#include "item/number.h"
#include "item/splice.h"

static bool
NoteWrongType(ValueRef v, const char *wanted, const Path *target, Problem *problem)
{
	return ProblemNote(problem, &(Problem) {
		.sqlstate = ERRCODE_DYNAMO_VALIDATION,
		.message = "An operand in the update expression has an incorrect data type",
		.detail = psprintf("In the update of %s: %s where %s is needed.",
						   ExprPathText(target), ValueTypeName(ValueTypeOf(v)), wanted)
	});
}

static bool
RequireType(ValueRef v, ValueType type, const Path *target, Problem *problem)
{
	if (ValueIsMissing(v))
		return false;			/* its problem is noted */
	return ValueTypeOf(v) == type || NoteWrongType(v, ValueTypeName(type), target, problem);
}

bool
RequireSet(ValueRef v, const Path *target, Problem *problem)
{
	if (ValueIsMissing(v))
		return false;
	return ValueTypeIsSet(ValueTypeOf(v)) || NoteWrongType(v, "a set", target, problem);
}

ValueRef
ValueSum(ValueRef a, ValueRef b, bool subtract, const Path *target, Problem *problem)
{
	uint8	   *sum;
	uint32		len;
	NumberStatus status;

	if (!RequireType(a, VALUE_N, target, problem) || !RequireType(b, VALUE_N, target, problem))
		return MISSING_VALUE;
	sum = palloc(1 + NUMBER_MAX_BYTES);
	status = NumberAdd(a.data + 1, a.len - 1, b.data + 1, b.len - 1, subtract,
					   sum + 1, &len);
	if (status != NUMBER_OK)
	{
		NoteInvalid(problem, "%s", NumberErrorMessage(status, false));
		return MISSING_VALUE;
	}
	sum[0] = VALUE_N;
	return (ValueRef) {sum, 1 + len};
}

ValueRef
ListConcat(ValueRef a, ValueRef b, const Path *target, Problem *problem)
{
	Container	ca;
	Container	cb;
	SpliceEdit *edits;

	if (!RequireType(a, VALUE_L, target, problem) || !RequireType(b, VALUE_L, target, problem))
		return MISSING_VALUE;
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
 * Returns a with the members of b added or removed.  Both sets have the same
 * order, and so have the edits.
 */
static ValueRef
ChangeSet(ValueRef a, ValueRef b, bool add, const Path *target, Problem *problem)
{
	Container	ca;
	Container	cb;
	SpliceEdit *edits;
	uint32		n = 0;

	Assert(ValueTypeIsSet(ValueTypeOf(b)));
	if (!RequireType(a, ValueTypeOf(b), target, problem))
		return MISSING_VALUE;
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
SetUnion(ValueRef a, ValueRef b, const Path *target, Problem *problem)
{
	return ChangeSet(a, b, true, target, problem);
}

ValueRef
SetDifference(ValueRef a, ValueRef b, const Path *target, Problem *problem)
{
	return ChangeSet(a, b, false, target, problem);
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
