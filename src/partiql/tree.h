/*
 * tree.h
 *	  The parse tree of a statement.  Private to partiql/.
 *
 * Conditions, projections and updates are trees of expr/, in which a value is
 * a NODE_POSITION: its number among the statement's values.
 */
#ifndef DYNAMO_PARTIQL_TREE_H
#define DYNAMO_PARTIQL_TREE_H

#include "expr/tree.h"
#include "partiql/partiql.h"

typedef enum LiteralKind
{
	LITERAL_CONSTANT,			/* value */
	LITERAL_PARAMETER,			/* number */
	LITERAL_LIST,				/* children, as the next two */
	LITERAL_MAP,
	LITERAL_SET
} LiteralKind;

/* A value as it is written.  One without parameters is made a constant. */
typedef struct Literal
{
	LiteralKind kind;
	ValueRef	value;
	int			number;
	Slice		name;			/* of an entry of a map */
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
	Expr		projection;		/* SELECT: items; none: "*" */
	Slice	   *names;			/* of its results */
	Expr		where;			/* root NULL: none */
	Expr		update;			/* UPDATE: items */
	Literal    *item;			/* INSERT */
	StatementReturning returning;
	int			norder;
	StatementOrder *order;
};

/* ---- parse.c ---- */

/*
 * Parses text, which must live as long as the tree, into a tree palloc'd in
 * the current memory context.
 */
extern Statement *StatementParseText(Slice text);

/* ---- literal.c ---- */

/*
 * The value of a literal as a varlena.  depth: the containers around it, 0
 * for an item.  parameters: NULL if it is known to have none.
 */
extern struct varlena *LiteralBuild(const Literal *literal, int depth,
									const ValueRef *parameters);

/* Whether some part of it is a parameter. */
extern bool LiteralHasParameter(const Literal *literal);

#endif							/* DYNAMO_PARTIQL_TREE_H */
