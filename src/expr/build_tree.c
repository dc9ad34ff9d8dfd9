/*
 * build_tree.c
 *	  Builds bound conditions and updates without an expression text.
 */
#include "postgres.h"

#include "expr/condition.h"
#include "expr/update.h"

/* ---- conditions ---- */

static Path
AttributePath(Slice attribute)
{
	PathElement *element = palloc0(sizeof(PathElement));

	element->step = PATH_NAME;
	element->name = attribute;
	return (Path) {1, element};
}

/* A predicate on an attribute, with room for nvalues values. */
static Condition *
BuildPredicate(ConditionKind kind, Slice attribute, int nvalues)
{
	Condition  *cond = palloc0(sizeof(Condition));

	cond->kind = kind;
	cond->n = 1 + nvalues;
	cond->operands = palloc0(cond->n * sizeof(Operand));
	cond->operands[0].kind = OPERAND_PATH;
	cond->operands[0].path = AttributePath(attribute);
	for (int i = 1; i < cond->n; i++)
		cond->operands[i].kind = OPERAND_VALUE;
	return cond;
}

static Condition *
BuildValuePredicate(ConditionKind kind, Slice attribute, ValueRef value)
{
	Condition  *cond = BuildPredicate(kind, attribute, 1);

	cond->operands[1].value = value;
	return cond;
}

Condition *
ConditionBuildCompare(Slice attribute, CompareOp op, ValueRef value)
{
	Condition  *cond = BuildValuePredicate(CONDITION_COMPARE, attribute, value);

	cond->op = op;
	return cond;
}

Condition *
ConditionBuildBetween(Slice attribute, ValueRef lower, ValueRef upper)
{
	Condition  *cond = BuildPredicate(CONDITION_BETWEEN, attribute, 2);

	cond->operands[1].value = lower;
	cond->operands[2].value = upper;
	return cond;
}

Condition *
ConditionBuildIn(Slice attribute, const ValueRef *values, int n)
{
	Condition  *cond = BuildPredicate(CONDITION_IN, attribute, n);

	for (int i = 0; i < n; i++)
		cond->operands[1 + i].value = values[i];
	return cond;
}

Condition *
ConditionBuildExists(Slice attribute, bool exists)
{
	return BuildPredicate(exists ? CONDITION_EXISTS : CONDITION_NOT_EXISTS,
						  attribute, 0);
}

Condition *
ConditionBuildBeginsWith(Slice attribute, ValueRef prefix)
{
	return BuildValuePredicate(CONDITION_BEGINS_WITH, attribute, prefix);
}

Condition *
ConditionBuildContains(Slice attribute, ValueRef part)
{
	return BuildValuePredicate(CONDITION_CONTAINS, attribute, part);
}

Condition *
ConditionBuildJoin(bool all, Condition **conditions, int n)
{
	Condition  *cond = palloc0(sizeof(Condition));

	cond->kind = all ? CONDITION_AND : CONDITION_OR;
	cond->n = n;
	cond->children = conditions;
	return cond;
}

Condition *
ConditionBuildNot(Condition *negated)
{
	Condition **children = palloc(sizeof(Condition *));
	Condition  *cond;

	children[0] = negated;
	cond = ConditionBuildJoin(true, children, 1);
	cond->kind = CONDITION_NOT;
	return cond;
}

/* ---- updates ---- */

Update *
UpdateBuild(int nactions)
{
	Update	   *update = UpdateCreate(nactions, nactions);

	update->built = true;
	return update;
}

void
UpdateBuildAction(Update *update, UpdateAction action, Slice attribute,
				  ValueRef value)
{
	BoundAction *bound = UpdateAddAction(update, action,
										 AttributePath(attribute), NULL);

	bound->literal = value;
	if (action == ACTION_SET)
	{
		bound->operand = palloc0(sizeof(SetOperand));
		bound->operand->kind = SET_VALUE;
		bound->operand->value = value;
	}
}
