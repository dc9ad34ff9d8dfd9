/*
 * parse.c
 *	  The entry point of the parser and the productions that all grammars
 *	  share: tokens, paths, placeholders, calls and projections.
 *
 * Recursive descent with one function for each production of the grammar.
 * Syntax errors are raised immediately.  Other errors are noted and raised at
 * the end, because a later syntax error takes precedence.
 */
#include "postgres.h"

#include "expr/parse.h"

static int
PositionOf(Parser *p, Slice word)
{
	return PositionIn(p->expr->text, word);
}

static Token
ParserPeek(Parser *p)
{
	const Slice *t = &p->token.text;

	return ScanToken(p->expr->text, PositionOf(p, *t) + t->len);
}

static void
ParserRaise(Parser *p, ExprErrorCode code, Slice one, int number)
{
	ExprError	error = {.code = code, .one = one, .number = number};

	error.position = one.data ? PositionOf(p, one) : -1;
	ExprRaise(p->expr->kind, p->expr->text, &error);
}

void
ParserNote(Parser *p, ExprErrorCode code, Slice word)
{
	ExprError	error = {.code = code, .one = word};

	error.position = PositionOf(p, word);
	ExprNote(&p->problem, &error);
}

/*
 * The source text from the token before the invalid one to the token after it.
 */
static Slice
TextAroundToken(Parser *p)
{
	const Token *first = p->previous.text.data ? &p->previous : &p->token;
	const Token *last = &p->token;
	Token		next = {TOKEN_END};

	if (last->kind == TOKEN_END)
		last = first;
	else
		next = ParserPeek(p);
	if (next.kind != TOKEN_END)
		last = &next;
	return (Slice) {first->text.data,
		last->text.data + last->text.len - first->text.data};
}

void
ParserSyntaxError(Parser *p)
{
	ExprError	error = {.code = EXPR_ERROR_SYNTAX};

	error.position = PositionOf(p, p->token.text);
	error.one = p->token.kind == TOKEN_END ? SliceOf("<EOF>") : p->token.text;
	error.two = TextAroundToken(p);
	ExprRaise(p->expr->kind, p->expr->text, &error);
}

void
ParserAdvance(Parser *p)
{
	p->previous = p->token;
	p->token = ParserPeek(p);
	if ((p->token.kind == TOKEN_NAME || p->token.kind == TOKEN_VALUE) &&
		p->token.text.len > EXPR_MAX_PLACEHOLDER)
		ParserRaise(p, EXPR_ERROR_PLACEHOLDER_SIZE, p->token.text,
					EXPR_MAX_PLACEHOLDER);
}

void
ParserExpect(Parser *p, TokenKind kind)
{
	if (p->token.kind != kind)
		ParserSyntaxError(p);
	ParserAdvance(p);
}

bool
ParserAtCall(Parser *p)
{
	return p->token.kind == TOKEN_IDENT &&
		ParserPeek(p).kind == TOKEN_LPAREN;
}

ExprNode *
ParserNode(Parser *p, NodeKind kind)
{
	return NodeCreate(kind, p->expr->text, p->token.text);
}

ExprNode *
ParserOperator(Parser *p, NodeKind kind)
{
	ExprNode   *node = ParserNode(p, kind);

	/* The service stops counting at the first operator above the limit. */
	if (++p->operators > EXPR_MAX_OPERATORS)
		ParserRaise(p, EXPR_ERROR_OPERATORS, p->token.text, p->operators);
	ParserAdvance(p);
	return node;
}

/* ---- paths ---- */

/* Reads the name at the current token. */
static void
ParsePathName(Parser *p, PathElement *element)
{
	element->name = p->token.text;
	element->position = PositionOf(p, element->name);
	if (p->token.kind == TOKEN_NAME)
		element->step = PATH_PLACEHOLDER;
	else if (p->token.kind == TOKEN_IDENT)
	{
		element->step = PATH_NAME;
		if (ExprIsReservedWord(element->name))
			ParserNote(p, EXPR_ERROR_RESERVED, element->name);
	}
	else
		ParserSyntaxError(p);
	ParserAdvance(p);
}

/* Reads an index whose "[" has been consumed. */
static void
ParsePathIndex(Parser *p, PathElement *element)
{
	Slice		digits = p->token.text;

	ParserExpect(p, TOKEN_DIGITS);
	if (!PathElementSetIndex(element, p->expr->text, digits))
		ParserRaise(p, EXPR_ERROR_LIST_INDEX, digits, 0);
	ParserExpect(p, TOKEN_RBRACKET);
}

/* Reads the next element of a path; false if the path ends. */
static bool
ParsePathStep(Parser *p, PathElement *element)
{
	if (p->token.kind == TOKEN_DOT)
	{
		ParserAdvance(p);
		ParsePathName(p, element);
		return true;
	}
	if (p->token.kind == TOKEN_LBRACKET)
	{
		ParserAdvance(p);
		ParsePathIndex(p, element);
		return true;
	}
	return false;
}

ExprNode *
ParsePath(Parser *p)
{
	ExprNode   *node = ParserNode(p, NODE_PATH);
	PathElement elements[EXPR_MAX_PATH_DEPTH + 1] = {0};
	int			n = 1;

	ParsePathName(p, &elements[0]);
	/* Elements beyond the limit are counted but not kept. */
	while (ParsePathStep(p, &elements[Min(n, EXPR_MAX_PATH_DEPTH)]))
		n++;
	if (n > EXPR_MAX_PATH_DEPTH)
		ParserRaise(p, EXPR_ERROR_DEPTH, node->text, n);
	NodeSetPath(node, elements, n);
	return node;
}

/* ---- other operands ---- */

ExprNode *
ParseValuePlaceholder(Parser *p)
{
	ExprNode   *node = ParserNode(p, NODE_VALUE);

	ParserExpect(p, TOKEN_VALUE);
	return node;
}

ExprNode *
ParseCall(Parser *p, OperandParser parse_operand)
{
	ExprNode   *node = ParserNode(p, NODE_FUNCTION);

	node->function = ExprFunctionFind(node->text);
	if (node->function == NULL)
		ParserNote(p, EXPR_ERROR_UNKNOWN_FUNCTION, node->text);
	ParserAdvance(p);
	ParserExpect(p, TOKEN_LPAREN);
	/* An empty list is a wrong operand count, not a syntax error. */
	if (p->token.kind != TOKEN_RPAREN)
	{
		NodeAppend(node, parse_operand(p));
		while (p->token.kind == TOKEN_COMMA)
		{
			ParserAdvance(p);
			NodeAppend(node, parse_operand(p));
		}
	}
	ParserExpect(p, TOKEN_RPAREN);
	return node;
}

static void
ParseProjection(Parser *p)
{
	ExprNode		list = {0};

	NodeAppend(&list, ParsePath(p));
	while (p->token.kind == TOKEN_COMMA)
	{
		ParserAdvance(p);
		NodeAppend(&list, ParsePath(p));
	}
	p->expr->items = list.first;
	p->expr->nitems = list.nchildren;
	for (ExprNode *path = list.first; path; path = path->next)
		p->expr->nelements += path->path.n;
}

/* ---- entry ---- */

static void
CheckTextSize(Parser *p)
{
	Slice		none = {NULL, 0};

	if (p->expr->text.len == 0)
		ParserRaise(p, EXPR_ERROR_EMPTY, none, 0);
	if (p->expr->text.len > EXPR_MAX_SIZE)
		ParserRaise(p, EXPR_ERROR_TOO_LONG, none, (int) p->expr->text.len);
}

Expr *
ExprParseText(ExprKind kind, Slice text)
{
	Expr	   *expr = palloc0(sizeof(Expr));
	Parser		p = {.expr = expr, .problem.kind = kind};

	expr->kind = kind;
	expr->text = text;
	CheckTextSize(&p);

	/* Start after an empty token, and forget it. */
	p.token.text = (Slice) {text.data, 0};
	ParserAdvance(&p);
	p.previous.text.data = NULL;

	if (kind == EXPR_UPDATE)
		ParseUpdate(&p);
	else if (kind == EXPR_PROJECTION)
		ParseProjection(&p);
	else
		expr->root = ParseCondition(&p);
	if (p.token.kind != TOKEN_END)
		ParserSyntaxError(&p);
	ExprRaiseProblem(text, &p.problem);
	return expr;
}
