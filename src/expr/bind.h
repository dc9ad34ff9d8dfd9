/*
 * bind.h
 *	  What the binders share: looking up placeholders, resolving paths.
 *	  Private to expr/; partiql/ sees it through condition.h.
 */
#ifndef DYNAMO_EXPR_BIND_H
#define DYNAMO_EXPR_BIND_H

#include "expr/error.h"
#include "expr/tree.h"

/* ---- bindings.c ---- */

/* False if there is no such placeholder.  Counts as a use. */
extern bool ExprBindingsFindName(ExprBindings *b, Slice placeholder,
								 Slice *name);
extern bool ExprBindingsFindValue(ExprBindings *b, Slice placeholder,
								  ValueRef *value);
extern ValueRef ExprBindingsAtPosition(const ExprBindings *b, int position);

/* ---- bind.c ---- */

typedef struct Binder
{
	const Expr *expr;
	ExprBindings *bindings;
	ExprProblem problem;
} Binder;

/* Nothing is wrong yet. */
extern void BinderInit(Binder *b, const Expr *expr, ExprBindings *bindings);

/* The path with its placeholders replaced; notes those not defined. */
extern Path BindPath(Binder *b, const ExprNode *node);

/* MISSING_VALUE, and noted, if it is not defined. */
extern ValueRef BindValue(Binder *b, const ExprNode *node);

/* Notes an error at a node. */
extern void BinderNote(Binder *b, const ExprNode *node, ExprErrorCode code,
					   Slice one, Slice two);
extern void BinderNoteCount(Binder *b, const ExprNode *node, ExprErrorCode code,
							int noperands);

/* Raises what was noted, if anything was. */
extern void BinderRaise(Binder *b);

/* ---- path.c ---- */

/* Whether two bound paths have the same names and indexes. */
extern bool PathEqual(const Path *a, const Path *b);

/* The value at a path, or MISSING_VALUE.  root: an opened map. */
extern ValueRef PathResolve(const Path *path, const Container *root);

#endif							/* DYNAMO_EXPR_BIND_H */
