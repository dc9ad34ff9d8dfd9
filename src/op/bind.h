/*
 * bind.h
 *	  What all operations share about their expressions: the bindings of a
 *	  call, and checks of paths against the keys of the table.
 */
#ifndef DYNAMO_BIND_H
#define DYNAMO_BIND_H

#include "op/op.h"

/*
 * The bindings of a call, with all names and values added and checked.
 *
 * any_expression: some expression is given.  any_value_expression: some that
 * may have values (not only a projection).  absent names the expressions of
 * the operation for the error about values without one of them, such as
 * "ConditionExpression is null".
 *
 * NULL if there is no expression and nothing else to complain about.
 */
extern ExprBindings *OpBindings(const ExprArgs *args, bool any_expression,
								bool any_value_expression, const char *absent);

/*
 * PathVisitors; arg is a TableDef.  KeyPathVisitor raises when a key of the
 * table or of an index is used as a map or list.  KeyTargetVisitor raises,
 * in addition, for any path that begins at a key of the table.
 */
extern bool KeyPathVisitor(Slice name, bool nested, void *arg);
extern bool KeyTargetVisitor(Slice name, bool nested, void *arg);

/* ExprParse of an expression that is given. */
extern const Expr *OpParse(ExprKind kind, const ExprText *expr);

#endif							/* DYNAMO_BIND_H */
