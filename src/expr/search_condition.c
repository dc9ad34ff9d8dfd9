/*
 * search_condition.c
 *	  Conditions of vector searches: name = :v {AND name = :v}.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "errors.h"
#include "expr/condition.h"

/* A condition has at most this many tests. */
#define MAX_TESTS (EXPR_MAX_OPERATORS + 1)

static void ComparatorError(void) pg_attribute_noreturn();

static void
ComparatorError(void)
{
	InvalidRequest("Invalid SearchConditionExpression: Invalid comparator used in SearchConditionExpression");
}

/* One operand of a test is a plain name, the other one a value. */
static SearchTest
TestOfComparison(const Condition *cond)
{
	const Operand *path = &cond->operands[cond->operands[0].kind == OPERAND_PATH ? 0 : 1];
	const Operand *value = &cond->operands[path == &cond->operands[0] ? 1 : 0];

	if (path->kind != OPERAND_PATH || path->path.n != 1 || value->kind != OPERAND_VALUE)
		ComparatorError();
	return (SearchTest) {path->path.elements[0].name, value->value};
}

static void
AddSearchTests(const Condition *cond, SearchTest *tests, int *n)
{
	check_stack_depth();
	if (cond->kind == CONDITION_AND)
	{
		for (int i = 0; i < cond->n; i++)
			AddSearchTests(cond->children[i], tests, n);
		return;
	}
	if (cond->kind != CONDITION_COMPARE || cond->op != COMPARISON_EQ || *n == MAX_TESTS)
		ComparatorError();
	tests[(*n)++] = TestOfComparison(cond);
}

SearchTest *
SearchConditionTests(const Condition *cond, int *n)
{
	SearchTest *tests = palloc(sizeof(SearchTest) * MAX_TESTS);

	*n = 0;
	AddSearchTests(cond, tests, n);
	return tests;
}
