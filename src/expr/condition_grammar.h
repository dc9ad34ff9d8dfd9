/*
 * condition_grammar.h
 *	  What the grammars of conditions of expressions and of PartiQL statements
 *	  have in common.
 *
 *	condition	= and { OR and }
 *	and			= not { AND not }
 *	not			= NOT not | predicate
 *	compare		= operand cmp operand
 *	between		= operand BETWEEN operand AND operand
 *
 * A template.  A file that defines these macros and includes it gets static
 * functions for its own parser, whose names begin with a prefix of its own:
 *
 *	GRAMMAR_PARSER				the type of the parser
 *	GRAMMAR_NAME(name)			the name of a function with the prefix
 *	GRAMMAR_TOKEN(name)			a kind of token: EQ, NE, LT, LE, GT, GE
 *	GRAMMAR_AT_WORD(p, word)	whether the current token is this keyword
 *	GRAMMAR_EXPECT_WORD(p, word)	consumes the keyword, or reports another token
 *	GRAMMAR_OPERATOR(p, kind)	consumes and counts an operator; returns a node for it
 *	GRAMMAR_REQUIRE(p, node)	reports a node that is no condition
 *	GRAMMAR_ENTER(p), GRAMMAR_LEAVE(p)	bracket what nests
 *	GRAMMAR_OPERAND, GRAMMAR_PREDICATE	functions that parse these
 */

/* The comparison operator at the current token, or -1. */
static int
GRAMMAR_NAME(CompareOpAt) (const GRAMMAR_PARSER *p)
{
	switch (p->token.kind)
	{
		case GRAMMAR_TOKEN(EQ):
			return COMPARISON_EQ;
		case GRAMMAR_TOKEN(NE):
			return COMPARISON_NE;
		case GRAMMAR_TOKEN(LT):
			return COMPARISON_LT;
		case GRAMMAR_TOKEN(LE):
			return COMPARISON_LE;
		case GRAMMAR_TOKEN(GT):
			return COMPARISON_GT;
		case GRAMMAR_TOKEN(GE):
			return COMPARISON_GE;
		default:
			return -1;
	}
}

static ExprNode *
GRAMMAR_NAME(ParseCompare) (GRAMMAR_PARSER *p, ExprNode *left, int op)
{
	ExprNode   *node = GRAMMAR_OPERATOR(p, NODE_COMPARE);

	node->op = op;
	NodeAppend(node, left);
	NodeAppend(node, GRAMMAR_OPERAND(p));
	return node;
}

static ExprNode *
GRAMMAR_NAME(ParseBetween) (GRAMMAR_PARSER *p, ExprNode *left)
{
	ExprNode   *node = GRAMMAR_OPERATOR(p, NODE_BETWEEN);

	NodeAppend(node, left);
	NodeAppend(node, GRAMMAR_OPERAND(p));
	GRAMMAR_EXPECT_WORD(p, "AND");
	NodeAppend(node, GRAMMAR_OPERAND(p));
	return node;
}

static ExprNode *
GRAMMAR_NAME(ParseNot) (GRAMMAR_PARSER *p)
{
	ExprNode   *node;

	if (!GRAMMAR_AT_WORD(p, "NOT"))
		return GRAMMAR_PREDICATE(p);
	GRAMMAR_ENTER(p);
	node = GRAMMAR_OPERATOR(p, NODE_NOT);
	NodeAppend(node, GRAMMAR_NAME(ParseNot) (p));
	GRAMMAR_REQUIRE(p, node->first);
	GRAMMAR_LEAVE(p);
	return node;
}

/*
 * Parses conditions joined by one word.  Returns one node with all of them, or
 * what was parsed if the word does not follow.
 */
static ExprNode *
GRAMMAR_NAME(ParseJoined) (GRAMMAR_PARSER *p, const char *word, NodeKind kind,
						   ExprNode *(*parse) (GRAMMAR_PARSER *p))
{
	ExprNode   *first = parse(p);
	ExprNode   *node = NULL;

	while (GRAMMAR_AT_WORD(p, word))
	{
		ExprNode   *operator;

		if (node == NULL)
			GRAMMAR_REQUIRE(p, first);
		operator = GRAMMAR_OPERATOR(p, kind);
		if (node == NULL)
		{
			node = operator;
			NodeAppend(node, first);
		}
		NodeAppend(node, parse(p));
		GRAMMAR_REQUIRE(p, node->last);
	}
	return node != NULL ? node : first;
}

static ExprNode *
GRAMMAR_NAME(ParseAnd) (GRAMMAR_PARSER *p)
{
	return GRAMMAR_NAME(ParseJoined) (p, "AND", NODE_AND, GRAMMAR_NAME(ParseNot));
}

static ExprNode *
GRAMMAR_NAME(ParseOr) (GRAMMAR_PARSER *p)
{
	return GRAMMAR_NAME(ParseJoined) (p, "OR", NODE_OR, GRAMMAR_NAME(ParseAnd));
}
