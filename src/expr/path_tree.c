/*
 * path_tree.c
 *	  Builds trees of paths, finds overlapping and conflicting paths, and
 *	  extracts the values at the paths from an item.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "expr/path_tree.h"
#include "item/splice.h"

/* The edits of containers with few changed elements fit on the stack. */
#define FEW_EDITS	8

void
PathTreeInit(PathTree *tree, int npaths, int nelements)
{
	memset(tree, 0, sizeof(*tree));
	tree->root.path = NO_PATH;
	tree->paths = palloc(Max(npaths, 1) * sizeof(Path));
	tree->nodes = palloc0(Max(nelements, 1) * sizeof(PathNode));
}

/* ---- building ---- */

static int
ComparePathElements(const PathElement *a, const PathElement *b)
{
	if (a->step != b->step)
		return a->step == PATH_NAME ? -1 : 1;
	if (a->step == PATH_INDEX)
		return a->index < b->index ? -1 : a->index > b->index;
	return SliceCompare(a->name, b->name);
}

static void
NotePaths(const PathTree *tree, ExprProblem *problem, ExprErrorCode code,
		  int earlier, const Path *path)
{
	ExprError	error = {.code = code};

	if (problem == NULL)
		return;
	error.position = path->elements[0].position;
	error.path_one = tree->paths[earlier];
	error.path_two = *path;
	ExprNote(problem, &error);
}

/* Inserts a new child after before, or first if before is NULL. */
static PathNode *
InsertChild(PathTree *tree, PathNode *parent, PathNode *before,
			const PathElement *element)
{
	PathNode   *child = &tree->nodes[tree->nnodes++];

	child->element = element;
	child->path = NO_PATH;
	child->first_path = tree->npaths;
	child->next = before ? before->next : parent->first;
	if (before)
		before->next = child;
	else
		parent->first = child;
	if (child->next == NULL)
		parent->last = child;
	parent->nchildren++;
	return child;
}

/* Finds or inserts the child for a path element. */
static PathNode *
FindOrInsert(PathTree *tree, PathNode *parent, const PathElement *element)
{
	PathNode   *before = NULL;
	PathNode   *child = parent->first;

	/* Names often arrive in order. */
	if (parent->last && ComparePathElements(element, parent->last->element) > 0)
		return InsertChild(tree, parent, parent->last, element);
	for (; child; before = child, child = child->next)
	{
		int			order = ComparePathElements(element, child->element);

		if (order == 0)
			return child;
		if (order < 0)
			break;
	}
	return InsertChild(tree, parent, before, element);
}

/* A child whose element is of the other kind (name or index), or NULL. */
static const PathNode *
FindOtherKind(const PathNode *parent, const PathElement *element)
{
	if (parent->first == NULL)
		return NULL;
	/* Names stand before indexes. */
	if (parent->first->element->step != element->step)
		return parent->first;
	if (parent->last->element->step != element->step)
		return parent->last;
	return NULL;
}

void
PathTreeAdd(PathTree *tree, Path path, ExprProblem *problem)
{
	PathNode   *node = &tree->root;

	CHECK_FOR_INTERRUPTS();
	for (int i = 0; i < path.n; i++)
	{
		const PathNode *other = FindOtherKind(node, &path.elements[i]);

		if (node->path != NO_PATH)
			NotePaths(tree, problem, EXPR_ERROR_OVERLAP, node->path, &path);
		if (other)
			NotePaths(tree, problem, EXPR_ERROR_CONFLICT, other->first_path,
					  &path);
		node = FindOrInsert(tree, node, &path.elements[i]);
	}
	if (node->path != NO_PATH || node->first)
		NotePaths(tree, problem, EXPR_ERROR_OVERLAP, node->first_path, &path);
	if (node->path == NO_PATH)
		node->path = tree->npaths;
	tree->paths[tree->npaths++] = path;
}

/* ---- extracting ---- */

static uint32 ExtractChildren(const PathNode *node, const Container *c,
							  SpliceEdit *edits);

/* Extracts the parts of v at the paths below node, or MISSING_VALUE. */
static ValueRef
ExtractNode(const PathNode *node, ValueRef v)
{
	SpliceEdit	few[FEW_EDITS];
	SpliceEdit *edits = few;
	uint32		n;
	Container	c;

	check_stack_depth();
	if (ValueIsMissing(v) || node->path != NO_PATH)
		return v;
	if (!PathNodeEnters(node, v))
		return MISSING_VALUE;
	ContainerOpen(v, &c);
	if (node->nchildren > FEW_EDITS)
		edits = palloc(node->nchildren * sizeof(SpliceEdit));
	n = ExtractChildren(node, &c, edits);
	return n > 0 ? ContainerSplice(c.type, NULL, edits, n) : MISSING_VALUE;
}

/* The element of the container that a child refers to. */
static ValueRef
FindChildValue(const PathNode *child, const Container *c)
{
	const PathElement *e = child->element;

	if (c->type == VALUE_M)
		return MapFind(c, e->name.data, e->name.len);
	return e->index < c->count ? ListElement(c, e->index) : MISSING_VALUE;
}

/*
 * Fills in edits that build a container of the values found; returns their
 * number.
 */
static uint32
ExtractChildren(const PathNode *node, const Container *c, SpliceEdit *edits)
{
	uint32		n = 0;

	for (const PathNode *child = node->first; child; child = child->next)
	{
		ValueRef	v = ExtractNode(child, FindChildValue(child, c));

		if (ValueIsMissing(v))
			continue;
		edits[n++] = (SpliceEdit) {
			.inserts = true,
			.name = child->element->name,
			.bytes = {(const char *) v.data, v.len}
		};
	}
	return n;
}

struct varlena *
PathTreeExtract(const PathTree *tree, ValueRef item)
{
	SpliceEdit	few[FEW_EDITS];
	SpliceEdit *edits = few;
	uint32		n = 0;
	Container	c;

	if (ValueIsMissing(item))
		return NULL;
	ContainerOpen(item, &c);
	if (tree->root.nchildren > FEW_EDITS)
		edits = palloc(tree->root.nchildren * sizeof(SpliceEdit));
	n = ExtractChildren(&tree->root, &c, edits);
	return n > 0 ? ItemSplice(NULL, edits, n) : NULL;
}
