/*
 * tree.h
 *	  The parse tree of an expression.  Private to expr/ and partiql/, whose
 *	  parser creates the same trees for statements.
 *
 * A tree contains placeholders as written; it does not depend on names, values
 * or key schemas.  A parsed tree is immutable and shared by all who parse the
 * same text.  It lives in one memory context with its copy of the text; its
 * slices point into that copy.
 */
#ifndef DYNAMO_EXPR_TREE_H
#define DYNAMO_EXPR_TREE_H

#include "exported.h"
#include "expr/build_tree.h"
#include "expr/expr.h"

/*
 * One element of a document path.  Bound paths use the same struct without
 * PATH_PLACEHOLDER.  A path without placeholders is therefore used directly
 * from the tree.
 */
typedef enum PathStep
{
	PATH_NAME,
	PATH_INDEX,
	PATH_PLACEHOLDER			/* name is "#n" */
} PathStep;

typedef struct PathElement
{
	PathStep	step;
	uint32		index;			/* PATH_INDEX */
	Slice		name;			/* PATH_NAME, PATH_PLACEHOLDER */
	int			position;		/* byte position in the expression */
} PathElement;

typedef struct Path
{
	int			n;
	PathElement *elements;
} Path;

typedef enum NodeKind
{
	NODE_PATH,
	NODE_VALUE,					/* ":v" */
	NODE_POSITION,				/* op: number of a statement's value */
	NODE_FUNCTION,
	NODE_COMPARE,				/* op: CompareOp */
	NODE_BETWEEN,				/* three operands */
	NODE_IN,					/* the tested operand, then the members */
	NODE_AND,
	NODE_OR,
	NODE_NOT,
	NODE_PLUS,
	NODE_MINUS,
	NODE_ACTION					/* op: UpdateAction; a path and, except for
								 * REMOVE, a value */
} NodeKind;

typedef struct ExprFunction ExprFunction;

typedef struct ExprNode
{
	NodeKind	kind;
	int			op;
	int			position;		/* byte position in the expression */
	int			nchildren;
	struct ExprNode *first;			/* children, linked by next */
	struct ExprNode *last;
	struct ExprNode *next;
	Slice		text;			/* NODE_VALUE: ":v"; NODE_FUNCTION: its name */
	const ExprFunction *function;
	Path		path;			/* NODE_PATH */
	bool		has_placeholder;	/* NODE_PATH: contains a "#n" */
	bool		parenthesized;	/* has its own parentheses */
} ExprNode;

struct ExprTree
{
	ExprKind	kind;
	Slice		text;
	ExprNode   *root;			/* conditions */
	int			nitems;			/* projection paths, update actions */
	int			nelements;		/* path elements of all items */
	ExprNode   *items;			/* linked by next, in textual order */
};

/* ---- node.c ---- */

/* The byte position of a piece of a text. */
static inline int
PositionIn(Slice text, Slice piece)
{
	return (int) (piece.data - text.data);
}

/* Creates a node without children at a piece of the source. */
extern DYNAMO_EXPORT ExprNode *NodeCreate(NodeKind kind, Slice source, Slice text);

/* Makes a node the last child of another one. */
extern DYNAMO_EXPORT void NodeAppend(ExprNode *parent, ExprNode *child);

/* Gives a NODE_PATH a copy of the elements. */
extern DYNAMO_EXPORT void NodeSetPath(ExprNode *node, const PathElement *elements, int n);

/*
 * Makes an element the list index that the digits denote.  Returns false, and
 * changes nothing, if the index is too large.
 */
extern DYNAMO_EXPORT bool PathElementSetIndex(PathElement *element, Slice source, Slice digits);

/* ---- path.c ---- */

/* Whether two paths without placeholders have the same names and indexes. */
extern DYNAMO_EXPORT bool PathEqual(const Path *a, const Path *b);

/* ---- functions.c ---- */

typedef enum FunctionId
{
	FUNCTION_ATTRIBUTE_EXISTS,
	FUNCTION_ATTRIBUTE_NOT_EXISTS,
	FUNCTION_ATTRIBUTE_TYPE,
	FUNCTION_BEGINS_WITH,
	FUNCTION_CONTAINS,
	FUNCTION_SIZE,
	FUNCTION_IF_NOT_EXISTS,
	FUNCTION_LIST_APPEND,
	FUNCTION_SET_ADD,			/* these two only in statements */
	FUNCTION_SET_DELETE
} FunctionId;

/* Where a function is allowed. */
typedef enum FunctionPlace
{
	PLACE_CONDITION,			/* is itself a condition */
	PLACE_OPERAND,				/* operand of a condition */
	PLACE_UPDATE				/* operand of SET */
} FunctionPlace;

struct ExprFunction
{
	const char *name;
	FunctionId	id;
	FunctionPlace place;
	int			noperands;
};

/* Returns NULL for an unknown name.  Names are case-sensitive. */
extern const ExprFunction *ExprFunctionFind(Slice name);

/* Finds a function of PartiQL statements, ignoring case; NULL if unknown. */
extern DYNAMO_EXPORT const ExprFunction *StatementFunctionFind(Slice name);

/* ---- reserved.c ---- */

/*
 * Whether a word is reserved, ignoring case, and cannot be an attribute name.
 */
extern bool ExprIsReservedWord(Slice word);

/* ---- parse.c ---- */

/*
 * Parses text into a tree in the current memory context.  text must live as
 * long as the tree.  Finds every problem that does not depend on bindings;
 * NULL if one is noted.
 */
extern ExprTree *ExprParseText(ExprKind kind, Slice text, Problem *problem);

#endif							/* DYNAMO_EXPR_TREE_H */
