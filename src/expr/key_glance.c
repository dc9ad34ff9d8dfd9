/*
 * key_glance.c
 *	  Reads a key condition's test of an attribute without parsing the
 *	  condition.
 *
 * The planner needs this for estimates before the query is executed.  An
 * invalid condition is reported by the execution; this code does not parse,
 * bind or raise anything.
 */
#include "postgres.h"

#include "utils/jsonb.h"

#include "expr/expr.h"
#include "expr/scanner.h"

/* Whether a placeholder #n represents an attribute. */
static bool
PlaceholderIsAttribute(Slice placeholder, Slice attribute, JsonbContainer *names)
{
	JsonbValue	key;
	JsonbValue *name;

	if (names == NULL || !JsonContainerIsObject(names))
		return false;
	key.type = jbvString;
	key.val.string.val = (char *) placeholder.data;
	key.val.string.len = (int) placeholder.len;
	name = findJsonbValueFromContainer(names, JB_FOBJECT, &key);
	return name != NULL && name->type == jbvString &&
		SliceCompare((Slice) {name->val.string.val, name->val.string.len}, attribute) == 0;
}

static bool
TokenIsAttribute(const Token *token, Slice attribute, JsonbContainer *names)
{
	if (token->kind == TOKEN_IDENT)
		return SliceCompare(token->text, attribute) == 0;
	return token->kind == TOKEN_NAME && PlaceholderIsAttribute(token->text, attribute, names);
}

Slice
KeyConditionGlance(Slice condition, Slice attribute, JsonbContainer *names)
{
	Token		last[3] = {{.kind = TOKEN_END}, {.kind = TOKEN_END}, {.kind = TOKEN_END}};
	uint32		from = 0;

	for (;;)
	{
		last[0] = last[1];
		last[1] = last[2];
		last[2] = ScanToken(condition, from);
		if (last[2].kind == TOKEN_END || last[2].kind == TOKEN_INVALID)
			return MISSING_SLICE;
		from = (uint32) (last[2].text.data - condition.data) + last[2].text.len;

		if (last[1].kind != TOKEN_EQ)
			continue;
		if (last[2].kind == TOKEN_VALUE && TokenIsAttribute(&last[0], attribute, names))
			return last[2].text;
		if (last[0].kind == TOKEN_VALUE && TokenIsAttribute(&last[2], attribute, names))
			return last[0].text;
	}
}
