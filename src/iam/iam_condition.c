/*
 * iam_condition.c
 *	  Translates conditions of IAM policies into SQL expressions.
 *
 * dynamodb:LeadingKeys becomes an expression on the column of the partition
 * key, dynamodb:Attributes a list of attributes.  Every text of the policy is
 * quoted.
 */
#include "postgres.h"

#include "nodes/pg_list.h"
#include "utils/builtins.h"

#include "iam/iam.h"
#include "item/number.h"

#define LEADING_KEYS	"dynamodb:LeadingKeys"
#define ATTRIBUTES		"dynamodb:Attributes"
#define SELECT_KEY		"dynamodb:Select"

static void
NoteLimitProblem(IamLimits *limits, const IamCondition *c, const char *why)
{
	limits->problems = lappend(limits->problems,
							   psprintf("condition %s on %s: %s", c->operator, c->key, why));
}

/* ---- values ---- */

static void
AppendConditionPiece(StringInfo out, const char *expression)
{
	if (out->len > 0)
		appendStringInfoString(out, " OPERATOR(pg_catalog.||) ");
	appendStringInfoString(out, expression);
}

/* Returns the value of a policy variable as an expression; NULL if it has none. */
static char *
VariableSql(const char *name, Jsonb *variables)
{
	JsonbValue	v;

	if (variables != NULL && JB_ROOT_IS_OBJECT(variables) &&
		getKeyJsonValueFromContainer(&variables->root, name, strlen(name), &v) != NULL &&
		v.type == jbvString)
		return quote_literal_cstr(pnstrdup(v.val.string.val, v.val.string.len));
	if (pg_strcasecmp(name, "aws:username") == 0)
		return "CURRENT_USER::pg_catalog.text";
	return NULL;
}

/* Escapes the characters that LIKE interprets. */
static char *
EscapePattern(const char *text)
{
	StringInfoData out;

	initStringInfo(&out);
	for (const char *c = text; *c != '\0'; c++)
	{
		if (*c == '*')
			appendStringInfoChar(&out, '%');
		else if (*c == '?')
			appendStringInfoChar(&out, '_');
		else
		{
			if (*c == '%' || *c == '_' || *c == '\\')
				appendStringInfoChar(&out, '\\');
			appendStringInfoChar(&out, *c);
		}
	}
	return out.data;
}

static char *
LiteralSql(const char *text, bool pattern)
{
	return quote_literal_cstr(pattern ? EscapePattern(text) : text);
}

/*
 * Returns a value with variables, such as ${aws:username}, as an expression; NULL
 * if one of them has no value.  In a pattern, variables must be constants, because
 * one whose value contains * or ? would match more than it should.
 */
static char *
ValueSql(const char *value, Jsonb *variables, bool pattern)
{
	StringInfoData out;
	const char *open;

	initStringInfo(&out);
	while ((open = strstr(value, "${")) != NULL)
	{
		const char *close = strchr(open, '}');
		char	   *variable;

		if (close == NULL)
			return NULL;
		if (open > value)
			AppendConditionPiece(&out, LiteralSql(pnstrdup(value, open - value), pattern));
		variable = VariableSql(pnstrdup(open + 2, close - open - 2), variables);
		if (variable == NULL || pattern)
			return NULL;
		AppendConditionPiece(&out, variable);
		value = close + 1;
	}
	if (*value != '\0' || out.len == 0)
		AppendConditionPiece(&out, LiteralSql(value, pattern));
	return out.data;
}

/* ---- leading keys ---- */

static char *
EqualSql(const char *column, char type, const char *value)
{
	if (type == 'N')
		return psprintf("%s OPERATOR(pg_catalog.=) (%s)::pg_catalog.numeric", quote_identifier(column), value);
	return psprintf("%s OPERATOR(pg_catalog.=) (%s)", quote_identifier(column), value);
}

static char *
LikeClause(const char *column, const char *pattern)
{
	return psprintf("%s OPERATOR(pg_catalog.~~) (%s)", quote_identifier(column), pattern);
}

/* Whether the text is a number.  One with a variable is not: its value is not known yet. */
static bool
IsNumberText(const char *text)
{
	uint8		number[NUMBER_MAX_BYTES];
	uint32		len;

	return NumberFromText(text, (uint32) strlen(text), number, &len) == NUMBER_OK;
}

/* Why a value of leading keys has no translation; NULL if it can have one. */
static const char *
ValueProblem(const IamStatement *s, const char *value, char type)
{
	if (strstr(value, "${") != NULL && !s->variables)
		return psprintf("\"%s\" contains a variable, which is text before Version 2012-10-17", value);
	if (type == 'N' && !IsNumberText(value))
		return psprintf("\"%s\" is not a number", value);
	return NULL;
}

static void
ReadLeadingKeys(const IamStatement *s, const IamCondition *c, const char *column, char type, Jsonb *variables, IamLimits *limits)
{
	bool		pattern = pg_strcasecmp(c->operator, "ForAllValues:StringLike") == 0;
	StringInfoData out;
	ListCell   *lc;

	if (!pattern && pg_strcasecmp(c->operator, "ForAllValues:StringEquals") != 0)
	{
		NoteLimitProblem(limits, c, "only ForAllValues:StringEquals and ForAllValues:StringLike limit all keys of a request");
		return;
	}
	if (type == 'B' || (pattern && type != 'S'))
	{
		NoteLimitProblem(limits, c, "the partition key is not a string");
		return;
	}
	initStringInfo(&out);
	foreach(lc, c->values)
	{
		const char *problem = ValueProblem(s, lfirst(lc), type);
		char	   *value = problem == NULL ? ValueSql(lfirst(lc), variables, pattern) : NULL;

		if (problem != NULL)
		{
			NoteLimitProblem(limits, c, problem);
			return;
		}
		if (value == NULL)
		{
			NoteLimitProblem(limits, c, psprintf("the variable in \"%s\" has no value", (char *) lfirst(lc)));
			return;
		}
		appendStringInfo(&out, "%s%s", out.len > 0 ? " OR " : "",
						 pattern ? LikeClause(column, value) : EqualSql(column, type, value));
	}
	if (out.len == 0)
		appendStringInfoString(&out, "false");
	limits->rows = limits->rows == NULL ? out.data : psprintf("(%s) AND (%s)", limits->rows, out.data);
}

/* ---- all conditions ---- */

static void
ReadAttributeLimits(const IamCondition *c, IamLimits *limits)
{
	ListCell   *lc;

	if (pg_strcasecmp(c->operator, "ForAllValues:StringEquals") != 0)
	{
		NoteLimitProblem(limits, c, "only ForAllValues:StringEquals limits all attributes of a request");
		return;
	}
	if (limits->attributes != NIL)
	{
		NoteLimitProblem(limits, c, "several conditions list attributes");
		return;
	}
	foreach(lc, c->values)
	{
		if (strstr(lfirst(lc), "${") != NULL)
			NoteLimitProblem(limits, c, "an attribute name contains a variable");
	}
	if (c->values == NIL)
		NoteLimitProblem(limits, c, "the list is empty");
	limits->attributes = c->values;
}

bool
IamLimitsAttributes(const IamStatement *s)
{
	ListCell   *lc;

	foreach(lc, s->conditions)
	{
		if (pg_strcasecmp(((IamCondition *) lfirst(lc))->key, ATTRIBUTES) == 0)
			return true;
	}
	return false;
}

/* Whether a view meets a condition that queries must name attributes: it has no others. */
static bool
HoldsForView(const IamStatement *s, const IamCondition *c)
{
	return s->allow && IamLimitsAttributes(s) && pg_strcasecmp(c->key, SELECT_KEY) == 0 &&
		(pg_strcasecmp(c->operator, "StringEquals") == 0 ||
		 pg_strcasecmp(c->operator, "StringEqualsIfExists") == 0) &&
		list_length(c->values) == 1 && strcmp(linitial(c->values), "SPECIFIC_ATTRIBUTES") == 0;
}

void
IamReadConditions(const IamStatement *s, const char *column, char type, Jsonb *variables, IamLimits *limits)
{
	ListCell   *lc;

	memset(limits, 0, sizeof(*limits));
	foreach(lc, s->conditions)
	{
		const IamCondition *c = lfirst(lc);

		if (pg_strcasecmp(c->key, LEADING_KEYS) == 0)
			ReadLeadingKeys(s, c, column, type, variables, limits);
		else if (pg_strcasecmp(c->key, ATTRIBUTES) == 0)
			ReadAttributeLimits(c, limits);
		else if (HoldsForView(s, c))
			limits->notes = lappend(limits->notes, psprintf("condition %s on %s holds for the view", c->operator, c->key));
		else
			NoteLimitProblem(limits, c, "SQL cannot express it");
	}
	foreach(lc, s->unknown)
		limits->problems = lappend(limits->problems, psprintf("unknown member \"%s\" of the statement", (char *) lfirst(lc)));
}
