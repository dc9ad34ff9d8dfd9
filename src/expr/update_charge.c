/*
 * update_charge.c
 *	  The size that UpdateItem charges for an UpdateExpression.
 *
 * The service refuses an update whose charge exceeds the limit of item size,
 * however small the item becomes.  The charge is a sum over the clauses; the key
 * and the attributes that the expression does not write have no part in it.
 * Source: sizes measured with the service in October 2026.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "expr/bind.h"
#include "expr/update.h"
#include "expr/update_value.h"

#define CHARGE_UPDATE			3
#define CHARGE_STORING			19	/* of each SET or ADD */
#define CHARGE_REMOVING			1	/* of each REMOVE or DELETE */
#define CHARGE_TARGET_ELEMENT	4	/* of each element of a target after its name */
#define CHARGE_PATH				1	/* of each path that is read */
#define CHARGE_PATH_ELEMENT		14	/* of each of its elements */
#define CHARGE_PLUS				34
#define CHARGE_MINUS			37
#define CHARGE_IF_NOT_EXISTS	39
#define CHARGE_LIST_APPEND		37

/* More than the rest of a clause can take, for a path has at most 32 elements of 255 bytes. */
#define CHARGE_MAX_PATH			(EXPR_MAX_SIZE + EXPR_MAX_PATH_DEPTH * CHARGE_PATH_ELEMENT)

/* The bytes of an element: of its name, or of its digits. */
static uint64
ElementSize(const PathElement *element)
{
	char		digits[12];

	return element->step == PATH_INDEX ? snprintf(digits, sizeof(digits), "%u", element->index) :
		element->name.len;
}

static uint64
ChargeOfTarget(const Path *target)
{
	uint64		charge = 0;

	for (int i = 0; i < target->n; i++)
		charge += (i > 0 ? CHARGE_TARGET_ELEMENT : 0) + ElementSize(&target->elements[i]);
	return charge;
}

static uint64
ChargeOfPath(const Path *path)
{
	uint64		charge = CHARGE_PATH;

	for (int i = 0; i < path->n; i++)
		charge += CHARGE_PATH_ELEMENT + ElementSize(&path->elements[i]);
	return charge;
}

static uint64
ChargeOfOperand(const SetOperand *operand)
{
	check_stack_depth();
	switch (operand->kind)
	{
		case SET_PATH:
			return ChargeOfPath(&operand->path);
		case SET_VALUE:
			return ValueSize(operand->value);
		case SET_IF_NOT_EXISTS:
			return CHARGE_IF_NOT_EXISTS + ChargeOfPath(&operand->path) + ChargeOfOperand(operand->right);
		case SET_LIST_APPEND:
			return CHARGE_LIST_APPEND + ChargeOfOperand(operand->left) + ChargeOfOperand(operand->right);
		case SET_PLUS:
			return CHARGE_PLUS + ChargeOfOperand(operand->left) + ChargeOfOperand(operand->right);
		case SET_MINUS:
			return CHARGE_MINUS + ChargeOfOperand(operand->left) + ChargeOfOperand(operand->right);
		case SET_UNION:
		case SET_DIFFERENCE:
			break;				/* only in statements, which are not charged */
	}
	return 0;
}

/* The charge of what ADD adds: of a set, the members that are not there yet. */
static uint64
ChargeOfAdded(ValueRef literal, const Path *target, ValueRef old)
{
	ValueRef	stored = MISSING_VALUE;
	Container	item;

	if (!ValueIsMissing(old))
	{
		ContainerOpen(old, &item);
		stored = PathResolve(target, &item);
	}
	if (ValueTypeIsSet(ValueTypeOf(literal)) && !ValueIsMissing(stored) &&
		ValueTypeOf(stored) == ValueTypeOf(literal))
		literal = SetDifference(literal, stored, target, NULL);
	return ValueIsMissing(literal) ? 0 : ValueSize(literal);
}

static uint64
ChargeOfAction(const BoundAction *action, const Path *target, ValueRef old)
{
	uint64		charge = ChargeOfTarget(target);

	switch (action->action)
	{
		case ACTION_SET:
			return charge + CHARGE_STORING + ChargeOfOperand(action->operand);
		case ACTION_ADD:
			return charge + CHARGE_STORING + ChargeOfAdded(action->literal, target, old);
		case ACTION_REMOVE:
		case ACTION_DELETE:
			break;
	}
	return charge + CHARGE_REMOVING;
}

uint64
UpdateCharge(const Update *update, ValueRef old)
{
	uint64		charge = CHARGE_UPDATE;

	for (int i = 0; i < update->n; i++)
		charge += ChargeOfAction(&update->actions[i], &update->tree.paths[i], old);
	return charge;
}

/* No less than what an operand can take; a value may take more than its encoding, at most a third. */
static uint64
BoundOfOperand(const SetOperand *operand)
{
	check_stack_depth();
	if (operand->kind == SET_VALUE)
		return 2 * (uint64) operand->value.len;
	return CHARGE_MAX_PATH +
		(operand->left != NULL ? BoundOfOperand(operand->left) : 0) +
		(operand->right != NULL ? BoundOfOperand(operand->right) : 0);
}

bool
UpdateMayCharge(const Update *update, uint64 limit)
{
	uint64		bound = 0;

	for (int i = 0; i < update->n && bound <= limit; i++)
	{
		const BoundAction *action = &update->actions[i];

		bound += CHARGE_MAX_PATH;
		if (action->action == ACTION_SET)
			bound += BoundOfOperand(action->operand);
		else if (action->action == ACTION_ADD)
			bound += 2 * (uint64) action->literal.len;
	}
	return bound > limit;
}
