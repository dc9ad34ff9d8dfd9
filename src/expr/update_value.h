/*
 * update_value.h
 *	  The operations of updates on single values.  Private to expr/.
 *
 * Results are views of an operand or palloc'd; operands are not changed.
 */
#ifndef DYNAMO_EXPR_UPDATE_VALUE_H
#define DYNAMO_EXPR_UPDATE_VALUE_H

#include "item/item.h"

/* "An operand in the update expression has an incorrect data type" */
extern void UpdateTypeError(void) pg_attribute_noreturn();

/* a + b or a - b; raises unless both are numbers, and if out of range. */
extern ValueRef ValueSum(ValueRef a, ValueRef b, bool subtract);

/* Raises unless both are lists. */
extern ValueRef ListConcat(ValueRef a, ValueRef b);

/*
 * ADD and DELETE on a set; raise unless both are sets of one type.
 * MISSING_VALUE if no member is left.
 */
extern ValueRef SetUnion(ValueRef a, ValueRef b);
extern ValueRef SetDifference(ValueRef a, ValueRef b);

/* How many containers a value has inside each other, itself included. */
extern int	ValueDepth(ValueRef v);

#endif							/* DYNAMO_EXPR_UPDATE_VALUE_H */
