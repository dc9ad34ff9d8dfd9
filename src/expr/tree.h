/*
 * tree.h
 *	  The parse tree of an expression.  Private to expr/ and partiql/, whose
 *	  parser makes the same trees of statements.
 *
 * A tree knows nothing of names, values or key schemas: placeholders stand
 * in it as they were written.  It is immutable once parsed, shared by all
 * who parse the same text, and lives in one memory context together with its
 * copy of the text, which its slices point into.
 */
#ifndef DYNAMO_EXPR_TREE_H
#define DYNAMO_EXPR_TREE_H

#include "expr/build.h"
#include "expr/expr.h"

/*
 * One step of a document path.  The same struct serves bound paths, where
 * PATH_PLACEHOLDER does not occur; a path without placeholders is therefore
 * used as it stands in the tree.
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
	NODE_POSITION,				/* op: number of a value of a statement */
	NODE_FUNCTION,
	NODE_COMPARE,				/* op: CompareOp */
	NODE_BETWEEN,				/* three operands */
	NODE_IN,					/* the tested operand, then the members */
	NODE_AND,
	NODE_OR,
	NODE_NOT,
	NODE_PLUS,
	NODE_MINUS,
	NODE_ACTION					/* op: UpdateAction; a path, and a value
								 * unless REMOVE */
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
	bool		has_placeholder;	/* NODE_PATH: some "#n" in it */
	bool		parenthesized;	/* stands in parentheses of its own */
} ExprNode;

struct Expr
{
	ExprKind	kind;
	Slice		text;
	ExprNode   *root;			/* conditions */
	int			nitems;			/* projection paths, update actions */
	int			nelements;		/* path elements of these, all together */
	ExprNode   *items;			/* linked by next, in textual order */
};

/* ---- node.c ---- */

/* Where a piece of a text begins in it, in bytes. */
static inline int
PositionIn(Slice text, Slice piece)
{
	return (int) (piece.data - text.data);
}

/* A node without children, at a piece of the source. */
extern ExprNode *NodeCreate(NodeKind kind, Slice source, Slice text);

/* Makes a node the last child of another. */
extern void NodeAppend(ExprNode *parent, ExprNode *child);

/* Gives a NODE_PATH a copy of these elements. */
extern void NodeSetPath(ExprNode *node, const PathElement *elements, int n);

/*
 * Makes an element the index that these digits of the source are; false, and
 * no change, if it is too large.
 */
extern bool PathElementSetIndex(PathElement *element, Slice source, Slice digits);

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
	FUNCTION_SET_ADD,			/* the last two in statements only */
	FUNCTION_SET_DELETE
} FunctionId;

/* Where a function may stand. */
typedef enum FunctionPlace
{
	PLACE_CONDITION,			/* is a condition of its own */
	PLACE_OPERAND,				/* operand of a condition */
	PLACE_UPDATE				/* operand of SET */
} FunctionPlace;

struct ExprFunction
{
	const char *name;
	FunctionId	id;
	FunctionPlace place;
	int			noperands;
	bool		needs_path;		/* first operand must be a document path */
};

/* NULL if there is no such function.  Names are case-sensitive. */
extern const ExprFunction *ExprFunctionFind(Slice name);

/* The same in a PartiQL statement, where names are of any case. */
extern const ExprFunction *StatementFunctionFind(Slice name);

/* ---- reserved.c ---- */

/* Whether a word, in any case, may not stand for an attribute. */
extern bool ExprIsReservedWord(Slice word);

/* ---- parse.c ---- */

/*
 * Parses text, which must live as long as the tree, into a tree palloc'd in
 * the current memory context.  Raises every error that needs no bindings.
 */
extern Expr *ExprParseText(ExprKind kind, Slice text);

#endif							/* DYNAMO_EXPR_TREE_H */
