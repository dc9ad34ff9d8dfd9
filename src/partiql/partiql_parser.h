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

/* Where a literal is inside another one: the chain of its containers. */
typedef struct LiteralPlace
{
	const struct LiteralPlace *outer;
	Slice		name;			/* in a map */
	int			number;			/* in a list or set, from 0; -1 in a map */
} LiteralPlace;

typedef struct PartiqlParser
{
	Slice		text;
	Statement  *statement;
	PartiqlToken token;			/* to be consumed next */
	int			operators;
	int			depth;			/* of nested brackets and NOTs */
	Literal    *last_value;
	const LiteralPlace *place;	/* the containers of the literal that is parsed */
	int			element;		/* number of the next element of the innermost list or set */
	bool		failed;			/* a problem is noted */
	Problem    *problem;		/* NULL: it is raised */
} PartiqlParser;

/*
 * The first problem ends the parsing: from there on the parser is at PT_END,
 * which every production accepts as it accepts any token, and further problems
 * are ignored.
 */

/* ---- partiql_parse.c ---- */

/* Ends the parsing after a problem. */
extern void PartiqlStop(PartiqlParser *p);

/*
 * Reports "... can't be processed: <what> at <line>:<column>:<length>" for a
 * piece of the text.
 */
extern void PartiqlError(PartiqlParser *p, const char *what, Slice where);

/*
 * Reports a message of the service that has no prefix, followed by "at" and the
 * place of a piece of the text.
 */
extern void PartiqlErrorAt(PartiqlParser *p, const char *message, Slice where);

/* Reports "... can't be processed: <what>", without a place. */
extern void PartiqlMalformed(PartiqlParser *p, const char *what);

/* Reports a message of the service that has no prefix and no place. */
extern void PartiqlPlainError(PartiqlParser *p, const char *message);

/*
 * Reports that a text does not begin with a statement, or that an UPDATE has no
 * clause.
 */
extern void PartiqlNoOperation(PartiqlParser *p);

/*
 * Reports an unexpected token; expected is, for example, "an operand".
 */
extern void PartiqlUnexpected(PartiqlParser *p, const char *expected);

/* Reports an error of expr/ for a piece of the text. */
extern void PartiqlExprError(PartiqlParser *p, ExprErrorCode code, Slice where, int number);

/* PartiqlAdvance moves to the next token; PartiqlPeek only returns it. */
extern void PartiqlAdvance(PartiqlParser *p);
extern PartiqlToken PartiqlPeek(const PartiqlParser *p);

/* Consumes a token of this kind; reports any other and returns false. */
extern bool PartiqlExpect(PartiqlParser *p, PartiqlTokenKind kind, const char *expected);

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
 * Bracket recursive productions; PartiqlEnter reports those that nest too
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

/* Create a NODE_POSITION for a value that the statement implies. */
extern ExprNode *PartiqlImpliedString(PartiqlParser *p, const char *text);
extern ExprNode *PartiqlImpliedBool(PartiqlParser *p, bool value);

/* ---- partiql_parse_type.c ---- */

/* Parses the type after IS; returns its name in attribute_type(). */
extern const char *PartiqlParseType(PartiqlParser *p);

/* ---- partiql_parse_condition.c ---- */

typedef ExprNode *(*PartiqlOperandParser) (PartiqlParser *p);

/* Parses "(" inner ")", starting with the "(". */
extern ExprNode *PartiqlParseParentheses(PartiqlParser *p, PartiqlOperandParser inner);

/* Whether a node is a call of this function. */
static inline bool
PartiqlNodeCalls(const ExprNode *node, FunctionId id)
{
	return node->kind == NODE_FUNCTION && node->function != NULL && node->function->id == id;
}

/* Whether a function name and "(" follow; and parsing of the call. */
extern bool PartiqlAtCall(const PartiqlParser *p);
extern ExprNode *PartiqlParseCall(PartiqlParser *p, PartiqlOperandParser operand);
extern ExprNode *PartiqlParseCondition(PartiqlParser *p);

/* ---- partiql_parse_update.c ---- */

/* Parses the SET and REMOVE clauses of an UPDATE. */
extern void PartiqlParseClauses(PartiqlParser *p);

#endif							/* DYNAMO_PARTIQL_PARSER_H */
