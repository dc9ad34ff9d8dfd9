/*
 * projection.c
 *	  Projections: the parts of an item at a list of paths.
 */
#include "postgres.h"

#include "expr/path_tree.h"
#include "item/splice.h"

/* An attribute of the result of a named projection. */
typedef struct PathOutput
{
	Slice		name;
	Path		path;
} PathOutput;

struct Projection
{
	PathTree	tree;
	PathOutput *outputs;		/* replaces the tree; NULL if not named */
	int			noutputs;
};

Projection *
ProjectionBind(const ExprTree *expr, ExprBindings *bindings)
{
	Projection *proj = palloc0(sizeof(Projection));
	Binder		b;

	Assert(expr->kind == EXPR_PROJECTION);
	BinderInit(&b, expr, bindings);
	PathTreeInit(&proj->tree, expr->nitems, expr->nelements);
	for (const ExprNode *node = expr->items; node; node = node->next)
		PathTreeAdd(&proj->tree, BindPath(&b, node), &b.problem);
	return BinderReport(&b) ? proj : NULL;
}

Projection *
ProjectionOfNames(const Slice *names, int n)
{
	Projection *proj = palloc0(sizeof(Projection));
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

Projection *
ProjectionBindNamed(const ExprTree *list, const Slice *names)
{
	Projection *proj = palloc0(sizeof(Projection));

	proj->outputs = palloc(list->nitems * sizeof(PathOutput));
	for (const ExprNode *node = list->items; node; node = node->next)
	{
		proj->outputs[proj->noutputs] =
			(PathOutput) {names[proj->noutputs], node->path};
		proj->noutputs++;
	}
	/* Sort in the order of attributes in an item. */
	qsort(proj->outputs, proj->noutputs, sizeof(PathOutput), CompareBySlice);
	return proj;
}

static struct varlena *
ExtractNamed(const Projection *proj, ValueRef item)
{
	SpliceEdit *edits = palloc(proj->noutputs * sizeof(SpliceEdit));
	uint32		n = 0;
	Container	c;

	ContainerOpen(item, &c);
	for (int i = 0; i < proj->noutputs; i++)
	{
		ValueRef	v = PathResolve(&proj->outputs[i].path, &c);

		if (ValueIsMissing(v))
			continue;
		edits[n++] = (SpliceEdit) {
			.inserts = true,
			.name = proj->outputs[i].name,
			.bytes = {(const char *) v.data, v.len}
		};
	}
	return ItemSplice(NULL, edits, n);
}

struct varlena *
ProjectionApply(const Projection *proj, ValueRef item)
{
	struct varlena *result;

	if (proj->outputs != NULL && !ValueIsMissing(item))
		return ExtractNamed(proj, item);
	result = PathTreeExtract(&proj->tree, item);
	return result ? result : ItemSplice(NULL, NULL, 0);
}

void
ProjectionVisitPaths(const Projection *proj, PathVisitor visit, void *arg)
{
	int			n = proj->outputs ? proj->noutputs : proj->tree.npaths;

	for (int i = 0; i < n; i++)
	{
		const Path *path = proj->outputs ? &proj->outputs[i].path :
			&proj->tree.paths[i];

		if (!visit(path->elements[0].name, path->n > 1, arg))
			return;
	}
}
