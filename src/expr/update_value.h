/*
 * update_value.h
 *	  The operations of updates on single values.  Private to expr/.
 *
 * Results are views of an operand or palloc'd; operands are not changed.
 * The target is what the update is of, for errors.
 */
#ifndef DYNAMO_EXPR_UPDATE_VALUE_H
#define DYNAMO_EXPR_UPDATE_VALUE_H

#include "expr/tree.h"

/* a + b or a - b; raises unless both are numbers, and if out of range. */
extern ValueRef ValueSum(ValueRef a, ValueRef b, bool subtract,
						 const Path *target);

/* Raises unless it is a set. */
extern void RequireSet(ValueRef v, const Path *target);

/* Raises unless both are lists. */
extern ValueRef ListConcat(ValueRef a, ValueRef b, const Path *target);

/*
 * ADD and DELETE on a set; raise unless both are sets of one type.
 * MISSING_VALUE if no member is left.
 */
extern ValueRef SetUnion(ValueRef a, ValueRef b, const Path *target);
extern ValueRef SetDifference(ValueRef a, ValueRef b, const Path *target);

/* How many containers a value has inside each other, itself included. */
extern int	ValueDepth(ValueRef v);

#endif							/* DYNAMO_EXPR_UPDATE_VALUE_H */
