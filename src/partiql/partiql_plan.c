/*
 * partiql_plan.c
 *	  Derives the keys that a statement reads from its condition.
 *
 * A condition is split into conjuncts, the operands of its outermost ANDs.  A
 * key takes conjuncts that compare one of its attributes with values:
 *
 *	partition	=, IN, and ORs of these: the partitions to read
 *	sort		=, <, <=, >, >=, BETWEEN, begins_with, IN: one range
 *
 * A range can be wider than its conjuncts (of two exclusive bounds, of IN).
 * These conjuncts then also remain in the filter.
 */
#include "postgres.h"

#include "errors.h"
#include "expr/condition.h"
#include "item/builder.h"
#include "partiql/partiql.h"

/* The conjuncts of a condition.  Conjuncts that a key has taken are NULL. */
typedef struct Conjuncts
{
	int			n;
	Condition **list;
	Problem    *problem;		/* NULL: it is raised */
} Conjuncts;

/* ---- conjuncts ---- */

static int
CountConjuncts(const Condition *cond)
{
	int			n = 0;

	if (cond->kind != CONDITION_AND)
		return 1;
	for (int i = 0; i < cond->n; i++)
		n += CountConjuncts(cond->children[i]);
	return n;
}

static void
AddConjuncts(Conjuncts *c, Condition *cond)
{
	if (cond->kind != CONDITION_AND)
	{
		c->list[c->n++] = cond;
		return;
	}
	for (int i = 0; i < cond->n; i++)
		AddConjuncts(c, cond->children[i]);
}

static void
InitConjuncts(Conjuncts *c, Condition *where)
{
	c->n = 0;
	if (where == NULL)
		return;
	c->list = palloc(CountConjuncts(where) * sizeof(Condition *));
	AddConjuncts(c, where);
}

/* Joins the remaining conjuncts into one condition; NULL if none is left. */
static Condition *
JoinRemaining(const Conjuncts *c)
{
	Condition **rest = palloc(Max(c->n, 1) * sizeof(Condition *));
	int			n = 0;

	for (int i = 0; i < c->n; i++)
	{
		if (c->list[i] != NULL)
			rest[n++] = c->list[i];
	}
	if (n <= 1)
		return n == 1 ? rest[0] : NULL;
	return ConditionBuildJoin(true, rest, n);
}

/* ---- predicates on one attribute ---- */

static bool
IsAttribute(const Operand *o, Slice name)
{
	return o->kind == OPERAND_PATH && o->path.n == 1 &&
		SliceEqual(o->path.elements[0].name, name);
}

static bool
AreAllValues(const Operand *operands, int n)
{
	for (int i = 0; i < n; i++)
	{
		if (operands[i].kind != OPERAND_VALUE)
			return false;
	}
	return true;
}

/* Whether a condition compares the attribute with a value, on either side. */
static bool
ComparesAttribute(const Condition *cond, Slice name, CompareOp *op, ValueRef *value)
{
	/* The operators with their operands exchanged. */
	static const CompareOp flipped[] = {
		[COMPARISON_EQ] = COMPARISON_EQ,
		[COMPARISON_NE] = COMPARISON_NE,
		[COMPARISON_LT] = COMPARISON_GT,
		[COMPARISON_LE] = COMPARISON_GE,
		[COMPARISON_GT] = COMPARISON_LT,
		[COMPARISON_GE] = COMPARISON_LE,
	};
	const Operand *o = cond->operands;
	bool		flip;

	if (cond->kind != CONDITION_COMPARE)
		return false;
	flip = IsAttribute(&o[1], name);
	if (!flip && !IsAttribute(&o[0], name))
		return false;
	if (!AreAllValues(flip ? &o[0] : &o[1], 1))
		return false;
	*op = flip ? flipped[cond->op] : cond->op;
	*value = flip ? o[0].value : o[1].value;
	return true;
}

static bool
ComparesEqual(const Condition *cond, Slice name, ValueRef *value)
{
	CompareOp	op;

	return ComparesAttribute(cond, name, &op, value) && op == COMPARISON_EQ;
}

/* Whether a condition is "attribute IN (values)". */
static bool
IsInValues(const Condition *cond, Slice name)
{
	return cond->kind == CONDITION_IN && IsAttribute(&cond->operands[0], name) &&
		AreAllValues(&cond->operands[1], cond->n - 1);
}

/* ---- a full key ---- */

/* Takes the first equality test of an attribute. */
static bool
TakeEquality(Conjuncts *c, Slice name, ValueRef *value)
{
	for (int i = 0; i < c->n; i++)
	{
		if (c->list[i] == NULL || !ComparesEqual(c->list[i], name, value))
			continue;
		c->list[i] = NULL;
		return true;
	}
	return false;
}

bool
StatementFullKey(Condition *where, const KeySchema *schema,
				 struct varlena **key, Condition **rest)
{
	ItemBuilder *b = ItemBuilderCreate(0, DUPLICATE_NAME_ERROR);
	Conjuncts	c;

	InitConjuncts(&c, where);
	ItemBuilderBeginMap(b);
	for (int i = 0; i < KeyCount(schema); i++)
	{
		Slice		name = schema->attributes[i].name;
		ValueRef	value;

		if (!TakeEquality(&c, name, &value))
			return false;
		ItemBuilderName(b, name.data, name.len);
		ItemBuilderValue(b, value);
	}
	ItemBuilderEnd(b);
	*key = ItemBuilderFinish(b);
	*rest = JoinRemaining(&c);
	return true;
}

/* ---- some attributes ---- */

void
StatementTakeEqualities(Condition *where, const Slice *names, int n, struct varlena **taken, Condition **rest)
{
	ItemBuilder *b = ItemBuilderCreate(0, DUPLICATE_NAME_ERROR);
	Conjuncts	c;

	InitConjuncts(&c, where);
	ItemBuilderBeginMap(b);
	for (int i = 0; i < n; i++)
	{
		ValueRef	value;

		if (!TakeEquality(&c, names[i], &value))
			continue;
		ItemBuilderName(b, names[i].data, names[i].len);
		ItemBuilderValue(b, value);
	}
	ItemBuilderEnd(b);
	*taken = ItemBuilderFinish(b);
	*rest = JoinRemaining(&c);
}

/* Returns the attribute that a conjunct compares with a value by "="; data is NULL if it does not. */
static Slice
AttributeOfEquality(const Condition *cond, ValueRef *value)
{
	for (int i = 0; cond->kind == CONDITION_COMPARE && i < 2; i++)
	{
		const Operand *o = &cond->operands[i];

		if (o->kind == OPERAND_PATH && o->path.n == 1 && ComparesEqual(cond, o->path.elements[0].name, value))
			return o->path.elements[0].name;
	}
	return MISSING_SLICE;
}

struct varlena *
StatementEqualities(Condition *where)
{
	ItemBuilder *b = ItemBuilderCreate(0, DUPLICATE_NAME_LAST);
	Conjuncts	c;

	InitConjuncts(&c, where);
	ItemBuilderBeginMap(b);
	for (int i = c.n - 1; i >= 0; i--)	/* TakeEquality takes the first */
	{
		ValueRef	value;
		Slice		name = AttributeOfEquality(c.list[i], &value);

		if (name.data == NULL)
			continue;
		ItemBuilderName(b, name.data, name.len);
		ItemBuilderValue(b, value);
	}
	ItemBuilderEnd(b);
	return ItemBuilderFinish(b);
}

/* ---- partitions ---- */

/* The values that a conjunct allows for an attribute. */
typedef struct ValueList
{
	int			n;
	ValueRef	values[STATEMENT_MAX_KEY_IN];
	Problem    *problem;		/* that of the conjuncts */
} ValueList;

static bool
NoteTooManyPartitions(Problem *problem)
{
	return NoteInvalid(problem, "Too many decomposed read operations for a given query.");
}

/*
 * Adds a value unless it is already in the list.  Returns false if the list is
 * full.
 */
static bool
AddDistinctValue(ValueList *list, ValueRef value)
{
	for (int i = 0; i < list->n; i++)
	{
		if (ValueEqual(list->values[i], value))
			return true;
	}
	if (list->n == STATEMENT_MAX_KEY_IN)
		return false;
	list->values[list->n++] = value;
	return true;
}

static bool
AddInValues(const Condition *cond, ValueList *list)
{
	if (cond->n - 1 > STATEMENT_MAX_KEY_IN)
		return NoteTooManyPartitions(list->problem);
	for (int i = 1; i < cond->n; i++)
	{
		if (!AddDistinctValue(list, cond->operands[i].value))
			return false;
	}
	return true;
}

/*
 * Adds the values that a conjunct allows for an attribute.  Returns false if
 * it allows others.
 */
static bool
CollectValues(const Condition *cond, Slice name, ValueList *list)
{
	ValueRef	value;

	if (ComparesEqual(cond, name, &value))
		return AddDistinctValue(list, value);
	if (IsInValues(cond, name))
		return AddInValues(cond, list);
	if (cond->kind != CONDITION_OR)
		return false;
	for (int i = 0; i < cond->n; i++)
	{
		if (!CollectValues(cond->children[i], name, list))
			return false;
	}
	return true;
}

/* Takes the first conjunct that limits an attribute to a list of values. */
static bool
TakeValues(Conjuncts *c, Slice name, ValueList *list)
{
	for (int i = 0; i < c->n; i++)
	{
		list->n = 0;
		if (c->list[i] == NULL || !CollectValues(c->list[i], name, list))
			continue;
		c->list[i] = NULL;
		return true;
	}
	return false;
}

/*
 * Combines every partition with every value of one more attribute.  Returns
 * false if a problem is noted.
 */
static bool
MultiplyPartitions(StatementRange *range, int attribute, const ValueList *list)
{
	int			n = attribute == 0 ? 1 : range->npartitions;
	ValueRef  (*product)[KEY_MAX_ATTRIBUTES];

	if (n * list->n > STATEMENT_MAX_KEY_IN)
		return NoteTooManyPartitions(list->problem);
	product = palloc(n * list->n * sizeof(*product));
	for (int i = 0; i < n * list->n; i++)
	{
		if (attribute > 0)
			memcpy(product[i], range->partitions[i / list->n], sizeof(*product));
		product[i][attribute] = list->values[i % list->n];
	}
	range->partitions = product;
	range->npartitions = n * list->n;
	return true;
}

/*
 * Takes conjuncts that limit all partition attributes to values; takes nothing
 * if an attribute has none.
 */
static bool
TakePartitions(Conjuncts *c, const KeySchema *schema, StatementRange *range)
{
	ValueList  *list = palloc(sizeof(ValueList));
	Conjuncts	taken = {c->n, palloc(Max(c->n, 1) * sizeof(Condition *)), c->problem};

	list->problem = c->problem;
	if (c->n > 0)
		memcpy(taken.list, c->list, c->n * sizeof(Condition *));
	for (int i = 0; i < schema->npartition; i++)
	{
		if (!TakeValues(&taken, schema->attributes[i].name, list) ||
			!MultiplyPartitions(range, i, list))
		{
			range->npartitions = 0;
			return false;
		}
	}
	*c = taken;
	pfree(list);
	return true;
}

/* ---- the range of a sort attribute ---- */

/* The bounds of the conjuncts; data is NULL if there is no bound. */
typedef struct SortBounds
{
	Problem    *problem;		/* that of the conjuncts */
	bool		exact;			/* the bounds express the conjuncts completely */
	ValueRef	lower;
	ValueRef	upper;
	bool		lower_open;
	bool		upper_open;
} SortBounds;

/* Narrows a bound.  The sign tells which of two bounds is narrower. */
static void
NarrowBound(ValueRef *bound, bool *open, int sign, ValueRef value, bool value_open)
{
	int			order = ValueIsMissing(*bound) ? 1 : sign * CompareOrdered(value, *bound);

	if (order > 0)
	{
		*bound = value;
		*open = value_open;
	}
	else if (order == 0)
		*open = *open || value_open;
}

static void
NarrowByCompare(SortBounds *b, CompareOp op, ValueRef value)
{
	if (op == COMPARISON_GT || op == COMPARISON_GE)
		NarrowBound(&b->lower, &b->lower_open, 1, value, op == COMPARISON_GT);
	else
		NarrowBound(&b->upper, &b->upper_open, -1, value, op == COMPARISON_LT);
}

static bool
CheckSortType(const KeyAttribute *attribute, ValueRef value, Problem *problem)
{
	return ValueTypeOf(value) == attribute->type ||
		NoteInvalid(problem, DYNAMO_INVALID_PARAMETERS "Condition parameter type does not match schema type");
}

/*
 * Applies a comparison or BETWEEN on the attribute; false for other conjuncts.
 */
static bool
ApplyConjunct(SortBounds *b, const Condition *cond, const KeyAttribute *attribute)
{
	CompareOp	op;
	ValueRef	value;

	if (ComparesAttribute(cond, attribute->name, &op, &value) && op >= COMPARISON_LT)
	{
		if (CheckSortType(attribute, value, b->problem))
			NarrowByCompare(b, op, value);
		return true;
	}
	if (cond->kind != CONDITION_BETWEEN || !IsAttribute(&cond->operands[0], attribute->name) ||
		!AreAllValues(&cond->operands[1], 2))
		return false;
	for (int i = 1; i <= 2; i++)
	{
		if (!CheckSortType(attribute, cond->operands[i].value, b->problem))
			return true;
	}
	NarrowByCompare(b, COMPARISON_GE, cond->operands[1].value);
	NarrowByCompare(b, COMPARISON_LE, cond->operands[2].value);
	return true;
}

/*
 * Applies the least and the greatest value of IN, if all have the key's type.
 */
static void
ApplyIn(SortBounds *b, const Condition *cond, const KeyAttribute *attribute)
{
	ValueRef	least = MISSING_VALUE;
	ValueRef	greatest = MISSING_VALUE;

	for (int i = 1; i < cond->n; i++)
	{
		ValueRef	v = cond->operands[i].value;

		if (ValueTypeOf(v) != attribute->type)
			return;
		if (ValueIsMissing(least) || CompareOrdered(v, least) < 0)
			least = v;
		if (ValueIsMissing(greatest) || CompareOrdered(v, greatest) > 0)
			greatest = v;
	}
	NarrowByCompare(b, COMPARISON_GE, least);
	NarrowByCompare(b, COMPARISON_LE, greatest);
	b->exact = false;
}

/*
 * One test for the bounds.  Two bounds become BETWEEN, even if one is
 * exclusive.
 */
static KeyTest
MakeRangeTest(SortBounds *b)
{
	bool		both = !ValueIsMissing(b->lower) && !ValueIsMissing(b->upper);

	if (both)
	{
		if (b->lower_open || b->upper_open)
			b->exact = false;
		return (KeyTest) {KEY_BETWEEN, b->lower, b->upper};
	}
	if (!ValueIsMissing(b->lower))
		return (KeyTest) {b->lower_open ? KEY_GT : KEY_GE, b->lower, MISSING_VALUE};
	if (!ValueIsMissing(b->upper))
		return (KeyTest) {b->upper_open ? KEY_LT : KEY_LE, b->upper, MISSING_VALUE};
	return (KeyTest) {KEY_NONE, MISSING_VALUE, MISSING_VALUE};
}

/* Takes the first begins_with on an attribute. */
static bool
TakePrefix(Conjuncts *c, const KeyAttribute *attribute, KeyTest *test)
{
	for (int i = 0; i < c->n; i++)
	{
		const Condition *cond = c->list[i];

		if (cond == NULL || cond->kind != CONDITION_BEGINS_WITH ||
			!IsAttribute(&cond->operands[0], attribute->name) ||
			!AreAllValues(&cond->operands[1], 1))
			continue;
		(void) CheckSortType(attribute, cond->operands[1].value, c->problem);
		*test = (KeyTest) {KEY_BEGINS_WITH, cond->operands[1].value, MISSING_VALUE};
		c->list[i] = NULL;
		return true;
	}
	return false;
}

static KeyTest
TakeBounds(Conjuncts *c, const KeyAttribute *attribute)
{
	SortBounds	bounds = {c->problem, true, MISSING_VALUE, MISSING_VALUE, false, false};
	bool	   *used = palloc0(Max(c->n, 1) * sizeof(bool));
	KeyTest		test;

	for (int i = 0; i < c->n; i++)
	{
		if (c->list[i] == NULL)
			continue;
		used[i] = ApplyConjunct(&bounds, c->list[i], attribute);
		if (!used[i] && IsInValues(c->list[i], attribute->name))
			ApplyIn(&bounds, c->list[i], attribute);
	}
	test = MakeRangeTest(&bounds);
	for (int i = 0; i < c->n; i++)
	{
		if (used[i] && bounds.exact)
			c->list[i] = NULL;
	}
	pfree(used);
	return test;
}

/* Takes equality tests of the leading sort attributes, then one range. */
static void
TakeSort(Conjuncts *c, const KeySchema *schema, StatementRange *range)
{
	for (int i = 0; i < schema->nsort; i++)
	{
		const KeyAttribute *attribute = &schema->attributes[schema->npartition + i];
		KeyTest    *test = &range->tests[i];
		bool		equal = TakeEquality(c, attribute->name, &test->value);

		if (equal)
		{
			(void) CheckSortType(attribute, test->value, c->problem);
			test->op = KEY_EQ;
			test->upper = MISSING_VALUE;
		}
		else if (!TakePrefix(c, attribute, test))
			*test = TakeBounds(c, attribute);
		if (test->op != KEY_NONE)
			range->ntests = i + 1;
		if (!equal)
			break;
	}
}

bool
StatementRangeOf(Condition *where, const KeySchema *schema, StatementRange *range, Problem *problem)
{
	Conjuncts	c;

	memset(range, 0, sizeof(*range));
	InitConjuncts(&c, where);
	c.problem = problem;
	if (TakePartitions(&c, schema, range))
		TakeSort(&c, schema, range);
	range->filter = JoinRemaining(&c);
	return !ProblemIsNoted(problem);
}
