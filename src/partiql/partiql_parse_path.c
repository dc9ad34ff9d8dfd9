/*
 * partiql_parse_path.c
 *	  The grammar of names and document paths.
 *
 *	path	= name { "." name | "[" digits "]" }
 *	name	= bare name | quoted name
 */
#include "postgres.h"

#include "partiql/partiql_parser.h"

bool
PartiqlAtName(const PartiqlParser *p)
{
	return PartiqlAt(p, PT_NAME) ||
		(PartiqlAt(p, PT_WORD) && !PartiqlIsReserved(p->token.text));
}

Slice
PartiqlParseName(PartiqlParser *p, const char *expected)
{
	Slice		name = p->token.text;

	if (!PartiqlAtName(p))
		PartiqlUnexpected(p, expected);
	if (PartiqlAt(p, PT_NAME))
		name = PartiqlUnquote(&p->token);
	if (name.len == 0)
		PartiqlError(p, "Empty identifier", p->token.text);
	PartiqlAdvance(p);
	return name;
}

static void
ParsePartiqlName(PartiqlParser *p, PathElement *element, bool after_dot)
{
	element->step = PATH_NAME;
	element->position = PositionIn(p->text, p->token.text);
	if (p->token.kind == PT_WORD && !PartiqlAtName(p) && after_dot)
		PartiqlMalformed(p, "Invalid path dot component");
	element->name = PartiqlParseName(p, "an attribute name");
}

static bool
IsDigits(Slice text)
{
	for (uint32 i = 0; i < text.len; i++)
	{
		if (text.data[i] < '0' || text.data[i] > '9')
			return false;
	}
	return true;
}

/* Parses an index whose "[" has been consumed. */
static void
ParsePartiqlIndex(PartiqlParser *p, PathElement *element)
{
	Slice		digits = p->token.text;

	if (!PartiqlAt(p, PT_NUMBER) || !IsDigits(digits))
	{
		PartiqlUnexpected(p, "a list index");
		return;
	}
	if (!PathElementSetIndex(element, p->text, digits))
		PartiqlExprError(p, EXPR_ERROR_LIST_INDEX, digits, 0);
	PartiqlAdvance(p);
	(void) PartiqlExpect(p, PT_RBRACKET, "']'");
}

/* Parses the next element of a path; false if the path ends. */
static bool
ParsePartiqlStep(PartiqlParser *p, PathElement *element)
{
	bool		dot = PartiqlAt(p, PT_DOT);

	if (!dot && !PartiqlAt(p, PT_LBRACKET))
		return false;
	PartiqlAdvance(p);
	if (dot)
		ParsePartiqlName(p, element, true);
	else
		ParsePartiqlIndex(p, element);
	return true;
}

ExprNode *
PartiqlParsePath(PartiqlParser *p)
{
	ExprNode   *node = PartiqlNode(p, NODE_PATH);
	PathElement elements[EXPR_MAX_PATH_DEPTH + 1] = {0};
	int			n = 1;

	ParsePartiqlName(p, &elements[0], false);
	/* Elements beyond the limit are counted but not kept. */
	while (ParsePartiqlStep(p, &elements[Min(n, EXPR_MAX_PATH_DEPTH)]))
		n++;
	if (n > EXPR_MAX_PATH_DEPTH)
		PartiqlExprError(p, EXPR_ERROR_DEPTH, node->text, n);
	NodeSetPath(node, elements, Min(n, EXPR_MAX_PATH_DEPTH));
	return node;
}
