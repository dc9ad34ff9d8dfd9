/*
 * partiql_branches.c
 *	  Finds branches of an OR that would read the same rows.
 *
 * The service reads the branches of an OR one by one, and refuses two that fix
 * the same partition and whose ranges of the sort attribute overlap.  A branch
 * that negates a condition on the sort attribute overlaps nothing.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "errors.h"
#include "expr/condition.h"
#include "partiql/partiql.h"

#define MAX_BRANCHES	STATEMENT_MAX_KEY_IN

/* The sort attribute's values in a branch, both bounds included; missing: no bound. */
typedef struct Branch
{
	ValueRef	partition;		/* missing: it fixes none */
	bool		negates;
	ValueRef	lower;
	ValueRef	upper;
	bool		lower_open;
	bool		upper_open;
	bool		prefix;			/* upper is a prefix of the values */
	const Condition *in;		/* the sort attribute is one of these, or NULL */
} Branch;

/* ---- what a condition says of an attribute ---- */

static bool
IsPathOf(const Operand *o, Slice name)
{
	return o->kind == OPERAND_PATH && o->path.n == 1 && SliceEqual(o->path.elements[0].name, name);
}

/* Whether a condition of any kind begins with the attribute, or contains one that does. */
static bool
Mentions(const Condition *cond, Slice name)
{
	if (cond->kind == CONDITION_AND || cond->kind == CONDITION_OR || cond->kind == CONDITION_NOT)
	{
		for (int i = 0; i < cond->n; i++)
		{
			if (Mentions(cond->children[i], name))
				return true;
		}
		return false;
	}
	for (int i = 0; i < cond->n; i++)
	{
		if (IsPathOf(&cond->operands[i], name))
			return true;
	}
	return false;
}

static void
LimitBranch(Branch *b, CompareOp op, ValueRef value)
{
	if (op == COMPARISON_EQ || op == COMPARISON_GT || op == COMPARISON_GE)
	{
		b->lower = value;
		b->lower_open = op == COMPARISON_GT;
	}
	if (op == COMPARISON_EQ || op == COMPARISON_LT || op == COMPARISON_LE)
	{
		b->upper = value;
		b->upper_open = op == COMPARISON_LT;
	}
}

/* Takes a comparison of the sort attribute with a value, on either side. */
static void
TakeComparison(Branch *b, const Condition *cond, Slice name)
{
	static const CompareOp exchanged[] = {
		[COMPARISON_EQ] = COMPARISON_EQ, [COMPARISON_NE] = COMPARISON_NE,
		[COMPARISON_LT] = COMPARISON_GT, [COMPARISON_LE] = COMPARISON_GE,
		[COMPARISON_GT] = COMPARISON_LT, [COMPARISON_GE] = COMPARISON_LE,
	};
	bool		turned = IsPathOf(&cond->operands[1], name);
	const Operand *value = &cond->operands[turned ? 0 : 1];

	if (value->kind != OPERAND_VALUE)
		return;
	if (cond->op == COMPARISON_NE)
		b->negates = true;
	else
		LimitBranch(b, turned ? exchanged[cond->op] : (CompareOp) cond->op, value->value);
}

/* Whether all operands after the first are values. */
static bool
OperandsAreValues(const Condition *cond)
{
	for (int i = 1; i < cond->n; i++)
	{
		if (cond->operands[i].kind != OPERAND_VALUE)
			return false;
	}
	return true;
}

static void
TakeSortCondition(Branch *b, const Condition *cond, Slice name)
{
	switch (cond->kind)
	{
		case CONDITION_NOT:
			b->negates = true;
			break;
		case CONDITION_COMPARE:
			TakeComparison(b, cond, name);
			break;
		case CONDITION_BETWEEN:
			if (!OperandsAreValues(cond))
				break;
			LimitBranch(b, COMPARISON_GE, cond->operands[1].value);
			LimitBranch(b, COMPARISON_LE, cond->operands[2].value);
			break;
		case CONDITION_BEGINS_WITH:
			if (!OperandsAreValues(cond))
				break;
			LimitBranch(b, COMPARISON_EQ, cond->operands[1].value);
			b->prefix = true;
			break;
		case CONDITION_IN:
			b->in = OperandsAreValues(cond) ? cond : NULL;
			break;
		default:
			break;
	}
}

static bool
FixesPartition(const Condition *cond, Slice name, ValueRef *value)
{
	const Operand *o = cond->operands;

	if (cond->kind != CONDITION_COMPARE || cond->op != COMPARISON_EQ)
		return false;
	for (int i = 0; i < 2; i++)
	{
		if (IsPathOf(&o[i], name) && o[1 - i].kind == OPERAND_VALUE)
		{
			*value = o[1 - i].value;
			return true;
		}
	}
	return false;
}

/* Adds one of the conditions that a branch joins by AND. */
static void
TakeCondition(Branch *b, const Condition *cond, const KeySchema *schema)
{
	Slice		sort = schema->attributes[schema->npartition].name;

	check_stack_depth();
	if (cond->kind == CONDITION_AND)
	{
		for (int i = 0; i < cond->n; i++)
			TakeCondition(b, cond->children[i], schema);
	}
	else if (!FixesPartition(cond, schema->attributes[0].name, &b->partition) && Mentions(cond, sort))
		TakeSortCondition(b, cond, sort);
}

/* ---- whether two branches overlap ---- */

static bool
HaveOneOrder(ValueRef a, ValueRef b)
{
	return ValueTypeOf(a) == ValueTypeOf(b) && ValueTypeIsKey(ValueTypeOf(a));
}

/* Whether everything in a is below everything in b. */
static bool
IsBelow(const Branch *a, const Branch *b)
{
	int			order;

	if (ValueIsMissing(a->upper) || ValueIsMissing(b->lower) || !HaveOneOrder(a->upper, b->lower))
		return false;
	if (a->prefix && ValueBeginsWith(b->lower, a->upper))
		return false;
	order = CompareOrdered(a->upper, b->lower);
	return order < 0 || (order == 0 && (a->upper_open || b->lower_open));
}

static bool
RangesOverlap(const Branch *a, const Branch *b)
{
	Branch		one = *a;

	if (a->in == NULL)
		return b->in != NULL ? RangesOverlap(b, a) : !IsBelow(a, b) && !IsBelow(b, a);
	one.in = NULL;
	for (int i = 1; i < a->in->n; i++)
	{
		LimitBranch(&one, COMPARISON_EQ, a->in->operands[i].value);
		if (RangesOverlap(&one, b))
			return true;
	}
	return false;
}

static bool
BranchesOverlap(const Branch *a, const Branch *b)
{
	return !ValueIsMissing(a->partition) && !ValueIsMissing(b->partition) &&
		ValueEqual(a->partition, b->partition) && !a->negates && !b->negates && RangesOverlap(a, b);
}

bool
StatementCheckBranches(Condition *where, const KeySchema *schema, Problem *problem)
{
	Branch	   *branches;

	if (where == NULL || where->kind != CONDITION_OR || schema->nsort == 0 || where->n > MAX_BRANCHES)
		return true;
	branches = palloc0(where->n * sizeof(Branch));
	for (int i = 0; i < where->n; i++)
	{
		TakeCondition(&branches[i], where->children[i], schema);
		for (int j = 0; j < i; j++)
		{
			if (BranchesOverlap(&branches[i], &branches[j]))
				return NoteInvalid(problem, "Overlapping conditions with range keys are not supported in where clause");
		}
	}
	return true;
}
