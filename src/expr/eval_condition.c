/*
 * eval_condition.c
 *	  Decides whether an item satisfies a bound condition.
 *
 * Evaluation allocates no memory: operands are views into the item or the
 * bindings, and the results of size() are encoded on the stack.  The logic has
 * two values: a comparison with a missing attribute or between different types
 * is false, but "<>" and NOT make it true.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "expr/condition.h"
#include "item/number.h"

typedef struct Evaluation
{
	bool		exists;			/* there is an item */
	Container	item;
} Evaluation;

/* An encoded number with its type tag. */
typedef struct SizeBuffer
{
	uint8		bytes[1 + NUMBER_MAX_BYTES];
} SizeBuffer;

static bool EvaluateCondition(const Condition *cond, const Evaluation *e);

/* ---- operands ---- */

/* The service measures strings in UTF-16 code units. */
static int64
Utf16Length(Slice text)
{
	int64		units = 0;

	for (uint32 i = 0; i < text.len; i++)
	{
		unsigned char c = (unsigned char) text.data[i];

		units += (c & 0xC0) != 0x80;	/* first byte of a character */
		units += c >= 0xF0;		/* a surrogate pair */
	}
	return units;
}

/* The result of size(), or MISSING_VALUE. */
static ValueRef
ComputeSize(ValueRef v, SizeBuffer *buffer)
{
	int64		size;

	if (ValueIsMissing(v))
		return v;
	switch (ValueTypeOf(v))
	{
		case VALUE_S:
			size = Utf16Length(ValuePayload(v));
			break;
		case VALUE_B:
			size = ValuePayload(v).len;
			break;
		case VALUE_N:
		case VALUE_BOOL:
		case VALUE_NULL:
			return MISSING_VALUE;
		default:
			{
				Container	c;

				ContainerOpen(v, &c);
				size = c.count;
			}
	}
	buffer->bytes[0] = VALUE_N;
	return (ValueRef) {buffer->bytes,
		1 + NumberFromInt64(size, buffer->bytes + 1)};
}

static ValueRef
OperandPath(const Operand *o, const Evaluation *e)
{
	return e->exists ? PathResolve(&o->path, &e->item) : MISSING_VALUE;
}

static ValueRef
OperandValue(const Operand *o, const Evaluation *e, SizeBuffer *buffer)
{
	switch (o->kind)
	{
		case OPERAND_PATH:
			return OperandPath(o, e);
		case OPERAND_VALUE:
			return o->value;
		case OPERAND_SIZE_OF_PATH:
			return ComputeSize(OperandPath(o, e), buffer);
		case OPERAND_SIZE_OF_VALUE:
			return ComputeSize(o->value, buffer);
	}
	return MISSING_VALUE;
}

/* ---- predicates ---- */

static bool
AreComparable(ValueRef a, ValueRef b)
{
	return !ValueIsMissing(a) && !ValueIsMissing(b) &&
		ValueTypeOf(a) == ValueTypeOf(b) && ValueTypeIsKey(ValueTypeOf(a));
}

static bool
AreEqual(ValueRef a, ValueRef b)
{
	return !ValueIsMissing(a) && !ValueIsMissing(b) && ValueEqual(a, b);
}

static bool
CompareValues(CompareOp op, ValueRef a, ValueRef b)
{
	if (op == COMPARISON_EQ)
		return AreEqual(a, b);
	if (op == COMPARISON_NE)
		return !AreEqual(a, b);
	if (!AreComparable(a, b))
		return false;
	switch (op)
	{
		case COMPARISON_LT:
			return CompareOrdered(a, b) < 0;
		case COMPARISON_LE:
			return CompareOrdered(a, b) <= 0;
		case COMPARISON_GT:
			return CompareOrdered(a, b) > 0;
		default:
			return CompareOrdered(a, b) >= 0;
	}
}

static bool
EvaluateCompare(const Condition *cond, const Evaluation *e)
{
	SizeBuffer	a;
	SizeBuffer	b;

	return CompareValues(cond->op,
				   OperandValue(&cond->operands[0], e, &a),
				   OperandValue(&cond->operands[1], e, &b));
}

static bool
EvaluateBetween(const Condition *cond, const Evaluation *e)
{
	SizeBuffer	buffers[3];
	ValueRef	v = OperandValue(&cond->operands[0], e, &buffers[0]);
	ValueRef	lower = OperandValue(&cond->operands[1], e, &buffers[1]);
	ValueRef	upper = OperandValue(&cond->operands[2], e, &buffers[2]);

	return AreComparable(v, lower) && AreComparable(v, upper) &&
		CompareOrdered(lower, v) <= 0 && CompareOrdered(v, upper) <= 0;
}

static bool
EvaluateIn(const Condition *cond, const Evaluation *e)
{
	SizeBuffer	buffer;
	SizeBuffer	member;
	ValueRef	v = OperandValue(&cond->operands[0], e, &buffer);

	for (int i = 1; i < cond->n; i++)
	{
		if (AreEqual(v, OperandValue(&cond->operands[i], e, &member)))
			return true;
	}
	return false;
}

static bool
EvaluateType(const Condition *cond, const Evaluation *e)
{
	SizeBuffer	buffer;
	ValueRef	v = OperandValue(&cond->operands[0], e, &buffer);

	return !ValueIsMissing(v) && ValueTypeOf(v) == cond->type;
}

static bool
AreBothStringsOrBinary(ValueRef a, ValueRef b)
{
	return ValueTypeOf(a) == ValueTypeOf(b) &&
		(ValueTypeOf(a) == VALUE_S || ValueTypeOf(a) == VALUE_B);
}

bool
ValueBeginsWith(ValueRef v, ValueRef prefix)
{
	return AreBothStringsOrBinary(v, prefix) && SliceBeginsWith(ValuePayload(v), ValuePayload(prefix));
}

static bool
EvaluateBeginsWith(const Condition *cond, const Evaluation *e)
{
	SizeBuffer	a;
	SizeBuffer	b;
	ValueRef	v = OperandValue(&cond->operands[0], e, &a);
	ValueRef	prefix = OperandValue(&cond->operands[1], e, &b);

	return !ValueIsMissing(v) && !ValueIsMissing(prefix) &&
		ValueBeginsWith(v, prefix);
}

/* ---- contains ---- */

/* memmem() takes time for each byte once; a simple search, for a long part once for each of its bytes. */
static bool
SliceContains(Slice text, Slice part)
{
	return part.len == 0 || memmem(text.data, text.len, part.data, part.len) != NULL;
}

static bool
ContainsInList(const Container *list, ValueRef v)
{
	for (uint32 i = 0; i < list->count; i++)
	{
		if (ValueEqual(ListElement(list, i), v))
			return true;
	}
	return false;
}

/* The type of the members of a set. */
static ValueType
TypeOfMembers(ValueType set)
{
	return set == VALUE_SS ? VALUE_S : set == VALUE_NS ? VALUE_N : VALUE_B;
}

static bool
ContainsInValue(ValueRef v, ValueRef part)
{
	ValueType	type = ValueTypeOf(v);
	Container	c;

	if (AreBothStringsOrBinary(v, part))
		return SliceContains(ValuePayload(v), ValuePayload(part));
	if (type != VALUE_L && !ValueTypeIsSet(type))
		return false;
	ContainerOpen(v, &c);
	if (type == VALUE_L)
		return ContainsInList(&c, part);
	return ValueTypeOf(part) == TypeOfMembers(type) &&
		SetContains(&c, ValuePayload(part));
}

static bool
EvaluateContains(const Condition *cond, const Evaluation *e)
{
	SizeBuffer	a;
	SizeBuffer	b;
	ValueRef	v = OperandValue(&cond->operands[0], e, &a);
	ValueRef	part = OperandValue(&cond->operands[1], e, &b);

	return !ValueIsMissing(v) && !ValueIsMissing(part) &&
		ContainsInValue(v, part);
}

/* ---- logic ---- */

/* Whether any child evaluates to this result. */
static bool
AnyChildYields(const Condition *cond, const Evaluation *e, bool result)
{
	check_stack_depth();
	for (int i = 0; i < cond->n; i++)
	{
		if (EvaluateCondition(cond->children[i], e) == result)
			return true;
	}
	return false;
}

static bool
EvaluateCondition(const Condition *cond, const Evaluation *e)
{
	switch (cond->kind)
	{
		case CONDITION_AND:
			return !AnyChildYields(cond, e, false);
		case CONDITION_OR:
			return AnyChildYields(cond, e, true);
		case CONDITION_NOT:
			return AnyChildYields(cond, e, false);
		case CONDITION_COMPARE:
			return EvaluateCompare(cond, e);
		case CONDITION_BETWEEN:
			return EvaluateBetween(cond, e);
		case CONDITION_IN:
			return EvaluateIn(cond, e);
		case CONDITION_EXISTS:
			return !ValueIsMissing(OperandPath(&cond->operands[0], e));
		case CONDITION_NOT_EXISTS:
			return ValueIsMissing(OperandPath(&cond->operands[0], e));
		case CONDITION_TYPE:
			return EvaluateType(cond, e);
		case CONDITION_BEGINS_WITH:
			return EvaluateBeginsWith(cond, e);
		case CONDITION_CONTAINS:
			return EvaluateContains(cond, e);
	}
	elog(ERROR, "unknown condition %d", (int) cond->kind);
}

bool
ConditionMatches(const Condition *cond, ValueRef item)
{
	Evaluation	e;

	e.exists = !ValueIsMissing(item);
	if (e.exists)
		ContainerOpen(item, &e.item);
	return EvaluateCondition(cond, &e);
}

/* ---- paths ---- */

static bool
VisitPaths(const Condition *cond, PathVisitor visit, void *arg)
{
	bool		logic = cond->kind <= CONDITION_NOT;

	check_stack_depth();
	for (int i = 0; i < cond->n; i++)
	{
		const Operand *o = logic ? NULL : &cond->operands[i];

		if (logic)
		{
			if (!VisitPaths(cond->children[i], visit, arg))
				return false;
		}
		else if (OperandIsPath(o) &&
				 !visit(o->path.elements[0].name, o->path.n > 1, arg))
			return false;
	}
	return true;
}

void
ConditionVisitPaths(const Condition *cond, PathVisitor visit, void *arg)
{
	(void) VisitPaths(cond, visit, arg);
}
