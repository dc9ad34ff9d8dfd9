/*
 * bind.c
 *	  Replaces the placeholders of paths and values, for all binders.
 */
#include "postgres.h"

#include "expr/bind.h"

void
BinderInit(Binder *b, const ExprTree *expr, ExprBindings *bindings)
{
	memset(b, 0, sizeof(*b));
	b->expr = expr;
	b->bindings = bindings;
	b->problem.kind = expr->kind;
}

void
BinderNote(Binder *b, const ExprNode *node, ExprErrorCode code,
		   Slice one, Slice two)
{
	ExprError	error = {.code = code, .one = one, .two = two};

	error.position = node->position;
	ExprNote(&b->problem, &error);
}

void
BinderNoteCount(Binder *b, const ExprNode *node, ExprErrorCode code, int noperands)
{
	ExprError	error = {.code = code, .one = node->text, .number = noperands};

	error.position = node->position;
	ExprNote(&b->problem, &error);
}

bool
BinderReport(Binder *b)
{
	return ExprReportNoted(ExprBindingsProblem(b->bindings), b->expr->text, &b->problem);
}

static void
BindElement(Binder *b, PathElement *e)
{
	ExprError	error = {.code = EXPR_ERROR_NAME, .one = e->name};

	if (e->step != PATH_PLACEHOLDER)
		return;
	e->step = PATH_NAME;
	error.position = e->position;
	if (!ExprBindingsFindName(b->bindings, e->name, &e->name))
		ExprNote(&b->problem, &error);
}

Path
BindPath(Binder *b, const ExprNode *node)
{
	Path		path = node->path;

	if (!node->has_placeholder)
		return path;
	path.elements = palloc(path.n * sizeof(PathElement));
	memcpy(path.elements, node->path.elements, path.n * sizeof(PathElement));
	for (int i = 0; i < path.n; i++)
		BindElement(b, &path.elements[i]);
	return path;
}

ValueRef
BindValue(Binder *b, const ExprNode *node)
{
	ValueRef	v = MISSING_VALUE;
	Slice		none = {NULL, 0};

	if (node->kind == NODE_POSITION)
		return ExprBindingsAtPosition(b->bindings, node->op);
	if (!ExprBindingsFindValue(b->bindings, node->text, &v))
		BinderNote(b, node, EXPR_ERROR_VALUE, node->text, none);
	return v;
}
