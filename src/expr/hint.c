/*
 * hint.c
 *	  What a SQL user who made a mistake in an expression may have meant.
 *
 * The messages are the service's and say little of what is right.  These go into
 * HINT, which requests do not answer with.
 */
#include "postgres.h"

#include "expr/error.h"
#include "expr/words.h"

#define LITERAL_HINT	"Expressions cannot contain literals or quotes. Write placeholders, :value for a value and #name for a name, " \
	"and define them in the expression attribute values and names."
#define KEY_CONDITION_HINT	"A key condition compares the partition key by = and may test the sort key once, by = < <= > >=, BETWEEN or begins_with. " \
	"Write other conditions as a filter expression; read items of several keys with dynamo.batch_get_item."

/* What SQL and other languages write, and expressions do not. */
static const struct
{
	const char *token;
	const char *hint;
}			token_hints[] = {
	{"LIKE", "There is no LIKE: write begins_with(path, :prefix) or contains(path, :part)."},
	{"ILIKE", "There is no ILIKE: write begins_with(path, :prefix) or contains(path, :part), which are case-sensitive."},
	{"IS", "There is no IS NULL: write attribute_not_exists(path)."},
	{"!", "Write <> for \"not equal\", and NOT before a condition."},
	{"&", "Write AND."},
	{"|", "Write OR."},
	{"*", "Updates support no arithmetic operators other than + and -."},
	{"/", "Updates support no arithmetic operators other than + and -."},
	{"$", "An expression cannot use parameters of the statement: write a placeholder, such as :value, and give the parameter in the expression attribute values."},
	{"?", "An expression cannot use parameters of the statement: write a placeholder, such as :value, and give the parameter in the expression attribute values."},
	{"{", "This looks like expression attribute values: name the parameter, expression_attribute_values => '...'."},
};

static const char *
TokenHint(Slice token)
{
	for (size_t i = 0; i < lengthof(token_hints); i++)
	{
		if (WordIs(token, token_hints[i].token))
			return token_hints[i].hint;
	}
	return NULL;
}

/* error->two is the text around the token, from the token before it. */
static const char *
SyntaxHint(ExprKind kind, const ExprError *error)
{
	Slice		token = error->one;
	Slice		around = error->two;

	if (token.len == 0)
		return NULL;
	if (strchr("'\"0123456789", token.data[0]) != NULL)
		return LITERAL_HINT;
	if (token.data[0] == '=' && around.data != token.data && around.data[0] == '=')
		return "Write = once.";
	if (kind == EXPR_UPDATE && strchr("+-", token.data[0]) != NULL && around.data[around.len - 1] == '=')
		return "Write SET path = path + :value, or ADD path :value.";
	if (kind == EXPR_UPDATE && around.data == token.data)
		return "An update begins with SET, REMOVE, ADD or DELETE.";
	return TokenHint(token);
}

const char *
ExprErrorHint(ExprKind kind, const ExprError *error)
{
	switch (error->code)
	{
		case EXPR_ERROR_SYNTAX:
			return SyntaxHint(kind, error);
		case EXPR_ERROR_RESERVED:
			return "Write a placeholder, such as #name, and define it in the expression attribute names.";
		case EXPR_ERROR_NAME:
			return "Give the name in the expression attribute names: {\"#name\": \"attribute\"}.";
		case EXPR_ERROR_VALUE:
			return kind == EXPR_UPDATE ?
				"Give the value as expression_attribute_values, which in dynamo.update_item comes after condition_expression." :
				"Give the value in the expression attribute values: {\":value\": {\"S\": \"text\"}}.";
		case EXPR_ERROR_KEY_MISSING:
			return "A key condition can test only the key attributes of the table or of the queried index; "
				"a filter expression can test any attribute.";
		case EXPR_ERROR_KEY_OPERATOR:
		case EXPR_ERROR_KEY_UNSUPPORTED:
			return KEY_CONDITION_HINT;
		case EXPR_ERROR_KEY_TWO_NAMES:
			return "A key is compared with a value. Write a placeholder, such as :value, and define it in the expression attribute values.";
		case EXPR_ERROR_KEY_TYPE:
			return "Give a value of the key attribute's type, which dynamo.describe_table returns: {\"S\": \"5\"} is not {\"N\": \"5\"}.";
		default:
			return NULL;
	}
}
