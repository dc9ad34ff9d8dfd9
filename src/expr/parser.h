/*
 * parser.h
 *	  What the parts of the parser share: parse.c (the entry, tokens, paths),
 *	  parse_condition.c and parse_update.c.
 */
#ifndef DYNAMO_EXPR_PARSER_H
#define DYNAMO_EXPR_PARSER_H

#include "expr/error.h"
#include "expr/scan.h"
#include "expr/tree.h"

typedef struct Parser
{
	Expr	   *expr;
	Token		previous;		/* text.data == NULL: none */
	Token		token;			/* to be consumed next */
	int			operators;
	ExprProblem problem;		/* raised once the syntax is known to be right */
} Parser;

/* ---- parse.c ---- */

/* To the next token; of this kind, or a syntax error at the current one. */
extern void ParserAdvance(Parser *p);
extern void ParserExpect(Parser *p, TokenKind kind);
extern void ParserSyntaxError(Parser *p) pg_attribute_noreturn();

/* Whether the token after the next one is "(". */
extern bool ParserAtCall(Parser *p);

/* Notes an error about a word of the expression. */
extern void ParserNote(Parser *p, ExprErrorCode code, Slice word);

/* A node at the current token; the token is not consumed. */
extern ExprNode *ParserNode(Parser *p, NodeKind kind);

/* Consumes an operator's token and makes a node at it; counts operators. */
extern ExprNode *ParserOperator(Parser *p, NodeKind kind);

/* A document path, a :value, at the current token. */
extern ExprNode *ParsePath(Parser *p);
extern ExprNode *ParseValuePlaceholder(Parser *p);

typedef ExprNode *(*OperandParser) (Parser *p);

/* A call, with its name at the current token. */
extern ExprNode *ParseCall(Parser *p, OperandParser parse_operand);

/* ---- parse_condition.c ---- */

/* A condition up to what cannot go on with it. */
extern ExprNode *ParseCondition(Parser *p);

/* ---- parse_update.c ---- */

/* The sections of an update, into the expression. */
extern void ParseUpdate(Parser *p);

#endif							/* DYNAMO_EXPR_PARSER_H */
