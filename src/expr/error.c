/*
 * error.c
 *	  Messages of expression errors, and their order of importance.
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"

#include "errors.h"
#include "expr/error.h"
#include "item/base64.h"
#include "item/number.h"

/*
 * Message templates.  %1 and %2 are the error's slices, %n is its number, %p
 * and %q are its paths, %v and %w are its values.
 */
typedef struct ErrorText
{
	ExprErrorCode code;
	int			rank;			/* the lowest is the most important */
	const char *prefix;			/* NULL: "Invalid <ExpressionKind>: " */
	const char *text;
} ErrorText;

#define STATEMENT_PREFIX	"Statement wasn't well formed, can't be processed: "
#define KEY_CONDITION_PREFIX	"Invalid condition in KeyConditionExpression: "

static const ErrorText error_texts[] = {
	{EXPR_ERROR_EMPTY, 0, NULL,
	"The expression can not be empty;"},
	{EXPR_ERROR_TOO_LONG, 0, NULL,
	"Expression size has exceeded the maximum allowed size; expression size: %n"},
	{EXPR_ERROR_UPDATE_TOO_LONG, 0, NULL,
	"Expression size has exceeded the maximum allowed size;"},
	{EXPR_ERROR_SYNTAX, 0, NULL,
	"Syntax error; token: \"%1\", near: \"%2\""},
	{EXPR_ERROR_OPERATORS, 0, NULL,
	"The expression contains too many operators; operator count: %n"},
	{EXPR_ERROR_DEPTH, 0, NULL,
	"The document path has too many nesting levels; nesting levels: %n"},
	{EXPR_ERROR_LIST_INDEX, 0, NULL,
	"List index is not within the allowable range; index: [%1]"},
	{EXPR_ERROR_PLACEHOLDER_SIZE, 0, NULL,
	"The length of a placeholder has exceeded the maximum of %n bytes"},
	{EXPR_ERROR_PARENTHESES, 1, NULL,
	"The expression has redundant parentheses;"},
	{EXPR_ERROR_UNKNOWN_FUNCTION, 2, NULL,
	"Invalid function name; function: %1"},
	{EXPR_ERROR_MISUSED_FUNCTION, 3, NULL,
	"The function is not allowed to be used this way in an expression; function: %1"},
	{EXPR_ERROR_NO_CONDITION_FUNCTION, 3, NULL,
	"The function is not allowed in a condition expression; function: %1"},
	{EXPR_ERROR_NO_UPDATE_FUNCTION, 3, NULL,
	"The function is not allowed in an update expression; function: %1"},
	{EXPR_ERROR_RESERVED, 4, NULL,
	"Attribute name is a reserved keyword; reserved keyword: %1"},
	{EXPR_ERROR_SECTION, 5, NULL,
	"The \"%1\" section can only be used once in an update expression;"},
	{EXPR_ERROR_NAME, 6, NULL,
	"An expression attribute name used in the document path is not defined; attribute name: %1"},
	{EXPR_ERROR_VALUE, 7, NULL,
	"An expression attribute value used in expression is not defined; attribute value: %1"},
	{EXPR_ERROR_OVERLAP, 8, NULL,
	"Two document paths overlap with each other; must remove or rewrite one of these paths; path one: %p, path two: %q"},
	{EXPR_ERROR_CONFLICT, 9, NULL,
	"Two document paths conflict with each other; must remove or rewrite one of these paths; path one: %p, path two: %q"},
	{EXPR_ERROR_ACTION_TYPE, 10, NULL,
	"Incorrect operand type for operator or function; operator: %1, operand type: %2"},
	{EXPR_ERROR_OPERAND_COUNT, 11, NULL,
	"Incorrect number of operands for operator or function; operator or function: %1, number of operands: %n"},
	{EXPR_ERROR_IN_OPERANDS, 11, NULL,
	"The IN operator is provided with too many operands; number of operands: %n"},
	{EXPR_ERROR_SAME_OPERANDS, 12, NULL,
	"The first operand must be distinct from the remaining operands for this operator or function; operator: %1, first operand: %p"},
	{EXPR_ERROR_OPERAND_TYPE, 13, NULL,
	"Incorrect operand type for operator or function; operator or function: %1, operand type: %2"},
	{EXPR_ERROR_NEEDS_PATH, 13, NULL,
	"Operator or function requires a document path; operator or function: %1"},
	{EXPR_ERROR_TYPE_NAME, 13, NULL,
	"Invalid attribute type name found; type: %1, valid types: {B,NULL,SS,BOOL,L,BS,N,NS,S,M}"},
	{EXPR_ERROR_BETWEEN_TYPES, 13, NULL,
	"The BETWEEN operator requires same data type for lower and upper bounds; lower bound operand: AttributeValue: %v, upper bound operand: AttributeValue: %w"},
	{EXPR_ERROR_BETWEEN_ORDER, 13, NULL,
	"The BETWEEN operator requires upper bound to be greater than or equal to lower bound; lower bound operand: AttributeValue: %v, upper bound operand: AttributeValue: %w"},

	{EXPR_ERROR_STATEMENT, 0, STATEMENT_PREFIX, "%1"},
	{EXPR_ERROR_STATEMENT_PLAIN, 0, "", "%1"},

	{EXPR_ERROR_KEY_OPERATOR, 20, "Invalid operator used in KeyConditionExpression: ",
	"%1"},
	{EXPR_ERROR_KEY_NESTED_PATH, 20, "",
	"KeyConditionExpressions cannot have conditions on nested attributes"},
	{EXPR_ERROR_KEY_NESTED_FUNCTION, 20, "",
	"KeyConditionExpressions cannot contain nested operations"},
	{EXPR_ERROR_KEY_TWICE, 20, NULL,
	"KeyConditionExpressions must only contain one condition per key"},
	{EXPR_ERROR_KEY_NO_ATTRIBUTE, 20, KEY_CONDITION_PREFIX,
	"No key attribute specified"},
	{EXPR_ERROR_KEY_TWO_NAMES, 20, KEY_CONDITION_PREFIX,
	"Multiple attribute names used in one condition"},
	{EXPR_ERROR_KEY_NOT_FIRST, 20, KEY_CONDITION_PREFIX,
	"%1 operator must have the key attribute as its first operand"},
	{EXPR_ERROR_KEY_COUNT, 20, "",
	"The number of query conditions (%1) exceeds the number of key attributes defined in the schema (%2)"},
	{EXPR_ERROR_KEY_MISSING, 20, "",
	"Query condition missed key schema element: %1"},
	{EXPR_ERROR_KEY_UNSUPPORTED, 20, "",
	"Query key condition not supported"},
	{EXPR_ERROR_KEY_TYPE, 20, DYNAMO_INVALID_PARAMETERS,
	"Condition parameter type does not match schema type"},
	{EXPR_ERROR_KEY_PARTITION, 20, "",
	"HASH key attributes %1 must have equality conditions specified in the query"},
	{EXPR_ERROR_KEY_SORT, 20, "",
	"RANGE key attributes %1 must have equality conditions specified in the query because a condition is present on key attribute %2"},
};

static const ErrorText *
ErrorTextFind(ExprErrorCode code)
{
	for (int i = 0; i < (int) lengthof(error_texts); i++)
	{
		if (error_texts[i].code == code)
			return &error_texts[i];
	}
	elog(ERROR, "unknown expression error %d", (int) code);
}

static const char *
ExprKindName(ExprKind kind)
{
	switch (kind)
	{
		case EXPR_UPDATE:
			return "UpdateExpression";
		case EXPR_CONDITION:
			return "ConditionExpression";
		case EXPR_KEY_CONDITION:
			return "KeyConditionExpression";
		case EXPR_FILTER:
			return "FilterExpression";
		case EXPR_PROJECTION:
			return "ProjectionExpression";
		case EXPR_SEARCH:
			return "SearchConditionExpression";
		case EXPR_STATEMENT:
			return "Statement";
	}
	elog(ERROR, "unknown kind of expression %d", (int) kind);
}

/*
 * In updates a reserved word is more important than errors of functions and
 * sections.
 */
static int
ErrorRank(ExprKind kind, ExprErrorCode code)
{
	if (kind == EXPR_UPDATE && code == EXPR_ERROR_RESERVED)
		return 1;
	/*
	 * In conditions, undefined names and undefined values have the same rank.
	 */
	if (kind != EXPR_UPDATE && code == EXPR_ERROR_VALUE)
		code = EXPR_ERROR_NAME;
	/* In key conditions the first fault counts, be it one or the other. */
	if (kind == EXPR_KEY_CONDITION && code == EXPR_ERROR_OPERAND_TYPE)
		code = EXPR_ERROR_NAME;
	return ErrorTextFind(code)->rank;
}

void
ExprNote(ExprProblem *problem, const ExprError *error)
{
	if (problem->error.code == EXPR_OK ||
		ErrorRank(problem->kind, error->code) <
		ErrorRank(problem->kind, problem->error.code))
		problem->error = *error;
}

/* Appends a path in the form [a, b, [0]]. */
static void
AppendPath(StringInfo out, const Path *path)
{
	appendStringInfoChar(out, '[');
	for (int i = 0; i < path->n; i++)
	{
		const PathElement *e = &path->elements[i];

		if (i > 0)
			appendStringInfoString(out, ", ");
		if (e->step == PATH_INDEX)
			appendStringInfo(out, "[%u]", e->index);
		else
			appendBinaryStringInfo(out, e->name.data, e->name.len);
	}
	appendStringInfoChar(out, ']');
}

char *
ExprPathText(const Path *path)
{
	StringInfoData out;

	initStringInfo(&out);
	AppendPath(&out, path);
	return out.data;
}

/*
 * Appends a value in the form {S:abc}.  Only the ordered types S, N and B
 * occur.
 */
static void
AppendValue(StringInfo out, ValueRef v)
{
	ValueType	type = ValueTypeOf(v);
	Slice		payload = ValuePayload(v);

	appendStringInfo(out, "{%s:", ValueTypeName(type));
	if (type == VALUE_N)
	{
		char		digits[NUMBER_MAX_TEXT];
		uint32		len = NumberToText((const uint8 *) payload.data,
									   payload.len, digits);

		appendBinaryStringInfo(out, digits, len);
	}
	else if (type == VALUE_B)
		Base64Append(out, payload.data, payload.len);
	else
		appendBinaryStringInfo(out, payload.data, payload.len);
	appendStringInfoChar(out, '}');
}

static void
AppendArgument(StringInfo out, char which, const ExprError *error)
{
	switch (which)
	{
		case '1':
			appendBinaryStringInfo(out, error->one.data, error->one.len);
			break;
		case '2':
			appendBinaryStringInfo(out, error->two.data, error->two.len);
			break;
		case 'n':
			appendStringInfo(out, "%d", error->number);
			break;
		case 'p':
			AppendPath(out, &error->path_one);
			break;
		case 'q':
			AppendPath(out, &error->path_two);
			break;
		case 'v':
			AppendValue(out, error->value_one);
			break;
		case 'w':
			AppendValue(out, error->value_two);
			break;
	}
}

static char *
ErrorMessage(ExprKind kind, const ExprError *error)
{
	const ErrorText *t = ErrorTextFind(error->code);
	StringInfoData out;

	initStringInfo(&out);
	if (t->prefix)
		appendStringInfoString(&out, t->prefix);
	else if (kind != EXPR_STATEMENT)
		appendStringInfo(&out, "Invalid %s: ", ExprKindName(kind));
	for (const char *p = t->text; *p; p++)
	{
		if (*p == '%')
			AppendArgument(&out, *++p, error);
		else
			appendStringInfoChar(&out, *p);
	}
	return out.data;
}

bool
ExprReport(Problem *problem, ExprKind kind, Slice text, const ExprError *error)
{
	Problem		found = {.sqlstate = ERRCODE_DYNAMO_VALIDATION};

	if (ProblemIsNoted(problem))
		return false;
	found.message = ErrorMessage(kind, error);
	/* A statement contains data, which must not reach the server log. */
	if (kind != EXPR_STATEMENT)
		found.hint = ExprErrorHint(kind, error);
	if (kind != EXPR_STATEMENT && error->position >= 0)
	{
		/* PostgreSQL counts error positions in characters, starting with 1. */
		found.query = pnstrdup(text.data, text.len);
		found.position = pg_mbstrlen_with_len(found.query, error->position) + 1;
	}
	return ProblemNote(problem, &found);
}

bool
ExprReportNoted(Problem *problem, Slice text, const ExprProblem *noted)
{
	return noted->error.code == EXPR_OK || ExprReport(problem, noted->kind, text, &noted->error);
}
