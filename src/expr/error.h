/*
 * error.h
 *	  Errors of expressions: codes with byte positions, and the function that
 *	  turns them into the service's messages.  Private to expr/ and partiql/.
 *
 * An expression can have several errors, and the service reports the most
 * important one.  Checks therefore note errors (ExprNote); the end of each
 * stage reports the most important one as the problem of the expression.  Among
 * errors of the same importance the first one wins.
 */
#ifndef DYNAMO_EXPR_ERROR_H
#define DYNAMO_EXPR_ERROR_H

#include "exported.h"
#include "expr/tree.h"

typedef enum ExprErrorCode
{
	EXPR_OK,
	EXPR_ERROR_EMPTY,
	EXPR_ERROR_TOO_LONG,		/* number: size */
	EXPR_ERROR_UPDATE_TOO_LONG,
	EXPR_ERROR_SYNTAX,			/* one: token, two: its neighbourhood */
	EXPR_ERROR_OPERATORS,
	EXPR_ERROR_DEPTH,			/* number: levels */
	EXPR_ERROR_LIST_INDEX,		/* one: the digits */
	EXPR_ERROR_PLACEHOLDER_SIZE,
	EXPR_ERROR_PARENTHESES,
	EXPR_ERROR_UNKNOWN_FUNCTION,	/* one: function */
	EXPR_ERROR_MISUSED_FUNCTION,	/* one: function */
	EXPR_ERROR_NO_CONDITION_FUNCTION,	/* one: function */
	EXPR_ERROR_NO_UPDATE_FUNCTION,	/* one: function */
	EXPR_ERROR_RESERVED,		/* one: word */
	EXPR_ERROR_SECTION,			/* one: SET, ... */
	EXPR_ERROR_NAME,			/* one: #n */
	EXPR_ERROR_VALUE,			/* one: :v */
	EXPR_ERROR_OPERAND_COUNT,	/* one: operator, number */
	EXPR_ERROR_IN_OPERANDS,		/* number */
	EXPR_ERROR_OPERAND_TYPE,	/* one: operator, two: type */
	EXPR_ERROR_ACTION_TYPE,		/* one: ADD or DELETE, two: type */
	EXPR_ERROR_NEEDS_PATH,		/* one: operator */
	EXPR_ERROR_SAME_OPERANDS,	/* one: operator, path_one */
	EXPR_ERROR_TYPE_NAME,		/* one: the text */
	EXPR_ERROR_BETWEEN_TYPES,	/* value_one, value_two */
	EXPR_ERROR_BETWEEN_ORDER,	/* value_one, value_two */
	EXPR_ERROR_OVERLAP,			/* path_one, path_two */
	EXPR_ERROR_CONFLICT,		/* path_one, path_two */

	/* Errors of key conditions, whose messages have no prefix. */
	EXPR_ERROR_KEY_OPERATOR,	/* one: operator */
	EXPR_ERROR_KEY_NESTED_PATH,
	EXPR_ERROR_KEY_NESTED_FUNCTION,
	EXPR_ERROR_KEY_TWICE,
	EXPR_ERROR_KEY_NO_ATTRIBUTE,
	EXPR_ERROR_KEY_TWO_NAMES,
	EXPR_ERROR_KEY_NOT_FIRST,	/* one: operator */
	EXPR_ERROR_KEY_COUNT,		/* one: of conditions, two: of key attributes */
	EXPR_ERROR_KEY_MISSING,		/* one: attribute */
	EXPR_ERROR_KEY_UNSUPPORTED,
	EXPR_ERROR_KEY_TYPE,
	EXPR_ERROR_KEY_PARTITION,	/* one: attributes */
	EXPR_ERROR_KEY_SORT,		/* one: attributes, two: attribute */

	/* Errors of PartiQL statements. */
	EXPR_ERROR_STATEMENT,		/* one: what is malformed */
	EXPR_ERROR_STATEMENT_PLAIN	/* one: the whole message */
} ExprErrorCode;

/* One problem.  The code determines which members are used. */
typedef struct ExprError
{
	ExprErrorCode code;
	int			position;		/* byte position, or -1 */
	int			number;
	Slice		one;
	Slice		two;
	Path		path_one;
	Path		path_two;
	ValueRef	value_one;
	ValueRef	value_two;
} ExprError;

/* The most important problem found so far.  Zeroed: no problem. */
typedef struct ExprProblem
{
	ExprKind	kind;			/* determines the order of importance */
	ExprError	error;
} ExprProblem;

/*
 * Keeps the error unless a problem of at least the same importance is known.
 */
extern void ExprNote(ExprProblem *problem, const ExprError *error);

/*
 * Notes an error as the problem of an expression, unless it has one; raises it
 * if problem is NULL.  text is the whole expression.  Returns false.
 */
extern DYNAMO_EXPORT bool ExprReport(Problem *problem, ExprKind kind, Slice text, const ExprError *error);

/* Reports the noted error, if any; returns whether there is none. */
extern bool ExprReportNoted(Problem *problem, Slice text, const ExprProblem *noted);

/* hint.c: what helps a SQL user; NULL if nothing does.  Static. */
extern const char *ExprErrorHint(ExprKind kind, const ExprError *error);

/* "[a, b, [0]]", palloc'd. */
extern char *ExprPathText(const Path *path);

#endif							/* DYNAMO_EXPR_ERROR_H */
