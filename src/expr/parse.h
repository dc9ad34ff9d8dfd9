/*
 * parse.h
 *	  Functions that the parser's files share: parse.c (entry, tokens, paths),
 *	  parse_condition.c and parse_update.c.
 */
#ifndef DYNAMO_PARSE_H
#define DYNAMO_PARSE_H

#include "expr/error.h"
#include "expr/scanner.h"
#include "expr/tree.h"

typedef struct Parser
{
	ExprTree   *expr;
	Token		previous;		/* text.data is NULL if there is none */
	Token		token;			/* to be consumed next */
	int			operators;
	ExprProblem problem;		/* reported once the syntax is known to be right */
	Problem    *reported;		/* NULL: it is raised */
} Parser;

/*
 * A syntax error, and a few others, end the parsing: from there on the parser
 * is at TOKEN_END, which every production accepts as it accepts any token, and
 * further errors are ignored.
 */

/* ---- parse.c ---- */

/*
 * Advance to the next token.  ParserExpect reports a syntax error and returns
 * false unless the current token has this kind.
 */
extern void ParserAdvance(Parser *p);
extern bool ParserExpect(Parser *p, TokenKind kind);
extern void ParserSyntaxError(Parser *p);

/* Whether the token after the next one is "(". */
extern bool ParserAtCall(Parser *p);

/* Notes an error at a word of the expression. */
extern void ParserNote(Parser *p, ExprErrorCode code, Slice word);

/* Creates a node at the current token without consuming the token. */
extern ExprNode *ParserNode(Parser *p, NodeKind kind);

/* Consumes an operator and creates a node for it; counts operators. */
extern ExprNode *ParserOperator(Parser *p, NodeKind kind);

/* Parse a document path, or a :value, at the current token. */
extern ExprNode *ParsePath(Parser *p);
extern ExprNode *ParseValuePlaceholder(Parser *p);

typedef ExprNode *(*OperandParser) (Parser *p);

/* Parses a call whose name is the current token. */
extern ExprNode *ParseCall(Parser *p, OperandParser parse_operand);

/* ---- parse_condition.c ---- */

/* Parses a condition up to the first token that cannot continue it. */
extern ExprNode *ParseCondition(Parser *p);

/* ---- parse_update.c ---- */

/* Parses the sections of an update into the expression. */
extern void ParseUpdate(Parser *p);

#endif							/* DYNAMO_PARSE_H */
