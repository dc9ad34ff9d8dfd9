/*
 * entity_kind.c
 *	  Determines the entity of an item, and reads attributes from its key.
 */
#include "postgres.h"

#include "entity/entity.h"
#include "entity/template_parts.h"
#include "errors.h"
#include "item/builder.h"

/* ---- by the type attribute, by the key ---- */

/* Returns the attribute if it is a string; otherwise data is NULL. */
static Slice
GetStringAttribute(ValueRef item, Slice name)
{
	ValueRef	v = AttributeFind(item, name.data, name.len);

	if (ValueIsMissing(v) || ValueTypeOf(v) != VALUE_S)
		return MISSING_SLICE;
	return ValuePayload(v);
}

bool
EntityIsType(const Entity *entity, ValueRef v)
{
	Slice		type;

	if (entity->type_attribute.data == NULL || ValueIsMissing(v) || ValueTypeOf(v) != VALUE_S)
		return false;
	type = ValuePayload(v);
	return SliceEqual(type, entity->type_value) || (entity->other_type.data != NULL && SliceEqual(type, entity->other_type));
}

/* Whether an item has such a value in the type attribute. */
static bool
EntityHasType(const Entity *entity, ValueRef item)
{
	Slice		name = entity->type_attribute;

	return name.data != NULL && EntityIsType(entity, AttributeFind(item, name.data, name.len));
}

Slice
EntityNewType(const Entity *entity, ValueRef item)
{
	Slice		type;

	if (entity->keeps_types || !EntityHasType(entity, item))
		return MISSING_SLICE;
	type = entity->other_when != NULL && ConditionMatches(entity->other_when, item) ? entity->other_type : entity->type_value;
	return SliceEqual(type, GetStringAttribute(item, entity->type_attribute)) ? MISSING_SLICE : type;
}

/*
 * Whether a key attribute matches its template, whatever the other attributes
 * are.
 */
static bool
KeyFits(const ComposedKey *key, ValueRef item)
{
	Slice		texts[2 * TEMPLATE_MAX_PARTS + 1];
	Slice		value = GetStringAttribute(item, key->attribute);

	return value.data != NULL && TemplateTakeApart(key->template, value, texts);
}

static bool
KeysFit(const Entity *entity, ValueRef item)
{
	for (int i = 0; i < entity->nbase; i++)
	{
		if (!KeyFits(&entity->keys[i], item))
			return false;
	}
	return true;
}

static bool
HasKeyOf(const Entity *entity, ValueRef item)
{
	return entity->type_attribute.data == NULL &&
		(KeysFit(entity, item) || (entity->source != NULL && KeysFit(entity->source, item)));
}

const Entity *
EntityOfType(const EntitySet *set, ValueRef item)
{
	for (int i = 0; i < set->count; i++)
	{
		if (EntityHasType(&set->entities[i], item))
			return &set->entities[i];
	}
	return NULL;
}

const Entity *
EntityOfItem(const EntitySet *set, ValueRef item)
{
	const Entity *entity = EntityOfType(set, item);

	if (entity != NULL)
		return entity;
	for (int i = 0; i < set->count; i++)
	{
		if (HasKeyOf(&set->entities[i], item))
			return &set->entities[i];
	}
	return NULL;
}

/* Whether an item has all attributes of the table's key that have templates. */
static bool
HasBaseKey(const Entity *entity, ValueRef item)
{
	for (int i = 0; i < entity->nbase; i++)
	{
		Slice		name = entity->keys[i].attribute;

		if (ValueIsMissing(AttributeFind(item, name.data, name.len)))
			return false;
	}
	return true;
}

/* ---- by the attributes ---- */

/* Returns an attribute that a new item has or will get. */
static bool
ItemWillHave(const Entity *entity, Slice name, ValueRef v)
{
	const EntityAttribute *a = EntityAttributeFind(entity, name);

	if (!ValueIsMissing(v) && ValueTypeOf(v) != VALUE_NULL)
		return a == NULL || ValueIsMissing(a->constant) || ValueEqual(a->constant, v);
	return a != NULL && (!ValueIsMissing(a->constant) || !ValueIsMissing(a->initial) ||
						 a->function != DEFAULT_NO_FUNCTION || a->computed.data != NULL);
}

static bool
WillHavePart(const Entity *entity, const TemplatePart *part, ValueRef item)
{
	if (part->nsteps == 1)
		return ItemWillHave(entity, part->name, PartAttribute(part, item));
	return !ValueIsMissing(PartAttribute(part, item));
}

static bool
CanComposeKey(const Entity *entity, ValueRef item)
{
	if (entity->type_attribute.data != NULL)
		return false;
	for (int i = 0; i < entity->nbase; i++)
	{
		const Template *t = entity->keys[i].template;

		for (int j = 0; j < t->npieces; j++)
		{
			const TemplatePart *part = t->pieces[j].part;

			if (part != NULL && !WillHavePart(entity, part, item))
				return false;
		}
	}
	for (int i = 0; i < entity->nattributes; i++)
	{
		const EntityAttribute *a = &entity->attributes[i];

		if ((a->required || !ValueIsMissing(a->constant)) &&
			!ItemWillHave(entity, a->name, AttributeFind(item, a->name.data, a->name.len)))
			return false;
	}
	return true;
}

static bool
NoteAmbiguity(const Entity *a, const Entity *b, Problem *problem)
{
	return ProblemNote(problem, &(Problem) {
		.sqlstate = ERRCODE_DYNAMO_VALIDATION,
		.message = psprintf(DYNAMO_INVALID_PARAMETERS "An item without key could be of entity %.*s or %.*s",
							(int) a->name.len, a->name.data, (int) b->name.len, b->name.data),
		.hint = "Give its key, or declare the entities with a type attribute."
	});
}

const Entity *
EntityOfParts(const EntitySet *set, ValueRef item, Problem *problem)
{
	const Entity *found = NULL;

	for (int i = 0; i < set->count; i++)
	{
		const Entity *entity = &set->entities[i];

		if (!CanComposeKey(entity, item) || HasBaseKey(entity, item))
			continue;
		if (found != NULL)
		{
			(void) NoteAmbiguity(found, entity, problem);
			return NULL;
		}
		found = entity;
	}
	return found;
}

/* ---- by the key alone ---- */

static bool
CouldHaveType(const Entity *entity, ValueRef item)
{
	return entity->type_attribute.data != NULL && entity->nbase > 0 && KeysFit(entity, item) &&
		ValueIsMissing(AttributeFind(item, entity->type_attribute.data, entity->type_attribute.len));
}

const Entity *
EntityOfKey(const EntitySet *set, ValueRef item, Problem *problem)
{
	const Entity *found = NULL;

	for (int i = 0; i < set->count; i++)
	{
		const Entity *entity = &set->entities[i];

		if (!CouldHaveType(entity, item))
			continue;
		if (found != NULL)
		{
			(void) ProblemNote(problem, &(Problem) {
				.sqlstate = ERRCODE_DYNAMO_VALIDATION,
				.message = psprintf(DYNAMO_INVALID_PARAMETERS "An item with this key could be of entity %.*s or %.*s",
									(int) found->name.len, found->name.data, (int) entity->name.len, entity->name.data),
				.hint = psprintf("Set its type attribute \"%.*s\".", (int) entity->type_attribute.len, entity->type_attribute.data)
			});
			return NULL;
		}
		found = entity;
	}
	return found;
}

/* ---- what the key tells ---- */

/*
 * Returns a value of this type with this text; MISSING_VALUE if the text is
 * invalid.
 */
static ValueRef
ConvertText(ValueType type, Slice text)
{
	ItemBuilder *b = ItemBuilderCreate(1, DUPLICATE_NAME_LAST);

	if (type == VALUE_N)
		ItemBuilderNumberText(b, text.data, text.len);
	else
		ItemBuilderString(b, text.data, text.len);
	return ItemRoot(ItemBuilderFinish(b));
}

static ValueRef
PartOfKey(const Entity *entity, const ComposedKey *key, ValueRef item, const TemplatePart *part)
{
	Slice		texts[2 * TEMPLATE_MAX_PARTS + 1];
	Slice		value = GetStringAttribute(item, key->attribute);
	const EntityAttribute *declared = EntityAttributeFind(entity, part->name);
	StringInfoData text;
	ValueType	type;

	if (value.data == NULL || !TemplateTakeApart(key->template, value, texts))
		return MISSING_VALUE;
	for (int i = 0; i < key->template->npieces; i++)
	{
		const TemplatePart *candidate = key->template->pieces[i].part;

		if (candidate == NULL || !SliceEqual(candidate->name, part->name) ||
			!PieceTellsAttribute(key->template, i))
			continue;
		initStringInfo(&text);
		type = PartAppendValue(candidate, texts[i], &text);
		if (declared != NULL && declared->holds == VALUE_S)
			type = VALUE_S;
		else if (declared != NULL && declared->holds == VALUE_N && type == VALUE_S &&
				 TextIsNumber((Slice) {text.data, text.len}))
			type = VALUE_N;
		return ConvertText(type, (Slice) {text.data, text.len});
	}
	return MISSING_VALUE;
}

/* Returns a part of the table's key that is one by the templates; MISSING_VALUE if there is none. */
static ValueRef
PartInKeys(const Entity *entity, ValueRef item, const TemplatePart *part)
{
	ValueRef	v = MISSING_VALUE;

	for (int i = 0; i < entity->nbase && ValueIsMissing(v); i++)
		v = PartOfKey(entity, &entity->keys[i], item, part);
	return v;
}

/* ---- keys of an entity and of its source ---- */

typedef struct KeySource
{
	const Entity *entity;
	ValueRef	item;
} KeySource;

/* A PartFinder. */
static ValueRef
FindPartInKeys(void *arg, const TemplatePart *part, const char **reason)
{
	const KeySource *source = arg;
	const EntityAttribute *declared = part->nsteps == 1 ? EntityAttributeFind(source->entity, part->name) : NULL;
	ValueRef	v = PartInKeys(source->entity, source->item, part);

	*reason = declared == NULL ? NULL : EntityAttributeProblem(declared, v);
	return v;
}

bool
EntityKeyIsOf(const Entity *entity, ValueRef item)
{
	KeySource	source = {entity, item};
	StringInfoData text;
	bool		same = KeysFit(entity, item);

	initStringInfo(&text);
	for (int i = 0; same && i < entity->nbase; i++)
	{
		ComposeProblem problem;

		resetStringInfo(&text);
		same = TemplateComposeFrom(entity->keys[i].template, FindPartInKeys, &source, &text, &problem) == COMPOSE_OK &&
			SliceEqual(GetStringAttribute(item, entity->keys[i].attribute), (Slice) {text.data, text.len});
	}
	pfree(text.data);
	return same;
}

const Entity *
EntityVersionOf(const Entity *entity, ValueRef item)
{
	if (entity->source == NULL || !EntityKeyIsOf(entity->source, item) || EntityKeyIsOf(entity, item))
		return entity;
	return entity->source;
}

bool
EntityKeyTells(const Entity *entity, Slice name)
{
	for (int i = 0; i < entity->nbase; i++)
	{
		const Template *t = entity->keys[i].template;

		for (int j = 0; j < t->npieces; j++)
		{
			if (t->pieces[j].part != NULL && SliceEqual(t->pieces[j].part->name, name) && PieceTellsAttribute(t, j))
				return true;
		}
	}
	return false;
}

bool
EntityHasTime(const Entity *entity, Slice name)
{
	for (int i = 0; entity != NULL && i < entity->nkeys; i++)
	{
		const Template *t = entity->keys[i].template;

		for (int j = 0; j < t->npieces; j++)
		{
			const TemplatePart *part = t->pieces[j].part;

			if (part != NULL && part->kind == PART_TIME && part->nsteps == 1 && SliceEqual(part->name, name))
				return true;
		}
	}
	return false;
}

ValueRef
EntityPartValue(const Entity *entity, ValueRef item, const TemplatePart *part)
{
	ValueRef	v = PartAttribute(part, item);

	if (!ValueIsMissing(v) && ValueTypeOf(v) != VALUE_NULL)
		return v;
	return PartInKeys(EntityVersionOf(entity, item), item, part);
}
