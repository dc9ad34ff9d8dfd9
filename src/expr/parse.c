/*
 * parse.c
 *	  The entry point of the parser and the productions that all grammars
 *	  share: tokens, paths, placeholders, calls and projections.
 *
 * Recursive descent with one function for each production of the grammar.
 * Syntax errors are reported immediately.  Other errors are noted and reported
 * at the end, because a later syntax error takes precedence.
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

/* Reports an error that ends the parsing. */
static void
ParserFail(Parser *p, const ExprError *error)
{
	Slice		text = p->expr->text;

	(void) ExprReport(p->reported, p->expr->kind, text, error);
	p->token = (Token) {TOKEN_END, {text.data + text.len, 0}};
}

static void
ParserFailAt(Parser *p, ExprErrorCode code, Slice one, int number)
{
	ExprError	error = {.code = code, .one = one, .number = number};

	error.position = one.data ? PositionOf(p, one) : -1;
	ParserFail(p, &error);
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
	ParserFail(p, &error);
}

void
ParserAdvance(Parser *p)
{
	p->previous = p->token;
	p->token = ParserPeek(p);
	if ((p->token.kind == TOKEN_NAME || p->token.kind == TOKEN_VALUE) &&
		p->token.text.len > EXPR_MAX_PLACEHOLDER)
		ParserFailAt(p, EXPR_ERROR_PLACEHOLDER_SIZE, p->token.text,
					EXPR_MAX_PLACEHOLDER);
}

bool
ParserExpect(Parser *p, TokenKind kind)
{
	bool		found = p->token.kind == kind;

	if (found)
		ParserAdvance(p);
	else
		ParserSyntaxError(p);
	return found;
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
		ParserFailAt(p, EXPR_ERROR_OPERATORS, p->token.text, p->operators);
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

	if (!ParserExpect(p, TOKEN_DIGITS))
		return;
	if (!PathElementSetIndex(element, p->expr->text, digits))
		ParserFailAt(p, EXPR_ERROR_LIST_INDEX, digits, 0);
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
		ParserFailAt(p, EXPR_ERROR_DEPTH, node->text, n);
	NodeSetPath(node, elements, Min(n, EXPR_MAX_PATH_DEPTH));
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

static bool
CheckTextSize(Parser *p)
{
	uint32		len = p->expr->text.len;
	ExprErrorCode too_long = p->problem.kind == EXPR_UPDATE ? EXPR_ERROR_UPDATE_TOO_LONG : EXPR_ERROR_TOO_LONG;

	if (len > 0 && len <= EXPR_MAX_SIZE)
		return true;
	ParserFailAt(p, len == 0 ? EXPR_ERROR_EMPTY : too_long, MISSING_SLICE, (int) len);
	return false;
}

ExprTree *
ExprParseText(ExprKind kind, Slice text, Problem *problem)
{
	ExprTree   *expr = palloc0(sizeof(ExprTree));
	Parser		p = {.expr = expr, .problem.kind = kind, .reported = problem};

	expr->kind = kind;
	expr->text = text;
	if (!CheckTextSize(&p))
		return NULL;

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
	return ExprReportNoted(problem, text, &p.problem) && !ProblemIsNoted(problem) ? expr : NULL;
}
