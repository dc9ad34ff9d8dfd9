/*
 * key_condition.c
 *	  Key conditions: a condition restricted to what an index can answer.
 *
 * A key condition is bound as any other condition, so that it has the same
 * static checks.  Its predicates are then turned into clauses, one for each
 * key attribute, which is where the restrictions that need no key schema are
 * checked; and the clauses are matched with the key schema.
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "miscadmin.h"

#include "errors.h"
#include "expr/condition.h"

/* What is said of one attribute. */
typedef struct KeyClause
{
	Slice		attribute;
	int			position;
	KeyTest		test;
} KeyClause;

struct KeyClauses
{
	const Expr *expr;			/* NULL: built without one */
	int			n;
	int			capacity;
	KeyClause  *clauses;
};

/* Most conditions have no more clauses. */
#define USUAL_CLAUSES	2

static KeyClauses *
MakeClauses(const Expr *expr, int capacity)
{
	KeyClauses *list = palloc(sizeof(KeyClauses));

	list->expr = expr;
	list->n = 0;
	list->capacity = capacity;
	list->clauses = palloc(capacity * sizeof(KeyClause));
	return list;
}

static void
RaiseAt(const Expr *expr, int position, ExprErrorCode code,
		Slice one, Slice two)
{
	ExprError	error = {.code = code, .one = one, .two = two};

	error.position = expr ? position : -1;
	ExprRaise(EXPR_KEY_CONDITION, expr ? expr->text : one, &error);
}

/* Raises an error of one predicate, which may name its operator. */
static void
ClauseError(const KeyClauses *list, const Condition *cond, ExprErrorCode code)
{
	Slice		none = {NULL, 0};

	RaiseAt(list->expr, cond->node->position, code,
			ConditionOperatorName(cond->node), none);
}

/* ---- predicates to clauses ---- */

static void
CheckKeyOperator(const KeyClauses *list, const Condition *cond)
{
	if (cond->kind == CONDITION_BETWEEN ||
		cond->kind == CONDITION_BEGINS_WITH ||
		(cond->kind == CONDITION_COMPARE && cond->op != COMPARISON_NE))
		return;
	ClauseError(list, cond, EXPR_ERROR_KEY_OPERATOR);
}

/* Exactly one operand is a path, it is a plain name, the rest are values. */
static void
CheckKeyOperands(const KeyClauses *list, const Condition *cond)
{
	int			paths = 0;

	for (int i = 0; i < cond->n; i++)
	{
		const Operand *o = &cond->operands[i];

		if (o->kind == OPERAND_SIZE_OF_PATH || o->kind == OPERAND_SIZE_OF_VALUE)
			ClauseError(list, cond, EXPR_ERROR_KEY_NESTED_FUNCTION);
		if (o->kind == OPERAND_PATH && o->path.n > 1)
			ClauseError(list, cond, EXPR_ERROR_KEY_NESTED_PATH);
		if (o->kind == OPERAND_PATH)
			paths++;
	}
	if (paths == 0)
		ClauseError(list, cond, EXPR_ERROR_KEY_NO_ATTRIBUTE);
	if (paths > 1)
		ClauseError(list, cond, EXPR_ERROR_KEY_TWO_NAMES);
	if (cond->kind != CONDITION_COMPARE &&
		cond->operands[0].kind != OPERAND_PATH)
		ClauseError(list, cond, EXPR_ERROR_KEY_NOT_FIRST);
}

/* The operator of a comparison; flipped: the key is its right operand. */
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
PredicateTest(const Condition *cond)
{
	const Operand *o = cond->operands;
	bool		flipped = o[0].kind != OPERAND_PATH;
	KeyTest		test = {KEY_NONE, MISSING_VALUE, MISSING_VALUE};

	test.value = o[flipped ? 0 : 1].value;
	if (cond->kind == CONDITION_COMPARE)
		test.op = CompareKeyOperator(cond->op, flipped);
	else if (cond->kind == CONDITION_BEGINS_WITH)
		test.op = KEY_BEGINS_WITH;
	else
	{
		test.op = KEY_BETWEEN;
		test.upper = o[2].value;
	}
	return test;
}

static void
AddClause(KeyClauses *list, const Condition *cond)
{
	const Operand *o = cond->operands;
	KeyClause  *clause;

	CheckKeyOperator(list, cond);
	CheckKeyOperands(list, cond);
	if (o->kind != OPERAND_PATH)
		o++;
	for (int i = 0; i < list->n; i++)
	{
		if (SliceEqual(list->clauses[i].attribute, o->path.elements[0].name))
			ClauseError(list, cond, EXPR_ERROR_KEY_TWICE);
	}
	if (list->n == list->capacity)
	{
		list->capacity *= 2;
		list->clauses = repalloc(list->clauses, list->capacity * sizeof(KeyClause));
	}
	clause = &list->clauses[list->n++];
	clause->attribute = o->path.elements[0].name;
	clause->position = cond->node->position;
	clause->test = PredicateTest(cond);
}

static void
AddClauses(KeyClauses *list, const Condition *cond)
{
	check_stack_depth();
	if (cond->kind == CONDITION_OR || cond->kind == CONDITION_NOT)
		ClauseError(list, cond, EXPR_ERROR_KEY_OPERATOR);
	if (cond->kind != CONDITION_AND)
	{
		AddClause(list, cond);
		return;
	}
	for (int i = 0; i < cond->n; i++)
		AddClauses(list, cond->children[i]);
}

KeyClauses *
KeyConditionClauses(const Expr *expr, const Condition *cond)
{
	KeyClauses *list = MakeClauses(expr, USUAL_CLAUSES);

	AddClauses(list, cond);
	return list;
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

static void
SchemaError(const KeyClauses *list, const KeyClause *clause,
			ExprErrorCode code, Slice one, Slice two)
{
	RaiseAt(list->expr, clause ? clause->position : -1, code, one, two);
}

/* Rules for one partition attribute and at most one sort attribute. */
static void
CheckSimpleKey(const KeyClauses *list, const KeySchema *schema)
{
	const KeyAttribute *hash = &schema->attributes[0];
	const KeyAttribute *range = &schema->attributes[1];
	const KeyClause *clause = FindClause(list, hash->name);
	Slice		none = {NULL, 0};

	if (list->n > 2)
		SchemaError(list, &list->clauses[2], EXPR_ERROR_KEY_COUNT, none, none);
	if (clause == NULL)
		SchemaError(list, NULL, EXPR_ERROR_KEY_MISSING, hash->name, none);
	if (clause->test.op != KEY_EQ)
		SchemaError(list, clause, EXPR_ERROR_KEY_UNSUPPORTED, none, none);
	if (list->n == 1)
		return;
	clause = &list->clauses[clause == &list->clauses[0] ? 1 : 0];
	if (schema->nsort == 0)
		SchemaError(list, clause, EXPR_ERROR_KEY_UNSUPPORTED, none, none);
	if (!SliceEqual(clause->attribute, range->name))
		SchemaError(list, clause, EXPR_ERROR_KEY_MISSING, range->name, none);
}

/*
 * The attributes from..to of the schema that have no equality, as
 * "a, b"; empty if there is none.
 */
static Slice
WithoutEquality(const KeyClauses *list, const KeySchema *schema,
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

/* Every clause must be of an attribute of the schema. */
static void
CheckClausesAreKeys(const KeyClauses *list, const KeySchema *schema)
{
	Slice		none = {NULL, 0};

	for (int i = 0; i < list->n; i++)
	{
		const KeyClause *clause = &list->clauses[i];
		bool		found = false;

		for (int j = 0; j < schema->npartition + schema->nsort && !found; j++)
			found = SliceEqual(clause->attribute, schema->attributes[j].name);
		if (!found)
			SchemaError(list, clause, EXPR_ERROR_KEY_UNSUPPORTED, none, none);
	}
}

/* Rules for keys of several attributes. */
static void
CheckMultiKey(const KeyClauses *list, const KeySchema *schema)
{
	int			total = schema->npartition + schema->nsort;
	int			last = total - 1;
	Slice		names = WithoutEquality(list, schema, 0, schema->npartition);
	Slice		none = {NULL, 0};

	if (names.len > 0)
		SchemaError(list, NULL, EXPR_ERROR_KEY_PARTITION, names, none);
	CheckClausesAreKeys(list, schema);

	while (FindClause(list, schema->attributes[last].name) == NULL)
		last--;					/* ends at a partition attribute */
	names = WithoutEquality(list, schema, schema->npartition, last);
	if (names.len > 0)
		SchemaError(list, FindClause(list, schema->attributes[last].name),
					EXPR_ERROR_KEY_SORT, names, schema->attributes[last].name);
}

/* The test of one attribute; values must be of its type. */
static KeyTest
AttributeTest(const KeyClauses *list, const KeyAttribute *attribute)
{
	const KeyClause *clause = FindClause(list, attribute->name);
	Slice		none = {NULL, 0};

	if (clause == NULL)
		return (KeyTest) {KEY_NONE, MISSING_VALUE, MISSING_VALUE};
	if (ValueTypeOf(clause->test.value) != attribute->type ||
		(clause->test.op == KEY_BETWEEN &&
		 ValueTypeOf(clause->test.upper) != attribute->type))
		SchemaError(list, clause, EXPR_ERROR_KEY_TYPE, none, none);
	return clause->test;
}

KeyCondition *
KeyConditionMatch(const KeyClauses *clauses, const KeySchema *schema)
{
	KeyCondition *key = palloc0(sizeof(KeyCondition));

	if (schema->npartition == 1 && schema->nsort <= 1)
		CheckSimpleKey(clauses, schema);
	else
		CheckMultiKey(clauses, schema);
	key->ntests = schema->npartition + schema->nsort;
	for (int i = 0; i < key->ntests; i++)
		key->tests[i] = AttributeTest(clauses, &schema->attributes[i]);
	return key;
}

KeyCondition *
KeyConditionBuild(const Slice *attributes, const KeyTest *tests, int n,
				  const KeySchema *schema)
{
	KeyClauses *list = MakeClauses(NULL, Max(n, 1));

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
