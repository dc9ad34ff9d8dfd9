/*
 * partiql.h
 *	  PartiQL statements: SELECT, INSERT, UPDATE and DELETE on one table.
 *
 * A statement goes through the stages of an expression (expr/expr.h):
 *
 *		scan.c		text to tokens
 *		parse*.c	tokens to a parse tree (Statement); cached by text (cache.c)
 *		bind.c		parse tree + parameters to a BoundStatement, whose condition,
 *					projection and update are those of expr/
 *		plan.c		condition + key schema to a key, or to ranges of keys
 *
 * There is one evaluator, that of expr/: the parser makes the trees of its
 * expressions.  As expr/, this needs no server, tables or catalogs.
 *
 * Errors are raised in the service's words (ERRCODE_DYNAMO_VALIDATION).  Those
 * about a statement's form tell line, column and length of what is wrong; they
 * do not quote literals, which are data.
 */
#ifndef DYNAMO_PARTIQL_H
#define DYNAMO_PARTIQL_H

#include "expr/expr.h"

#define STATEMENT_MAX_SIZE		8192	/* characters */
#define STATEMENT_MAX_DEPTH		200 /* brackets and NOTs inside each other */
#define STATEMENT_MAX_KEY_IN	50	/* values of IN on a partition key */

typedef enum StatementKind
{
	STATEMENT_SELECT,
	STATEMENT_EXISTS,			/* a SELECT whose result is a condition */
	STATEMENT_INSERT,
	STATEMENT_UPDATE,
	STATEMENT_DELETE
} StatementKind;

typedef enum StatementReturning
{
	RETURNING_NOTHING,
	RETURNING_ALL_OLD,
	RETURNING_MODIFIED_OLD,
	RETURNING_ALL_NEW,
	RETURNING_MODIFIED_NEW
} StatementReturning;

/* One attribute of ORDER BY. */
typedef struct StatementOrder
{
	Slice		attribute;
	bool		descending;
} StatementOrder;

typedef struct Statement Statement; /* a parse tree */

/* A statement with its parameters; which members count depends on its kind. */
typedef struct BoundStatement
{
	StatementKind kind;
	Slice		table;			/* a name or an ARN */
	Slice		index;			/* data NULL: none */
	Condition  *where;			/* NULL: none */
	Projection *projection;		/* NULL: "*" */
	Update	   *update;
	struct varlena *item;		/* of INSERT */
	StatementReturning returning;
	int			norder;
	const StatementOrder *order;
} BoundStatement;

static inline bool
StatementReads(StatementKind kind)
{
	return kind == STATEMENT_SELECT;
}

/* ---- cache.c ---- */

/*
 * The parse tree of a statement, from the backend's cache or parsed now.
 * Raises every error that needs no parameters.  The tree is immutable and
 * stays valid as long as the current memory context.
 */
extern const Statement *StatementParse(const char *text, uint32 len);

/* ---- bind.c ---- */

/*
 * Puts the parameters in.  The result points into the tree and at the
 * parameters; what is made is palloc'd.  Raises the error of another number of
 * parameters, and all that can be known to be wrong without a table; what
 * statement it is and on which table is set all the same.
 */
extern void StatementBind(const Statement *statement, const ValueRef *parameters,
						  int nparameters, BoundStatement *bound);

/* ---- plan.c ---- */

/*
 * Takes the equalities with all attributes of a key out of a condition.
 * *key becomes a map of them, *rest the condition without them, NULL if
 * nothing is left.  False if some attribute has no equality.
 */
extern bool StatementFullKey(Condition *where, const KeySchema *schema,
							 struct varlena **key, Condition **rest);

/*
 * What a condition makes of reading a table or index: ranges of so many
 * partitions, whose rows are then filtered; or, if npartitions is 0, all.
 */
typedef struct StatementRange
{
	int			npartitions;
	ValueRef  (*partitions)[KEY_MAX_ATTRIBUTES];	/* the partition attributes' values */
	int			ntests;			/* of the sort attributes, from the first on */
	KeyTest		tests[KEY_MAX_ATTRIBUTES];
	Condition  *filter;			/* NULL: none */
} StatementRange;

/* Raises the error of too many partitions. */
extern void StatementRangeOf(Condition *where, const KeySchema *schema,
							 StatementRange *range);

#endif							/* DYNAMO_PARTIQL_H */
