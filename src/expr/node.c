/*
 * node.c
 *	  Creates parse tree nodes for the parsers of expressions and statements.
 */
#include "postgres.h"

#include "expr/tree.h"

ExprNode *
NodeCreate(NodeKind kind, Slice source, Slice text)
{
	ExprNode   *node = palloc0(sizeof(ExprNode));

	node->kind = kind;
	node->text = text;
	node->position = PositionIn(source, text);
	return node;
}

void
NodeAppend(ExprNode *parent, ExprNode *child)
{
	if (parent->last)
		parent->last->next = child;
	else
		parent->first = child;
	parent->last = child;
	parent->nchildren++;
}

/* ---- paths ---- */

static bool
HasPlaceholder(const Path *path)
{
	for (int i = 0; i < path->n; i++)
	{
		if (path->elements[i].step == PATH_PLACEHOLDER)
			return true;
	}
	return false;
}

void
NodeSetPath(ExprNode *node, const PathElement *elements, int n)
{
	node->path.n = n;
	node->path.elements = palloc(n * sizeof(PathElement));
	memcpy(node->path.elements, elements, n * sizeof(PathElement));
	node->has_placeholder = HasPlaceholder(&node->path);
}

bool
PathElementSetIndex(PathElement *element, Slice source, Slice digits)
{
	uint64		index = 0;

	for (uint32 i = 0; i < digits.len && index <= PG_INT32_MAX; i++)
		index = index * 10 + (digits.data[i] - '0');
	if (index > PG_INT32_MAX)
		return false;
	element->step = PATH_INDEX;
	element->index = (uint32) index;
	element->position = PositionIn(source, digits);
	return true;
}
