/*
 * statement.h
 *	  PartiQL statements in requests: what ExecuteStatement,
 *	  BatchExecuteStatement and ExecuteTransaction share.
 *
 *		statement.c				a statement and its table, to operations of op/
 *		statement_read.c		SELECT as a query or scan, page by page
 *		statement_token.c		NextToken
 *		statement_execute.c		ExecuteStatement
 *		statement_batch.c		BatchExecuteStatement
 *		statement_transaction.c	ExecuteTransaction
 */
#ifndef DYNAMO_STATEMENT_H
#define DYNAMO_STATEMENT_H

#include "op/op.h"
#include "partiql/partiql.h"
#include "request/capacity.h"
#include "request/digest.h"
#include "request/shape.h"

/* A statement of a request and the stages of its preparation. */
typedef struct PreparedStatement
{
	const Field *input;			/* the structure with Statement and Parameters */
	Slice		text;
	int			nparameters;
	ValueRef   *parameters;
	bool		bad_parameter;	/* a parameter is no valid value */
	BoundStatement bound;
	const char *table_name;		/* the name only, if the statement has an ARN */
	TableDef   *def;			/* NULL if the table is not open */
} PreparedStatement;

/* ---- statement.c ---- */

/* The members Statement and Parameters. */
extern const Shape model_statement;
extern const Shape model_statement_parameters;

/*
 * Reads a statement and its parameters.
 * Returns false if it notes what is wrong with them; raises it if problem is
 * NULL.  bound.table is set, also after a problem, if the kind of statement is
 * known.
 */
extern bool StatementPrepare(PreparedStatement *s, const Field *input, Problem *problem);

/* Opens the table's definition; StatementClose releases it. */
extern void StatementOpen(PreparedStatement *s);

/* Sets table_name, which is all that INSERT needs. */
extern void StatementNameTable(PreparedStatement *s);
extern void StatementClose(PreparedStatement *s);

/*
 * Converts an open INSERT, UPDATE, DELETE or EXISTS to a write.  images: ask
 * for the items before and after.  Returns false if it notes a problem; raises
 * it if problem is NULL.
 */
extern bool StatementWrite(const PreparedStatement *s, bool images, WriteOp *op, Problem *problem);

/*
 * Converts an open SELECT to a get; returns false if its condition does not
 * contain the full key.  by_parts: it may contain that of an entity by parts, and nothing
 * is known of its completeness.
 */
extern bool StatementGet(const PreparedStatement *s, GetOp *op, bool *by_parts);

/* Adds a statement with its parameters to a digest. */
extern void DigestStatement(Digest *digest, const PreparedStatement *s);

/* Writes the capacity of one write, or of one get, of an open statement. */
extern void StatementWriteCapacity(Writer *out, const PreparedStatement *s, CapacityDetail detail,
								   CapacityKind kind, const struct varlena *old_item,
								   const struct varlena *new_item);
extern void StatementReadCapacity(Writer *out, const PreparedStatement *s, CapacityDetail detail,
								  CapacityKind kind, double units);

/* ---- statement_read.c ---- */

/*
 * Executes a SELECT and writes the response: Items, NextToken,
 * LastEvaluatedKey, ConsumedCapacity.
 */
extern void StatementRead(const PreparedStatement *s, Writer *out);

/* ---- statement_token.c ---- */

/* Creates the token for continuing after a key; palloc'd text. */
extern char *NextTokenMake(const PreparedStatement *s, const struct varlena *key);

/*
 * Returns the key after which a token continues.  Raises "Invalid NextToken"
 * unless the token was made for this statement with these parameters.
 */
extern struct varlena *NextTokenRead(const PreparedStatement *s, Slice token);

#endif							/* DYNAMO_STATEMENT_H */
