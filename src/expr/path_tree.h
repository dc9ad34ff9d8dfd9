/*
 * path_tree.h
 *	  Document paths as a tree, as projections and updates need them.
 *	  Private to expr/.
 *
 *		a.b, a.c[1], d		root +- a +- b
 *								 |	  +- c -- [1]
 *								 +- d
 *
 * Children stand in the order of their names, or of their indexes, which is
 * the order of the elements of maps and lists.
 */
#ifndef DYNAMO_EXPR_PATH_TREE_H
#define DYNAMO_EXPR_PATH_TREE_H

#include "expr/bind.h"

#define NO_PATH		(-1)

typedef struct PathNode
{
	const PathElement *element; /* NULL at the root */
	int			path;			/* the path that ends here, or NO_PATH */
	int			first_path;		/* the first one added that comes by */
	int			nchildren;
	struct PathNode *first;
	struct PathNode *last;
	struct PathNode *next;
} PathNode;

typedef struct PathTree
{
	PathNode	root;
	int			npaths;
	Path	   *paths;			/* as added */
	int			nnodes;
	PathNode   *nodes;
} PathTree;

/* nelements: of all paths together. */
extern void PathTreeInit(PathTree *tree, int npaths, int nelements);

/*
 * Adds a path.  One that overlaps or conflicts with an earlier one is noted
 * in problem (NULL: it is known not to).
 */
extern void PathTreeAdd(PathTree *tree, Path path, ExprProblem *problem);

/*
 * The parts of a map that the paths lead to, hierarchy kept, list elements
 * compacted; NULL if none of them resolves.
 */
extern struct varlena *PathTreeExtract(const PathTree *tree, ValueRef item);

/* Whether a node's children are steps into a value of this type. */
static inline bool
PathNodeEnters(const PathNode *node, ValueRef v)
{
	return ValueTypeOf(v) ==
		(node->first->element->step == PATH_INDEX ? VALUE_L : VALUE_M);
}

#endif							/* DYNAMO_EXPR_PATH_TREE_H */
