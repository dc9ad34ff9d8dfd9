/*
 * legacy.c
 *	  Legacy parameters, older than expressions.
 *
 *		Expected			{a: {Value | Exists | ComparisonOperator, ...}}
 *		QueryFilter, ...	{a: {ComparisonOperator, AttributeValueList}}
 *		AttributeUpdates	{a: {Action, Value}}
 *
 * Attribute names are taken literally: dots mean nothing in them.
 */
#include "postgres.h"

#include "errors.h"
#include "expr/build_tree.h"
#include "request/legacy.h"
#include "request/params.h"
#include "shuffle.h"

/* ---- comparison operators ---- */

typedef enum LegacyOperator
{
	LEGACY_EQ,
	LEGACY_NE,
	LEGACY_LE,
	LEGACY_LT,
	LEGACY_GE,
	LEGACY_GT,
	LEGACY_BETWEEN,
	LEGACY_IN,
	LEGACY_BEGINS_WITH,
	LEGACY_CONTAINS,
	LEGACY_NOT_CONTAINS,
	LEGACY_NULL,
	LEGACY_NOT_NULL
} LegacyOperator;

/* The types that an operator accepts. */
typedef enum LegacyTypes
{
	TYPES_ANY,
	TYPES_SCALAR,				/* S, N, B */
	TYPES_PREFIX				/* S, B */
} LegacyTypes;

typedef struct OperatorRule
{
	const char *name;
	int			min_values;
	int			max_values;		/* -1: any number */
	LegacyTypes types;
	KeyOperator key;			/* operator in KeyConditions; KEY_NONE if keys do not support it */
} OperatorRule;

static const OperatorRule operators[] = {
	[LEGACY_EQ] = {"EQ", 1, 1, TYPES_ANY, KEY_EQ},
	[LEGACY_NE] = {"NE", 1, 1, TYPES_ANY, KEY_NONE},
	[LEGACY_LE] = {"LE", 1, 1, TYPES_SCALAR, KEY_LE},
	[LEGACY_LT] = {"LT", 1, 1, TYPES_SCALAR, KEY_LT},
	[LEGACY_GE] = {"GE", 1, 1, TYPES_SCALAR, KEY_GE},
	[LEGACY_GT] = {"GT", 1, 1, TYPES_SCALAR, KEY_GT},
	[LEGACY_BETWEEN] = {"BETWEEN", 2, 2, TYPES_SCALAR, KEY_BETWEEN},
	[LEGACY_IN] = {"IN", 1, -1, TYPES_SCALAR, KEY_NONE},
	[LEGACY_BEGINS_WITH] = {"BEGINS_WITH", 1, 1, TYPES_PREFIX, KEY_BEGINS_WITH},
	[LEGACY_CONTAINS] = {"CONTAINS", 1, 1, TYPES_SCALAR, KEY_NONE},
	[LEGACY_NOT_CONTAINS] = {"NOT_CONTAINS", 1, 1, TYPES_SCALAR, KEY_NONE},
	[LEGACY_NULL] = {"NULL", 0, 0, TYPES_ANY, KEY_NONE},
	[LEGACY_NOT_NULL] = {"NOT_NULL", 0, 0, TYPES_ANY, KEY_NONE},
};

/* A comparison whose values have been read. */
typedef struct Comparison
{
	Slice		attribute;
	LegacyOperator op;
	int			n;
	ValueRef   *values;
} Comparison;

/* Finds an operator; the model has checked that it exists. */
static LegacyOperator
ReadOperator(const Field *structure)
{
	for (size_t i = 0; i < lengthof(operators); i++)
	{
		if (FieldIs(structure, "ComparisonOperator", operators[i].name))
			return (LegacyOperator) i;
	}
	elog(ERROR, "unknown comparison operator");
}

static bool
TypeIsAllowed(LegacyTypes types, ValueType type)
{
	switch (types)
	{
		case TYPES_SCALAR:
			return ValueTypeIsKey(type);
		case TYPES_PREFIX:
			return type == VALUE_S || type == VALUE_B;
		case TYPES_ANY:
			break;
	}
	return true;
}

static void
CheckComparison(const Comparison *c)
{
	const OperatorRule *rule = &operators[c->op];

	if (c->n < rule->min_values || (rule->max_values >= 0 && c->n > rule->max_values))
		InvalidParameter("Invalid number of argument(s) for the %s ComparisonOperator", rule->name);
	for (int i = 1; i < c->n; i++)
	{
		if (ValueTypeOf(c->values[i]) != ValueTypeOf(c->values[0]))
			InvalidParameter("AttributeValues inside AttributeValueList must be of same type");
	}
	if (c->n > 0 && !TypeIsAllowed(rule->types, ValueTypeOf(c->values[0])))
		InvalidParameter("ComparisonOperator %s is not valid for %s AttributeValue type",
						 rule->name, ValueTypeName(ValueTypeOf(c->values[0])));
	if (c->op == LEGACY_BETWEEN && ValueCompare(c->values[0], c->values[1]) > 0)
		InvalidRequest("The BETWEEN condition was provided a range where "
					   "the lower bound is greater than the upper bound");
}

/* Reads the values of a list, or the single value of a structure. */
static void
ReadValues(const Field *value, const Field *list, Comparison *c)
{
	c->n = value != NULL ? 1 : list != NULL ? list->count : 0;
	c->values = palloc(Max(c->n, 1) * sizeof(ValueRef));
	for (int i = 0; i < c->n; i++)
		c->values[i] = ItemRoot(FieldItem(value != NULL ? value : list->fields[i]));
}

static Condition *
BuildComparison(const Comparison *c)
{
	static const CompareOp compare[] = {
		[LEGACY_EQ] = COMPARISON_EQ, [LEGACY_NE] = COMPARISON_NE,
		[LEGACY_LE] = COMPARISON_LE, [LEGACY_LT] = COMPARISON_LT,
		[LEGACY_GE] = COMPARISON_GE, [LEGACY_GT] = COMPARISON_GT,
	};
	Condition **both;

	switch (c->op)
	{
		case LEGACY_BETWEEN:
			return ConditionBuildBetween(c->attribute, c->values[0], c->values[1]);
		case LEGACY_IN:
			return ConditionBuildIn(c->attribute, c->values, c->n);
		case LEGACY_BEGINS_WITH:
			return ConditionBuildBeginsWith(c->attribute, c->values[0]);
		case LEGACY_CONTAINS:
			return ConditionBuildContains(c->attribute, c->values[0]);
		case LEGACY_NOT_CONTAINS:
			/* this is false for a missing attribute, unlike NOT contains() */
			both = palloc(2 * sizeof(Condition *));
			both[0] = ConditionBuildExists(c->attribute, true);
			both[1] = ConditionBuildNot(ConditionBuildContains(c->attribute, c->values[0]));
			return ConditionBuildJoin(true, both, 2);
		case LEGACY_NULL:
		case LEGACY_NOT_NULL:
			return ConditionBuildExists(c->attribute, c->op == LEGACY_NOT_NULL);
		default:
			return ConditionBuildCompare(c->attribute, compare[c->op], c->values[0]);
	}
}

/* ---- names ---- */

static Slice
CheckedName(Slice name)
{
	if (name.len == 0)
		InvalidRequest("Empty attribute name");
	return name;
}

/* ---- filters ---- */

/*
 * Reads and checks the comparison of an entry of a filter or of KeyConditions.
 */
static void
ReadComparison(const Field *map, int i, Comparison *c)
{
	c->attribute = CheckedName(map->names[i]);
	c->op = ReadOperator(map->fields[i]);
	ReadValues(NULL, FieldMember(map->fields[i], "AttributeValueList"), c);
	CheckComparison(c);
}

static void
CheckConditionalOperator(const Field *input, const Field *map)
{
	if (FieldMember(input, "ConditionalOperator") == NULL)
		return;
	if (map == NULL || map->count == 0)
		InvalidRequest("ConditionalOperator cannot be used without Filter or Expected");
	if (map->count == 1)
		InvalidRequest("ConditionalOperator can only be used when Filter or Expected has two or more elements");
}

/* Joins the conditions of all attributes by ConditionalOperator. */
static Condition *
JoinComparisons(const Field *input, const Field *map,
			   Condition *(*build) (const Field *map, int i))
{
	Condition **conditions;

	CheckConditionalOperator(input, map);
	if (map == NULL || map->count == 0)
		return NULL;
	conditions = palloc(map->count * sizeof(Condition *));
	for (int i = 0; i < map->count; i++)
		conditions[i] = build(map, i);
	return ConditionBuildJoin(!FieldIs(input, "ConditionalOperator", "OR"),
							  conditions, map->count);
}

static Condition *
BuildFilter(const Field *map, int i)
{
	Comparison	c;

	ReadComparison(map, i, &c);
	return BuildComparison(&c);
}

Condition *
LegacyFilter(const Field *input, const char *member)
{
	return JoinComparisons(input, FieldMember(input, member), BuildFilter);
}

/* ---- Expected ---- */

/*
 * Converts an entry without an operator: the attribute must equal Value, or
 * must not exist.
 */
static LegacyOperator
CheckExists(const Field *expected, const char *name)
{
	const Field *value = FieldMember(expected, "Value");
	const Field *exists = FieldMember(expected, "Exists");

	if (FieldMember(expected, "AttributeValueList") != NULL)
		InvalidParameter("AttributeValueList can only be used with a ComparisonOperator for Attribute: %s", name);
	if (value == NULL && (exists == NULL || exists->boolean))
		InvalidParameter("Value must be provided when Exists is %s for Attribute: %s",
						 exists == NULL ? "null" : "true", name);
	if (value != NULL && exists != NULL && !exists->boolean)
		InvalidParameter("Value cannot be used when Exists is false for Attribute: %s", name);
	return value != NULL ? LEGACY_EQ : LEGACY_NULL;
}

static LegacyOperator
CheckExpectedOperator(const Field *expected, const char *name)
{
	LegacyOperator op = ReadOperator(expected);

	if (FieldMember(expected, "Exists") != NULL)
		InvalidParameter("Exists and ComparisonOperator cannot be used together for Attribute: %s", name);
	if (operators[op].min_values > 0 && FieldMember(expected, "Value") == NULL &&
		FieldMember(expected, "AttributeValueList") == NULL)
		InvalidParameter("Value or AttributeValueList must be used with ComparisonOperator: %s for Attribute: %s",
						 operators[op].name, name);
	return op;
}

/*
 * Returns the operator of an entry after checking that its members fit
 * together.
 */
static LegacyOperator
ExpectedOperator(const Field *map, int i)
{
	const Field *expected = map->fields[i];
	char	   *name = pnstrdup(map->names[i].data, map->names[i].len);

	if (FieldMember(expected, "Value") != NULL &&
		FieldMember(expected, "AttributeValueList") != NULL)
		InvalidParameter("Value and AttributeValueList cannot be used together for Attribute: %s", name);
	if (FieldMember(expected, "ComparisonOperator") != NULL)
		return CheckExpectedOperator(expected, name);
	return CheckExists(expected, name);
}

static Condition *
BuildExpected(const Field *map, int i)
{
	const Field *expected = map->fields[i];
	Comparison	c;

	c.attribute = CheckedName(map->names[i]);
	c.op = ExpectedOperator(map, i);
	ReadValues(FieldMember(expected, "Value"), FieldMember(expected, "AttributeValueList"), &c);
	CheckComparison(&c);
	return BuildComparison(&c);
}

Condition *
LegacyExpected(const Field *input)
{
	const Field *map = FieldMember(input, "Expected");

	/* the members of all entries are checked before any value */
	for (int i = 0; map != NULL && i < map->count; i++)
		(void) ExpectedOperator(map, i);
	return JoinComparisons(input, map, BuildExpected);
}

/* ---- KeyConditions ---- */

/* Reads the comparisons of KeyConditions, each checked like one of a filter. */
static Comparison *
ReadComparisons(const Field *map)
{
	Comparison *comparisons = palloc(Max(map->count, 1) * sizeof(Comparison));

	for (int i = 0; i < map->count; i++)
		ReadComparison(map, i, &comparisons[i]);
	return comparisons;
}

/*
 * Allows as many conditions as the key of an index can have.  Whether this key
 * has as many attributes is checked when the table is open.
 */
void
LegacyKeyConditions(const Field *input, ReadOp *op)
{
	const Field *map = FieldMember(input, "KeyConditions");
	Comparison *comparisons;

	if (map == NULL)
		return;
	comparisons = ReadComparisons(map);
	if (map->count == 0 || map->count > (op->index_name == NULL ? 2 : KEY_MAX_ATTRIBUTES))
		InvalidRequest("Conditions can be of length 1 or 2 only");
	op->key_tests_given = true;
	op->nkey_tests = map->count;
	for (int i = 0; i < map->count; i++)
	{
		const Comparison *c = &comparisons[i];

		op->key_attributes[i] = c->attribute;
		op->key_tests[i].op = operators[c->op].key;
		op->key_tests[i].value = c->n > 0 ? c->values[0] : MISSING_VALUE;
		op->key_tests[i].upper = c->n > 1 ? c->values[1] : MISSING_VALUE;
	}
}

/* ---- AttributeUpdates ---- */

static UpdateAction
ReadUpdateAction(const Field *change)
{
	if (FieldIs(change, "Action", "ADD"))
		return ACTION_ADD;
	if (FieldIs(change, "Action", "DELETE"))
		return FieldMember(change, "Value") != NULL ? ACTION_DELETE : ACTION_REMOVE;
	return ACTION_SET;
}

static void
CheckUpdateValue(UpdateAction action, ValueRef value)
{
	ValueType	type;

	if (action == ACTION_REMOVE)
		return;
	if (ValueIsMissing(value))
		InvalidParameter("Only DELETE action is allowed when no attribute value is specified");
	type = ValueTypeOf(value);
	if (action == ACTION_DELETE && !ValueTypeIsSet(type))
		InvalidParameter("DELETE action with value is not supported for the type %s",
						 ValueTypeName(type));
	if (action == ACTION_ADD && !ValueTypeIsSet(type) && type != VALUE_N && type != VALUE_L)
		InvalidParameter("ADD action is not supported for the type %s", ValueTypeName(type));
}

/* A member of AttributeUpdates. */
typedef struct AttributeUpdate
{
	Slice		name;
	UpdateAction action;
	ValueRef	value;
} AttributeUpdate;

static int
CompareAttributeUpdates(const void *a, const void *b)
{
	return SliceCompare(((const AttributeUpdate *) a)->name, ((const AttributeUpdate *) b)->name);
}

/* Actions in the order of their attributes are added in linear time. */
Update *
LegacyUpdates(const Field *input)
{
	const Field *map = FieldMember(input, "AttributeUpdates");
	AttributeUpdate *updates;
	Update	   *update;

	if (map == NULL || map->count == 0)
		return NULL;
	updates = palloc(map->count * sizeof(AttributeUpdate));
	for (int i = 0; i < map->count; i++)
	{
		const Field *field = FieldMember(map->fields[i], "Value");
		ValueRef	value = field != NULL ? ItemRoot(FieldItem(field)) : MISSING_VALUE;
		UpdateAction action = ReadUpdateAction(map->fields[i]);

		CheckUpdateValue(action, value);
		updates[i] = (AttributeUpdate) {CheckedName(map->names[i]), action, value};
	}
	Shuffle(updates, map->count, sizeof(AttributeUpdate));
	qsort(updates, map->count, sizeof(AttributeUpdate), CompareAttributeUpdates);
	update = UpdateBuild(map->count);
	for (int i = 0; i < map->count; i++)
		UpdateBuildAction(update, updates[i].action, updates[i].name, updates[i].value);
	return update;
}

/* ---- AttributesToGet ---- */

Projection *
LegacyProjection(const Field *input)
{
	const Field *list = FieldMember(input, "AttributesToGet");
	Slice	   *names;

	if (list == NULL)
		return NULL;
	names = palloc(list->count * sizeof(Slice));
	for (int i = 0; i < list->count; i++)
	{
		names[i] = CheckedName(list->fields[i]->string);
		for (int j = 0; j < i; j++)
		{
			if (SliceCompare(names[i], names[j]) == 0)
				InvalidParameter("Duplicate value in attribute name: %.*s",
								 (int) names[i].len, names[i].data);
		}
	}
	return ProjectionOfNames(names, list->count);
}
