/*
 * key_condition.c
 *	  Key conditions: conditions that an index can answer.
 *
 * A key condition is first bound like any other condition, with the same
 * static checks.  Its predicates are then turned into clauses, one for each
 * key attribute; this step applies the restrictions that do not depend on the
 * key schema.  Finally the clauses are matched with the key schema.
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "miscadmin.h"

#include "errors.h"
#include "expr/condition.h"

/* A test of one attribute. */
typedef struct KeyClause
{
	Slice		attribute;
	int			position;
	KeyTest		test;
	int			members;		/* of IN, of which the value is the first; otherwise 0 */
} KeyClause;

struct KeyClauses
{
	const ExprTree *expr;		/* NULL if built without text */
	Problem    *problem;
	bool		with_in;		/* IN is allowed */
	int			n;
	int			capacity;
	KeyClause  *clauses;
};

/* Most conditions have at most this many clauses. */
#define USUAL_CLAUSES	2

static KeyClauses *
MakeClauses(const ExprTree *expr, int capacity, Problem *problem)
{
	KeyClauses *list = palloc(sizeof(KeyClauses));

	list->expr = expr;
	list->problem = problem;
	list->with_in = false;
	list->n = 0;
	list->capacity = capacity;
	list->clauses = palloc(capacity * sizeof(KeyClause));
	return list;
}

static bool
ReportAt(const KeyClauses *list, int position, ExprErrorCode code, Slice one, Slice two)
{
	const ExprTree *expr = list->expr;
	ExprError	error = {.code = code, .one = one, .two = two};

	error.position = expr ? position : -1;
	return ExprReport(list->problem, EXPR_KEY_CONDITION, expr ? expr->text : one, &error);
}

/* Reports an error of one predicate; its message may name the operator. */
static bool
ReportPredicate(const KeyClauses *list, const Condition *cond, ExprErrorCode code)
{
	return ReportAt(list, cond->node->position, code, ConditionOperatorName(cond->node),
					MISSING_SLICE);
}

/* ---- predicates to clauses ---- */

static bool
CheckKeyOperator(const KeyClauses *list, const Condition *cond)
{
	return (cond->kind == CONDITION_IN && list->with_in) ||
		cond->kind == CONDITION_BETWEEN ||
		cond->kind == CONDITION_BEGINS_WITH ||
		(cond->kind == CONDITION_COMPARE && cond->op != COMPARISON_NE) ||
		ReportPredicate(list, cond, EXPR_ERROR_KEY_OPERATOR);
}

/*
 * Exactly one operand must be a path, a plain name; all others must be values.
 */
static bool
CheckKeyOperands(const KeyClauses *list, const Condition *cond)
{
	int			paths = 0;

	for (int i = 0; i < cond->n; i++)
	{
		const Operand *o = &cond->operands[i];

		if (o->kind == OPERAND_SIZE_OF_PATH || o->kind == OPERAND_SIZE_OF_VALUE)
			return ReportPredicate(list, cond, EXPR_ERROR_KEY_NESTED_FUNCTION);
		if (o->kind == OPERAND_PATH && o->path.n > 1)
			return ReportPredicate(list, cond, EXPR_ERROR_KEY_NESTED_PATH);
		if (o->kind == OPERAND_PATH)
			paths++;
	}
	if (paths == 0)
		return ReportPredicate(list, cond, EXPR_ERROR_KEY_NO_ATTRIBUTE);
	if (paths > 1)
		return ReportPredicate(list, cond, EXPR_ERROR_KEY_TWO_NAMES);
	return cond->kind == CONDITION_COMPARE ||
		cond->operands[0].kind == OPERAND_PATH ||
		ReportPredicate(list, cond, EXPR_ERROR_KEY_NOT_FIRST);
}

/* The operator of a comparison.  flipped: the key is the right operand. */
static KeyOperator
CompareKeyOperator(CompareOp op, bool flipped)
{
	switch (op)
	{
		case COMPARISON_LT:
			return flipped ? KEY_GT : KEY_LT;
		case COMPARISON_LE:
			return flipped ? KEY_GE : KEY_LE;
		case COMPARISON_GT:
			return flipped ? KEY_LT : KEY_GT;
		case COMPARISON_GE:
			return flipped ? KEY_LE : KEY_GE;
		default:
			return KEY_EQ;
	}
}

static KeyTest
TestOfPredicate(const Condition *cond)
{
	const Operand *o = cond->operands;
	bool		flipped = o[0].kind != OPERAND_PATH;
	KeyTest		test = {KEY_NONE, MISSING_VALUE, MISSING_VALUE};

	test.value = o[flipped ? 0 : 1].value;
	if (cond->kind == CONDITION_COMPARE)
		test.op = CompareKeyOperator(cond->op, flipped);
	else if (cond->kind == CONDITION_BEGINS_WITH)
		test.op = KEY_BEGINS_WITH;
	else if (cond->kind == CONDITION_IN)
		test.op = KEY_EQ;
	else
	{
		test.op = KEY_BETWEEN;
		test.upper = o[2].value;
	}
	return test;
}

static bool
AddClause(KeyClauses *list, const Condition *cond)
{
	const Operand *o = cond->operands;
	KeyClause  *clause;

	if (!CheckKeyOperator(list, cond) || !CheckKeyOperands(list, cond))
		return false;
	if (o->kind != OPERAND_PATH)
		o++;
	for (int i = 0; i < list->n; i++)
	{
		if (SliceEqual(list->clauses[i].attribute, o->path.elements[0].name))
			return ReportPredicate(list, cond, EXPR_ERROR_KEY_TWICE);
	}
	if (list->n == list->capacity)
	{
		list->capacity *= 2;
		list->clauses = repalloc(list->clauses, list->capacity * sizeof(KeyClause));
	}
	clause = &list->clauses[list->n++];
	clause->attribute = o->path.elements[0].name;
	clause->position = cond->node->position;
	clause->test = TestOfPredicate(cond);
	clause->members = cond->kind == CONDITION_IN ? cond->n - 1 : 0;
	return true;
}

static bool
AddClauses(KeyClauses *list, const Condition *cond)
{
	check_stack_depth();
	if (cond->kind == CONDITION_OR || cond->kind == CONDITION_NOT)
		return ReportPredicate(list, cond, EXPR_ERROR_KEY_OPERATOR);
	if (cond->kind != CONDITION_AND)
		return AddClause(list, cond);
	for (int i = 0; i < cond->n; i++)
	{
		if (!AddClauses(list, cond->children[i]))
			return false;
	}
	return true;
}

KeyClauses *
KeyConditionClauses(const ExprTree *expr, const Condition *cond, Problem *problem)
{
	KeyClauses *list = MakeClauses(expr, USUAL_CLAUSES, problem);

	return AddClauses(list, cond) ? list : NULL;
}

KeyClauses *
KeyConditionClausesWithIn(const ExprTree *expr, const Condition *cond)
{
	KeyClauses *list = MakeClauses(expr, USUAL_CLAUSES, NULL);

	list->with_in = true;
	return AddClauses(list, cond) ? list : NULL;
}

int
KeyClauseMembers(const KeyClauses *list, int i)
{
	return list->clauses[i].members;
}

bool
KeyClauseGet(const KeyClauses *list, int i, Slice *attribute, KeyTest *test)
{
	if (i >= list->n)
		return false;
	*attribute = list->clauses[i].attribute;
	*test = list->clauses[i].test;
	return true;
}

/* ---- clauses to the key schema ---- */

static const KeyClause *
FindClause(const KeyClauses *list, Slice attribute)
{
	for (int i = 0; i < list->n; i++)
	{
		if (SliceEqual(list->clauses[i].attribute, attribute))
			return &list->clauses[i];
	}
	return NULL;
}

/* Reports an error of one clause, or of none of them. */
static bool
ReportClause(const KeyClauses *list, const KeyClause *clause, ExprErrorCode code, Slice name)
{
	return ReportAt(list, clause ? clause->position : -1, code, name, MISSING_SLICE);
}

/*
 * Rules for keys with one partition attribute and at most one sort attribute.
 */
static bool
CheckSimpleKey(const KeyClauses *list, const KeySchema *schema)
{
	const KeyAttribute *hash = &schema->attributes[0];
	const KeyAttribute *range = &schema->attributes[1];
	const KeyClause *clause = FindClause(list, hash->name);

	if (clause == NULL)
		return ReportClause(list, NULL, EXPR_ERROR_KEY_MISSING, hash->name);
	if (clause->test.op != KEY_EQ)
		return ReportClause(list, clause, EXPR_ERROR_KEY_UNSUPPORTED, MISSING_SLICE);
	if (list->n == 1)
		return true;
	clause = &list->clauses[clause == &list->clauses[0] ? 1 : 0];
	if (schema->nsort == 0)
		return ReportClause(list, clause, EXPR_ERROR_KEY_UNSUPPORTED, MISSING_SLICE);
	return SliceEqual(clause->attribute, range->name) ||
		ReportClause(list, clause, EXPR_ERROR_KEY_MISSING, range->name);
}

/*
 * The schema attributes from..to that have no equality test, in the form "a,
 * b"; empty if there are none.
 */
static Slice
NamesWithoutEquality(const KeyClauses *list, const KeySchema *schema,
				int from, int to)
{
	StringInfoData names;

	initStringInfo(&names);
	for (int i = from; i < to; i++)
	{
		Slice		name = schema->attributes[i].name;
		const KeyClause *clause = FindClause(list, name);

		if (clause && clause->test.op == KEY_EQ)
			continue;
		if (names.len > 0)
			appendStringInfoString(&names, ", ");
		appendBinaryStringInfo(&names, name.data, name.len);
	}
	return (Slice) {names.data, (uint32) names.len};
}

/* Every clause must test an attribute of the schema. */
static bool
CheckClausesAreKeys(const KeyClauses *list, const KeySchema *schema)
{
	for (int i = 0; i < list->n; i++)
	{
		const KeyClause *clause = &list->clauses[i];
		bool		found = false;

		for (int j = 0; j < KeyCount(schema) && !found; j++)
			found = SliceEqual(clause->attribute, schema->attributes[j].name);
		if (!found)
			return ReportClause(list, clause, EXPR_ERROR_KEY_UNSUPPORTED, MISSING_SLICE);
	}
	return true;
}

/* Rules for keys with several partition or sort attributes. */
static bool
CheckMultiKey(const KeyClauses *list, const KeySchema *schema)
{
	int			total = KeyCount(schema);
	int			last = total - 1;
	Slice		names = NamesWithoutEquality(list, schema, 0, schema->npartition);

	if (names.len > 0)
		return ReportClause(list, NULL, EXPR_ERROR_KEY_PARTITION, names);
	if (!CheckClausesAreKeys(list, schema))
		return false;

	while (FindClause(list, schema->attributes[last].name) == NULL)
		last--;					/* ends at a partition attribute */
	names = NamesWithoutEquality(list, schema, schema->npartition, last);
	return names.len == 0 ||
		ReportAt(list, FindClause(list, schema->attributes[last].name)->position,
				 EXPR_ERROR_KEY_SORT, names, schema->attributes[last].name);
}

/* Takes the test of one attribute.  Its values must have the attribute's type. */
static bool
TakeTest(const KeyClauses *list, const KeyAttribute *attribute, KeyTest *test)
{
	const KeyClause *clause = FindClause(list, attribute->name);

	*test = clause != NULL ? clause->test : (KeyTest) {KEY_NONE, MISSING_VALUE, MISSING_VALUE};
	if (clause == NULL ||
		(ValueTypeOf(test->value) == attribute->type &&
		 (test->op != KEY_BETWEEN || ValueTypeOf(test->upper) == attribute->type)))
		return true;
	return ReportClause(list, clause, EXPR_ERROR_KEY_TYPE, MISSING_SLICE);
}

/* There cannot be more conditions than the key has attributes. */
static bool
CheckClauseCount(const KeyClauses *list, const KeySchema *schema)
{
	int			total = KeyCount(schema);

	if (list->expr == NULL)
		return list->n <= 2 || list->n <= total ||
			NoteInvalid(list->problem, "Conditions can be of length 1 or 2 only");
	return list->n <= total ||
		ReportAt(list, list->clauses[total].position, EXPR_ERROR_KEY_COUNT,
				 SliceOf(psprintf("%d", list->n)), SliceOf(psprintf("%d", total)));
}

KeyCondition *
KeyConditionMatch(const KeyClauses *clauses, const KeySchema *schema)
{
	KeyCondition *key = palloc0(sizeof(KeyCondition));
	bool		simple = schema->npartition == 1 && schema->nsort <= 1;

	if (!CheckClauseCount(clauses, schema))
		return NULL;
	if (simple ? !CheckSimpleKey(clauses, schema) : !CheckMultiKey(clauses, schema))
		return NULL;
	key->ntests = KeyCount(schema);
	for (int i = 0; i < key->ntests; i++)
	{
		if (!TakeTest(clauses, &schema->attributes[i], &key->tests[i]))
			return NULL;
	}
	return key;
}

KeyCondition *
KeyConditionBuild(const Slice *attributes, const KeyTest *tests, int n,
				  const KeySchema *schema)
{
	KeyClauses *list = MakeClauses(NULL, Max(n, 1), NULL);

	for (list->n = 0; list->n < n; list->n++)
	{
		if (tests[list->n].op == KEY_NONE)
			InvalidRequest("Attempted conditional constraint is not an indexable operation");
		list->clauses[list->n] = (KeyClause) {attributes[list->n], -1, tests[list->n]};
	}
	return KeyConditionMatch(list, schema);
}

/* ---- tests ---- */

bool
KeyTestMatches(const KeyTest *test, ValueRef value)
{
	switch (test->op)
	{
		case KEY_NONE:
			return true;
		case KEY_EQ:
			return ValueEqual(value, test->value);
		case KEY_LT:
			return CompareOrdered(value, test->value) < 0;
		case KEY_LE:
			return CompareOrdered(value, test->value) <= 0;
		case KEY_GT:
			return CompareOrdered(value, test->value) > 0;
		case KEY_GE:
			return CompareOrdered(value, test->value) >= 0;
		case KEY_BETWEEN:
			return CompareOrdered(test->value, value) <= 0 &&
				CompareOrdered(value, test->upper) <= 0;
		case KEY_BEGINS_WITH:
			return ValueBeginsWith(value, test->value);
	}
	elog(ERROR, "unknown key operator %d", (int) test->op);
}
