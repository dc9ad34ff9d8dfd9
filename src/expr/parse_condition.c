/*
 * parse_condition.c
 *	  The grammar of conditions, filters and key conditions.
 *
 *	predicate	= compare | between
 *				| operand IN "(" operand { "," operand } ")"
 *				| call | "(" condition ")"
 *	operand		= path | ":" placeholder | call | "(" operand ")"
 *
 * condition_grammar.h has the rest.
 *
 * A "(" opens a condition or an operand; only the text after the ")" shows which.  The left side of a predicate is therefore read as either, and the
 * caller then checks that it is what it needs.  A walk over the finished tree
 * checks which functions are allowed where.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "expr/parse.h"

static ExprNode *ExprParseOr(Parser *p);

static bool
NodeIsOperand(const ExprNode *node)
{
	return node->kind == NODE_PATH || node->kind == NODE_VALUE ||
		node->kind == NODE_FUNCTION;
}

/* A path or a value is not a condition; a call may be one. */
static void
RequireCondition(Parser *p, const ExprNode *node)
{
	if (node->kind == NODE_PATH || node->kind == NODE_VALUE)
		ParserSyntaxError(p);
}

static bool
IsAtWord(Parser *p, const char *word)
{
	return TokenIsWord(&p->token, word);
}

static void
ExpectWord(Parser *p, const char *word)
{
	if (!IsAtWord(p, word))
		ParserSyntaxError(p);
	ParserAdvance(p);
}

/* Whether the current word cannot start an operand. */
static bool
IsAtKeyword(Parser *p)
{
	return IsAtWord(p, "AND") || IsAtWord(p, "OR") || IsAtWord(p, "NOT") ||
		IsAtWord(p, "BETWEEN") || IsAtWord(p, "IN");
}

/* Ends the operand or condition that a "(" opened. */
static ExprNode *
CloseParenthesis(Parser *p, ExprNode *inner, Slice open)
{
	ParserExpect(p, TOKEN_RPAREN);
	if (inner->parenthesized)
		ParserNote(p, EXPR_ERROR_PARENTHESES, open);
	inner->parenthesized = true;
	return inner;
}

static ExprNode *
ParseOperand(Parser *p)
{
	Slice		open = p->token.text;

	check_stack_depth();
	if (p->token.kind == TOKEN_VALUE)
		return ParseValuePlaceholder(p);
	if (p->token.kind == TOKEN_LPAREN)
	{
		ParserAdvance(p);
		return CloseParenthesis(p, ParseOperand(p), open);
	}
	if (IsAtKeyword(p))
		ParserSyntaxError(p);
	if (ParserAtCall(p))
		return ParseCall(p, ParseOperand);
	return ParsePath(p);
}

/* The start of a predicate: an operand, or a condition in parentheses. */
static ExprNode *
ParseTerm(Parser *p)
{
	Slice		open = p->token.text;

	if (p->token.kind != TOKEN_LPAREN)
		return ParseOperand(p);
	check_stack_depth();
	ParserAdvance(p);
	return CloseParenthesis(p, ExprParseOr(p), open);
}

static ExprNode *ParsePredicate(Parser *p);

#define GRAMMAR_PARSER			Parser
#define GRAMMAR_NAME(name)		Expr##name
#define GRAMMAR_TOKEN(name)		TOKEN_##name
#define GRAMMAR_AT_WORD			IsAtWord
#define GRAMMAR_EXPECT_WORD		ExpectWord
#define GRAMMAR_OPERATOR		ParserOperator
#define GRAMMAR_REQUIRE			RequireCondition
#define GRAMMAR_ENTER(p)		check_stack_depth()
#define GRAMMAR_LEAVE(p)		((void) 0)
#define GRAMMAR_OPERAND			ParseOperand
#define GRAMMAR_PREDICATE		ParsePredicate
#include "expr/condition_grammar.h"

static ExprNode *
ParseIn(Parser *p, ExprNode *left)
{
	ExprNode   *node = ParserOperator(p, NODE_IN);

	NodeAppend(node, left);
	ParserExpect(p, TOKEN_LPAREN);
	NodeAppend(node, ParseOperand(p));
	while (p->token.kind == TOKEN_COMMA)
	{
		ParserAdvance(p);
		NodeAppend(node, ParseOperand(p));
	}
	ParserExpect(p, TOKEN_RPAREN);
	return node;
}

static ExprNode *
ParsePredicate(Parser *p)
{
	ExprNode   *left = ParseTerm(p);
	int			op = ExprCompareOpAt(p);
	bool		between = IsAtWord(p, "BETWEEN");
	bool		in = IsAtWord(p, "IN");

	if (op < 0 && !between && !in)
		return left;
	if (!NodeIsOperand(left))
		ParserSyntaxError(p);
	if (between)
		return ExprParseBetween(p, left);
	if (in)
		return ParseIn(p, left);
	return ExprParseCompare(p, left, op);
}

/* ---- functions ---- */

static void
CheckCall(Parser *p, const ExprNode *call, FunctionPlace place, bool in_size)
{
	const ExprFunction *f = call->function;

	if (f == NULL)
		return;					/* ParseCall has noted the error */
	if (f->place == PLACE_UPDATE)
		ParserNote(p, EXPR_ERROR_NO_CONDITION_FUNCTION, call->text);
	else if (f->place != place || in_size)
		ParserNote(p, EXPR_ERROR_MISUSED_FUNCTION, call->text);
}

/* Checks that every function of the tree is allowed at its place. */
static void
CheckCalls(Parser *p, const ExprNode *node, FunctionPlace place, bool in_size)
{
	bool		joins = node->kind == NODE_AND || node->kind == NODE_OR ||
		node->kind == NODE_NOT;

	check_stack_depth();
	if (node->kind == NODE_FUNCTION)
	{
		CheckCall(p, node, place, in_size);
		in_size = node->function && node->function->id == FUNCTION_SIZE;
	}
	for (const ExprNode *child = node->first; child; child = child->next)
		CheckCalls(p, child, joins ? PLACE_CONDITION : PLACE_OPERAND, in_size);
}

ExprNode *
ParseCondition(Parser *p)
{
	ExprNode   *node = ExprParseOr(p);

	RequireCondition(p, node);
	CheckCalls(p, node, PLACE_CONDITION, false);
	return node;
}
