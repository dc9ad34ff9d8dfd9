/*
 * partiql_parse.c
 *	  The grammar of statements.
 *
 *		text	= ( select | insert | update | from | delete | exists ) [ ";" ]
 *		select	= SELECT ( "*" | path { "," path } ) FROM table [ "." index ]
 *				  [ WHERE condition ] [ ORDER BY order { "," order } ]
 *		order	= name [ ASC | DESC ]
 *		insert	= INSERT INTO table VALUE ( tuple | "?" )
 *		update	= UPDATE table clause { clause } [ WHERE condition ]
 *				  [ RETURNING ( ALL | MODIFIED ) ( OLD | NEW ) "*" ]
 *		from	= FROM table [ WHERE condition ] clause { clause }
 *				  [ RETURNING ( ALL | MODIFIED ) ( OLD | NEW ) "*" ]
 *		delete	= DELETE FROM table [ WHERE condition ] [ RETURNING ALL OLD "*" ]
 *		exists	= EXISTS "(" select ")"
 *
 * Recursive descent with one function for each production.  The first problem
 * is the one reported.
 */
#include "postgres.h"

#include "mb/pg_wchar.h"

#include "partiql/partiql_parser.h"

/* ---- errors ---- */

char *
StatementPlace(Slice text, Slice where)
{
	const char *line = text.data;
	int			lines = 1;

	for (const char *c = text.data; c < where.data; c++)
	{
		if (*c == '\n')
		{
			line = c + 1;
			lines++;
		}
	}
	return psprintf("%d:%d:%d", lines,
					pg_mbstrlen_with_len(line, where.data - line) + 1,
					pg_mbstrlen_with_len(where.data, where.len));
}

void
PartiqlStop(PartiqlParser *p)
{
	p->failed = true;
	p->token = (PartiqlToken) {PT_END, {p->text.data + p->text.len, 0}};
}

void
PartiqlExprError(PartiqlParser *p, ExprErrorCode code, Slice where, int number)
{
	ExprError	error = {.code = code, .one = where, .number = number, .position = -1};

	if (!p->failed)
		(void) ExprReport(p->problem, EXPR_STATEMENT, p->text, &error);
	PartiqlStop(p);
}

void
PartiqlPlainError(PartiqlParser *p, const char *message)
{
	PartiqlExprError(p, EXPR_ERROR_STATEMENT_PLAIN, SliceOf(message), 0);
}

void
PartiqlMalformed(PartiqlParser *p, const char *what)
{
	PartiqlExprError(p, EXPR_ERROR_STATEMENT, SliceOf(what), 0);
}

void
PartiqlError(PartiqlParser *p, const char *what, Slice where)
{
	if (!p->failed)
		PartiqlExprError(p, EXPR_ERROR_STATEMENT,
						 SliceOf(psprintf("%s at %s", what, StatementPlace(p->text, where))), 0);
}

void
PartiqlErrorAt(PartiqlParser *p, const char *message, Slice where)
{
	if (!p->failed)
		PartiqlPlainError(p, psprintf("%s at %s", message, StatementPlace(p->text, where)));
}

void
PartiqlNoOperation(PartiqlParser *p)
{
	PartiqlMalformed(p, "Expected data manipulation");
}

/*
 * Describes a token by its kind.  Names and literals may be data and are not
 * quoted.
 */
static const char *
DescribeToken(const PartiqlToken *token)
{
	switch (token->kind)
	{
		case PT_END:
			return "end of statement";
		case PT_WORD:
			if (PartiqlIsReserved(token->text))
				return psprintf("keyword %.*s", (int) token->text.len, token->text.data);
			return "identifier";
		case PT_NAME:
			return "identifier";
		case PT_STRING:
			return "string";
		case PT_NUMBER:
			return "number";
		case PT_PARAMETER:
			return "parameter";
		case PT_INVALID:
			return "character";
		default:
			return psprintf("'%.*s'", (int) token->text.len, token->text.data);
	}
}

/* Reports PartiQL clauses that DynamoDB does not support. */
static void
CheckUnsupported(PartiqlParser *p)
{
	static const char *const clauses[] = {
		"LIMIT", "OFFSET", "GROUP", "HAVING", "DISTINCT", "JOIN", "UNION",
		"INTERSECT", "EXCEPT", "LET", "PIVOT", "UNPIVOT"
	};

	for (size_t i = 0; i < lengthof(clauses); i++)
	{
		if (PartiqlAtWord(p, clauses[i]))
			PartiqlPlainError(p, psprintf("Unsupported clause: %s", clauses[i]));
	}
}

void
PartiqlUnexpected(PartiqlParser *p, const char *expected)
{
	if (p->failed)
		return;
	CheckUnsupported(p);
	if (!p->failed)
		PartiqlError(p, psprintf("Unexpected %s, expected %s", DescribeToken(&p->token), expected),
					 p->token.text);
}

/* ---- tokens ---- */

PartiqlToken
PartiqlPeek(const PartiqlParser *p)
{
	const Slice *t = &p->token.text;

	return PartiqlScan(p->text, PositionIn(p->text, *t) + t->len);
}

void
PartiqlAdvance(PartiqlParser *p)
{
	p->token = PartiqlPeek(p);
}

bool
PartiqlExpect(PartiqlParser *p, PartiqlTokenKind kind, const char *expected)
{
	bool		found = p->token.kind == kind;

	if (found)
		PartiqlAdvance(p);
	else
		PartiqlUnexpected(p, expected);
	return found;
}

bool
PartiqlAtWord(const PartiqlParser *p, const char *word)
{
	return PartiqlIsWord(&p->token, word);
}

bool
PartiqlAcceptWord(PartiqlParser *p, const char *word)
{
	bool		found = PartiqlAtWord(p, word);

	if (found)
		PartiqlAdvance(p);
	return found;
}

void
PartiqlExpectWord(PartiqlParser *p, const char *word)
{
	if (!PartiqlAcceptWord(p, word))
		PartiqlUnexpected(p, word);
}

void
PartiqlEnter(PartiqlParser *p)
{
	if (++p->depth > STATEMENT_MAX_DEPTH)
		PartiqlError(p, "Statement is nested too deeply", p->token.text);
}

void
PartiqlLeave(PartiqlParser *p)
{
	p->depth--;
}

/* ---- nodes ---- */

ExprNode *
PartiqlNode(PartiqlParser *p, NodeKind kind)
{
	return NodeCreate(kind, p->text, p->token.text);
}

void
PartiqlTakeOperator(PartiqlParser *p)
{
	if (++p->operators > EXPR_MAX_OPERATORS)
		PartiqlExprError(p, EXPR_ERROR_OPERATORS, p->token.text, p->operators);
	PartiqlAdvance(p);
}

ExprNode *
PartiqlOperator(PartiqlParser *p, NodeKind kind)
{
	ExprNode   *node = PartiqlNode(p, kind);

	PartiqlTakeOperator(p);
	if (kind != NODE_NOT && (PartiqlAt(p, PT_END) || PartiqlAt(p, PT_SEMICOLON)))
		PartiqlMalformed(p, "Missing right-hand side expression of infix operator");
	return node;
}

/* ---- clauses ---- */

static void
ParseTableName(PartiqlParser *p)
{
	p->statement->table = PartiqlParseName(p, "a table name");
}

/* Reports a second name after a table's. */
static void
CheckAlias(PartiqlParser *p)
{
	static const char *const clauses[] = {"SET", "REMOVE", "WHERE", "ORDER", "RETURNING", "VALUE"};

	for (size_t i = 0; i < lengthof(clauses); i++)
	{
		if (PartiqlAtWord(p, clauses[i]))
			return;
	}
	CheckUnsupported(p);
	if (PartiqlAtWord(p, "AS") || PartiqlAtName(p))
		PartiqlPlainError(p, "Aliasing is not supported");
}

/*
 * A write without WHERE is syntactically complete, but binding then misses its
 * key.
 */
static void
ParseWhere(PartiqlParser *p)
{
	if (PartiqlAcceptWord(p, "WHERE"))
		p->statement->where.root = PartiqlParseCondition(p);
}

/* Parses "ALL OLD *" and its variants. */
static StatementReturning
ParseReturningKind(PartiqlParser *p)
{
	bool		all = PartiqlAcceptWord(p, "ALL");
	bool		old;

	if (!all)
		PartiqlExpectWord(p, "MODIFIED");
	old = PartiqlAcceptWord(p, "OLD");
	if (!old)
		PartiqlExpectWord(p, "NEW");
	PartiqlExpect(p, PT_STAR, "'*'");
	if (all)
		return old ? RETURNING_ALL_OLD : RETURNING_ALL_NEW;
	return old ? RETURNING_MODIFIED_OLD : RETURNING_MODIFIED_NEW;
}

static void
ParseReturning(PartiqlParser *p)
{
	static const char *const returning_clauses[] = {
		[RETURNING_MODIFIED_OLD] = "RETURNING MODIFIED OLD *",
		[RETURNING_ALL_NEW] = "RETURNING ALL NEW *",
		[RETURNING_MODIFIED_NEW] = "RETURNING MODIFIED NEW *",
	};
	Statement  *s = p->statement;

	if (!PartiqlAcceptWord(p, "RETURNING"))
		return;
	s->returning = ParseReturningKind(p);
	if (s->kind == STATEMENT_DELETE && s->returning != RETURNING_ALL_OLD)
		PartiqlPlainError(p, psprintf("Invalid returning clause: %s. Only RETURNING ALL OLD * is allowed in DELETE statements.",
									  returning_clauses[s->returning]));
}

/* ---- SELECT ---- */

/*
 * The result name of a path: its last name or, as in PartiQL, its number in
 * the list if the path ends with an index.
 */
static Slice
ResultName(const Path *path, int number)
{
	const PathElement *last = &path->elements[path->n - 1];

	return last->step == PATH_NAME ? last->name : SliceOf(psprintf("_%d", number));
}

static void
CheckDuplicateName(PartiqlParser *p, int n)
{
	const Slice *names = p->statement->names;

	for (int i = 0; i < n; i++)
	{
		if (SliceEqual(names[i], names[n]))
			PartiqlPlainError(p, psprintf("Duplicate identifiers in select clause: %.*s",
								   (int) names[n].len, names[n].data));
	}
}

static void
NameResults(PartiqlParser *p)
{
	Statement  *s = p->statement;
	int			n = 0;

	s->names = palloc(s->projection.nitems * sizeof(Slice));
	for (const ExprNode *path = s->projection.items; path; path = path->next)
	{
		s->names[n] = ResultName(&path->path, n + 1);
		CheckDuplicateName(p, n);
		n++;
	}
}

static ExprNode *
ParseSelected(PartiqlParser *p)
{
	if (PartiqlAtCall(p))
		PartiqlErrorAt(p, "Unexpected path component", p->token.text);
	return PartiqlParsePath(p);
}

static void
ParseSelectList(PartiqlParser *p)
{
	ExprNode	list = {0};

	if (PartiqlAt(p, PT_STAR))
	{
		PartiqlAdvance(p);
		return;
	}
	NodeAppend(&list, ParseSelected(p));
	while (PartiqlAt(p, PT_COMMA))
	{
		PartiqlAdvance(p);
		NodeAppend(&list, ParseSelected(p));
	}
	p->statement->projection.items = list.first;
	p->statement->projection.nitems = list.nchildren;
	NameResults(p);
}

static void
ParseOrder(PartiqlParser *p)
{
	Statement  *s = p->statement;
	StatementOrder order[KEY_MAX_ATTRIBUTES];

	if (!PartiqlAcceptWord(p, "ORDER"))
		return;
	PartiqlExpectWord(p, "BY");
	do
	{
		if (s->norder > 0)
			PartiqlAdvance(p);	/* the comma */
		if (s->norder == KEY_MAX_ATTRIBUTES)
		{
			PartiqlError(p, "Too many attributes in ORDER BY", p->token.text);
			return;
		}
		order[s->norder].attribute = PartiqlParseName(p, "a key attribute");
		order[s->norder].descending = PartiqlAcceptWord(p, "DESC");
		if (!order[s->norder++].descending)
			(void) PartiqlAcceptWord(p, "ASC");
	} while (PartiqlAt(p, PT_COMMA));
	s->order = palloc(s->norder * sizeof(StatementOrder));
	memcpy(s->order, order, s->norder * sizeof(StatementOrder));
	if (s->where.root == NULL && !PartiqlAtWord(p, "WHERE"))
		PartiqlPlainError(p, "Must have WHERE clause in the statement when using ORDER BY clause.");
}

/* Reports FROM clauses of other SQL dialects. */
static void
CheckSource(PartiqlParser *p)
{
	CheckAlias(p);
	if (PartiqlAt(p, PT_COMMA))
		PartiqlPlainError(p, "Only select from a single table or index is supported.");
}

/* Parses the name of the table, or of the table and an index. */
static void
ParseSource(PartiqlParser *p)
{
	if (PartiqlAt(p, PT_END) || PartiqlAt(p, PT_SEMICOLON))
		PartiqlMalformed(p, "Unexpected term");
	if (PartiqlAt(p, PT_NAME) && p->token.text.len == 2)
		PartiqlPlainError(p, "Path component cannot be an empty string");
	ParseTableName(p);
	if (!PartiqlAt(p, PT_DOT))
		return;
	PartiqlAdvance(p);
	if (PartiqlAt(p, PT_NAME) && p->token.text.len == 2)
		PartiqlPlainError(p, "Path component cannot be an empty string");
	p->statement->index = PartiqlParseName(p, "an index name");
	if (PartiqlAt(p, PT_DOT))
		PartiqlPlainError(p, "A path may contain at most 2 components in the FROM clause");
}

static void
ParseSelect(PartiqlParser *p)
{
	PartiqlExpectWord(p, "SELECT");
	ParseSelectList(p);
	if (PartiqlAtWord(p, "AS"))
		PartiqlPlainError(p, "Aliasing is not supported");
	PartiqlExpectWord(p, "FROM");
	ParseSource(p);
	CheckSource(p);
	ParseWhere(p);
	ParseOrder(p);
}

static void
ParseExists(PartiqlParser *p)
{
	PartiqlAdvance(p);
	PartiqlExpect(p, PT_LPAREN, "'('");
	ParseSelect(p);
	PartiqlExpect(p, PT_RPAREN, "')'");
}

/* ---- the writes ---- */

static void
ParseInsert(PartiqlParser *p)
{
	PartiqlAdvance(p);
	PartiqlExpectWord(p, "INTO");
	ParseTableName(p);
	if (PartiqlAtName(p) && !PartiqlAtWord(p, "VALUE") && !PartiqlAtWord(p, "VALUES"))
		PartiqlMalformed(p, "Unexpected token after expression");
	if (PartiqlAt(p, PT_LSET))
		PartiqlPlainError(p, "Unsupported operation: Inserting multiple items in a single statement "
				   "is not supported, use \"INSERT INTO tableName VALUE item\" instead");
	PartiqlExpectWord(p, "VALUE");
	if (!PartiqlAt(p, PT_LBRACE) && !PartiqlAt(p, PT_PARAMETER) && !PartiqlAtCall(p))
		PartiqlUnexpected(p, "a tuple");
	p->statement->item = PartiqlParseLiteral(p);
	if (PartiqlAtWord(p, "RETURNING"))
		PartiqlPlainError(p, "RETURNING is not supported in INSERT");
}

static void
ParseUpdateStatement(PartiqlParser *p)
{
	PartiqlAdvance(p);
	ParseTableName(p);
	CheckAlias(p);
	PartiqlParseClauses(p);
	ParseWhere(p);
	ParseReturning(p);
}

/* An update that begins with its table and condition. */
static void
ParseFromFirst(PartiqlParser *p)
{
	PartiqlAdvance(p);
	ParseSource(p);
	if (p->statement->index.data != NULL)
		PartiqlNoOperation(p);
	CheckAlias(p);
	ParseWhere(p);
	PartiqlParseClauses(p);
	ParseReturning(p);
}

static void
ParseDelete(PartiqlParser *p)
{
	PartiqlAdvance(p);
	PartiqlExpectWord(p, "FROM");
	if (!PartiqlAtName(p))
		PartiqlMalformed(p, "Expected identifier for simple path");
	ParseTableName(p);
	CheckAlias(p);
	ParseWhere(p);
	ParseReturning(p);
}

/* ---- entry ---- */

static const struct
{
	const char *word;
	StatementKind kind;
	void		(*parse) (PartiqlParser *p);
}			statements[] = {
	{"SELECT", STATEMENT_SELECT, ParseSelect},
	{"EXISTS", STATEMENT_EXISTS, ParseExists},
	{"INSERT", STATEMENT_INSERT, ParseInsert},
	{"UPDATE", STATEMENT_UPDATE, ParseUpdateStatement},
	{"FROM", STATEMENT_UPDATE, ParseFromFirst},
	{"DELETE", STATEMENT_DELETE, ParseDelete},
};

/* Reports a text that is no statement; "x IS INT4" is an expression. */
static void
ReportNoStatement(PartiqlParser *p)
{
	PartiqlToken next = PartiqlPeek(p);

	if (!PartiqlAtName(p) || !PartiqlIsWord(&next, "IS"))
	{
		PartiqlNoOperation(p);
		return;
	}
	(void) PartiqlParseCondition(p);
	if (!p->failed)
		PartiqlPlainError(p, "Unsupported operation: IsType");
}

static void
ParseStatement(PartiqlParser *p)
{
	for (size_t i = 0; i < lengthof(statements); i++)
	{
		if (!PartiqlAtWord(p, statements[i].word))
			continue;
		p->statement->kind = statements[i].kind;
		statements[i].parse(p);
		return;
	}
	ReportNoStatement(p);
}

/* Whether the scanner of the service refuses a token, whatever is around it. */
static bool
TokenIsRefused(const PartiqlToken *token)
{
	switch (token->kind)
	{
		case PT_UNFINISHED:
			return true;
		case PT_INVALID:
			return memchr("%&@/^~|", token->text.data[0], 7) == NULL;
		case PT_NUMBER:
			return !PartiqlNumberFits(token->text);
		default:
			return false;
	}
}

/* The service scans a statement to its end before it parses it. */
static void
CheckTokens(PartiqlParser *p)
{
	PartiqlParser ahead = *p;

	while (!p->failed && !PartiqlAt(&ahead, PT_END))
	{
		if (TokenIsRefused(&ahead.token))
			PartiqlMalformed(p, "");
		PartiqlAdvance(&ahead);
	}
}

static void
InitExpr(ExprTree *expr, Slice text)
{
	expr->kind = EXPR_STATEMENT;
	expr->text = text;
}

Statement *
StatementParseText(Slice text, Problem *problem)
{
	Statement  *s = palloc0(sizeof(Statement));
	PartiqlParser p = {.text = text, .statement = s, .problem = problem};

	s->text = text;
	InitExpr(&s->projection, text);
	InitExpr(&s->where, text);
	InitExpr(&s->update, text);
	p.token.text = (Slice) {text.data, 0};
	PartiqlAdvance(&p);
	CheckTokens(&p);
	ParseStatement(&p);
	if (PartiqlAt(&p, PT_SEMICOLON))
		PartiqlAdvance(&p);
	CheckUnsupported(&p);
	if (!PartiqlAt(&p, PT_END))
		PartiqlMalformed(&p, "Unexpected token after expression");
	return p.failed ? NULL : s;
}
