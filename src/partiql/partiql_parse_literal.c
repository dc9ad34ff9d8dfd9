/*
 * partiql_parse_literal.c
 *	  The grammar of values.
 *
 *		literal	= string | [ "-" | "+" ] number | TRUE | FALSE | NULL | "?"
 *				| "[" [ literal { "," literal } ] "]"
 *				| "{" [ string ":" literal { "," string ":" literal } ] "}"
 *				| "<<" literal { "," literal } ">>"
 *
 * A literal without parameters becomes a constant of the parse tree.
 */
#include "postgres.h"

#include "item/builder.h"
#include "partiql/partiql_parser.h"

typedef Literal *(*LiteralParser) (PartiqlParser *p);

static Literal *ParseAny(PartiqlParser *p);

static Literal *
NewLiteral(LiteralKind kind)
{
	Literal    *literal = palloc0(sizeof(Literal));

	literal->kind = kind;
	return literal;
}

static void
AppendLiteral(Literal *parent, Literal *child)
{
	if (parent->last)
		parent->last->next = child;
	else
		parent->first = child;
	parent->last = child;
	parent->nchildren++;
}

/* ---- scalars ---- */

static void
BeginConstant(const PartiqlParser *p, ItemBuilder *b)
{
	ItemBuilderInit(b, 1, DUPLICATE_NAME_ERROR);
	b->problem = p->problem;
}

/*
 * A constant, which has no value if the builder has failed.  The builder, which
 * is much larger, does not stay in the tree.
 */
static Literal *
MakeConstant(PartiqlParser *p, ItemBuilder *b)
{
	Literal    *literal = NewLiteral(LITERAL_CONSTANT);

	if (ItemBuilderHasFailed(b))
		PartiqlStop(p);
	else
		literal->value = ItemRoot(ItemBuilderFinish(b));
	ItemBuilderRelease(b);
	return literal;
}

static Literal *
ParseString(PartiqlParser *p, Slice text)
{
	ItemBuilder b;

	BeginConstant(p, &b);
	ItemBuilderString(&b, text.data, text.len);
	return MakeConstant(p, &b);
}

static void
AppendLiteralPlace(StringInfo out, const LiteralPlace *place)
{
	if (place == NULL)
	{
		appendStringInfoString(out, "root");
		return;
	}
	AppendLiteralPlace(out, place->outer);
	if (place->number < 0)
		appendStringInfo(out, ".%.*s", (int) place->name.len, place->name.data);
	else
		appendStringInfo(out, "[%d]", place->number);
}

/* Reports what is wrong with a number: "... under root.a[1]". */
static void
ReportNumber(PartiqlParser *p, const Problem *problem)
{
	StringInfoData message;

	initStringInfo(&message);
	appendStringInfo(&message, "%s under ", problem->message);
	AppendLiteralPlace(&message, p->place);
	PartiqlPlainError(p, message.data);
}

/* Parses a number.  White space may separate its sign from the digits. */
static Literal *
ParseNumber(PartiqlParser *p)
{
	ItemBuilder b;
	bool		negative = PartiqlAt(p, PT_MINUS);
	Problem		problem = NO_PROBLEM;
	char	   *text;

	if (negative || PartiqlAt(p, PT_PLUS))
		PartiqlAdvance(p);
	if (!PartiqlAt(p, PT_NUMBER))
	{
		PartiqlUnexpected(p, "a number");
		return NewLiteral(LITERAL_CONSTANT);
	}
	text = psprintf("%s%.*s", negative ? "-" : "", (int) p->token.text.len, p->token.text.data);
	BeginConstant(p, &b);
	b.problem = &problem;
	ItemBuilderNumberText(&b, text, strlen(text));
	pfree(text);
	if (ProblemIsNoted(&problem))
		ReportNumber(p, &problem);
	PartiqlAdvance(p);
	return MakeConstant(p, &b);
}

static Literal *
ParseWord(PartiqlParser *p)
{
	ItemBuilder b;

	BeginConstant(p, &b);
	if (PartiqlAtWord(p, "NULL"))
		ItemBuilderNull(&b);
	else
		ItemBuilderBool(&b, PartiqlAtWord(p, "TRUE"));
	PartiqlAdvance(p);
	return MakeConstant(p, &b);
}

static Literal *
ParseParameter(PartiqlParser *p)
{
	Literal    *literal = NewLiteral(LITERAL_PARAMETER);

	literal->number = p->statement->nparameters++;
	PartiqlAdvance(p);
	return literal;
}

/* ---- containers ---- */

static Literal *
ParseMapEntry(PartiqlParser *p)
{
	Literal    *entry;
	Slice		name;

	if (!PartiqlAt(p, PT_STRING))
	{
		PartiqlUnexpected(p, "an attribute name in single quotes");
		return NewLiteral(LITERAL_CONSTANT);
	}
	name = PartiqlUnquote(&p->token);
	PartiqlAdvance(p);
	PartiqlExpect(p, PT_COLON, "':'");
	p->place = &(LiteralPlace) {p->place, name, -1};
	entry = ParseAny(p);
	p->place = p->place->outer;
	entry->name = name;
	return entry;
}

static Literal *
ParseContainer(PartiqlParser *p, LiteralKind kind, LiteralParser parse_child,
			   PartiqlTokenKind end, const char *expected)
{
	Literal    *container = NewLiteral(kind);

	PartiqlEnter(p);
	PartiqlAdvance(p);
	p->element = 0;
	if (kind == LITERAL_SET && PartiqlAt(p, end))
		PartiqlPlainError(p, "Empty bags are not supported");
	if (!PartiqlAt(p, end))
		AppendLiteral(container, parse_child(p));
	while (container->first != NULL && PartiqlAt(p, PT_COMMA))
	{
		PartiqlAdvance(p);
		AppendLiteral(container, parse_child(p));
	}
	PartiqlExpect(p, end, expected);
	PartiqlLeave(p);
	return container;
}

/* ---- entry ---- */

static Literal *
ParseScalar(PartiqlParser *p)
{
	Literal    *literal;

	switch (p->token.kind)
	{
		case PT_STRING:
			literal = ParseString(p, PartiqlUnquote(&p->token));
			PartiqlAdvance(p);
			return literal;
		case PT_NUMBER:
		case PT_MINUS:
		case PT_PLUS:
			return ParseNumber(p);
		case PT_PARAMETER:
			return ParseParameter(p);
		case PT_WORD:
			return ParseWord(p);
		default:
			PartiqlUnexpected(p, "a value");
			return NewLiteral(LITERAL_CONSTANT);
	}
}

/* Parses an element of a list or set, whose number is that of its place. */
static Literal *
ParseElement(PartiqlParser *p)
{
	Literal    *element;
	LiteralPlace place = {p->place, {NULL, 0}, p->element};
	int			number = p->element;

	p->place = &place;
	element = ParseAny(p);
	p->place = place.outer;
	p->element = number + 1;
	return element;
}

static Literal *
ParseAny(PartiqlParser *p)
{
	Literal    *literal;

	if (PartiqlAtCall(p))
	{
		PartiqlErrorAt(p, psprintf("Unsupported data type: %.*s under key root",
								   (int) p->token.text.len, p->token.text.data), p->token.text);
		return NewLiteral(LITERAL_CONSTANT);
	}
	if (!PartiqlAtLiteral(p))
	{
		PartiqlUnexpected(p, "a value");
		return NewLiteral(LITERAL_CONSTANT);
	}
	switch (p->token.kind)
	{
		case PT_LBRACKET:
			literal = ParseContainer(p, LITERAL_LIST, ParseElement, PT_RBRACKET, "',' or ']'");
			break;
		case PT_LSET:
			literal = ParseContainer(p, LITERAL_SET, ParseElement, PT_RSET, "',' or '>>'");
			break;
		case PT_LBRACE:
			literal = ParseContainer(p, LITERAL_MAP, ParseMapEntry, PT_RBRACE, "',' or '}'");
			break;
		default:
			literal = ParseScalar(p);
	}
	return literal;
}

bool
PartiqlAtLiteral(const PartiqlParser *p)
{
	switch (p->token.kind)
	{
		case PT_STRING:
		case PT_NUMBER:
		case PT_MINUS:
		case PT_PLUS:
		case PT_PARAMETER:
		case PT_LBRACKET:
		case PT_LSET:
		case PT_LBRACE:
			return true;
		default:
			return PartiqlAtWord(p, "TRUE") || PartiqlAtWord(p, "FALSE") ||
				PartiqlAtWord(p, "NULL");
	}
}

Literal *
PartiqlParseLiteral(PartiqlParser *p)
{
	return ParseAny(p);
}

static void
MakeLiteralConstant(PartiqlParser *p, Literal *literal)
{
	struct varlena *value = LiteralBuild(literal, 1, NULL, p->problem);

	if (value == NULL)
	{
		PartiqlStop(p);
		return;
	}
	literal->value = ItemRoot(value);
	literal->kind = LITERAL_CONSTANT;
}

/* Adds a value to the statement and returns a node that refers to it. */
static ExprNode *
AddParsedValue(PartiqlParser *p, ExprNode *node, Literal *literal)
{
	Statement  *s = p->statement;

	if (!p->failed && literal->kind != LITERAL_CONSTANT && !LiteralHasParameter(literal))
		MakeLiteralConstant(p, literal);
	if (p->last_value)
		p->last_value->next = literal;
	else
		s->values = literal;
	p->last_value = literal;
	node->op = s->nvalues++;
	return node;
}

ExprNode *
PartiqlParseValue(PartiqlParser *p)
{
	ExprNode   *node = PartiqlNode(p, NODE_POSITION);

	return AddParsedValue(p, node, ParseAny(p));
}

ExprNode *
PartiqlImpliedBool(PartiqlParser *p, bool value)
{
	ItemBuilder b;

	BeginConstant(p, &b);
	ItemBuilderBool(&b, value);
	return AddParsedValue(p, PartiqlNode(p, NODE_POSITION), MakeConstant(p, &b));
}

ExprNode *
PartiqlImpliedString(PartiqlParser *p, const char *text)
{
	return AddParsedValue(p, PartiqlNode(p, NODE_POSITION), ParseString(p, SliceOf(text)));
}
