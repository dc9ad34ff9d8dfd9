/*
 * projection.c
 *	  Projections: the parts of an item that a list of paths leads to.
 */
#include "postgres.h"

#include "expr/path_tree.h"
#include "item/splice.h"

struct Projection
{
	PathTree	tree;
};

Projection *
ProjectionBind(const Expr *expr, ExprBindings *bindings)
{
	Projection *proj = palloc(sizeof(Projection));
	Binder		b;

	Assert(expr->kind == EXPR_PROJECTION);
	BinderInit(&b, expr, bindings);
	PathTreeInit(&proj->tree, expr->nitems, expr->nelements);
	for (const ExprNode *node = expr->items; node; node = node->next)
		PathTreeAdd(&proj->tree, BindPath(&b, node), &b.problem);
	BinderRaise(&b);
	return proj;
}

Projection *
ProjectionOfNames(const Slice *names, int n)
{
	Projection *proj = palloc(sizeof(Projection));
	PathElement *elements = palloc0(Max(n, 1) * sizeof(PathElement));

	PathTreeInit(&proj->tree, n, n);
	for (int i = 0; i < n; i++)
	{
		elements[i].step = PATH_NAME;
		elements[i].name = names[i];
		PathTreeAdd(&proj->tree, (Path) {1, &elements[i]}, NULL);
	}
	return proj;
}

struct varlena *
ProjectionApply(const Projection *proj, ValueRef item)
{
	struct varlena *result = PathTreeExtract(&proj->tree, item);

	return result ? result : ItemSplice(NULL, NULL, 0);
}

void
ProjectionVisitPaths(const Projection *proj, PathVisitor visit, void *arg)
{
	for (int i = 0; i < proj->tree.npaths; i++)
	{
		const Path *path = &proj->tree.paths[i];

		if (!visit(path->elements[0].name, path->n > 1, arg))
			return;
	}
}
