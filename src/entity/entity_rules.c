/*
 * entity_rules.c
 *	  What values the attributes of an entity may have, and what makes them: lists of
 *	  values, attributes that cannot change, functions, expressions.
 *
 * Expressions and functions need the server, so somebody above registers how they are
 * evaluated.
 */
#include "postgres.h"

#include "entity/entity.h"
#include "errors.h"
#include "item/json.h"

#define MAX_LIST_SHOWN	200		/* bytes of a list of values in messages */

static const EntityValueSource *value_source = NULL;

void
EntitySetValueSource(const EntityValueSource *source)
{
	value_source = source;
}

/* ---- default functions ---- */

static const char *const function_names[] = {[DEFAULT_UUID] = "uuid", [DEFAULT_NOW] = "now"};

const char *
DefaultFunctionName(DefaultFunction function)
{
	return function_names[function];
}

bool
DefaultFunctionFromName(Slice name, DefaultFunction *function)
{
	for (int i = DEFAULT_UUID; i < (int) lengthof(function_names); i++)
	{
		if (!SliceIs(name, function_names[i]))
			continue;
		*function = i;
		return true;
	}
	return false;
}

ValueRef
EntityMakeDefault(const EntityAttribute *a)
{
	return value_source == NULL || a->function == DEFAULT_NO_FUNCTION ? MISSING_VALUE : value_source->make_default(a);
}

/* ---- types ---- */

/* Whether a text is a uuid as PostgreSQL prints it. */
static bool
IsUuid(Slice text)
{
	if (text.len != 36)
		return false;
	for (uint32 i = 0; i < text.len; i++)
	{
		char		c = text.data[i];
		bool		hyphen = i == 8 || i == 13 || i == 18 || i == 23;

		if (hyphen ? c != '-' : !((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f')))
			return false;
	}
	return true;
}

const char *
EntityAttributeProblem(const EntityAttribute *declared, ValueRef value)
{
	if (declared->holds < 0 || ValueIsMissing(value) || ValueTypeOf(value) == VALUE_NULL)
		return NULL;
	if ((int) ValueTypeOf(value) != declared->holds)
		return declared->holds == VALUE_N ? "is not a number" : "is not a string";
	return declared->uuid && !IsUuid(ValuePayload(value)) ? "is not a uuid in lower case with hyphens" : NULL;
}

/* ---- what is required ---- */

static bool
IsPartOfKey(const Entity *entity, Slice name)
{
	for (int i = 0; i < entity->nkeys; i++)
	{
		const Template *t = entity->keys[i].template;

		for (int j = 0; j < t->npieces; j++)
		{
			if (t->pieces[j].part != NULL && SliceEqual(t->pieces[j].part->name, name))
				return true;
		}
	}
	return false;
}

bool
EntityHasRequired(const Entity *entity, ValueRef item, Slice name)
{
	TemplatePart part = {.name = name, .nsteps = 1, .steps = &name};
	ValueRef	v = EntityPartValue(entity, item, &part);

	return !ValueIsMissing(v) &&
		(ValueTypeOf(v) != VALUE_S || ValuePayload(v).len > 0 || !IsPartOfKey(entity, name));
}

/* ---- lists of values ---- */

const char *
EntityEnumProblem(const EntityAttribute *a, ValueRef value)
{
	Container	list;
	StringInfoData shown;

	if (ValueIsMissing(a->allowed) || ValueIsMissing(value))
		return NULL;
	ContainerOpen(a->allowed, &list);
	for (uint32 i = 0; i < list.count; i++)
	{
		if (ValueEqual(ListElement(&list, i), value))
			return NULL;
	}
	initStringInfo(&shown);
	for (uint32 i = 0; i < list.count && shown.len < MAX_LIST_SHOWN; i++)
	{
		Slice		text = ValuePayload(ListElement(&list, i));

		appendStringInfoString(&shown, i == 0 ? "" : ", ");
		if (ValueTypeOf(ListElement(&list, i)) == VALUE_S)
			appendBinaryStringInfo(&shown, text.data, text.len);
		else
			ValueToJson(&shown, ListElement(&list, i));
	}
	if (shown.len >= MAX_LIST_SHOWN)
		return "is none of the values that it may have";
	return psprintf("is none of: %s", shown.data);
}

/* ---- expressions ---- */

/* Whether a text contains a name, whatever the case of its letters. */
static bool
MentionsName(Slice text, Slice name)
{
	for (uint32 at = 0; at + name.len <= text.len; at++)
	{
		if (pg_strncasecmp(text.data + at, name.data, name.len) == 0)
			return true;
	}
	return false;
}

bool
EntityComputedUses(const EntityAttribute *a, Slice attribute)
{
	/* a quotation mark in a name is written twice, and a name after U& in any way */
	return a->computed.data != NULL &&
		(memchr(attribute.data, '"', attribute.len) != NULL || MentionsName(a->computed, SliceOf("U&\"")) ||
		 MentionsName(a->computed, attribute));
}

bool
EntityComputesFrom(const Entity *entity, Slice attribute)
{
	for (int i = 0; i < entity->nattributes; i++)
	{
		if (EntityComputedUses(&entity->attributes[i], attribute))
			return true;
	}
	return false;
}

bool
EntityMayBeCounterparts(const EntityAttribute *a, const EntityAttribute *b)
{
	return a != b && EntityComputedUses(a, b->name) && EntityComputedUses(b, a->name);
}

const EntityAttribute *
EntityCounterpart(const Entity *entity, const EntityAttribute *a)
{
	for (int i = 0; value_source != NULL && entity->may_have_counterparts && i < entity->nattributes; i++)
	{
		if (EntityMayBeCounterparts(a, &entity->attributes[i]) &&
			value_source->are_counterparts(entity, a, &entity->attributes[i]))
			return &entity->attributes[i];
	}
	return NULL;
}

/* Sets *same to whether an attribute is what is computed, or missing like that. */
static bool
IsComputed(const Entity *entity, const EntityAttribute *a, ValueRef item, bool *same, Problem *problem)
{
	ValueRef	v = AttributeFind(item, a->name.data, a->name.len);
	ValueRef	value;

	if (!EntityCompute(entity, a, item, &value, problem))
		return false;
	*same = ValueIsMissing(v) || ValueIsMissing(value) ? ValueIsMissing(v) && ValueIsMissing(value) : ValueEqual(v, value);
	return true;
}

bool
EntityCounterpartsAgree(const Entity *entity, const EntityAttribute *a, const EntityAttribute *b, ValueRef item,
						bool *agree, Problem *problem)
{
	return IsComputed(entity, b, item, agree, problem) && (*agree || IsComputed(entity, a, item, agree, problem));
}

bool
EntityCompute(const Entity *entity, const EntityAttribute *a, ValueRef item, ValueRef *value, Problem *problem)
{
	*value = MISSING_VALUE;
	return value_source == NULL || value_source->compute(entity, a, item, value, problem);
}

/* ---- read-only attributes ---- */

/* An attribute, which may be in the key alone. */
static ValueRef
HeldValue(const Entity *entity, ValueRef item, const EntityAttribute *a)
{
	TemplatePart part = {.kind = PART_TEXT, .name = a->name, .nsteps = 1, .steps = unconstify(Slice *, &a->name)};
	ValueRef	v = AttributeFind(item, a->name.data, a->name.len);

	return ValueIsMissing(v) ? EntityPartValue(entity, item, &part) : v;
}

bool
EntityKeepsReadOnly(const EntitySet *set, ValueRef item, ValueRef old, Problem *problem)
{
	const Entity *entity = EntityOfItem(set, old);

	for (int i = 0; entity != NULL && entity->has_read_only && i < entity->nattributes; i++)
	{
		const EntityAttribute *a = &entity->attributes[i];
		ValueRef	before = a->read_only ? HeldValue(entity, old, a) : MISSING_VALUE;
		ValueRef	after = a->read_only ? HeldValue(entity, item, a) : MISSING_VALUE;

		if (ValueIsMissing(before) ? ValueIsMissing(after) : !ValueIsMissing(after) && ValueEqual(before, after))
			continue;
		return ProblemNote(problem, &(Problem) {
			.sqlstate = ERRCODE_DYNAMO_VALIDATION,
			.message = psprintf(DYNAMO_INVALID_PARAMETERS "Cannot update attribute %.*s. This attribute of entity %.*s is read-only",
								(int) a->name.len, a->name.data, (int) entity->name.len, entity->name.data)
		});
	}
	return true;
}

bool
EntityKeepsKind(const EntitySet *set, ValueRef item, ValueRef old, Problem *problem)
{
	const Entity *entity = EntityOfItem(set, old);

	if (entity == NULL || !entity->has_read_only || EntityOfItem(set, item) == entity)
		return true;
	return ProblemNote(problem, &(Problem) {
		.sqlstate = ERRCODE_DYNAMO_VALIDATION,
		.message = psprintf(DYNAMO_INVALID_PARAMETERS "Cannot update the item. An item of entity %.*s, which has read-only attributes, stays one",
							(int) entity->name.len, entity->name.data)
	});
}
