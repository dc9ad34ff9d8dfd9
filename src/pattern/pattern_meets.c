/*
 * pattern_meets.c
 *	  Whether an access pattern asks for an item: dynamo_internal.pattern_meets.
 *
 * This is decided by the item's attributes, and not by ranges of keys, so that
 * dynamo.check_access_patterns proves by it that the ranges are right.  Attributes are
 * compared with the precision of their format, as the documentation says.
 */
#include "postgres.h"

#include "access/table.h"
#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/rel.h"

#include "design/entity_list.h"
#include "errors.h"
#include "item/convert.h"
#include "pattern/pattern.h"

typedef enum Truth
{
	TRUTH_NO,
	TRUTH_YES,
	TRUTH_UNKNOWN
} Truth;

/* What is kept from call to call of one statement. */
typedef struct Question
{
	Oid			function;
	AccessPattern *pattern;
	int			nclauses;
	PatternClause *clauses;
} Question;

typedef struct Asked
{
	const Question *question;
	PatternTarget target;
	const Entity *entity;		/* of the item, or made of the pattern's own templates */
	ValueRef	item;
	ValueRef	parameters;
} Asked;

/* ---- the entity of the item ---- */

static bool
IsAskedFor(const AccessPattern *p, const Entity *entity)
{
	ListCell   *cell;

	foreach(cell, p->entities)
	{
		if (entity != NULL && SliceIs(entity->name, lfirst(cell)))
			return true;
	}
	return p->entities == NIL;
}

/* Returns the templates of a pattern without entities as an entity. */
static const Entity *
MakeOwnEntity(const PatternTarget *target)
{
	Entity	   *entity = palloc0(sizeof(Entity));

	entity->keys = palloc0(sizeof(ComposedKey) * KEY_MAX_ATTRIBUTES);
	for (int i = 0; i < KeyCount(target->key); i++)
	{
		const Template *t = PatternTemplate(target, NULL, &target->key->attributes[i]);

		if (t != NULL)
			entity->keys[entity->nkeys++] = (ComposedKey) {.attribute = target->key->attributes[i].name, .template = t};
	}
	entity->nbase = entity->nkeys;
	return entity;
}

/* ---- whether it is where the pattern reads ---- */

/*
 * Whether the item has a key attribute as its entity composes it or, of a pattern's own
 * templates, as they do.
 */
static bool
ShouldHaveKey(const Asked *a, const KeyAttribute *attribute)
{
	ValueRef	given = AttributeFind(a->item, attribute->name.data, attribute->name.len);
	const ComposedKey *key = EntityKeyFind(a->entity, attribute->name);
	ComposeProblem problem;
	StringInfoData text;

	if (key == NULL)
		return !ValueIsMissing(given) && ValueTypeOf(given) == attribute->type;
	if (a->question->pattern->entities == NIL)
	{
		Slice	   *texts = palloc(sizeof(Slice) * key->template->npieces);

		return !ValueIsMissing(given) && ValueTypeOf(given) == VALUE_S && TemplateTakeApart(key->template, ValuePayload(given), texts);
	}
	initStringInfo(&text);
	return (key->condition == NULL || ConditionMatches(key->condition, a->item)) &&
		EntityComposeKey(a->entity, key, a->item, &text, &problem) == COMPOSE_OK;
}

static bool
ShouldBeThere(const Asked *a)
{
	for (int i = 0; i < KeyCount(a->target.key); i++)
	{
		if (!ShouldHaveKey(a, &a->target.key->attributes[i]))
			return false;
	}
	return a->question->pattern->entities == NIL || EntityKeyIsComposed(a->entity, a->item);
}

/* ---- comparisons ---- */

/* Returns how the keys contain an attribute, most exactly; a plain text otherwise. */
static TemplatePart
FindFormat(const Asked *a, Slice attribute)
{
	TemplatePart plain = {.kind = PART_TEXT, .name = attribute, .nsteps = 1, .steps = palloc(sizeof(Slice))};

	plain.steps[0] = attribute;
	for (int i = 0; i < KeyCount(a->target.key); i++)
	{
		const Template *t = PatternTemplate(&a->target, a->entity, &a->target.key->attributes[i]);

		for (int j = 0; t != NULL && j < t->npieces; j++)
		{
			const TemplatePart *part = t->pieces[j].part;

			if (part != NULL && SliceEqual(part->name, attribute) && part->kind != PART_SHARD)
				return *part;
		}
	}
	return plain;
}

static bool
ComposeText(const TemplatePart *part, ValueRef value, StringInfo out)
{
	const char *reason;

	initStringInfo(out);
	return !ValueIsMissing(value) && PartAppend(part, value, out, &reason) == COMPOSE_OK;
}

static bool
HoldsFor(KeyOperator op, int order)
{
	return op == KEY_EQ ? order == 0 : op == KEY_LT ? order < 0 : op == KEY_LE ? order <= 0 :
		op == KEY_GT ? order > 0 : order >= 0;
}

static ValueRef
FindParameter(const Asked *a, int parameter)
{
	const char *name = a->question->pattern->parameters[parameter].name;
	ValueRef	v = AttributeFind(a->parameters, name, strlen(name));

	return ValueIsMissing(v) || ValueTypeOf(v) == VALUE_NULL ? MISSING_VALUE : v;
}

/* A missing bound is open, and nothing equals a missing value. */
static Truth
CompareValue(const Asked *a, const TemplatePart *part, ValueRef value, KeyOperator op, ValueRef with)
{
	StringInfoData x;
	StringInfoData y;
	int			order;

	if (ValueIsMissing(with))
		return op == KEY_EQ ? TRUTH_NO : TRUTH_YES;
	if (ValueIsMissing(value))
		return TRUTH_UNKNOWN;
	if (part->kind == PART_TEXT && ValueTypeOf(value) == ValueTypeOf(with) && op != KEY_BEGINS_WITH && op != KEY_EQ)
		order = SliceCompare(ValuePayload(value), ValuePayload(with));
	else if (!ComposeText(part, value, &x) || !ComposeText(part, with, &y))
		return op == KEY_EQ ? TRUTH_NO : TRUTH_UNKNOWN;
	else if (op == KEY_BEGINS_WITH)
		return SliceBeginsWith((Slice) {x.data, x.len}, (Slice) {y.data, y.len}) ? TRUTH_YES : TRUTH_NO;
	else
		order = SliceCompare((Slice) {x.data, x.len}, (Slice) {y.data, y.len}) * (part->descending ? -1 : 1);
	return HoldsFor(op, order) ? TRUTH_YES : TRUTH_NO;
}

static Truth
MeetsClause(const Asked *a, const PatternClause *c)
{
	TemplatePart part = FindFormat(a, c->attribute);
	ValueRef	value = EntityPartValue(a->entity, a->item, &part);
	Truth		lower;
	Truth		upper;

	if (c->op == KEY_EQ && ValueIsMissing(FindParameter(a, c->parameter)) &&
		PatternParameterIsOptional(a->question->pattern, a->question->pattern->parameters[c->parameter].name))
		return TRUTH_YES;
	if (c->op != KEY_BETWEEN)
		return CompareValue(a, &part, value, c->op, FindParameter(a, c->parameter));
	lower = CompareValue(a, &part, value, KEY_GE, FindParameter(a, c->parameter));
	upper = CompareValue(a, &part, value, KEY_LE, FindParameter(a, c->upper));
	return lower == TRUTH_NO || upper == TRUTH_NO ? TRUTH_NO : Max(lower, upper);
}

static Truth
MeetsAll(const Asked *a)
{
	Truth		truth = TRUTH_YES;

	for (int i = 0; i < a->question->nclauses; i++)
	{
		Truth		one = MeetsClause(a, &a->question->clauses[i]);

		if (one == TRUTH_NO)
			return TRUTH_NO;
		truth = Max(truth, one);
	}
	return truth;
}

/* ---- the function ---- */

static const Question *
GetQuestion(FmgrInfo *flinfo, Oid function)
{
	Question   *q = flinfo->fn_extra;
	MemoryContext caller;

	if (q != NULL && q->function == function)
		return q;
	caller = MemoryContextSwitchTo(flinfo->fn_mcxt);
	q = palloc0(sizeof(Question));
	q->function = function;
	q->pattern = PatternOfFunction(function);
	q->clauses = PatternClauses(q->pattern, &q->nclauses);
	flinfo->fn_extra = q;
	MemoryContextSwitchTo(caller);
	return q;
}

/* Reads the templates that the pattern was declared with, from its arguments. */
static ValueRef
ReadOwnTemplates(const AccessPattern *p)
{
	ValueRef	keys = ValueIsMissing(p->arguments) ? MISSING_VALUE : AttributeFind(p->arguments, "keys", strlen("keys"));
	ItemBuilder *b;

	if (ValueIsMissing(keys) || ValueTypeOf(keys) != VALUE_S)
		return MISSING_VALUE;
	b = ItemBuilderCreate(0, DUPLICATE_NAME_LAST);
	ItemBuilderJsonb(b, DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(pnstrdup(ValuePayload(keys).data, ValuePayload(keys).len)))));
	return ItemRoot(ItemBuilderFinish(b));
}

static Truth
Decide(const TableDef *def, Asked *a)
{
	const AccessPattern *p = a->question->pattern;
	const Entity *entity = def->entities == NULL ? NULL : EntityOfItem(def->entities, a->item);

	a->target = (PatternTarget) {.table = def, .key = &def->key, .keys = ReadOwnTemplates(p)};
	a->target.index = p->index == NULL ? NULL : TableDefIndex(def, p->index);
	if (a->target.index != NULL)
		a->target.key = &a->target.index->key;
	if (!IsAskedFor(p, entity))
		return p->by_key ? TRUTH_UNKNOWN : TRUTH_NO;
	a->entity = p->entities == NIL ? MakeOwnEntity(&a->target) : entity;
	return ShouldBeThere(a) ? MeetsAll(a) : TRUTH_UNKNOWN;
}

/*
 * pattern_meets(pattern regproc, item dynamo.item, parameters dynamo.item) returns
 * boolean: whether the item is of the pattern's entities and meets its condition,
 * without the filter; NULL if the item does not tell.
 */
DYNAMO_FUNCTION(dynamo_pattern_meets);
Datum
dynamo_pattern_meets(PG_FUNCTION_ARGS)
{
	Asked		a = {
		.question = GetQuestion(fcinfo->flinfo, PG_GETARG_OID(0)),
		.item = PG_GETARG_VALUE(1),
		.parameters = PG_GETARG_VALUE(2)
	};
	Relation	rel = TableNameOpen(a.question->pattern->table, AccessShareLock, false);
	TableDef   *def = TableDefAcquire(rel);
	Truth		truth = Decide(def, &a);

	TableDefRelease(def);
	table_close(rel, AccessShareLock);
	if (truth == TRUTH_UNKNOWN)
		PG_RETURN_NULL();
	PG_RETURN_BOOL(truth == TRUTH_YES);
}
