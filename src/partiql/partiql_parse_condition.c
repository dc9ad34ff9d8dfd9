/*
 * partiql_parse_condition.c
 *	  The grammar of conditions.
 *
 *		predicate	= compare | between | operand NOT BETWEEN operand AND operand
 *					| operand [ NOT ] IN ( "[" list "]" | "(" list ")" )
 *					| path IS [ NOT ] ( MISSING | NULL | type )
 *					| call | call compare-op operand | "(" condition ")"
 *		operand		= path | literal | call | "(" operand ")"
 *
 * expr/condition_grammar.h has the rest.
 *
 * IS MISSING and IS with a type are parsed as functions of expressions.  A "("
 * opens a condition or an operand; only the text after the ")" shows which.
 * The left side of a predicate is therefore read as either, and the caller
 * then checks that it is what it needs.
 */
#include "postgres.h"

#include "partiql/partiql_parser.h"

static ExprNode *PartiqlParseOr(PartiqlParser *p);

static bool
NodeIsCondition(const ExprNode *node)
{
	if (node->kind == NODE_FUNCTION)
		return node->function != NULL && node->function->place == PLACE_CONDITION;
	return node->kind != NODE_PATH && node->kind != NODE_POSITION;
}

static ExprNode *
RequirePartiqlCondition(PartiqlParser *p, ExprNode *node)
{
	if (!NodeIsCondition(node))
		PartiqlUnexpected(p, "an operator");
	return node;
}

static ExprNode *
RequireOperand(PartiqlParser *p, ExprNode *node)
{
	if (node->kind == NODE_FUNCTION && NodeIsCondition(node))
		PartiqlExprError(p, EXPR_ERROR_MISUSED_FUNCTION, node->text, 0);
	if (NodeIsCondition(node))
		PartiqlUnexpected(p, "AND, OR or the end of the condition");
	return node;
}

/* ---- calls ---- */

/* Reports the name of a function that a condition does not have. */
static void
ReportNoFunction(PartiqlParser *p, Slice name)
{
	char	   *lower = pnstrdup(name.data, name.len);

	for (char *c = lower; *c != '\0'; c++)
		*c = (char) pg_tolower((unsigned char) *c);
	PartiqlErrorAt(p, psprintf("Unrecognized function: %s", lower), name);
}

bool
PartiqlAtCall(const PartiqlParser *p)
{
	return PartiqlAt(p, PT_WORD) && PartiqlPeek(p).kind == PT_LPAREN;
}

ExprNode *
PartiqlParseCall(PartiqlParser *p, PartiqlOperandParser operand)
{
	ExprNode   *node = PartiqlNode(p, NODE_FUNCTION);

	node->function = StatementFunctionFind(node->text);
	if (node->function == NULL)
	{
		ReportNoFunction(p, node->text);
		return node;
	}
	node->text = SliceOf(node->function->name);
	PartiqlEnter(p);
	PartiqlAdvance(p);
	PartiqlExpect(p, PT_LPAREN, "'('");
	if (!PartiqlAt(p, PT_RPAREN))
		NodeAppend(node, operand(p));
	while (node->first != NULL && PartiqlAt(p, PT_COMMA))
	{
		PartiqlAdvance(p);
		NodeAppend(node, operand(p));
	}
	PartiqlExpect(p, PT_RPAREN, "',' or ')'");
	PartiqlLeave(p);
	return node;
}

/* Parses an argument of a condition function, which cannot be a call. */
static ExprNode *
ParseArgument(PartiqlParser *p)
{
	if (PartiqlAtCall(p))
		PartiqlExprError(p, EXPR_ERROR_MISUSED_FUNCTION, p->token.text, 0);
	return PartiqlAtLiteral(p) ? PartiqlParseValue(p) : PartiqlParsePath(p);
}

/* Parses an argument, or size() of one. */
static ExprNode *
ParseSizeOrArgument(PartiqlParser *p)
{
	ExprNode   *node;

	if (!PartiqlAtCall(p))
		return ParseArgument(p);
	node = PartiqlParseCall(p, ParseArgument);
	if (!PartiqlNodeCalls(node, FUNCTION_SIZE))
		PartiqlExprError(p, EXPR_ERROR_MISUSED_FUNCTION, node->text, 0);
	return node;
}

static ExprNode *
ParseConditionCall(PartiqlParser *p)
{
	const ExprFunction *f = StatementFunctionFind(p->token.text);

	if (f != NULL && f->place == PLACE_UPDATE)
		ReportNoFunction(p, p->token.text);
	return PartiqlParseCall(p, f != NULL && f->id == FUNCTION_SIZE ?
							ParseArgument : ParseSizeOrArgument);
}

/* Creates a call for a function that the statement writes as an operator. */
static ExprNode *
MakeImpliedCall(PartiqlParser *p, const char *name, ExprNode *operand)
{
	ExprNode   *node = PartiqlNode(p, NODE_FUNCTION);

	node->text = SliceOf(name);
	node->function = StatementFunctionFind(node->text);
	NodeAppend(node, operand);
	return node;
}

/* ---- operands ---- */

ExprNode *
PartiqlParseParentheses(PartiqlParser *p, PartiqlOperandParser inner)
{
	ExprNode   *node;

	PartiqlEnter(p);
	PartiqlAdvance(p);
	node = inner(p);
	PartiqlExpect(p, PT_RPAREN, "')'");
	PartiqlLeave(p);
	return node;
}

static bool
AtAnyWord(const PartiqlParser *p, const char *const *words, int n)
{
	for (int i = 0; i < n; i++)
	{
		if (PartiqlAtWord(p, words[i]))
			return true;
	}
	return false;
}

/* Reports a token with which no operand can begin. */
static void
ReportNoTerm(PartiqlParser *p)
{
	static const char *const operators[] = {"IS", "IN", "LIKE", "BETWEEN", "AND", "OR"};

	if (PartiqlAt(p, PT_EQ) || PartiqlAt(p, PT_NE) || PartiqlAt(p, PT_LT) || PartiqlAt(p, PT_LE) ||
		PartiqlAt(p, PT_GT) || PartiqlAt(p, PT_GE) || AtAnyWord(p, operators, lengthof(operators)))
		PartiqlMalformed(p, "Unexpected operator");
	else
		PartiqlMalformed(p, PartiqlAt(p, PT_WORD) ? "Unexpected keyword" : "Unexpected term");
}

/* Parses an operand, or a condition in parentheses. */
static ExprNode *
ParsePartiqlTerm(PartiqlParser *p)
{
	if (PartiqlAt(p, PT_LPAREN))
		return PartiqlParseParentheses(p, PartiqlParseOr);
	if (PartiqlAtLiteral(p))
		return PartiqlParseValue(p);
	if (PartiqlAtCall(p))
		return ParseConditionCall(p);
	if (!PartiqlAtName(p))
		ReportNoTerm(p);
	return PartiqlParsePath(p);
}

static ExprNode *
ParsePartiqlOperand(PartiqlParser *p)
{
	return RequireOperand(p, ParsePartiqlTerm(p));
}

/* ---- predicates ---- */

static ExprNode *ParsePartiqlPredicate(PartiqlParser *p);

#define GRAMMAR_PARSER			PartiqlParser
#define GRAMMAR_NAME(name)		Partiql##name
#define GRAMMAR_TOKEN(name)		PT_##name
#define GRAMMAR_AT_WORD			PartiqlAtWord
#define GRAMMAR_EXPECT_WORD		PartiqlExpectWord
#define GRAMMAR_OPERATOR		PartiqlOperator
#define GRAMMAR_REQUIRE			(void) RequirePartiqlCondition
#define GRAMMAR_ENTER			PartiqlEnter
#define GRAMMAR_LEAVE			PartiqlLeave
#define GRAMMAR_OPERAND			ParsePartiqlTerm
#define GRAMMAR_PREDICATE		ParsePartiqlPredicate
#include "expr/condition_grammar.h"

static ExprNode *
ParsePartiqlIn(PartiqlParser *p, ExprNode *left)
{
	ExprNode   *node = PartiqlOperator(p, NODE_IN);
	bool		brackets = PartiqlAt(p, PT_LBRACKET);

	NodeAppend(node, left);
	if (!brackets && !PartiqlAt(p, PT_LPAREN))
		PartiqlUnexpected(p, "'[' or '('");
	PartiqlEnter(p);
	do
	{
		PartiqlAdvance(p);
		NodeAppend(node, ParsePartiqlOperand(p));
	} while (PartiqlAt(p, PT_COMMA));
	PartiqlExpect(p, brackets ? PT_RBRACKET : PT_RPAREN, brackets ? "',' or ']'" : "',' or ')'");
	PartiqlLeave(p);
	return node;
}

static ExprNode *
NegateCondition(PartiqlParser *p, ExprNode *condition)
{
	ExprNode   *node = PartiqlNode(p, NODE_NOT);

	NodeAppend(node, condition);
	return node;
}

/* x IS STRING: x exists and has that type. */
static ExprNode *
MakeTypeTest(PartiqlParser *p, ExprNode *path, const char *type)
{
	ExprNode   *call = MakeImpliedCall(p, "attribute_type", path);

	NodeAppend(call, PartiqlImpliedString(p, type));
	return call;
}

/* x IS NOT STRING: x exists and has another type. */
static ExprNode *
MakeNegatedTypeTest(PartiqlParser *p, ExprNode *path, const char *type)
{
	ExprNode   *and = PartiqlNode(p, NODE_AND);
	ExprNode   *copy = palloc(sizeof(ExprNode));

	memcpy(copy, path, sizeof(ExprNode));	/* a node has only one parent */
	NodeAppend(and, MakeImpliedCall(p, "attribute_exists", copy));
	NodeAppend(and, NegateCondition(p, MakeTypeTest(p, path, type)));
	return and;
}

static ExprNode *
ParseIs(PartiqlParser *p, ExprNode *path)
{
	bool		negated;
	const char *type;

	if (path->kind != NODE_PATH)
		PartiqlError(p, "IS needs a path before it", p->token.text);
	PartiqlTakeOperator(p);
	negated = PartiqlAcceptWord(p, "NOT");
	if (PartiqlAcceptWord(p, "MISSING"))
		return MakeImpliedCall(p, negated ? "attribute_exists" : "attribute_not_exists", path);
	type = PartiqlParseType(p);
	return negated ? MakeNegatedTypeTest(p, path, type) : MakeTypeTest(p, path, type);
}

/* ---- functions that are compared ---- */

static bool
IsConditionCall(const ExprNode *node)
{
	return node->kind == NODE_FUNCTION && NodeIsCondition(node);
}

/* A node has only one parent. */
static ExprNode *
CopyTree(const ExprNode *node)
{
	ExprNode   *copy = palloc(sizeof(ExprNode));

	*copy = *node;
	copy->first = copy->last = copy->next = NULL;
	copy->nchildren = 0;
	for (const ExprNode *child = node->first; child != NULL; child = child->next)
		NodeAppend(copy, CopyTree(child));
	return copy;
}

static ExprNode *
JoinNodes(PartiqlParser *p, NodeKind kind, ExprNode *one, ExprNode *two)
{
	ExprNode   *node = PartiqlNode(p, kind);

	NodeAppend(node, one);
	NodeAppend(node, two);
	return node;
}

/*
 * What another operand, which may be a call of a condition, must be for a
 * condition with this result: a condition of its own.
 */
static ExprNode *
OtherIs(PartiqlParser *p, const ExprNode *other, bool result)
{
	ExprNode   *copy = CopyTree(other);
	ExprNode   *equal;

	if (IsConditionCall(other))
		return result ? copy : NegateCondition(p, copy);
	equal = JoinNodes(p, NODE_COMPARE, copy, PartiqlImpliedBool(p, result));
	equal->op = COMPARISON_EQ;
	return equal;
}

/*
 * f(x) = y, where f is a condition: f(x) and y are both true, or both are
 * false.  Each is copied twice.  Neither contains such a comparison, whose
 * nesting would double the copies again and again.
 */
static ExprNode *
CompareCall(PartiqlParser *p, const ExprNode *call, const ExprNode *other, bool equal)
{
	ExprNode   *both = JoinNodes(p, NODE_AND, CopyTree(call), OtherIs(p, other, true));
	ExprNode   *neither = JoinNodes(p, NODE_AND, NegateCondition(p, CopyTree(call)), OtherIs(p, other, false));
	ExprNode   *node = JoinNodes(p, NODE_OR, both, neither);

	return equal ? node : NegateCondition(p, node);
}

static ExprNode *
ParseComparison(PartiqlParser *p, ExprNode *left, int op)
{
	Slice		symbol = p->token.text;
	ExprNode   *node = PartiqlParseCompare(p, left, op);
	ExprNode   *call = IsConditionCall(node->first) ? node->first : node->last;
	ExprNode   *other = call == node->first ? node->last : node->first;

	if (!IsConditionCall(call))
		(void) RequireOperand(p, call);
	if (!IsConditionCall(other))
		(void) RequireOperand(p, other);
	if (IsConditionCall(call) && op != COMPARISON_EQ && op != COMPARISON_NE)
		PartiqlPlainError(p, psprintf("Incorrect operand type for operator or function; "
									  "operator or function: %.*s, operand type: BOOL",
									  (int) symbol.len, symbol.data));
	if (p->failed || !IsConditionCall(call))
		return node;
	return CompareCall(p, call, other, op == COMPARISON_EQ);
}

static ExprNode *
ParseRangeTest(PartiqlParser *p, ExprNode *left)
{
	ExprNode   *node = PartiqlParseBetween(p, RequireOperand(p, left));

	for (ExprNode *operand = node->first; operand != NULL; operand = operand->next)
		(void) RequireOperand(p, operand);
	return node;
}

static ExprNode *
ParsePartiqlPredicate(PartiqlParser *p)
{
	ExprNode   *left = ParsePartiqlTerm(p);
	int			op = PartiqlCompareOpAt(p);
	bool		negated = PartiqlAtWord(p, "NOT");
	ExprNode   *node;

	if (op >= 0)
		return ParseComparison(p, left, op);
	if (PartiqlAtWord(p, "IS"))
		return ParseIs(p, RequireOperand(p, left));
	if (negated)
		PartiqlAdvance(p);
	if (PartiqlAtWord(p, "BETWEEN"))
		node = ParseRangeTest(p, left);
	else if (PartiqlAtWord(p, "IN"))
		node = ParsePartiqlIn(p, RequireOperand(p, left));
	else
	{
		if (negated)
			PartiqlUnexpected(p, "BETWEEN or IN");
		return left;
	}
	return negated ? NegateCondition(p, node) : node;
}

ExprNode *
PartiqlParseCondition(PartiqlParser *p)
{
	return RequirePartiqlCondition(p, PartiqlParseOr(p));
}
