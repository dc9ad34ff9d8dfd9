/*
 * parts_condition.c
 *	  Key conditions on the parts of an entity's keys.
 *
 *		kind = :k AND customer_id = :c AND order_id BETWEEN :first AND :last
 *
 * It is planned as an access pattern of this entity, whose parameters are the values, and so
 * reads one range of one index.  What the range contains of other kinds is filtered out.
 */
#include "postgres.h"

#include "errors.h"
#include "expr/build_tree.h"
#include "item/builder.h"
#include "parts/parts.h"
#include "pattern/pattern.h"
#include "table/moves.h"
#include "view/made_attributes.h"

/* Details do not list more entities than this. */
#define MAX_DESCRIBED	10

typedef struct PartsQuery
{
	const KeyClauses *given;
	PatternTarget target;		/* its entity is set when it is found */
	AccessPattern pattern;		/* parameters are named by numbers */
	int			nclauses;
	PatternClause *clauses;
	ValueRef   *values;			/* of the parameters */
} PartsQuery;

/* ---- whether a condition is one on parts of an entity ---- */

static bool
KeyHasPart(const Template *template, Slice name)
{
	for (int i = 0; template != NULL && i < template->npieces; i++)
	{
		if (template->pieces[i].part != NULL && SliceEqual(template->pieces[i].part->name, name))
			return true;
	}
	return false;
}

/* Whether a name or the other name of this attribute is what the keys have. */
static bool
IsNamed(const Entity *entity, Slice given, Slice name)
{
	return SliceEqual(given, name) || SliceEqual(AttributeOtherName(entity, given), name);
}

/* Whether an attribute, or its other name, is a part of a template. */
static bool
HasPartOfEitherName(const Entity *entity, const Template *template, Slice name)
{
	Slice		other = AttributeOtherName(entity, name);

	return KeyHasPart(template, name) || (other.data != NULL && KeyHasPart(template, other));
}

/* Whether an attribute is a part of the key that is read, or one of its attributes. */
static bool
IsPartOfTarget(const PatternTarget *target, const Entity *entity, Slice name)
{
	for (int i = 0; i < KeyCount(target->key); i++)
	{
		const KeyAttribute *attribute = &target->key->attributes[i];
		const Template *template = PatternTemplate(target, entity, attribute);

		if (HasPartOfEitherName(entity, template, name) || (template == NULL && SliceEqual(attribute->name, name)))
			return true;
	}
	return false;
}

static bool
NamesPartOf(const Entity *entity, Slice name)
{
	for (int i = 0; i < entity->nkeys; i++)
	{
		if (HasPartOfEitherName(entity, entity->keys[i].template, name))
			return true;
	}
	return IsTypeAttribute(entity, name);
}

/* Whether a clause names a part of a key of an entity, or its type attribute. */
static bool
ConditionNames(const PartsQuery *q, const Entity *entity)
{
	Slice		name;
	KeyTest		test;

	for (int i = 0; KeyClauseGet(q->given, i, &name, &test); i++)
	{
		if (!KeySchemaHas(q->target.key, name) && NamesPartOf(entity, name))
			return true;
	}
	return false;
}

/* The value that every item of an entity has; MISSING_VALUE if there is none. */
static ValueRef
KnownValue(const Entity *entity, Slice name)
{
	const EntityAttribute *a = EntityAttributeFind(entity, name);

	if (IsTypeAttribute(entity, name))
		return ValueOfString(entity->type_value);
	return a == NULL ? MISSING_VALUE : a->constant;
}

static bool
HasEquality(const PartsQuery *q, const Entity *entity, Slice name)
{
	Slice		attribute;
	KeyTest		test;

	for (int i = 0; KeyClauseGet(q->given, i, &attribute, &test); i++)
	{
		if (IsNamed(entity, attribute, name))
			return test.op == KEY_EQ;
	}
	return false;
}

/* Returns a clause about a clause that the entity has no part for; NULL if there is none. */
static const char *
WrongClause(const PartsQuery *q, const Entity *entity)
{
	Slice		name;
	KeyTest		test;

	for (int i = 0; KeyClauseGet(q->given, i, &name, &test); i++)
	{
		const char *problem = test.op == KEY_EQ ? PartValueProblem(entity, name, test.value) : NULL;

		if (problem != NULL)
			return problem;
		if (IsTypeAttribute(entity, name) ? test.op != KEY_EQ : !IsPartOfTarget(&q->target, entity, name))
			return psprintf("has no part \"%.*s\"", (int) name.len, name.data);
	}
	return NULL;
}

/* Returns a clause about a part of the partition key that is not given; NULL if there is none. */
static const char *
MissingPartition(const PartsQuery *q, const Entity *entity)
{
	for (int i = 0; i < q->target.key->npartition; i++)
	{
		const KeyAttribute *attribute = &q->target.key->attributes[i];
		const Template *t = PatternTemplate(&q->target, entity, attribute);

		for (int j = 0; t != NULL && j < t->npieces; j++)
		{
			const TemplatePart *part = t->pieces[j].part;

			if (part != NULL && !HasEquality(q, entity, part->name) && ValueIsMissing(KnownValue(entity, part->name)))
				return psprintf("needs \"%.*s\" by \"=\"", (int) part->name.len, part->name.data);
		}
		if (t == NULL && !HasEquality(q, entity, attribute->name))
			return psprintf("needs \"%.*s\" by \"=\"", (int) attribute->name.len, attribute->name.data);
	}
	return NULL;
}

/* Whether the entity composes a key attribute of what is read. */
static bool
ComposesTarget(const PatternTarget *target, const Entity *entity)
{
	for (int i = 0; i < KeyCount(target->key); i++)
	{
		if (EntityKeyFind(entity, target->key->attributes[i].name) != NULL)
			return true;
	}
	return false;
}

/* Returns a clause that says why a condition is not one on parts of an entity; NULL if it is. */
static const char *
WhyNotCondition(const PartsQuery *q, const Entity *entity)
{
	const char *why;

	if (!ComposesTarget(&q->target, entity))
		return "composes none of the key";
	why = WrongClause(q, entity);
	return why != NULL ? why : MissingPartition(q, entity);
}

/* ---- problems ---- */

static void
RaiseCondition(const PartsQuery *q, const char *detail)
{
	Slice		name = q->target.key->attributes[0].name;

	ProblemRaise(&(Problem) {
		.sqlstate = ERRCODE_DYNAMO_VALIDATION,
		.message = psprintf("Query condition missed key schema element: %.*s", (int) name.len, name.data),
		.detail = detail,
		.for_client = true
	});
}

/* "The table", or "Index by_status", as the beginning of a sentence. */
static const char *
NameTarget(const PartsQuery *q)
{
	return q->target.index == NULL ? "The table" : psprintf("Index \"%s\"", q->target.index->name);
}

static void
RaiseNoEntity(const PartsQuery *q)
{
	const EntitySet *set = q->target.table->entities;
	StringInfoData detail;
	int			n = 0;

	initStringInfo(&detail);
	appendStringInfo(&detail, "%s is queried by its key attributes, or by the parts of an entity: ", NameTarget(q));
	for (int i = 0; i < set->count && n <= MAX_DESCRIBED; i++)
	{
		const Entity *entity = &set->entities[i];

		if (!ConditionNames(q, entity))
			continue;
		appendStringInfoString(&detail, n > 0 ? "; " : "");
		if (++n > MAX_DESCRIBED)
			appendStringInfoString(&detail, "...");
		else
			appendStringInfo(&detail, "entity \"%.*s\" %s", (int) entity->name.len, entity->name.data,
							 WhyNotCondition(q, entity));
	}
	appendStringInfoChar(&detail, '.');
	RaiseCondition(q, detail.data);
}

static void
RaiseSeveral(const PartsQuery *q, const Entity *a, const Entity *b)
{
	const Entity *typed = a->type_attribute.data != NULL ? a : b;
	const char *add = typed->type_attribute.data == NULL ? "query the key attributes" :
		psprintf("add a condition on \"%.*s\"", (int) typed->type_attribute.len, typed->type_attribute.data);

	RaiseCondition(q, psprintf("The parts are those of entity \"%.*s\" and of entity \"%.*s\": %s.",
							   (int) a->name.len, a->name.data, (int) b->name.len, b->name.data, add));
}

/* ---- the entity ---- */

/* Whether the condition names this entity by its type attribute. */
static bool
ConditionHasType(const PartsQuery *q, const Entity *entity)
{
	Slice		name;
	KeyTest		test;

	for (int i = 0; KeyClauseGet(q->given, i, &name, &test); i++)
	{
		if (IsTypeAttribute(entity, name) && test.op == KEY_EQ && PartValueProblem(entity, name, test.value) == NULL)
			return true;
	}
	return false;
}

static const Entity *
EntityOfConditionType(const PartsQuery *q)
{
	const EntitySet *set = q->target.table->entities;

	for (int i = 0; i < set->count; i++)
	{
		if (ConditionHasType(q, &set->entities[i]))
			return &set->entities[i];
	}
	return NULL;
}

static const Entity *
EntityOfClauses(const PartsQuery *q)
{
	const EntitySet *set = q->target.table->entities;
	const Entity *found = NULL;

	for (int i = 0; i < set->count; i++)
	{
		if (WhyNotCondition(q, &set->entities[i]) != NULL)
			continue;
		if (found != NULL)
			RaiseSeveral(q, found, &set->entities[i]);
		found = &set->entities[i];
	}
	if (found == NULL)
		RaiseNoEntity(q);
	return found;
}

static const Entity *
EntityOfCondition(const PartsQuery *q)
{
	const Entity *entity = EntityOfConditionType(q);
	const char *why;

	if (entity == NULL)
		return EntityOfClauses(q);
	why = WhyNotCondition(q, entity);
	if (why != NULL)
		RaiseCondition(q, psprintf("Entity \"%.*s\" %s.", (int) entity->name.len, entity->name.data, why));
	return entity;
}

/* Items that are older than a template of the index may not be in it. */
static void
RequireComposed(const PartsQuery *q, const Entity *entity)
{
	if (q->target.index == NULL || entity->composed)
		return;
	for (int i = 0; i < KeyCount(q->target.key); i++)
	{
		const ComposedKey *key = EntityKeyFind(entity, q->target.key->attributes[i].name);

		if (key != NULL && !key->base)
			ereport(ERROR,
					(errcode(ERRCODE_DYNAMO_VALIDATION),
					 errmsg("a query by parts cannot find all items: older items of entity \"%.*s\" may not have the keys that it composes",
							(int) entity->name.len, entity->name.data),
					 errhint("dynamo.apply_entity composes them.")));
	}
}

/* ---- the clauses of the pattern ---- */

static int
AddClauseValue(PartsQuery *q, ValueRef v)
{
	int			i = q->pattern.nparameters++;

	q->pattern.parameters[i].name = psprintf("%d", i);
	q->values[i] = v;
	return i;
}

static void
CheckDeclaredType(const Entity *entity, Slice name, ValueRef v)
{
	const EntityAttribute *a = EntityAttributeFind(entity, name);
	const char *problem = a == NULL ? NULL : EntityAttributeProblem(a, v);

	if (problem != NULL)
		InvalidParameter("Attribute %.*s of entity %.*s %s", (int) name.len, name.data,
						 (int) entity->name.len, entity->name.data, problem);
}

static void
AddGivenClause(PartsQuery *q, const Entity *entity, Slice name, const KeyTest *test)
{
	PatternClause *c = &q->clauses[q->nclauses++];

	if (test->op != KEY_BEGINS_WITH)
		CheckDeclaredType(entity, name, test->value);
	*c = (PatternClause) {name, test->op, AddClauseValue(q, test->value), -1, false, false};
	if (test->op != KEY_BETWEEN)
		return;
	CheckDeclaredType(entity, name, test->upper);
	c->upper = AddClauseValue(q, test->upper);
}

static void
AddGivenClauses(PartsQuery *q, const Entity *entity)
{
	Slice		name;
	KeyTest		test;

	for (int i = 0; KeyClauseGet(q->given, i, &name, &test); i++)
	{
		if (!IsTypeAttribute(entity, name) || IsPartOfTarget(&q->target, entity, name))
			AddGivenClause(q, entity, name, &test);
	}
}

static bool
HasClause(const PartsQuery *q, Slice name)
{
	for (int i = 0; i < q->nclauses; i++)
	{
		if (SliceEqual(q->clauses[i].attribute, name))
			return true;
	}
	return false;
}

/* Adds equalities of parts that have the same value in all items of the entity. */
static void
AddKnownClauses(PartsQuery *q, const Entity *entity)
{
	for (int i = 0; i < KeyCount(q->target.key); i++)
	{
		const Template *t = PatternTemplate(&q->target, entity, &q->target.key->attributes[i]);

		for (int j = 0; t != NULL && j < t->npieces; j++)
		{
			const TemplatePart *part = t->pieces[j].part;
			ValueRef	known = part == NULL || HasClause(q, part->name) ? MISSING_VALUE : KnownValue(entity, part->name);

			if (!ValueIsMissing(known))
				q->clauses[q->nclauses++] = (PatternClause) {part->name, KEY_EQ, AddClauseValue(q, known), -1, true, true};
		}
	}
}

static int
CountGiven(const KeyClauses *clauses)
{
	int			n = 0;
	Slice		name;
	KeyTest		test;

	while (KeyClauseGet(clauses, n, &name, &test))
		n++;
	return n;
}

static void
MakeClausesOfPattern(PartsQuery *q, const Entity *entity)
{
	int			room = CountGiven(q->given) + KEY_MAX_ATTRIBUTES * TEMPLATE_MAX_PARTS;

	q->clauses = palloc(sizeof(PatternClause) * room);
	q->values = palloc(sizeof(ValueRef) * 2 * room);
	q->pattern.parameters = palloc0(sizeof(PatternParameter) * 2 * room);
	AddGivenClauses(q, entity);
	AddKnownClauses(q, entity);
}

/* ---- the condition on the keys ---- */

/* A ParameterFinder; the open side of a range has the name "". */
static ValueRef
FindClauseValue(void *arg, const char *parameter)
{
	const PartsQuery *q = arg;

	return parameter[0] == '\0' ? MISSING_VALUE : q->values[atoi(parameter)];
}

/* Whether a bound is an empty text: not an open bound, but one that no key has. */
static bool
HasEmptyBound(const PartsQuery *q, const PatternValue *value)
{
	ValueRef	v = value->parameters == NIL ? MISSING_VALUE : FindClauseValue((void *) q, llast(value->parameters));

	return !ValueIsMissing(v) && ValueTypeOf(v) == VALUE_S && ValuePayload(v).len == 0;
}

/* The value that a key attribute is compared with. */
static ValueRef
ValueOfKey(PartsQuery *q, const char *attribute, const PatternValue *value)
{
	StringInfoData text;

	if (value->constant != NULL)
		return ValueOfString(SliceOf(value->constant));
	if (value->template == NULL)
		return FindClauseValue(q, linitial(value->parameters));
	initStringInfo(&text);
	if (HasEmptyBound(q, value) || !PatternKeyText(value, FindClauseValue, q, &text))
		InvalidParameter("The condition has values of which template %s of key attribute %s composes no key",
						 value->template, attribute);
	return ValueOfString((Slice) {text.data, text.len});
}

static KeyTest
TestOfKey(PartsQuery *q, const KeyAttribute *attribute, const PatternKey *key)
{
	KeyTest		test = {key->op, ValueOfKey(q, key->attribute, &key->values[0]), MISSING_VALUE};

	if (key->op == KEY_BETWEEN)
		test.upper = ValueOfKey(q, key->attribute, &key->values[1]);
	if (ValueTypeOf(test.value) != attribute->type ||
		(key->op == KEY_BETWEEN && ValueTypeOf(test.upper) != attribute->type))
		InvalidParameter("Condition parameter type does not match schema type");
	return test;
}

static KeyCondition *
KeyConditionOfPattern(PartsQuery *q)
{
	const KeySchema *schema = q->target.key;
	KeyCondition *result = palloc0(sizeof(KeyCondition));

	result->ntests = KeyCount(schema);
	for (int i = 0; i < result->ntests; i++)
	{
		result->tests[i] = (KeyTest) {KEY_NONE, MISSING_VALUE, MISSING_VALUE};
		for (int j = 0; j < q->pattern.nkeys; j++)
		{
			if (SliceIs(schema->attributes[i].name, q->pattern.keys[j].attribute))
				result->tests[i] = TestOfKey(q, &schema->attributes[i], &q->pattern.keys[j]);
		}
	}
	return result;
}

/* ---- the filter ---- */

static Condition *
JoinBoth(bool all, Condition *a, Condition *b)
{
	Condition **both;

	if (a == NULL)
		return b;
	both = palloc(sizeof(Condition *) * 2);
	both[0] = a;
	both[1] = b;
	return ConditionBuildJoin(all, both, 2);
}

/* Of an attribute that an item may have in a key of the table alone. */
static Condition *
FilterOfEquality(PartsQuery *q, const PatternEquality *e)
{
	Slice		attribute = SliceOf(e->attribute);
	Condition  *filter = ConditionBuildCompare(attribute, COMPARISON_EQ, FindClauseValue(q, e->parameter));
	ListCell   *cell;

	foreach(cell, e->keys)
	{
		const PatternKey *key = lfirst(cell);
		Condition  *told = ConditionBuildCompare(SliceOf(key->attribute), COMPARISON_EQ,
												 ValueOfKey(q, key->attribute, &key->values[0]));

		filter = JoinBoth(false, filter, JoinBoth(true, ConditionBuildExists(attribute, false), told));
	}
	return filter;
}

static Condition *
FilterOfKinds(const PartsQuery *q)
{
	int			n = list_length(q->pattern.kinds);
	ValueRef   *values = palloc(sizeof(ValueRef) * Max(n, 1));
	Condition  *filter;

	for (int i = 0; i < n; i++)
		values[i] = ValueOfString(SliceOf(list_nth(q->pattern.kinds, i)));
	filter = ConditionBuildIn(SliceOf(q->pattern.kind_attribute), values, n);
	return q->pattern.excludes ? ConditionBuildNot(filter) : filter;
}

static Condition *
FilterOfPattern(PartsQuery *q)
{
	Condition  *filter = NULL;
	ListCell   *cell;

	if (q->pattern.kind_attribute != NULL && !KeySchemaHas(q->target.key, SliceOf(q->pattern.kind_attribute)))
		filter = FilterOfKinds(q);
	foreach(cell, q->pattern.equalities)
		filter = JoinBoth(true, filter, FilterOfEquality(q, lfirst(cell)));
	return filter;
}

/* ---- the whole ---- */

static bool
ConditionNamesAny(const PartsQuery *q)
{
	const EntitySet *set = q->target.table->entities;

	for (int i = 0; i < set->count; i++)
	{
		if (ConditionNames(q, &set->entities[i]))
			return true;
	}
	return false;
}

bool
PartsConditionOf(const TableDef *def, const IndexDef *index, const KeyClauses *clauses, PartsCondition *result)
{
	PartsQuery	q = {.given = clauses};
	const Entity *entity;

	q.target = (PatternTarget) {.table = def, .index = index, .key = index != NULL ? &index->key : &def->key};
	q.pattern.names = MISSING_VALUE;
	if (!ConditionNamesAny(&q))
		return false;
	entity = EntityOfCondition(&q);
	RequireComposed(&q, entity);
	if (MoveChangesKey(entity, q.target.key))
		RefuseMoving(entity, "query by parts of a changing key of");
	q.target.nentities = 1;
	q.target.entities = &entity;
	MakeClausesOfPattern(&q, entity);
	PatternPlanClauses(&q.pattern, &q.target, q.clauses, q.nclauses);
	result->key = KeyConditionOfPattern(&q);
	result->filter = FilterOfPattern(&q);
	return true;
}
