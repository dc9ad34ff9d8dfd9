/*
 * partiql_tree.h
 *	  The parse tree of a statement.  Private to partiql/.
 *
 * Conditions, projections and updates are trees of expr/.  Their values are
 * NODE_POSITIONs: numbers in the statement's list of values.
 */
#ifndef DYNAMO_PARTIQL_TREE_H
#define DYNAMO_PARTIQL_TREE_H

#include "expr/tree.h"
#include "partiql/partiql.h"

typedef enum LiteralKind
{
	LITERAL_CONSTANT,			/* value */
	LITERAL_PARAMETER,			/* number */
	LITERAL_LIST,				/* children */
	LITERAL_MAP,				/* children */
	LITERAL_SET					/* children */
} LiteralKind;

/*
 * A literal of a statement.  A literal without parameters becomes a constant.
 */
typedef struct Literal
{
	LiteralKind kind;
	ValueRef	value;
	int			number;
	Slice		name;			/* the name of a map entry */
	int			nchildren;
	struct Literal *first;		/* children, linked by next */
	struct Literal *last;
	struct Literal *next;
} Literal;

struct Statement
{
	StatementKind kind;
	Slice		text;
	Slice		table;
	Slice		index;
	int			nparameters;
	int			nvalues;
	Literal    *values;			/* linked by next */
	ExprTree	projection;		/* SELECT: items; empty for "*" */
	Slice	   *names;			/* result names of the projection */
	ExprTree	where;			/* root is NULL if there is none */
	ExprTree	update;			/* UPDATE: items */
	Literal    *item;			/* INSERT */
	StatementReturning returning;
	int			norder;
	StatementOrder *order;
};

/* ---- partiql_parse.c ---- */

/*
 * Parses text into a tree in the current memory context.  text must live as
 * long as the tree.  Returns NULL if a problem is noted.
 */
extern Statement *StatementParseText(Slice text, Problem *problem);

/*
 * The place of a piece of a statement, as in the service's messages: line and
 * column, starting with 1, and length in characters.
 */
extern char *StatementPlace(Slice text, Slice where);

/* ---- partiql_parse_update.c ---- */

/* Whether a node is a call of set_add or set_delete. */
extern bool NodeChangesSet(const ExprNode *node);

/* The name of its function, as in messages. */
extern const char *SetFunctionName(const ExprNode *call);

/* ---- partiql_literal.c ---- */

/*
 * The value of a literal as a varlena.  depth: the containers around it, 0
 * for an item.  parameters: NULL if it is known to have none.  Returns NULL if
 * a problem is noted.
 */
extern struct varlena *LiteralBuild(const Literal *literal, int depth,
									const ValueRef *parameters, Problem *problem);

/* Whether some part of it is a parameter. */
extern bool LiteralHasParameter(const Literal *literal);

#endif							/* DYNAMO_PARTIQL_TREE_H */
