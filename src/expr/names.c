/*
 * names.c
 *	  Reads expression attribute names from jsonb: an object of strings.
 */
#include "postgres.h"

#include "utils/jsonb.h"

#include "expr/expr.h"

static Slice
StringSlice(const JsonbValue *v)
{
	return (Slice) {v->val.string.val, (uint32) v->val.string.len};
}

static void
RaiseNamesError(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("expression_attribute_names must be a JSON object of strings"),
			 errhint("For example: {\"#n\": \"name\"}.")));
}

int
ExprNamesFromJsonb(struct JsonbContainer *names, NamePair **pairs)
{
	JsonbIterator *it;
	JsonbIteratorToken token;
	JsonbValue	v;
	int			n = 0;

	if (!JsonContainerIsObject(names))
		RaiseNamesError();
	*pairs = palloc(Max(JsonContainerSize(names), 1) * sizeof(NamePair));
	it = JsonbIteratorInit(names);
	while ((token = JsonbIteratorNext(&it, &v, true)) != WJB_DONE)
	{
		if (token == WJB_KEY)
			(*pairs)[n].placeholder = StringSlice(&v);
		else if (token == WJB_VALUE)
		{
			if (v.type != jbvString)
				RaiseNamesError();
			(*pairs)[n++].name = StringSlice(&v);
		}
	}
	return n;
}

void
ExprBindingsAddNames(ExprBindings *b, struct JsonbContainer *names)
{
	NamePair   *pairs;
	int			n = ExprNamesFromJsonb(names, &pairs);

	for (int i = 0; i < n; i++)
		ExprBindingsAddName(b, pairs[i].placeholder, pairs[i].name);
	pfree(pairs);
}
