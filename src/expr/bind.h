/*
 * bind.h
 *	  Looks up placeholders and resolves paths.  Private to expr/; partiql/
 *	  includes it through condition.h.
 */
#ifndef DYNAMO_EXPR_BIND_H
#define DYNAMO_EXPR_BIND_H

#include "expr/error.h"
#include "expr/tree.h"

/* ---- bindings.c ---- */

/*
 * Both return false if the placeholder is not defined; otherwise they count as
 * a use of it.
 */
extern bool ExprBindingsFindName(ExprBindings *b, Slice placeholder,
								 Slice *name);
extern bool ExprBindingsFindValue(ExprBindings *b, Slice placeholder,
								  ValueRef *value);
extern Problem *ExprBindingsProblem(const ExprBindings *b);
extern ValueRef ExprBindingsAtPosition(const ExprBindings *b, int position);

/* ---- bind.c ---- */

typedef struct Binder
{
	const ExprTree *expr;
	ExprBindings *bindings;
	ExprProblem problem;
} Binder;

/* Starts without a problem. */
extern void BinderInit(Binder *b, const ExprTree *expr, ExprBindings *bindings);

/* Returns the path with its placeholders replaced; notes undefined ones. */
extern Path BindPath(Binder *b, const ExprNode *node);

/* Notes an undefined placeholder and returns MISSING_VALUE. */
extern ValueRef BindValue(Binder *b, const ExprNode *node);

/* Notes an error at a node. */
extern void BinderNote(Binder *b, const ExprNode *node, ExprErrorCode code,
					   Slice one, Slice two);
extern void BinderNoteCount(Binder *b, const ExprNode *node, ExprErrorCode code,
							int noperands);

/*
 * Reports the noted error, if any, as the problem of the bindings; returns
 * whether there is none.
 */
extern bool BinderReport(Binder *b);

/* ---- path.c ---- */

/* Returns the value at a path, or MISSING_VALUE.  root is an opened map. */
extern ValueRef PathResolve(const Path *path, const Container *root);

#endif							/* DYNAMO_EXPR_BIND_H */
