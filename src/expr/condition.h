/*
 * condition.h
 *	  Bound conditions.  Private to expr/ and partiql/; build.h makes them
 *	  without text.
 */
#ifndef DYNAMO_EXPR_CONDITION_H
#define DYNAMO_EXPR_CONDITION_H

#include "expr/bind.h"

typedef enum ConditionKind
{
	CONDITION_AND,
	CONDITION_OR,
	CONDITION_NOT,
	CONDITION_COMPARE,			/* op */
	CONDITION_BETWEEN,			/* operand, lower, upper */
	CONDITION_IN,				/* operand, members */
	CONDITION_EXISTS,
	CONDITION_NOT_EXISTS,
	CONDITION_TYPE,				/* type */
	CONDITION_BEGINS_WITH,
	CONDITION_CONTAINS
} ConditionKind;

typedef enum OperandKind
{
	OPERAND_PATH,
	OPERAND_VALUE,
	OPERAND_SIZE_OF_PATH,
	OPERAND_SIZE_OF_VALUE
} OperandKind;

typedef struct Operand
{
	OperandKind kind;
	Path		path;
	ValueRef	value;
} Operand;

static inline bool
OperandIsPath(const Operand *o)
{
	return o->kind == OPERAND_PATH || o->kind == OPERAND_SIZE_OF_PATH;
}

struct Condition
{
	ConditionKind kind;
	CompareOp	op;
	ValueType	type;
	const ExprNode *node;		/* what it was bound from; NULL: built */
	int			n;				/* of children or operands */
	Condition **children;		/* AND, OR, NOT */
	Operand	   *operands;		/* all others */
};

/* ---- check_condition.c ---- */

/*
 * Notes what is wrong with the operands of a condition whose names, values
 * and number of operands are right; completes CONDITION_TYPE.
 */
extern void CheckOperands(Binder *b, Condition *cond);

/* "=", "BETWEEN", "AND", ...; a function's name. */
extern Slice ConditionOperatorName(const ExprNode *node);

/* ---- eval_condition.c ---- */

/* a and b of one type out of S, N and B: <0, 0, >0 */
static inline int
CompareOrdered(ValueRef a, ValueRef b)
{
	return SliceCompare(ValuePayload(a), ValuePayload(b));
}

/* Whether both are S, or both B, and the one begins with the other. */
extern bool ValueBeginsWith(ValueRef v, ValueRef prefix);

#endif							/* DYNAMO_EXPR_CONDITION_H */
