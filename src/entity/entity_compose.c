/*
 * entity_compose.c
 *	  Composing the keys of an item that is written.
 *
 *	  Keys are computed from the item as it will be.  That of the table is
 *	  composed where the item has none; a given one must be what is composed.
 *	  An index key that cannot be composed, or whose condition is false, is
 *	  absent.
 *
 *	  An update starts from the keys of the old item.  These were not given:
 *	  a key whose parts change is composed again.  A key whose parts do not
 *	  change is left alone, which also saves time.
 */
#include "postgres.h"

#include "entity/entity.h"
#include "errors.h"
#include "item/builder.h"
#include "item/splice.h"

/* An item whose keys are being composed. */
typedef struct Composing
{
	const EntityWrite *write;
	const Entity *entity;
	ValueRef	item;			/* the item with the attributes set so far */
	struct varlena *changed;	/* the same as a varlena; NULL if nothing was set */
	bool		same_kind;		/* the old item belongs to the same entity and has the same key */
	bool		moved;			/* the item got the key of the entity in place of its source's */
	bool		undecided;		/* which of two counterparts was changed: the replaced item tells */
} Composing;

/* ---- attributes ---- */

static ValueRef
GetAttribute(ValueRef item, Slice name)
{
	return AttributeFind(item, name.data, name.len);
}

/* Sets an attribute, or removes it if the value is missing. */
static void
SetAttribute(Composing *c, Slice name, ValueRef value)
{
	Container	old;
	SpliceEdit	edit = {
		.name = name,
		.inserts = !ValueIsMissing(value),
		.bytes = {(const char *) value.data, value.len},
	};

	ContainerOpen(c->item, &old);
	edit.removes = MapPosition(&old, name, &edit.position);
	if (!edit.removes && !edit.inserts)
		return;
	c->changed = ItemSplice(&old, &edit, 1);
	c->item = ItemRoot(c->changed);
}

/* ---- one key ---- */

/*
 * Returns why a part's value differs from its declaration; NULL if it
 * conforms.
 */
static const char *
FindDeclaredProblem(const Entity *entity, const TemplatePart *part, ValueRef value)
{
	const EntityAttribute *declared = part->nsteps == 1 ? EntityAttributeFind(entity, part->name) : NULL;

	return declared == NULL ? NULL : EntityAttributeProblem(declared, value);
}

typedef struct PartSource
{
	const Entity *entity;
	ValueRef	item;
} PartSource;

/* Computes the value of a part that the item lacks. */
static ValueRef
ComputePart(const PartSource *source, const TemplatePart *part, const char **reason)
{
	const EntityAttribute *a = part->nsteps == 1 ? EntityAttributeFind(source->entity, part->name) : NULL;
	Problem		problem = NO_PROBLEM;
	ValueRef	value = MISSING_VALUE;

	if (a != NULL && a->computed.data != NULL && !EntityCompute(source->entity, a, source->item, &value, &problem))
		*reason = "cannot be computed";
	return value;
}

/* A PartFinder. */
static ValueRef
FindPartInItem(void *arg, const TemplatePart *part, const char **reason)
{
	const PartSource *source = arg;
	ValueRef	value = EntityPartValue(source->entity, source->item, part);

	*reason = NULL;
	if (ValueIsMissing(value) && source->entity->has_rules)
		value = ComputePart(source, part, reason);
	if (*reason == NULL)
		*reason = FindDeclaredProblem(source->entity, part, value);
	return value;
}

ComposeStatus
EntityComposeKey(const Entity *entity, const ComposedKey *key, ValueRef item,
				 StringInfo out, ComposeProblem *problem)
{
	PartSource	source = {entity, item};

	return TemplateComposeFrom(key->template, FindPartInItem, &source, out, problem);
}

bool
EntityKeyIsComposed(const Entity *entity, ValueRef item)
{
	StringInfoData text;
	bool		composed = true;

	entity = EntityVersionOf(entity, item);
	initStringInfo(&text);
	for (int i = 0; composed && i < entity->nbase; i++)
	{
		const ComposedKey *key = &entity->keys[i];
		ValueRef	v = GetAttribute(item, key->attribute);
		ComposeProblem problem;

		resetStringInfo(&text);
		composed = !ValueIsMissing(v) && ValueTypeOf(v) == VALUE_S &&
			EntityComposeKey(entity, key, item, &text, &problem) == COMPOSE_OK &&
			SliceEqual(ValuePayload(v), (Slice) {text.data, text.len});
	}
	pfree(text.data);
	return composed;
}

bool
NoteComposeProblem(const Entity *entity, const ComposedKey *key, const ComposeProblem *why, Problem *problem)
{
	const char *message = why->reason == NULL ?
		psprintf(DYNAMO_INVALID_PARAMETERS "Key attribute %.*s of entity %.*s needs attribute %.*s",
				 (int) key->attribute.len, key->attribute.data, (int) entity->name.len, entity->name.data,
				 (int) why->part->name.len, why->part->name.data) :
		psprintf(DYNAMO_INVALID_PARAMETERS "Key attribute %.*s of entity %.*s cannot be composed: Attribute %.*s %s",
				 (int) key->attribute.len, key->attribute.data, (int) entity->name.len, entity->name.data,
				 (int) why->part->name.len, why->part->name.data, why->reason);

	return ProblemNote(problem, &(Problem) {
		.sqlstate = ERRCODE_DYNAMO_VALIDATION,
		.message = message,
		.detail = psprintf("Its template is %.*s.",
						   (int) key->template->source.len, key->template->source.data)
	});
}

/* Describes the value of a key attribute for messages. */
static const char *
DescribeKeyValue(ValueRef v)
{
	if (ValueIsMissing(v))
		return "no value";
	if (ValueTypeOf(v) != VALUE_S)
		return psprintf("a value of type %s", ValueTypeName(ValueTypeOf(v)));
	return psprintf("\"%.*s\"", (int) ValuePayload(v).len, ValuePayload(v).data);
}

static bool
NoteMismatch(const Composing *c, const ComposedKey *key, ValueRef given, ValueRef composed)
{
	Slice		template = key->template->source;

	return ProblemNote(c->write->problem, &(Problem) {
		.sqlstate = ERRCODE_DYNAMO_VALIDATION,
		.message = psprintf(DYNAMO_INVALID_PARAMETERS "Key attribute %.*s is not what entity %.*s composes",
							(int) key->attribute.len, key->attribute.data,
							(int) c->entity->name.len, c->entity->name.data),
		.detail = psprintf("The item has %s; template %.*s makes %s.", DescribeKeyValue(given),
						   (int) template.len, template.data, DescribeKeyValue(composed)),
		.for_client = true,
		.hint = "Leave the attribute out: it is composed."
	});
}

/*
 * Whether the write leaves the table's key and the attributes in it unchanged,
 * which UpdateItem must.
 */
static bool
CheckPartsOfKey(const Composing *c, const ComposedKey *key)
{
	const Template *t = key->template;

	for (int i = 0; i < t->npieces; i++)
	{
		const TemplatePart *part = t->pieces[i].part;

		if (part == NULL || ValueEqual(PartAttribute(part, c->item), PartAttribute(part, c->write->old)))
			continue;
		return ProblemNote(c->write->problem, &(Problem) {
			.sqlstate = ERRCODE_DYNAMO_VALIDATION,
			.message = psprintf(DYNAMO_INVALID_PARAMETERS "Cannot update attribute %.*s. This attribute is part of the key",
								(int) part->name.len, part->name.data),
			.detail = psprintf("Key attribute %.*s is composed by template %.*s.",
							   (int) key->attribute.len, key->attribute.data, (int) t->source.len, t->source.data)
		});
	}
	return true;
}

static bool
HasSameValue(ValueRef a, ValueRef b)
{
	return ValueIsMissing(a) || ValueIsMissing(b) ? ValueIsMissing(a) && ValueIsMissing(b) : ValueEqual(a, b);
}

/* Whether the write leaves a key and the attributes in it unchanged. */
static bool
IsUntouched(const Composing *c, const ComposedKey *key)
{
	ValueRef	old = c->write->old;

	if (!c->same_kind || !HasSameValue(GetAttribute(c->item, key->attribute), GetAttribute(old, key->attribute)))
		return false;
	for (int i = 0; i < key->template->npieces; i++)
	{
		const TemplatePart *part = key->template->pieces[i].part;

		if (part != NULL && !HasSameValue(PartAttribute(part, c->item), PartAttribute(part, old)))
			return false;
	}
	return key->condition == NULL ||
		ConditionMatches(key->condition, c->item) == ConditionMatches(key->condition, old);
}

/*
 * Sets *value to the composed key; to MISSING_VALUE if the item has none.
 * Returns false if it notes a problem.
 */
static bool
ComposedValue(const Composing *c, const ComposedKey *key, ValueRef *value)
{
	StringInfoData text;
	ComposeProblem why;
	ComposeStatus status;

	*value = MISSING_VALUE;
	if (key->condition != NULL && !ConditionMatches(key->condition, c->item))
		return true;
	initStringInfo(&text);
	status = EntityComposeKey(c->entity, key, c->item, &text, &why);
	if (status == COMPOSE_OK)
		*value = ValueOfString((Slice) {text.data, text.len});
	else if (status == COMPOSE_UNFIT ||
			 (key->base && ValueIsMissing(GetAttribute(c->item, key->attribute))))
		return NoteComposeProblem(c->entity, key, &why, c->write->problem);
	return true;
}

/* Composes a key.  Returns false if it notes a problem. */
static bool
SetComposedKey(Composing *c, const ComposedKey *key)
{
	ValueRef	given = GetAttribute(c->item, key->attribute);
	bool		fixed = key->base && (c->write->fixed_key || c->write->repairs);
	ValueRef	composed;
	bool		carried;

	if (IsUntouched(c, key))
		return true;
	if (!ComposedValue(c, key, &composed))
		return false;
	if (HasSameValue(given, composed))
		return true;
	carried = !ValueIsMissing(c->write->old) &&
		HasSameValue(given, GetAttribute(c->write->old, key->attribute));
	if (carried && fixed && !CheckPartsOfKey(c, key))
		return false;
	if ((!ValueIsMissing(given) && (fixed || (!carried && !c->entity->replaces && !c->write->repairs))) ||
		(key->base && ValueIsMissing(composed)))
		return NoteMismatch(c, key, given, composed);
	SetAttribute(c, key->attribute, composed);
	return true;
}

/* ---- keys that the entity does not compose any more ---- */

bool
FormerKeyStays(const ComposedKey *former, ValueRef item)
{
	Slice		texts[2 * TEMPLATE_MAX_PARTS + 1];
	ValueRef	v = GetAttribute(item, former->attribute);

	return !ValueIsMissing(v) && ValueTypeOf(v) == VALUE_S &&
		TemplateTakeApart(former->template, ValuePayload(v), texts);
}

/*
 * Removes keys that are left of a template that the entity had.  One that the write
 * gives is the item's own.
 */
static void
RemoveFormerKeys(Composing *c)
{
	for (int i = 0; i < c->entity->nformer; i++)
	{
		const ComposedKey *former = &c->entity->former[i];
		bool		carried = !ValueIsMissing(c->write->old) &&
			HasSameValue(GetAttribute(c->item, former->attribute), GetAttribute(c->write->old, former->attribute));

		if ((carried || c->write->repairs) && FormerKeyStays(former, c->item))
			SetAttribute(c, former->attribute, MISSING_VALUE);
	}
}

/* ---- type, constants, defaults, what is required ---- */

/* Sets the type attribute of an item that is intended for an entity. */
static void
SetType(Composing *c)
{
	Slice		attribute = c->entity->type_attribute;

	if (attribute.data == NULL || !ValueIsMissing(GetAttribute(c->item, attribute)))
		return;
	SetAttribute(c, attribute, ValueOfString(c->entity->type_value));
}

/*
 * Checks that an attribute in the condition of an index has its declared type,
 * so that a query on the view's column can use the condition.  Returns false
 * if it notes a problem.
 */
static bool
CheckTested(const Composing *c, const EntityAttribute *a, ValueRef v)
{
	const char *why = a->tested ? EntityAttributeProblem(a, v) : NULL;

	if (why == NULL || (!ValueIsMissing(c->write->old) && HasSameValue(v, GetAttribute(c->write->old, a->name))))
		return true;
	return NoteInvalid(c->write->problem, DYNAMO_INVALID_PARAMETERS "Attribute %.*s of entity %.*s %s",
					   (int) a->name.len, a->name.data, (int) c->entity->name.len, c->entity->name.data, why);
}

/* Checks lists of values, but for what the old item has already. */
static bool
CheckEnums(const Composing *c)
{
	for (int i = 0; i < c->entity->nattributes; i++)
	{
		const EntityAttribute *a = &c->entity->attributes[i];
		ValueRef	v = ValueIsMissing(a->allowed) ? MISSING_VALUE : GetAttribute(c->item, a->name);
		const char *why = EntityEnumProblem(a, v);

		if (why == NULL || (!ValueIsMissing(c->write->old) && HasSameValue(v, GetAttribute(c->write->old, a->name))))
			continue;
		return NoteInvalid(c->write->problem, DYNAMO_INVALID_PARAMETERS "Attribute %.*s of entity %.*s %s",
						   (int) a->name.len, a->name.data, (int) c->entity->name.len, c->entity->name.data, why);
	}
	return true;
}

static bool
SetDeclared(Composing *c)
{
	bool		new = ValueIsMissing(c->write->old) && !c->write->repairs;

	for (int i = 0; i < c->entity->nattributes; i++)
	{
		const EntityAttribute *a = &c->entity->attributes[i];
		ValueRef	v = GetAttribute(c->item, a->name);

		if (!ValueIsMissing(a->constant) && !ValueIsMissing(v) && !ValueEqual(v, a->constant))
			return NoteInvalid(c->write->problem, DYNAMO_INVALID_PARAMETERS "Attribute %.*s is not the constant that entity %.*s has",
							   (int) a->name.len, a->name.data,
							   (int) c->entity->name.len, c->entity->name.data);
		if (!CheckTested(c, a, v))
			return false;
		if (!ValueIsMissing(v))
			continue;
		if (!ValueIsMissing(a->constant))
			SetAttribute(c, a->name, a->constant);
		else if (new && !ValueIsMissing(a->initial) && a->computed.data == NULL)
			SetAttribute(c, a->name, a->initial);
	}
	return true;
}

/* Sets an attribute to what is computed from the others. */
static bool
SetComputed(Composing *c, const EntityAttribute *a)
{
	ValueRef	value;

	if (!EntityCompute(c->entity, a, c->item, &value, c->write->problem))
		return false;
	if (!HasSameValue(value, GetAttribute(c->item, a->name)))
		SetAttribute(c, a->name, value);
	return true;
}

/* Gives one of two counterparts its default, in a new item that has neither. */
static bool
SetDefaultOfEither(Composing *c, const EntityAttribute *a, const EntityAttribute *b)
{
	const EntityAttribute *made = !ValueIsMissing(b->initial) || b->function != DEFAULT_NO_FUNCTION ? b : a;
	ValueRef	value = ValueIsMissing(made->initial) ? EntityMakeDefault(made) : made->initial;

	if (!ValueIsMissing(c->write->old) || c->write->repairs || ValueIsMissing(value))
		return true;
	SetAttribute(c, made->name, value);
	return SetComputed(c, made == a ? b : a);
}

static bool
ChangesAttribute(const Composing *c, const EntityAttribute *a)
{
	return c->write->repairs || ValueIsMissing(c->write->old) ||
		!HasSameValue(GetAttribute(c->item, a->name), GetAttribute(c->write->old, a->name));
}

/* An item has one of two counterparts: it gets the other, unless the write has removed that. */
static bool
CompleteCounterpart(Composing *c, const EntityAttribute *present, const EntityAttribute *absent)
{
	if (!ChangesAttribute(c, present) && ChangesAttribute(c, absent))
	{
		SetAttribute(c, present->name, MISSING_VALUE);
		return true;
	}
	return SetComputed(c, absent);
}

/* A new item, or one that changes both of two counterparts, must have values that belong together. */
static bool
CheckCounterparts(Composing *c, const EntityAttribute *a, const EntityAttribute *b)
{
	bool		agree;

	if (!EntityCounterpartsAgree(c->entity, a, b, c->item, &agree, c->write->problem))
		return false;
	c->undecided |= !agree && c->write->unseen;
	return agree || c->write->unseen ||
		NoteInvalid(c->write->problem, DYNAMO_INVALID_PARAMETERS "Attributes %.*s and %.*s of entity %.*s contradict each other: each is computed from the other",
					(int) a->name.len, a->name.data, (int) b->name.len, b->name.data,
					(int) c->entity->name.len, c->entity->name.data);
}

/* Of two attributes that are computed from each other, the one that the write changes makes the other. */
static bool
SetCounterparts(Composing *c, const EntityAttribute *a, const EntityAttribute *b)
{
	bool		has_a = !ValueIsMissing(GetAttribute(c->item, a->name));
	bool		has_b = !ValueIsMissing(GetAttribute(c->item, b->name));
	bool		changes_a = ChangesAttribute(c, a);
	bool		changes_b = ChangesAttribute(c, b);

	if (!has_a && !has_b)
		return SetDefaultOfEither(c, a, b);
	if (!has_a || !has_b)
		return CompleteCounterpart(c, has_a ? a : b, has_a ? b : a);
	if (changes_a && changes_b)
		return CheckCounterparts(c, a, b);
	return (!changes_a || SetComputed(c, b)) && (!changes_b || SetComputed(c, a));
}

static bool
SetComputedOrCounterparts(Composing *c, const EntityAttribute *a)
{
	const EntityAttribute *other = EntityCounterpart(c->entity, a);

	if (other == NULL)
		return SetComputed(c, a);
	return a > other || SetCounterparts(c, a, other);
}

/* Sets attributes that functions and expressions make, and checks lists of values. */
static bool
SetMadeAttributes(Composing *c)
{
	const EntityWrite *write = c->write;

	for (int i = 0; i < c->entity->nattributes; i++)
	{
		const EntityAttribute *a = &c->entity->attributes[i];

		if (a->function != DEFAULT_NO_FUNCTION && a->computed.data == NULL && ValueIsMissing(write->old) && !write->repairs &&
			ValueIsMissing(GetAttribute(c->item, a->name)))
			SetAttribute(c, a->name, EntityMakeDefault(a));
	}
	for (int i = 0; i < c->entity->nattributes; i++)
	{
		const EntityAttribute *a = &c->entity->attributes[i];

		if (a->computed.data != NULL && !SetComputedOrCounterparts(c, a))
			return false;
	}
	return write->repairs || CheckEnums(c);
}

/*
 * Checks required attributes.  An update may omit attributes that the old item
 * did not have.  Returns false if it notes a problem.
 */
static bool
CheckRequired(const Composing *c)
{
	for (int i = 0; i < c->entity->nattributes; i++)
	{
		const EntityAttribute *a = &c->entity->attributes[i];

		if (!a->required || EntityHasRequired(c->entity, c->item, a->name) ||
			((c->same_kind || c->moved) && !ValueIsMissing(c->write->old) &&
			 ValueIsMissing(GetAttribute(c->write->old, a->name))))
			continue;
		return NoteInvalid(c->write->problem, DYNAMO_INVALID_PARAMETERS "Missing attribute %.*s, which entity %.*s requires",
						   (int) a->name.len, a->name.data,
						   (int) c->entity->name.len, c->entity->name.data);
	}
	return true;
}

/* ---- types ---- */

static EntityTypeCheck type_check = NULL;

void
EntitySetTypeCheck(EntityTypeCheck check)
{
	type_check = check;
}

static bool
CheckTypesOf(const Composing *c)
{
	return !c->entity->checks_types || type_check == NULL ||
		type_check(c->entity, c->item, c->write->old, c->write->problem);
}

/* ---- the item ---- */

/* Whether the old item belongs to the entity and has the new item's key. */
static bool
IsSameKind(const Composing *c)
{
	const Entity *e = c->entity;
	ValueRef	old = c->write->old;

	if (ValueIsMissing(old))
		return false;
	if (e->type_attribute.data != NULL &&
		!HasSameValue(GetAttribute(c->item, e->type_attribute), GetAttribute(old, e->type_attribute)) &&
		!(EntityIsType(e, GetAttribute(old, e->type_attribute)) && EntityIsType(e, GetAttribute(c->item, e->type_attribute))))
		return false;
	for (int i = 0; i < e->nbase; i++)
	{
		if (!HasSameValue(GetAttribute(c->item, e->keys[i].attribute), GetAttribute(old, e->keys[i].attribute)))
			return false;
	}
	return true;
}

/* Whether the item has the key of the old one, which was not given. */
static bool
CarriesKey(const Composing *c)
{
	bool		carries = !ValueIsMissing(c->write->old);

	for (int i = 0; i < c->entity->nbase; i++)
	{
		Slice		name = c->entity->keys[i].attribute;

		carries = carries && HasSameValue(GetAttribute(c->item, name), GetAttribute(c->write->old, name));
	}
	return carries;
}

/*
 * Gives an item that has the key of its entity's source the key of the entity.  A given key
 * that contradicts the attributes stays, and is a mismatch.  Returns false if it notes a
 * problem.
 */
static bool
MoveToTarget(Composing *c)
{
	const Entity *e = c->entity;
	ValueRef   *keys;

	if (e->source == NULL || EntityVersionOf(e, c->item) != e->source ||
		!(EntityKeyIsComposed(e, c->item) || (CarriesKey(c) && EntityKeyIsComposed(e, c->write->old))))
		return true;
	keys = palloc(sizeof(ValueRef) * e->nbase);
	for (int i = 0; i < e->nbase; i++)
	{
		StringInfoData text;
		ComposeProblem why;

		initStringInfo(&text);
		if (EntityComposeKey(e, &e->keys[i], c->item, &text, &why) != COMPOSE_OK)
			return NoteComposeProblem(e, &e->keys[i], &why, c->write->problem);
		keys[i] = ValueOfString((Slice) {text.data, text.len});
	}
	for (int i = 0; i < e->nbase; i++)
		SetAttribute(c, e->keys[i].attribute, keys[i]);
	c->moved = true;
	return true;
}

/* Gives an item the other one of two types between which its entity's items are moved. */
static void
ExchangeType(Composing *c)
{
	const Entity *e = c->entity;
	Slice		type = likely(e->other_type.data == NULL) ? MISSING_SLICE : EntityNewType(e, c->item);

	if (type.data != NULL)
		SetAttribute(c, e->type_attribute, ValueOfString(type));
}

/*
 * Removes names that items lose, where the attribute has its value under the other name, too, or had it
 * before this write: it is left of a client that has read the item whole.
 */
static void
RemoveDroppedNames(Composing *c)
{
	ValueRef	old = c->write->old;

	for (int i = 0; i < c->entity->ndropped; i++)
	{
		const DroppedName *d = &c->entity->dropped[i];
		ValueRef	v = GetAttribute(c->item, d->name);

		if (!ValueIsMissing(v) &&
			(HasSameValue(v, GetAttribute(c->item, d->other)) ||
			 (!ValueIsMissing(old) && HasSameValue(v, GetAttribute(old, d->other)))))
			SetAttribute(c, d->name, MISSING_VALUE);
	}
}

static bool
SetKeys(Composing *c, int from, int to)
{
	c->same_kind = IsSameKind(c);
	for (int i = from; i < to; i++)
	{
		if (!SetComposedKey(c, &c->entity->keys[i]))
			return false;
	}
	return true;
}

bool
EntityCompose(const EntityWrite *write, struct varlena **composed)
{
	Composing	c = {.write = write, .item = write->item};

	*composed = NULL;
	c.entity = write->entity != NULL ? write->entity : EntityOfItem(write->set, write->item);
	if (c.entity == NULL)
		c.entity = write->upserts ? EntityOfKey(write->set, write->item, write->problem) :
			EntityOfParts(write->set, write->item, write->problem);
	if (c.entity == NULL)
		return !ProblemIsNoted(write->problem);
	if (write->repairs)
		c.entity = EntityVersionOf(c.entity, c.item);
	SetType(&c);
	RemoveDroppedNames(&c);
	if (!SetDeclared(&c) || (c.entity->has_rules && !SetMadeAttributes(&c)))
		return false;
	ExchangeType(&c);
	if (!MoveToTarget(&c) || !SetKeys(&c, 0, c.entity->nbase))
		return false;
	RemoveFormerKeys(&c);
	if (write->final && !c.undecided &&
		(!SetKeys(&c, c.entity->nbase, c.entity->nkeys) || (!write->repairs && (!CheckRequired(&c) || !CheckTypesOf(&c)))))
		return false;
	*composed = c.changed;
	return true;
}
