/*
 * update_value.h
 *	  The operations of updates on single values.  Private to expr/.
 *
 * Results are palloc'd or views of an operand; operands are not changed.
 * target is the path being updated, for error messages.
 */
#ifndef DYNAMO_EXPR_UPDATE_VALUE_H
#define DYNAMO_EXPR_UPDATE_VALUE_H

#include "expr/tree.h"

/*
 * These functions note a problem if the operands do not suit, or raise it if
 * problem is NULL.  The result is then MISSING_VALUE.  An operand is missing
 * where evaluating it has noted a problem.
 */

/* Returns a + b or a - b, of numbers, in range. */
extern ValueRef ValueSum(ValueRef a, ValueRef b, bool subtract,
						 const Path *target, Problem *problem);

/* Whether v is a set; notes a problem if not. */
extern bool RequireSet(ValueRef v, const Path *target, Problem *problem);

/* Concatenates two lists. */
extern ValueRef ListConcat(ValueRef a, ValueRef b, const Path *target, Problem *problem);

/*
 * ADD and DELETE on a set, of two sets of one type.  Return MISSING_VALUE also if
 * no member is left.
 */
extern ValueRef SetUnion(ValueRef a, ValueRef b, const Path *target, Problem *problem);
extern ValueRef SetDifference(ValueRef a, ValueRef b, const Path *target, Problem *problem);

/* The number of nested containers of a value, itself included. */
extern int	ValueDepth(ValueRef v);

#endif							/* DYNAMO_EXPR_UPDATE_VALUE_H */
