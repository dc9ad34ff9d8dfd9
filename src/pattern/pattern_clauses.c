/*
 * pattern_clauses.c
 *	  Reads the condition of an access pattern: comparisons of attributes with parameters.
 */
#include "postgres.h"

#include "expr/expr.h"
#include "item/builder.h"
#include "pattern/pattern.h"

int
PatternParameterFind(const AccessPattern *pattern, const char *name)
{
	for (int i = 0; i < pattern->nparameters; i++)
	{
		if (strcmp(pattern->parameters[i].name, name) == 0)
			return i;
	}
	return -1;
}

int
PatternListFind(const AccessPattern *pattern)
{
	for (int i = 0; i < pattern->nparameters; i++)
	{
		if (pattern->parameters[i].list)
			return i;
	}
	return -1;
}

/*
 * Creates values for the placeholders that contain the numbers of their
 * parameters.  Their order is that of first use, so that the bounds of BETWEEN
 * are in order.
 */
static ValueRef
ParameterNumbers(const AccessPattern *pattern)
{
	ItemBuilder *b = ItemBuilderCreate(0, DUPLICATE_NAME_LAST);

	ItemBuilderBeginMap(b);
	for (int i = 0; i < pattern->nparameters; i++)
	{
		char	   *placeholder = psprintf(":%s", pattern->parameters[i].name);
		char	   *number = psprintf("%04d", i);

		ItemBuilderName(b, placeholder, strlen(placeholder));
		ItemBuilderString(b, number, strlen(number));
	}
	ItemBuilderEnd(b);
	return ItemRoot(ItemBuilderFinish(b));
}

static ExprBindings *
BindNames(const AccessPattern *pattern)
{
	ExprBindings *b = ExprBindingsCreate(ParameterNumbers(pattern), NULL);
	(void) ExprBindingsAddMap(b, pattern->names);
	return b;
}

static int
ReadMarker(ValueRef marker)
{
	return ValueIsMissing(marker) ? -1 : atoi(pnstrdup(ValuePayload(marker).data, ValuePayload(marker).len));
}

PatternClause *
PatternClauses(const AccessPattern *pattern, int *n)
{
	const char *text = pattern->condition;
	const ExprTree *expr;
	KeyClauses *clauses;
	Slice		attribute;
	KeyTest		test;
	PatternClause *result;

	*n = 0;
	if (text == NULL)
		return NULL;
	expr = ExprParse(EXPR_KEY_CONDITION, text, strlen(text), NULL);
	clauses = KeyConditionClausesWithIn(expr, ConditionBind(EXPR_KEY_CONDITION, expr, BindNames(pattern)));
	while (KeyClauseGet(clauses, *n, &attribute, &test))
		(*n)++;
	result = palloc0(sizeof(PatternClause) * Max(*n, 1));
	for (int i = 0; i < *n; i++)
	{
		(void) KeyClauseGet(clauses, i, &attribute, &test);
		result[i] = (PatternClause) {attribute, test.op, ReadMarker(test.value), ReadMarker(test.upper)};
		result[i].list = PatternIsList(KeyClauseMembers(clauses, i));
	}
	return result;
}
