/*
 * call_bindings.h
 *	  Expression handling that all operations share: the bindings of a call,
 *	  and checks of paths against the keys of the table.
 */
#ifndef DYNAMO_CALL_BINDINGS_H
#define DYNAMO_CALL_BINDINGS_H

#include "exported.h"
#include "op/op.h"

/*
 * Creates the bindings of a call, with all names and values added and checked.
 *
 * any_expression: at least one expression is given.  any_value_expression: at
 * least one given expression can have values (unlike a projection).  absent
 * describes the missing expressions in the error for values without an
 * expression, such as "ConditionExpression is null".
 *
 * Returns NULL if there is no expression and no error.
 */
extern ExprBindings *OpBindings(const ExprArgs *args, bool any_expression,
								bool any_value_expression, const char *absent);

/*
 * PathVisitors whose arg is a PathCheck.  KeyPathVisitor finds keys of the
 * table or of an index that are used as a map or list.  KeyTargetVisitor also
 * finds paths that start at a key of the table.
 */
typedef struct PathCheck
{
	const TableDef *def;
	Problem    *problem;		/* NULL to raise it */
} PathCheck;

extern bool KeyPathVisitor(Slice name, bool nested, void *arg);
extern bool KeyTargetVisitor(Slice name, bool nested, void *arg);

/* Parses an expression that is given. */
extern DYNAMO_EXPORT const ExprTree *OpParse(ExprKind kind, const ExprText *expr);

#endif							/* DYNAMO_CALL_BINDINGS_H */
