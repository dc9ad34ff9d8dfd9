/*
 * partiql_parse_update.c
 *	  The grammar of SET and REMOVE.
 *
 *		clause	= SET path "=" value { "," path "=" value }
 *				| REMOVE path { "," path }
 *		value	= operand [ ( "+" | "-" ) operand ]
 *		operand	= path | literal | call | "(" value ")"
 *
 * Clauses may occur in any number and order and form one update.
 */
#include "postgres.h"

#include "partiql/partiql_parser.h"

static ExprNode *ParsePartiqlSetValue(PartiqlParser *p);

static bool
IsArithmetic(const ExprNode *node)
{
	return node->kind == NODE_PLUS || node->kind == NODE_MINUS;
}

static ExprNode *ParseCallOperand(PartiqlParser *p);

static ExprNode *
ParseUpdateCall(PartiqlParser *p)
{
	const ExprFunction *f = StatementFunctionFind(p->token.text);

	if (f != NULL && f->place != PLACE_UPDATE)
		PartiqlExprError(p, EXPR_ERROR_NO_UPDATE_FUNCTION, p->token.text, 0);
	return PartiqlParseCall(p, ParseCallOperand);
}

/*
 * The only function allowed in the arguments of another one is if_not_exists.
 */
static ExprNode *
ParseCallOperand(PartiqlParser *p)
{
	ExprNode   *node;

	if (PartiqlAtLiteral(p))
		return PartiqlParseValue(p);
	if (!PartiqlAtCall(p))
		return PartiqlParsePath(p);
	node = ParseUpdateCall(p);
	if (!PartiqlNodeCalls(node, FUNCTION_IF_NOT_EXISTS))
		PartiqlExprError(p, EXPR_ERROR_MISUSED_FUNCTION, node->text, 0);
	return node;
}

static ExprNode *
ParsePartiqlSetOperand(PartiqlParser *p)
{
	if (PartiqlAt(p, PT_LPAREN))
		return PartiqlParseParentheses(p, ParsePartiqlSetValue);
	if (PartiqlAtLiteral(p))
		return PartiqlParseValue(p);
	return PartiqlAtCall(p) ? ParseUpdateCall(p) : PartiqlParsePath(p);
}

/* A set function is the whole assigned value, never an operand of a sum. */
static ExprNode *
RequireTerm(PartiqlParser *p, ExprNode *node)
{
	if (IsArithmetic(node))
		PartiqlError(p, "An assignment has at most one + or -", p->token.text);
	if (node->kind == NODE_FUNCTION && !PartiqlNodeCalls(node, FUNCTION_IF_NOT_EXISTS))
		PartiqlExprError(p, EXPR_ERROR_MISUSED_FUNCTION, node->text, 0);
	return node;
}

static ExprNode *
ParsePartiqlSetValue(PartiqlParser *p)
{
	ExprNode   *left = ParsePartiqlSetOperand(p);
	ExprNode   *node;

	while (PartiqlAt(p, PT_PLUS) || PartiqlAt(p, PT_MINUS))
	{
		(void) RequireTerm(p, left);
		node = PartiqlOperator(p, PartiqlAt(p, PT_PLUS) ? NODE_PLUS : NODE_MINUS);
		NodeAppend(node, left);
		NodeAppend(node, RequireTerm(p, ParsePartiqlSetOperand(p)));
		left = node;
	}
	return left;
}

bool
NodeChangesSet(const ExprNode *node)
{
	return PartiqlNodeCalls(node, FUNCTION_SET_ADD) || PartiqlNodeCalls(node, FUNCTION_SET_DELETE);
}

const char *
SetFunctionName(const ExprNode *call)
{
	return call->function->id == FUNCTION_SET_ADD ? "SET_ADD" : "SET_DELETE";
}

/*
 * A set function changes the target: its first argument is the path that is
 * assigned.  Its second argument may be a parameter and is checked when the
 * parameters are known.
 */
static void
CheckSetFunction(PartiqlParser *p, const ExprNode *target, const ExprNode *call)
{
	Slice		place = {p->text.data + call->position, call->text.len};
	const char *name = SetFunctionName(call);

	if (call->nchildren != call->function->noperands)
		PartiqlErrorAt(p, psprintf("%s must have exactly two arguments", name), place);
	else if (call->first->kind != NODE_PATH || !PathEqual(&call->first->path, &target->path))
		PartiqlErrorAt(p, psprintf("The first argument to %s must equal the assignment value", name), place);
}

static void
ParsePartiqlAction(PartiqlParser *p, ExprNode *list, UpdateAction action)
{
	ExprNode   *node = PartiqlNode(p, NODE_ACTION);

	node->op = action;
	NodeAppend(node, PartiqlParsePath(p));
	p->statement->update.nelements += node->first->path.n;
	if (action == ACTION_SET)
	{
		PartiqlExpect(p, PT_EQ, "'='");
		NodeAppend(node, ParsePartiqlSetValue(p));
		if (!p->failed && NodeChangesSet(node->last))
			CheckSetFunction(p, node->first, node->last);
	}
	NodeAppend(list, node);
}

static void
ParseClause(PartiqlParser *p, ExprNode *list)
{
	UpdateAction action = PartiqlAtWord(p, "SET") ? ACTION_SET : ACTION_REMOVE;

	if (action == ACTION_REMOVE && !PartiqlAtWord(p, "REMOVE"))
		PartiqlNoOperation(p);
	do
	{
		PartiqlAdvance(p);
		ParsePartiqlAction(p, list, action);
	} while (PartiqlAt(p, PT_COMMA));
}

void
PartiqlParseClauses(PartiqlParser *p)
{
	ExprNode	list = {0};

	do
	{
		ParseClause(p, &list);
	} while (PartiqlAtWord(p, "SET") || PartiqlAtWord(p, "REMOVE"));
	p->statement->update.items = list.first;
	p->statement->update.nitems = list.nchildren;
}
