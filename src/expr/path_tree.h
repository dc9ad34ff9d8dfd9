/*
 * path_tree.h
 *	  Document paths as a tree, for projections and updates.  Private to expr/.
 *
 *	a.b, a.c[1], d		root +- a +- b
 *							 |	  +- c -- [1]
 *							 +- d
 *
 * Children are ordered by name or by index, like the elements of maps and
 * lists.
 */
#ifndef DYNAMO_EXPR_PATH_TREE_H
#define DYNAMO_EXPR_PATH_TREE_H

#include "expr/bind.h"

#define NO_PATH		(-1)

typedef struct PathNode
{
	const PathElement *element; /* NULL at the root */
	int			path;			/* the path that ends here, or NO_PATH */
	int			first_path;		/* the first added path through this node */
	int			nchildren;
	struct PathNode *first;
	struct PathNode *last;
	struct PathNode *next;
} PathNode;

typedef struct PathTree
{
	PathNode	root;
	int			npaths;
	Path	   *paths;			/* in the order of addition */
	int			nnodes;
	PathNode   *nodes;
} PathTree;

/* nelements is the number of elements of all paths together. */
extern void PathTreeInit(PathTree *tree, int npaths, int nelements);

/*
 * Adds a path.  If it overlaps or conflicts with an earlier one, this is noted
 * in problem.  problem may be NULL if that cannot happen.
 */
extern void PathTreeAdd(PathTree *tree, Path path, ExprProblem *problem);

/*
 * Extracts the parts of a map at the paths, in their hierarchy, with list
 * elements compacted; NULL if no path resolves.
 */
extern struct varlena *PathTreeExtract(const PathTree *tree, ValueRef item);

/* Whether the children of a node can be elements of a value of this type. */
static inline bool
PathNodeEnters(const PathNode *node, ValueRef v)
{
	return ValueTypeOf(v) ==
		(node->first->element->step == PATH_INDEX ? VALUE_L : VALUE_M);
}

#endif							/* DYNAMO_EXPR_PATH_TREE_H */
