/*
 * pattern_plan.c
 *	  Turns the condition of an access pattern into conditions on keys.
 *
 * The condition is written as a key condition, on attributes of the entities:
 *
 *		customer_id = :customer_id AND order_id BETWEEN :first AND :last
 *
 * Each key attribute has a template.  If equalities give all of its parts, the
 * condition on the key is an equality; if they give the leading parts, a prefix; a
 * comparison of the next part makes it a range.  Of a sort key, the last parts may be
 * absent: those whose parameters are null by default.  Attributes that are themselves
 * keys have the template {name}.  An attribute that is IN a list is planned as one that
 * equals an element: there is a range for each.
 *
 * A condition that no key can answer is an error: a pattern reads one range of one
 * index.
 */
#include "postgres.h"

#include "mb/pg_wchar.h"
#include "utils/builtins.h"

#include "errors.h"
#include "pattern/pattern.h"
#include "view/made_attributes.h"

typedef PatternClause Clause;

typedef struct Plan
{
	AccessPattern *pattern;
	const PatternTarget *target;
	int			nclauses;
	Clause	   *clauses;
} Plan;

static char *
SliceCopy(Slice s)
{
	return pnstrdup(s.data, s.len);
}

static Clause *
FindPlanClause(Plan *plan, Slice attribute, bool equality)
{
	for (int i = 0; i < plan->nclauses; i++)
	{
		Clause	   *c = &plan->clauses[i];

		if (SliceEqual(c->attribute, attribute) && (c->op == KEY_EQ) == equality)
			return c;
	}
	return NULL;
}

/* ---- types of parameters ---- */

static const char *
FindPartType(const Plan *plan, const TemplatePart *part)
{
	for (int i = 0; i < plan->target->nentities; i++)
	{
		const EntityAttribute *a = EntityAttributeFind(plan->target->entities[i], part->name);

		if (a != NULL && a->type.data != NULL)
			return SliceCopy(a->type);
	}
	return part->kind == PART_NUMBER ? "pg_catalog.numeric" :
		part->kind == PART_TIME ? "pg_catalog.timestamptz" : "pg_catalog.text";
}

/*
 * Returns the name of a parameter, whose type is this one if it has no other.
 */
static const char *
UseParameter(Plan *plan, int parameter, const char *type)
{
	PatternParameter *p = &plan->pattern->parameters[parameter];

	if (p->type == NULL)
		p->type = p->list ? psprintf("%s[]", type) : type;
	return p->name;
}

/* ---- a key attribute ---- */

static PatternValue *
AddPatternKey(AccessPattern *pattern, const KeyAttribute *attribute, KeyOperator op)
{
	PatternKey *key = &pattern->keys[pattern->nkeys++];

	*key = (PatternKey) {.attribute = SliceCopy(attribute->name), .op = op};
	key->nvalues = op == KEY_BETWEEN ? 2 : 1;
	return key->values;
}

static void
AddPlanPart(Plan *plan, PatternValue *value, const TemplatePart *part, int parameter)
{
	value->parts = lappend(value->parts, SliceCopy(part->name));
	value->parameters = lappend(value->parameters, unconstify(char *, UseParameter(plan, parameter, FindPartType(plan, part))));
}

/*
 * Raises an error for a part that is the shard of an attribute whose text depends on
 * how a client writes it, such as a time.
 */
static void
CheckShardPart(const Plan *plan, const TemplatePart *part)
{
	for (int i = 0; part->kind == PART_SHARD && i < plan->target->nentities; i++)
	{
		const EntityAttribute *a = EntityAttributeFind(plan->target->entities[i], part->name);

		if (a != NULL && a->type.data != NULL && a->holds < 0)
			InvalidArgument("the shard of {%.*s} depends on how items write values of type %.*s",
							(int) part->name.len, part->name.data, (int) a->type.len, a->type.data);
	}
}

/*
 * Returns the number of leading pieces that equalities give, and adds their
 * parts.  A part marked "any" is only decided by the whole key: that of another value, which
 * contains the text behind the part, may begin with the same text.
 */
static int
AddKnownParts(Plan *plan, const Template *t, PatternValue *value)
{
	int			known = 0;

	value->template = SliceCopy(t->source);
	for (; known < t->npieces; known++)
	{
		const TemplatePart *part = t->pieces[known].part;
		Clause	   *c = part == NULL ? NULL : FindPlanClause(plan, part->name, true);

		if (part == NULL)
			continue;
		if (c == NULL)
			break;
		CheckShardPart(plan, part);
		c->used = true;
		c->decided |= part->kind != PART_SHARD && !part->any;
		AddPlanPart(plan, value, part, c->parameter);
	}
	return known;
}

/* All parts of a key are given. */
static void
DecideAny(Plan *plan, const Template *t)
{
	if (t->marked < t->npieces)
		FindPlanClause(plan, t->pieces[t->marked].part->name, true)->decided = true;
}

static KeyComparison
MakeBound(KeyOperator op)
{
	return op == KEY_GE ? KEY_FROM : op == KEY_GT ? KEY_AFTER : op == KEY_LE ? KEY_TO : KEY_BEFORE;
}

/* Returns the operator for a format that sorts in descending order. */
static KeyOperator
ReverseOperator(KeyOperator op)
{
	return op == KEY_GE ? KEY_LE : op == KEY_GT ? KEY_LT : op == KEY_LE ? KEY_GE : KEY_GT;
}

/* Sets a side of a range to a bound. */
static void
SetRangeBound(Plan *plan, PatternValue *range, const TemplatePart *part, KeyOperator op, int parameter)
{
	bool		lower;
	PatternValue *value;

	if (part->descending)
		op = ReverseOperator(op);
	lower = op == KEY_GE || op == KEY_GT;
	value = &range[lower ? 0 : 1];
	value->comparison = MakeBound(op);
	value->parts = list_copy(value->parts);
	value->parameters = list_copy(value->parameters);
	AddPlanPart(plan, value, part, parameter);
	if (op == KEY_LT && part->kind == PART_TEXT)
		InvalidArgument("part {%.*s} has no greatest text before another: use <=", (int) part->name.len, part->name.data);
}

/* Sets an open side of a range to the prefix of all keys in the range. */
static void
OpenBound(PatternValue *value, const TemplatePart *part, bool lower)
{
	value->comparison = lower ? KEY_FROM : KEY_TO;
	value->parts = lappend(list_copy(value->parts), SliceCopy(part->name));
	value->parameters = lappend(list_copy(value->parameters), pstrdup(""));
}

static void
AddRange(Plan *plan, const KeyAttribute *attribute, const PatternValue *known, const TemplatePart *part,
		 const Clause *c)
{
	PatternValue *range = AddPatternKey(plan->pattern, attribute, c->op == KEY_BEGINS_WITH ? KEY_BEGINS_WITH : KEY_BETWEEN);

	range[0] = range[1] = *known;
	if (c->op == KEY_BEGINS_WITH)
	{
		range[0].comparison = KEY_BEGINS_WITH_PART;
		AddPlanPart(plan, range, part, c->parameter);
		return;
	}
	OpenBound(&range[0], part, true);
	OpenBound(&range[1], part, false);
	if (c->op == KEY_BETWEEN)
	{
		range[0] = range[1] = *known;
		SetRangeBound(plan, range, part, KEY_GE, c->parameter);
		SetRangeBound(plan, range, part, KEY_LE, c->upper);
		return;
	}
	range[(c->op == KEY_GE || c->op == KEY_GT) != part->descending ? 0 : 1] = *known;
	SetRangeBound(plan, range, part, c->op, c->parameter);
}

/* Finds a comparison of the part after the known ones. */
static Clause *
FindRange(Plan *plan, const Template *t, int known)
{
	const TemplatePart *part = known < t->npieces ? t->pieces[known].part : NULL;
	Clause	   *c = part == NULL ? NULL : FindPlanClause(plan, part->name, false);

	if (c == NULL)
		return NULL;
	if (c->op == KEY_BEGINS_WITH ? part->kind != PART_TEXT :
		!PartIsOrdered(part) && (part->kind != PART_TEXT || part->letters != CASE_AS_IS || known < t->npieces - 1))
		InvalidArgument("keys of template \"%.*s\" do not sort by {%.*s}",
					 (int) t->source.len, t->source.data, (int) part->name.len, part->name.data);
	c->used = c->decided = true;
	return c;
}

/* Adds a condition without a range: on the whole key, or on its prefix. */
static void
AddKnown(Plan *plan, const KeyAttribute *attribute, const PatternValue *known, bool whole)
{
	const Template *t = TemplateGet(SliceOf(known->template));
	PatternValue *value;
	StringInfoData prefix;

	initStringInfo(&prefix);
	TemplateAppendPrefix(t, &prefix);
	if (!whole && known->parts == NIL && prefix.len == 0)
		return;
	value = AddPatternKey(plan->pattern, attribute, whole ? KEY_EQ : KEY_BEGINS_WITH);
	*value = *known;
	value->comparison = whole ? KEY_IS : KEY_HAS_PREFIX;
	if (known->parts == NIL)
	{
		value->template = NULL;
		value->constant = prefix.data;
	}
}

/* Whether a parameter is absent where a call does not give it. */
static bool
IsOptional(const Plan *plan, const char *parameter)
{
	const char *initial = plan->pattern->parameters[PatternParameterFind(plan->pattern, parameter)].initial;

	return initial != NULL && strcmp(initial, "NULL") == 0;
}

/*
 * Marks the parts whose parameters are null by default, which must be the last ones;
 * returns whether there are any.
 */
static bool
MarkOptional(const Plan *plan, PatternValue *value)
{
	int			optional = 0;

	for (int i = 0; i < list_length(value->parts); i++)
	{
		char	   *part = list_nth(value->parts, i);
		char	   *parameter = list_nth(value->parameters, i);

		if (IsOptional(plan, parameter))
		{
			if (plan->pattern->parameters[PatternParameterFind(plan->pattern, parameter)].list)
				InvalidArgument("part {%s} is one of a list and cannot be absent: its parameter cannot have the default null", part);
			lfirst(list_nth_cell(value->parts, i)) = psprintf(":%s", part);
			optional++;
		}
		else if (optional > 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("part {%s} cannot be required, because a part before it can be absent", part),
					 errhint("Give parameter \"%s\" the default null, too.", parameter)));
	}
	return optional > 0;
}

/* Adds a condition whose last parts may be absent: a range of keys, which may be one key. */
static void
AddOptional(Plan *plan, const KeyAttribute *attribute, const PatternValue *known, bool same)
{
	PatternValue *values = AddPatternKey(plan->pattern, attribute, KEY_BETWEEN);

	if (!same)
		InvalidArgument("a part of key attribute \"%.*s\" cannot be absent, because the entities have different templates for it",
						(int) attribute->name.len, attribute->name.data);
	values[0] = values[1] = *known;
	values[0].comparison = KEY_LEADS_FROM;
	values[1].comparison = KEY_LEADS_TO;
}

/*
 * Plans a condition on a key of type N or B, which is compared without a
 * template.
 */
static bool
AddPlainKey(Plan *plan, const KeyAttribute *attribute)
{
	Clause	   *c = FindPlanClause(plan, attribute->name, true);
	const char *type = attribute->type == VALUE_N ? "pg_catalog.numeric" : "pg_catalog.bytea";
	PatternValue *values;

	if (c == NULL)
		c = FindPlanClause(plan, attribute->name, false);
	if (c == NULL)
		return false;
	c->used = c->decided = true;
	values = AddPatternKey(plan->pattern, attribute, c->op);
	values[0].parameters = list_make1(unconstify(char *, UseParameter(plan, c->parameter, type)));
	if (c->op == KEY_BETWEEN)
		values[1].parameters = list_make1(unconstify(char *, UseParameter(plan, c->upper, type)));
	return c->op == KEY_EQ;
}

/*
 * Plans a condition on the common prefix of all entities' sort keys, if their
 * templates differ.
 */
static void
AddCommonPrefix(Plan *plan, const KeyAttribute *attribute)
{
	StringInfoData common;

	initStringInfo(&common);
	for (int i = 0; i < plan->target->nentities; i++)
	{
		const Template *t = PatternTemplate(plan->target, plan->target->entities[i], attribute);
		StringInfoData prefix;

		initStringInfo(&prefix);
		if (t != NULL)
			TemplateAppendPrefix(t, &prefix);
		for (int j = 0; i > 0 && j < common.len; j++)
		{
			if (j >= prefix.len || common.data[j] != prefix.data[j])
				common.len = j;
		}
		if (i == 0)
			common = prefix;
	}
	common.len = pg_mbcliplen(common.data, common.len, common.len);
	common.data[common.len] = '\0';
	if (common.len > 0)
		AddPatternKey(plan->pattern, attribute, KEY_BEGINS_WITH)->constant = common.data;
}

/* Adds the condition on a key attribute; returns whether it is an equality. */
static bool
PlanAttribute(Plan *plan, const KeyAttribute *attribute, bool sorts)
{
	PatternValue known = {0};
	bool		same;
	const Template *t = PatternCommonTemplate(plan->target, attribute, &same);
	int			n;
	Clause	   *range;

	if (attribute->type != VALUE_S)
		return AddPlainKey(plan, attribute);
	if (t == NULL)
	{
		AddCommonPrefix(plan, attribute);
		return false;
	}
	n = AddKnownParts(plan, t, &known);
	range = FindRange(plan, t, n);
	if (range == NULL && n == t->npieces && same)
		DecideAny(plan, t);
	if (range == NULL && sorts && MarkOptional(plan, &known))
	{
		AddOptional(plan, attribute, &known, same);
		return false;
	}
	if (range != NULL)
		AddRange(plan, attribute, &known, t->pieces[n].part, range);
	else
		AddKnown(plan, attribute, &known, n == t->npieces && same);
	return range == NULL && n == t->npieces && same;
}

/* ---- equalities that keys do not decide ---- */

/* Whether a key composed by a template contains an attribute. */
static bool
TemplateTells(const Template *t, Slice attribute)
{
	for (int i = 0; i < t->npieces; i++)
	{
		const TemplatePart *part = t->pieces[i].part;

		if (part != NULL && SliceEqual(part->name, attribute) && PieceTellsAttribute(t, i))
			return true;
	}
	return false;
}

/* Whether a part marked "any" is why the key does not decide an attribute; otherwise it has the shard. */
static bool
IsAnyPart(const Plan *plan, Slice attribute)
{
	for (int i = 0; i < KeyCount(plan->target->key); i++)
	{
		bool		same;
		const Template *t = PatternCommonTemplate(plan->target, &plan->target->key->attributes[i], &same);

		if (t != NULL && t->marked < t->npieces && SliceEqual(t->pieces[t->marked].part->name, attribute))
			return true;
	}
	return false;
}

static void
RefuseUntold(const Plan *plan, const ComposedKey *key, Slice attribute)
{
	if (IsAnyPart(plan, attribute))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("keys with other values of \"%.*s\" begin with the same text, and an item may have the attribute in key attribute \"%.*s\" alone",
						(int) attribute.len, attribute.data, (int) key->attribute.len, key->attribute.data),
				 errdetail("{%.*s:any} may contain the text that follows it.", (int) attribute.len, attribute.data),
				 errhint("Compare all parts of the key by \"=\", or read an index that is not the table's key.")));
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("the key has only the shard of \"%.*s\", which an item may have in key attribute \"%.*s\" alone",
					(int) attribute.len, attribute.data, (int) key->attribute.len, key->attribute.data),
			 errhint("Compare the other parts of that key by \"=\", too, without a list or a default null, or read an index that is not the table's key.")));
}

/* The elements of a list are told by the key alone, so that what is filtered by is the same for all. */
static void
RefuseUndecidedList(const Plan *plan, Slice attribute)
{
	if (IsAnyPart(plan, attribute))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("\"%.*s\" cannot be one of a list, because keys with other values of it begin with the same text",
						(int) attribute.len, attribute.data),
				 errdetail("{%.*s:any} may contain the text that follows it.", (int) attribute.len, attribute.data)));
	InvalidArgument("the key has only the shard of \"%.*s\", which cannot be one of a list", (int) attribute.len, attribute.data);
}

/* Whether a value is another one for each element of a list, or none in a call without a parameter; no filter is. */
static bool
HasVaryingPart(const Plan *plan, const PatternValue *value)
{
	ListCell   *cell;

	foreach(cell, value->parameters)
	{
		const char *parameter = lfirst(cell);

		if (IsOptional(plan, parameter) || plan->pattern->parameters[PatternParameterFind(plan->pattern, parameter)].list)
			return true;
	}
	return false;
}

/* Returns the key of the table that tells the attribute, composed of the parameters. */
static PatternKey *
MakeTellingKey(Plan *plan, const ComposedKey *key, Slice attribute)
{
	PatternKey *telling = palloc0(sizeof(PatternKey));
	PatternValue *value = &telling->values[0];

	*telling = (PatternKey) {.attribute = SliceCopy(key->attribute), .op = KEY_EQ, .nvalues = 1};
	if (plan->target->index == NULL || KeySchemaHas(plan->target->key, key->attribute) ||
		AddKnownParts(plan, key->template, value) < key->template->npieces || HasVaryingPart(plan, value))
		RefuseUntold(plan, key, attribute);
	value->comparison = KEY_IS;
	return telling;
}

static bool
HasTellingKey(const PatternEquality *e, const ComposedKey *key)
{
	ListCell   *cell;

	foreach(cell, e->keys)
	{
		const PatternKey *telling = lfirst(cell);

		if (SliceIs(key->attribute, telling->attribute) && SliceIs(key->template->source, telling->values[0].template))
			return true;
	}
	return false;
}

/*
 * Adds the equality of an attribute of which the key has only the shard, or a part marked
 * "any", so that the range contains other values, too.  An item that lacks the attribute may have it
 * in its own key.
 */
static void
AddEquality(Plan *plan, const Clause *c)
{
	PatternEquality *e = palloc0(sizeof(PatternEquality));

	if (c->list)
		RefuseUndecidedList(plan, c->attribute);
	if (IsOptional(plan, plan->pattern->parameters[c->parameter].name))
		InvalidArgument("\"%.*s\" cannot be absent, because it is filtered by: its parameter cannot have the default null",
						(int) c->attribute.len, c->attribute.data);
	e->attribute = SliceCopy(c->attribute);
	e->parameter = plan->pattern->parameters[c->parameter].name;
	for (int i = 0; i < plan->target->nentities; i++)
	{
		const Entity *entity = plan->target->entities[i];

		for (int j = 0; j < entity->nbase; j++)
		{
			const ComposedKey *key = &entity->keys[j];

			if (TemplateTells(key->template, c->attribute) && !HasTellingKey(e, key))
				e->keys = lappend(e->keys, MakeTellingKey(plan, key, c->attribute));
		}
	}
	plan->pattern->equalities = lappend(plan->pattern->equalities, e);
}

/* ---- the plan ---- */

static void
PlanPartition(Plan *plan)
{
	const KeySchema *key = plan->target->key;

	for (int i = 0; i < key->npartition; i++)
	{
		const KeyAttribute *attribute = &key->attributes[i];
		const char *meant;
		bool		same;
		const Template *t;

		if (PlanAttribute(plan, attribute, false))
			continue;
		t = PatternCommonTemplate(plan->target, attribute, &same);
		meant = PatternNameHint(plan->target, plan->clauses, plan->nclauses);
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the condition does not determine partition key \"%.*s\"", (int) attribute->name.len, attribute->name.data),
				 t == NULL || !same ? errdetail("The entities have different templates for it.") :
				 errdetail("Its template is %.*s.", (int) t->source.len, t->source.data),
				 errhint("%s", meant != NULL ? meant :
						 psprintf("Compare each part with a parameter by \"=\", or use another index. %s",
								  PatternChangeHint(plan->clauses, plan->nclauses, plan->target)))));
	}
}

static void
RefuseUnused(const Plan *plan)
{
	for (int i = 0; i < plan->nclauses; i++)
	{
		const Clause *c = &plan->clauses[i];
		const char *meant;

		if (c->used)
			continue;
		meant = PatternNameHint(plan->target, c, 1);
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the condition on \"%.*s\" is not a range of the key", (int) c->attribute.len, c->attribute.data),
				 errhint("%s", meant != NULL ? meant :
						 psprintf("Move it to filter_expression, choose an index whose key has it, or compare the parts before it, too. %s",
								  PatternChangeHint(plan->clauses, plan->nclauses, plan->target)))));
	}
}

/* An equality of the type attribute that is in no key is filtered by. */
static void
UseTypeAttribute(Plan *plan)
{
	for (int i = 0; i < plan->nclauses; i++)
	{
		Clause	   *c = &plan->clauses[i];
		bool		is = !c->used && c->op == KEY_EQ && !c->list && plan->target->nentities > 0;

		for (int j = 0; j < plan->target->nentities; j++)
			is = is && SliceEqual(plan->target->entities[j]->type_attribute, c->attribute);
		if (!is)
			continue;
		c->used = true;
		(void) UseParameter(plan, c->parameter, "pg_catalog.text");
	}
}

/* Whether a template of the key contains an attribute, for some entity. */
static bool
TargetHasPart(const PatternTarget *target, Slice attribute)
{
	for (int i = 0; i < KeyCount(target->key); i++)
	{
		for (int j = 0; j < target->nentities; j++)
		{
			const Template *t = PatternTemplate(target, target->entities[j], &target->key->attributes[i]);

			if (t != NULL && TemplateUses(t, attribute))
				return true;
		}
	}
	return false;
}

/* Of two names of an attribute, the key may have the other one. */
static void
UseNamesInKeys(Plan *plan)
{
	for (int i = 0; i < plan->nclauses; i++)
	{
		Clause	   *c = &plan->clauses[i];
		Slice		other = plan->target->nentities == 0 ? MISSING_SLICE :
			AttributeOtherName(plan->target->entities[0], c->attribute);

		for (int j = 1; other.data != NULL && j < plan->target->nentities; j++)
		{
			if (!SliceEqual(AttributeOtherName(plan->target->entities[j], c->attribute), other))
				other = MISSING_SLICE;
		}
		if (other.data != NULL && !TargetHasPart(plan->target, c->attribute) && TargetHasPart(plan->target, other))
			c->attribute = other;
	}
}

void
PatternPlanClauses(AccessPattern *pattern, const PatternTarget *target, PatternClause *clauses, int n)
{
	Plan		plan = {pattern, target, n, clauses};
	const KeySchema *key = target->key;

	PatternCheckLists(pattern, clauses, n);
	for (int i = 0; i < n; i++)
	{
		if (clauses[i].list)
			pattern->parameters[clauses[i].parameter].list = true;
	}
	UseNamesInKeys(&plan);
	PlanPartition(&plan);
	for (int i = key->npartition; i < KeyCount(key); i++)
	{
		if (!PlanAttribute(&plan, &key->attributes[i], true))
			break;
	}
	UseTypeAttribute(&plan);
	RefuseUnused(&plan);
	for (int i = 0; i < plan.nclauses; i++)
	{
		if (!plan.clauses[i].decided)
			AddEquality(&plan, &plan.clauses[i]);
	}
	PatternPlanKind(pattern, target);
}
