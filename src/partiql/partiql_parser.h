/*
 * partiql_parser.h
 *	  Functions that the files of the parser share: partiql_parse.c (tokens and
 *	  statements) and partiql_parse_*.c.
 */
#ifndef DYNAMO_PARTIQL_PARSER_H
#define DYNAMO_PARTIQL_PARSER_H

#include "expr/error.h"
#include "partiql/partiql_scan.h"
#include "partiql/partiql_tree.h"

typedef struct PartiqlParser
{
	Slice		text;
	Statement  *statement;
	PartiqlToken token;			/* to be consumed next */
	int			operators;
	int			depth;			/* of nested brackets and NOTs */
	Literal    *last_value;
} PartiqlParser;

/* ---- partiql_parse.c ---- */

/*
 * Raises "... can't be processed: <what> at <line>:<column>:<length>" for a
 * piece of the text.
 */
extern void PartiqlError(const PartiqlParser *p, const char *what, Slice where)
			pg_attribute_noreturn();

/*
 * Raises the error of a text that does not begin with a statement, or of an
 * UPDATE without a clause.
 */
extern void PartiqlNoOperation(const PartiqlParser *p) pg_attribute_noreturn();

/*
 * Raises the error of an unexpected token; expected is, for example, "an
 * operand".
 */
extern void PartiqlUnexpected(const PartiqlParser *p, const char *expected)
			pg_attribute_noreturn();

/* Raises an error of expr/ for a piece of the text. */
extern void PartiqlExprError(const PartiqlParser *p, ExprErrorCode code, Slice where,
							 int number) pg_attribute_noreturn();

/* PartiqlAdvance moves to the next token; PartiqlPeek only returns it. */
extern void PartiqlAdvance(PartiqlParser *p);
extern PartiqlToken PartiqlPeek(const PartiqlParser *p);

/* Consumes a token of this kind; raises an error for any other. */
extern void PartiqlExpect(PartiqlParser *p, PartiqlTokenKind kind, const char *expected);

static inline bool
PartiqlAt(const PartiqlParser *p, PartiqlTokenKind kind)
{
	return p->token.kind == kind;
}

/* Test for, and consume, a keyword.  word is in upper case. */
extern bool PartiqlAtWord(const PartiqlParser *p, const char *word);
extern bool PartiqlAcceptWord(PartiqlParser *p, const char *word);
extern void PartiqlExpectWord(PartiqlParser *p, const char *word);

/*
 * Bracket recursive productions; PartiqlEnter raises an error if they nest too
 * deeply.
 */
extern void PartiqlEnter(PartiqlParser *p);
extern void PartiqlLeave(PartiqlParser *p);

/* Creates a node at the current token without consuming the token. */
extern ExprNode *PartiqlNode(PartiqlParser *p, NodeKind kind);

/* Consumes an operator and counts it. */
extern void PartiqlTakeOperator(PartiqlParser *p);

/* Consumes and counts an operator, and creates a node for it. */
extern ExprNode *PartiqlOperator(PartiqlParser *p, NodeKind kind);

/* ---- partiql_parse_path.c ---- */

/* Whether the current token is a name. */
extern bool PartiqlAtName(const PartiqlParser *p);

/* Parses a bare or quoted name; expected describes it in errors. */
extern Slice PartiqlParseName(PartiqlParser *p, const char *expected);
extern ExprNode *PartiqlParsePath(PartiqlParser *p);

/* ---- partiql_parse_literal.c ---- */

/* Whether the current token starts a literal; and parsing of the literal. */
extern bool PartiqlAtLiteral(const PartiqlParser *p);
extern Literal *PartiqlParseLiteral(PartiqlParser *p);

/* Parses a literal and returns a NODE_POSITION for it. */
extern ExprNode *PartiqlParseValue(PartiqlParser *p);

/* Creates a NODE_POSITION for a string that the statement implies. */
extern ExprNode *PartiqlImpliedString(PartiqlParser *p, const char *text);

/* ---- partiql_parse_condition.c ---- */

typedef ExprNode *(*PartiqlOperandParser) (PartiqlParser *p);

/* Parses "(" inner ")", starting with the "(". */
extern ExprNode *PartiqlParseParentheses(PartiqlParser *p, PartiqlOperandParser inner);

/* Whether a function name and "(" follow; and parsing of the call. */
extern bool PartiqlAtCall(const PartiqlParser *p);
extern ExprNode *PartiqlParseCall(PartiqlParser *p, PartiqlOperandParser operand);
extern ExprNode *PartiqlParseCondition(PartiqlParser *p);

/* ---- partiql_parse_update.c ---- */

/* Parses the SET and REMOVE clauses of an UPDATE. */
extern void PartiqlParseClauses(PartiqlParser *p);

#endif							/* DYNAMO_PARTIQL_PARSER_H */
