/*
 * parser.h
 *	  What the parts of the parser share: parse.c (tokens, statements),
 *	  parse_path.c, parse_literal.c, parse_condition.c, parse_update.c.
 */
#ifndef DYNAMO_PARTIQL_PARSER_H
#define DYNAMO_PARTIQL_PARSER_H

#include "expr/error.h"
#include "partiql/scan.h"
#include "partiql/tree.h"

typedef struct PartiqlParser
{
	Slice		text;
	Statement  *statement;
	PartiqlToken token;			/* to be consumed next */
	int			operators;
	int			depth;			/* of brackets and NOTs */
	Literal    *last_value;
} PartiqlParser;

/* ---- parse.c ---- */

/*
 * Raises "... can't be processed: <what> at <line>:<column>:<length>", the
 * place that of a piece of the text.
 */
extern void PartiqlError(const PartiqlParser *p, const char *what, Slice where)
			pg_attribute_noreturn();

/* Raises that it does not begin with a statement, or an UPDATE not with a clause. */
extern void PartiqlNoOperation(const PartiqlParser *p) pg_attribute_noreturn();

/* The next token is not what may stand here; expected: "an operand". */
extern void PartiqlUnexpected(const PartiqlParser *p, const char *expected)
			pg_attribute_noreturn();

/* Raises one of expr/'s errors about a piece of the text. */
extern void PartiqlExprError(const PartiqlParser *p, ExprErrorCode code, Slice where,
							 int number) pg_attribute_noreturn();

/* Goes to the next token; looks at it. */
extern void PartiqlAdvance(PartiqlParser *p);
extern PartiqlToken PartiqlPeek(const PartiqlParser *p);

/* Consumes a token of this kind, or raises that it is expected. */
extern void PartiqlExpect(PartiqlParser *p, PartiqlTokenKind kind, const char *expected);

static inline bool
PartiqlAt(const PartiqlParser *p, PartiqlTokenKind kind)
{
	return p->token.kind == kind;
}

/* The same of keywords; word is in upper case. */
extern bool PartiqlAtWord(const PartiqlParser *p, const char *word);
extern bool PartiqlAcceptWord(PartiqlParser *p, const char *word);
extern void PartiqlExpectWord(PartiqlParser *p, const char *word);

/* Around what may contain itself. */
extern void PartiqlEnter(PartiqlParser *p);
extern void PartiqlLeave(PartiqlParser *p);

/* A node at the current token, which is not consumed. */
extern ExprNode *PartiqlNode(PartiqlParser *p, NodeKind kind);

/* Consumes an operator and counts it. */
extern void PartiqlTakeOperator(PartiqlParser *p);

/* The same, with a node for it. */
extern ExprNode *PartiqlOperator(PartiqlParser *p, NodeKind kind);

/* ---- parse_path.c ---- */

/* Whether the current token is a name. */
extern bool PartiqlAtName(const PartiqlParser *p);

/* A name, bare or quoted; expected says of what. */
extern Slice PartiqlParseName(PartiqlParser *p, const char *expected);
extern ExprNode *PartiqlParsePath(PartiqlParser *p);

/* ---- parse_literal.c ---- */

/* Whether a literal begins at the current token; then the literal. */
extern bool PartiqlAtLiteral(const PartiqlParser *p);
extern Literal *PartiqlParseLiteral(PartiqlParser *p);

/* The same as a NODE_POSITION. */
extern ExprNode *PartiqlParseValue(PartiqlParser *p);

/* A NODE_POSITION for a string that the statement only implies. */
extern ExprNode *PartiqlImpliedString(PartiqlParser *p, const char *text);

/* ---- parse_condition.c ---- */

typedef ExprNode *(*PartiqlOperandParser) (PartiqlParser *p);

/* "(" inner ")", with the "(" at the current token. */
extern ExprNode *PartiqlParseParentheses(PartiqlParser *p, PartiqlOperandParser inner);

/* Whether a function's name and "(" are next; then the call. */
extern bool PartiqlAtCall(const PartiqlParser *p);
extern ExprNode *PartiqlParseCall(PartiqlParser *p, PartiqlOperandParser operand);
extern ExprNode *PartiqlParseCondition(PartiqlParser *p);

/* ---- parse_update.c ---- */

/* The SET and REMOVE clauses of an UPDATE. */
extern void PartiqlParseClauses(PartiqlParser *p);

#endif							/* DYNAMO_PARTIQL_PARSER_H */
