/*
 * parse_update.c
 *	  The grammar of updates.
 *
 *		update	= section { section }
 *		section	= SET path "=" value { "," path "=" value }
 *				| REMOVE path { "," path }
 *				| ADD path ":v" { "," path ":v" }
 *				| DELETE path ":v" { "," path ":v" }
 *		value	= operand [ ( "+" | "-" ) operand ] | "(" value ")"
 *		operand	= path | ":v" | call | "(" operand ")"
 */
#include "postgres.h"

#include "miscadmin.h"

#include "expr/parse.h"

static const char *const section_words[ACTION_COUNT] = {
	"SET", "REMOVE", "ADD", "DELETE"
};

static ExprNode *
ParseSetOperand(Parser *p)
{
	ExprNode   *node;

	check_stack_depth();
	if (p->token.kind == TOKEN_VALUE)
		return ParseValuePlaceholder(p);
	if (p->token.kind == TOKEN_LPAREN)
	{
		ParserAdvance(p);
		node = ParseSetOperand(p);
		ParserExpect(p, TOKEN_RPAREN);
		return node;
	}
	if (ParserAtCall(p))
		return ParseCall(p, ParseSetOperand);
	return ParsePath(p);
}

static bool
IsAtArithmetic(Parser *p)
{
	return p->token.kind == TOKEN_PLUS || p->token.kind == TOKEN_MINUS;
}

static bool
NodeIsArithmetic(const ExprNode *node)
{
	return node->kind == NODE_PLUS || node->kind == NODE_MINUS;
}

/*
 * Parses the value that SET assigns.  Parentheses may contain an operand or a
 * whole value, but a sum in parentheses cannot be an operand of another sum.
 */
static ExprNode *
ParseSetValue(Parser *p)
{
	ExprNode   *left;
	ExprNode   *node;

	check_stack_depth();
	if (p->token.kind == TOKEN_LPAREN)
	{
		ParserAdvance(p);
		left = ParseSetValue(p);
		ParserExpect(p, TOKEN_RPAREN);
	}
	else
		left = ParseSetOperand(p);

	if (!IsAtArithmetic(p) || NodeIsArithmetic(left))
		return left;
	node = ParserOperator(p, p->token.kind == TOKEN_PLUS ?
						  NODE_PLUS : NODE_MINUS);
	NodeAppend(node, left);
	NodeAppend(node, ParseSetOperand(p));
	return node;
}

/* Parses one target with its value. */
static ExprNode *
ParseAction(Parser *p, UpdateAction action)
{
	ExprNode   *node = ParserNode(p, NODE_ACTION);

	node->op = action;
	NodeAppend(node, ParsePath(p));
	p->expr->nelements += node->first->path.n;
	if (action == ACTION_SET)
	{
		ParserExpect(p, TOKEN_EQ);
		NodeAppend(node, ParseSetValue(p));
	}
	else if (action != ACTION_REMOVE)
		NodeAppend(node, ParseValuePlaceholder(p));
	return node;
}

/* The action whose section starts at the current token. */
static UpdateAction
SectionAt(Parser *p)
{
	for (int i = 0; i < ACTION_COUNT; i++)
	{
		if (TokenIsWord(&p->token, section_words[i]))
			return (UpdateAction) i;
	}
	ParserSyntaxError(p);
	return ACTION_SET;
}

static void
ParseSection(Parser *p, ExprNode *list, bool *seen)
{
	UpdateAction action = SectionAt(p);

	if (seen[action])
	{
		ExprError	error = {.code = EXPR_ERROR_SECTION};

		error.one = SliceOf(section_words[action]);
		error.position = PositionIn(p->expr->text, p->token.text);
		ExprNote(&p->problem, &error);
	}
	seen[action] = true;
	do
	{
		ParserAdvance(p);
		NodeAppend(list, ParseAction(p, action));
	} while (p->token.kind == TOKEN_COMMA);
}

/* ---- functions ---- */

static void
CheckUpdateCall(Parser *p, const ExprNode *call, bool in_call)
{
	const ExprFunction *f = call->function;

	if (f == NULL)
		return;					/* ParseCall has noted the error */
	if (f->place != PLACE_UPDATE)
		ParserNote(p, EXPR_ERROR_NO_UPDATE_FUNCTION, call->text);
	else if (in_call && f->id == FUNCTION_LIST_APPEND)
		ParserNote(p, EXPR_ERROR_MISUSED_FUNCTION, call->text);
}

static void
CheckUpdateCalls(Parser *p, const ExprNode *node, bool in_call)
{
	check_stack_depth();
	if (node->kind == NODE_FUNCTION)
	{
		CheckUpdateCall(p, node, in_call);
		in_call = true;
	}
	for (const ExprNode *child = node->first; child; child = child->next)
		CheckUpdateCalls(p, child, in_call);
}

void
ParseUpdate(Parser *p)
{
	ExprNode		list = {0};
	bool		seen[ACTION_COUNT] = {false};

	ParseSection(p, &list, seen);
	while (p->token.kind != TOKEN_END)
		ParseSection(p, &list, seen);
	for (ExprNode *node = list.first; node; node = node->next)
		CheckUpdateCalls(p, node, false);
	p->expr->items = list.first;
	p->expr->nitems = list.nchildren;
}
