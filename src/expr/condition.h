/*
 * condition.h
 *	  Bound conditions.  Private to expr/ and partiql/.  build_tree.h creates
 *	  conditions without an expression text.
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
	const ExprNode *node;		/* its parse tree node; NULL if built without text */
	int			n;				/* of children or operands */
	Condition **children;		/* AND, OR, NOT */
	Operand	   *operands;		/* all other kinds */
};

/* ---- check_condition.c ---- */

/*
 * Notes the errors in the operands of a condition whose names, values and
 * operand count are valid.  Completes CONDITION_TYPE.
 */
extern void CheckOperands(Binder *b, Condition *cond);

/* The name of the operator or function: "=", "BETWEEN", "AND", "size", ... */
extern Slice ConditionOperatorName(const ExprNode *node);

/* ---- eval_condition.c ---- */

/* Compares two values of the same type, S, N or B; returns <0, 0 or >0. */
static inline int
CompareOrdered(ValueRef a, ValueRef b)
{
	return SliceCompare(ValuePayload(a), ValuePayload(b));
}

/* Whether both are S or both are B, and v begins with prefix. */
extern DYNAMO_EXPORT bool ValueBeginsWith(ValueRef v, ValueRef prefix);

#endif							/* DYNAMO_EXPR_CONDITION_H */
