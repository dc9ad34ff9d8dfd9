/*
 * partiql.h
 *	  PartiQL statements: SELECT, INSERT, UPDATE and DELETE on one table.
 *
 * A statement goes through the same stages as an expression (expr/expr.h):
 *
 *	partiql_scan.c		text to tokens
 *	partiql_parse*.c	tokens to a parse tree (Statement); cached by text
 *						(partiql_cache.c)
 *	partiql_bind.c		parse tree + parameters to a BoundStatement, whose
 *						condition, projection and update are those of expr/
 *	partiql_plan.c		condition + key schema to a key, or to ranges of keys
 *	partiql_branches.c	branches of an OR that would read the same rows
 *
 * The parser creates the trees of expr/, whose evaluator runs them.  Like
 * expr/, this folder uses no tables, catalogs or other parts of a server.
 *
 * Problems are noted as in expr/expr.h, with the service's messages.  Those of
 * syntax contain line, column and length; they do not quote literals, which
 * may be sensitive data.
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

/*
 * A statement with its parameters; its kind determines which members are used.
 */
typedef struct BoundStatement
{
	StatementKind kind;
	Slice		table;			/* a name or an ARN */
	Slice		index;			/* data is NULL if there is none */
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

/* ---- partiql_cache.c ---- */

/*
 * Returns the parse tree of a statement, from the backend's cache or newly
 * parsed; NULL if a problem is noted.  It finds every problem that does not
 * depend on parameters.  The tree is immutable and valid as long as the current
 * memory context.
 */
extern const Statement *StatementParse(const char *text, uint32 len, Problem *problem);

/* ---- partiql_bind.c ---- */

/*
 * Binds parameters to a statement.  The result points into the tree and to the
 * parameters; new parts are palloc'd.  Returns false if it notes a problem: a
 * wrong number of parameters and everything else that is known to be wrong
 * without a table.  The kind of statement and its table are set even then.
 */
extern bool StatementBind(const Statement *statement, const ValueRef *parameters,
						  int nparameters, BoundStatement *bound, Problem *problem);

/* ---- partiql_plan.c ---- */

/*
 * Removes the equality tests of all key attributes from a condition.  *key
 * becomes a map of their values; *rest becomes the remaining condition, or
 * NULL.  Returns false if an attribute has no equality test.
 */
extern bool StatementFullKey(Condition *where, const KeySchema *schema,
							 struct varlena **key, Condition **rest);

/*
 * Removes the equality tests of attributes from a condition, those that it has.  *taken
 * becomes a map of their values; *rest becomes the remaining condition, or NULL.
 */
extern void StatementTakeEqualities(Condition *where, const Slice *names, int n,
									struct varlena **taken, Condition **rest);

/* Returns a map of the attributes that a condition compares with a value by "=". */
extern struct varlena *StatementEqualities(Condition *where);

/*
 * What a condition makes of a read of a table or index: the ranges of
 * npartitions partitions, followed by a filter.  If npartitions is 0,
 * everything is read.
 */
typedef struct StatementRange
{
	int			npartitions;
	ValueRef  (*partitions)[KEY_MAX_ATTRIBUTES];	/* the partition attributes' values */
	int			ntests;			/* of the sort attributes, from the first on */
	KeyTest		tests[KEY_MAX_ATTRIBUTES];
	Condition  *filter;			/* NULL: none */
} StatementRange;

/*
 * Returns false if it notes that two branches of an OR read the same rows of a
 * partition by its sort attribute (partiql_branches.c).
 */
extern bool StatementCheckBranches(Condition *where, const KeySchema *schema, Problem *problem);

/*
 * Returns false if it notes a problem: too many partitions, or a sort attribute
 * compared with a value of another type.
 */
extern bool StatementRangeOf(Condition *where, const KeySchema *schema,
							 StatementRange *range, Problem *problem);

#endif							/* DYNAMO_PARTIQL_H */
