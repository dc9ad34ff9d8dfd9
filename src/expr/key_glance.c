/*
 * key_glance.c
 *	  Reads a key condition's test of an attribute without parsing the
 *	  condition.
 *
 * The planner needs this for estimates before the query is executed, and a node of a
 * cluster to know which node executes it.  An invalid condition is reported by the
 * execution; this code does not parse, bind or raise anything.
 */
#include "postgres.h"

#include "utils/jsonb.h"

#include "expr/expr.h"
#include "expr/scanner.h"

Slice
NameInJsonb(Slice placeholder, const void *names)
{
	JsonbContainer *object = unconstify(void *, names);
	JsonbValue	key;
	JsonbValue *name;

	if (object == NULL || !JsonContainerIsObject(object))
		return MISSING_SLICE;
	key.type = jbvString;
	key.val.string.val = (char *) placeholder.data;
	key.val.string.len = (int) placeholder.len;
	name = findJsonbValueFromContainer(object, JB_FOBJECT, &key);
	return name != NULL && name->type == jbvString ?
		(Slice) {name->val.string.val, name->val.string.len} : MISSING_SLICE;
}

static bool
TokenIsAttribute(const Token *token, Slice attribute, NameOfPlaceholder find, const void *names)
{
	Slice		name = token->text;

	if (token->kind == TOKEN_NAME)
		name = find(token->text, names);
	else if (token->kind != TOKEN_IDENT)
		return false;
	return name.data != NULL && SliceCompare(name, attribute) == 0;
}

Slice
KeyConditionGlance(Slice condition, Slice attribute, NameOfPlaceholder find, const void *names)
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
		if (last[2].kind == TOKEN_VALUE && TokenIsAttribute(&last[0], attribute, find, names))
			return last[2].text;
		if (last[0].kind == TOKEN_VALUE && TokenIsAttribute(&last[2], attribute, find, names))
			return last[0].text;
	}
}
