/*
 * entity_read.c
 *	  Reading a table's list of entities.
 *
 * A table's owner may write a definition by hand, so everything in it is
 * checked.
 */
#include "postgres.h"

#include "entity/entity.h"
#include "item/json.h"

/* A list that is being read. */
typedef struct Reading
{
	const KeySchema *key;
	const char *problem;		/* the first problem; NULL if there is none yet */
	const Entity *entity;		/* the entity that messages name; NULL before its name is read */
} Reading;

static void
NoteEntityProblem(Reading *r, const char *problem)
{
	if (r->problem != NULL)
		return;
	r->problem = r->entity == NULL ? problem :
		psprintf("Entity \"%.*s\": %s", (int) r->entity->name.len, r->entity->name.data, problem);
}

/* ---- members ---- */

/* Returns a member of this type; MISSING_VALUE if it is absent. */
static ValueRef
GetEntityMember(Reading *r, ValueRef map, const char *name, ValueType type)
{
	ValueRef	v = AttributeFind(map, name, strlen(name));

	if (ValueIsMissing(v) || ValueTypeOf(v) == type)
		return v;
	NoteEntityProblem(r, psprintf("Member \"%s\" has the wrong type.", name));
	return MISSING_VALUE;
}

static Slice
GetTextMember(Reading *r, ValueRef map, const char *name)
{
	ValueRef	v = GetEntityMember(r, map, name, VALUE_S);

	return ValueIsMissing(v) ? MISSING_SLICE : ValuePayload(v);
}

static bool
GetFlagMember(Reading *r, ValueRef map, const char *name)
{
	ValueRef	v = GetEntityMember(r, map, name, VALUE_BOOL);

	return !ValueIsMissing(v) && ValueBool(v);
}

/* Returns the name of an attribute or entity, which must be given. */
static Slice
GetNameMember(Reading *r, ValueRef map, const char *name)
{
	Slice		text = GetTextMember(r, map, name);

	if (text.len == 0 || text.len > ENTITY_MAX_NAME)
		NoteEntityProblem(r, psprintf("Member \"%s\" has %u bytes, not 1 to %d.", name, text.len, ENTITY_MAX_NAME));
	return text;
}

static void
CheckEntityMembers(Reading *r, ValueRef map, const char *const *names, size_t n)
{
	Container	members;

	ContainerOpen(map, &members);
	for (uint32 i = 0; i < members.count; i++)
	{
		Slice		name;
		bool		known = false;

		(void) MapEntry(&members, i, &name);
		for (size_t j = 0; j < n; j++)
			known |= SliceIs(name, names[j]);
		if (!known)
			NoteEntityProblem(r, psprintf("Member \"%.*s\" is unknown to this version of the extension.",
										  (int) name.len, name.data));
	}
}

/* Opens a list of maps; its count is 0 if it is absent. */
static void
OpenMapList(Reading *r, ValueRef list, Container *elements, uint32 max)
{
	elements->count = 0;
	if (ValueIsMissing(list))
		return;
	ContainerOpen(list, elements);
	if (elements->count > max)
		NoteEntityProblem(r, psprintf("A list has more than %u elements.", max));
	for (uint32 i = 0; i < elements->count && r->problem == NULL; i++)
	{
		if (ValueTypeOf(ListElement(elements, i)) != VALUE_M)
			NoteEntityProblem(r, "An element of a list is not an object.");
	}
	if (r->problem != NULL)
		elements->count = 0;
}

/* ---- keys ---- */

static Condition *
ReadCondition(Reading *r, ValueRef map)
{
	Slice		text = GetTextMember(r, map, "condition");
	Slice		values = GetTextMember(r, map, "values");
	ValueRef	names = GetEntityMember(r, map, "names", VALUE_M);
	ExprBindings *bindings;

	if (text.data == NULL || r->problem != NULL)
		return NULL;
	bindings = ExprBindingsCreate(values.data == NULL ? MISSING_VALUE :
								  ItemRoot(ItemFromJson(values.data, values.len, NULL)), NULL);
	if (!ExprBindingsAddMap(bindings, names))
		NoteEntityProblem(r, "A name in a condition is not a string.");
	(void) ExprBindingsCheck(bindings, !ValueIsMissing(names));
	return ConditionBind(EXPR_CONDITION, ExprParse(EXPR_CONDITION, text.data, text.len, NULL), bindings);
}

static void
ReadComposedKey(Reading *r, ValueRef map, ComposedKey *key)
{
	static const char *const members[] = {"attribute", "template", "condition", "names", "values"};
	const char *problem;

	CheckEntityMembers(r, map, members, lengthof(members));
	key->attribute = GetNameMember(r, map, "attribute");
	key->base = KeySchemaHas(r->key, key->attribute);
	key->template = TemplateRead(GetTextMember(r, map, "template"), &problem);
	if (key->template == NULL)
		NoteEntityProblem(r, psprintf("The template of \"%.*s\" is malformed: %s.",
									  (int) key->attribute.len, key->attribute.data, problem));
	key->condition = ReadCondition(r, map);
	if (key->base && key->condition != NULL)
		NoteEntityProblem(r, "A key attribute of the table has a condition.");
}

static void
ReadComposedKeys(Reading *r, ValueRef list, Entity *entity)
{
	Container	elements;

	OpenMapList(r, list, &elements, ENTITY_MAX_ATTRIBUTES);
	entity->keys = palloc0(sizeof(ComposedKey) * Max(elements.count, 1));
	for (uint32 i = 0; i < elements.count && r->problem == NULL; i++)
	{
		ComposedKey key;
		int			place = entity->nkeys;

		ReadComposedKey(r, ListElement(&elements, i), &key);
		if (key.base)			/* keys of the table move before the others */
		{
			place = entity->nbase++;
			memmove(entity->keys + place + 1, entity->keys + place,
					sizeof(ComposedKey) * (entity->nkeys - place));
		}
		entity->keys[place] = key;
		entity->nkeys++;
	}
}

/* Reads the templates that an entity had.  One for a key of the table is of no use. */
static void
ReadFormer(Reading *r, ValueRef list, Entity *entity)
{
	Container	elements;

	OpenMapList(r, list, &elements, ENTITY_MAX_ATTRIBUTES);
	entity->former = palloc0(sizeof(ComposedKey) * Max(elements.count, 1));
	for (uint32 i = 0; i < elements.count && r->problem == NULL; i++)
	{
		ComposedKey key;

		ReadComposedKey(r, ListElement(&elements, i), &key);
		if (r->problem == NULL && !key.base && EntityKeyFind(entity, key.attribute) == NULL)
			entity->former[entity->nformer++] = key;
	}
}

/*
 * Reads the templates of the table's key by which items may still have it.  Other members of
 * the object are those of whoever moves the items.
 */
static void
ReadSource(Reading *r, ValueRef moves, Entity *entity)
{
	Entity	   *source;
	int			nindex = entity->nkeys - entity->nbase;

	if (ValueIsMissing(moves) || ValueIsMissing(GetEntityMember(r, moves, "keys", VALUE_L)) || r->problem != NULL)
		return;
	source = palloc(sizeof(Entity));
	*source = *entity;
	source->nkeys = source->nbase = 0;
	ReadComposedKeys(r, GetEntityMember(r, moves, "keys", VALUE_L), source);
	if (r->problem != NULL)
		return;
	if (source->nbase != source->nkeys || source->nbase != entity->nbase)
		NoteEntityProblem(r, "Its source has other key attributes.");
	source->keys = repalloc(source->keys, sizeof(ComposedKey) * Max(source->nbase + nindex, 1));
	memcpy(source->keys + source->nbase, entity->keys + entity->nbase, sizeof(ComposedKey) * nindex);
	source->nkeys += nindex;
	entity->source = source;
}

/* Reads the other type that items may have, and which of them get it. */
static void
ReadOtherType(Reading *r, ValueRef moves, Entity *entity)
{
	static const char *const members[] = {"other", "ahead", "keep", "when"};
	ValueRef	type = ValueIsMissing(moves) ? MISSING_VALUE : GetEntityMember(r, moves, "type", VALUE_M);
	ValueRef	when;

	if (ValueIsMissing(type))
		return;
	CheckEntityMembers(r, type, members, lengthof(members));
	entity->other_type = GetNameMember(r, type, "other");
	entity->type_is_ahead = GetFlagMember(r, type, "ahead");
	entity->keeps_types = GetFlagMember(r, type, "keep");
	when = GetEntityMember(r, type, "when", VALUE_M);
	if (!ValueIsMissing(when))
		entity->other_when = ReadCondition(r, when);
	if (entity->type_attribute.data == NULL || SliceEqual(entity->type_value, entity->other_type))
		NoteEntityProblem(r, "It has no type attribute with two values.");
}

/* Reads the names that items lose. */
static void
ReadDropped(Reading *r, ValueRef moves, Entity *entity)
{
	ValueRef	drops = ValueIsMissing(moves) ? MISSING_VALUE : GetEntityMember(r, moves, "drops", VALUE_M);
	Container	names;

	if (ValueIsMissing(drops))
		return;
	entity->renames = true;
	ContainerOpen(drops, &names);
	entity->dropped = palloc(sizeof(DroppedName) * Max(names.count, 1));
	for (uint32 i = 0; i < names.count; i++)
	{
		DroppedName *dropped = &entity->dropped[entity->ndropped++];
		ValueRef	other = MapEntry(&names, i, &dropped->name);

		if (ValueTypeOf(other) != VALUE_S)
		{
			NoteEntityProblem(r, "The other name of an attribute is not a string.");
			return;
		}
		dropped->other = ValuePayload(other);
		if (EntityAttributeFind(entity, dropped->name) != NULL)
			NoteEntityProblem(r, "It declares an attribute whose name its items lose.");
	}
}

/* ---- attributes ---- */

static void
ReadDefaultFunction(Reading *r, ValueRef map, EntityAttribute *attribute)
{
	Slice		name = GetTextMember(r, map, "default_function");

	if (name.data != NULL && !DefaultFunctionFromName(name, &attribute->function))
		NoteEntityProblem(r, psprintf("Attribute \"%.*s\" has an unknown default function \"%.*s\".",
									  (int) attribute->name.len, attribute->name.data, (int) name.len, name.data));
}

static void
ReadAttribute(Reading *r, ValueRef map, EntityAttribute *attribute)
{
	static const char *const members[] = {"name", "type", "qualified", "holds", "required", "constant", "default",
	"default_function", "enum", "read_only", "computed"};
	Slice		holds = GetTextMember(r, map, "holds");

	CheckEntityMembers(r, map, members, lengthof(members));
	attribute->name = GetNameMember(r, map, "name");
	attribute->type = GetTextMember(r, map, "type");
	attribute->qualified = GetTextMember(r, map, "qualified");
	attribute->uuid = holds.data != NULL && SliceIs(holds, "uuid");
	attribute->holds = holds.data == NULL ? -1 : attribute->uuid ? VALUE_S : ValueTypeFromName(holds.data, holds.len);
	if (holds.data != NULL && attribute->holds != VALUE_S && attribute->holds != VALUE_N)
		NoteEntityProblem(r, "Member \"holds\" is neither S nor N nor uuid.");
	attribute->required = GetFlagMember(r, map, "required");
	attribute->constant = AttributeFind(map, "constant", strlen("constant"));
	attribute->initial = AttributeFind(map, "default", strlen("default"));
	attribute->read_only = GetFlagMember(r, map, "read_only");
	attribute->computed = GetTextMember(r, map, "computed");
	attribute->allowed = GetEntityMember(r, map, "enum", VALUE_L);
	ReadDefaultFunction(r, map, attribute);
}

static void
ReadAttributes(Reading *r, ValueRef list, Entity *entity)
{
	Container	elements;

	OpenMapList(r, list, &elements, ENTITY_MAX_ATTRIBUTES);
	entity->attributes = palloc0(sizeof(EntityAttribute) * Max(elements.count, 1));
	for (uint32 i = 0; i < elements.count && r->problem == NULL; i++)
	{
		EntityAttribute *a = &entity->attributes[entity->nattributes++];

		ReadAttribute(r, ListElement(&elements, i), a);
		entity->has_rules |= a->computed.data != NULL || a->function != DEFAULT_NO_FUNCTION || !ValueIsMissing(a->allowed);
		entity->has_read_only |= a->read_only;
	}
}

/* ---- an entity as a whole ---- */

const ComposedKey *
EntityKeyFind(const Entity *entity, Slice attribute)
{
	for (int i = 0; i < entity->nkeys; i++)
	{
		if (SliceEqual(entity->keys[i].attribute, attribute))
			return &entity->keys[i];
	}
	return NULL;
}

const EntityAttribute *
EntityAttributeFind(const Entity *entity, Slice name)
{
	for (int i = 0; i < entity->nattributes; i++)
	{
		if (SliceEqual(entity->attributes[i].name, name))
			return &entity->attributes[i];
	}
	return NULL;
}

/*
 * Checks that no key contains a composed key, because the result would depend
 * on the order.
 */
static void
CheckParts(Reading *r, const Entity *entity, const ComposedKey *key)
{
	for (int i = 0; i < key->template->npieces; i++)
	{
		const TemplatePart *part = key->template->pieces[i].part;

		if (part != NULL && EntityKeyFind(entity, part->steps[0]) != NULL)
			NoteEntityProblem(r, psprintf("The template of \"%.*s\" names \"%.*s\", which is composed itself.",
										  (int) key->attribute.len, key->attribute.data,
										  (int) part->steps[0].len, part->steps[0].data));
	}
}

/*
 * Checks that items without a type attribute are recognized by their whole
 * key.
 */
static void
CheckIsKnown(Reading *r, const Entity *entity)
{
	for (int i = 0; i < KeyCount(r->key) && entity->type_attribute.data == NULL; i++)
	{
		Slice		name = r->key->attributes[i].name;

		if (r->key->attributes[i].type == VALUE_S && EntityKeyFind(entity, name) == NULL)
			NoteEntityProblem(r, psprintf("It has neither a type attribute nor a template for key attribute \"%.*s\".",
										  (int) name.len, name.data));
	}
	if (entity->type_attribute.data == NULL && entity->nbase == 0)
		NoteEntityProblem(r, "It has no type attribute, and the table's key is not composed of text.");
}

static void
CheckKeys(Reading *r, const Entity *entity)
{
	for (int i = 0; i < entity->nkeys && r->problem == NULL; i++)
	{
		if (EntityKeyFind(entity, entity->keys[i].attribute) != &entity->keys[i])
			NoteEntityProblem(r, "Two templates are for the same attribute.");
		CheckParts(r, entity, &entity->keys[i]);
	}
	for (int i = 0; i < KeyCount(r->key); i++)
	{
		if (r->key->attributes[i].type != VALUE_S && EntityKeyFind(entity, r->key->attributes[i].name) != NULL)
			NoteEntityProblem(r, "A key attribute of the table that is not of type S has a template.");
	}
}

static bool
MayHaveCounterpart(const Entity *entity, const EntityAttribute *a)
{
	for (int i = 0; i < entity->nattributes; i++)
	{
		if (EntityMayBeCounterparts(a, &entity->attributes[i]))
			return true;
	}
	return false;
}

/* Checks that one thing at most makes the value of an attribute. */
static void
CheckWhatMakes(Reading *r, const Entity *entity, const EntityAttribute *a)
{
	bool		has_default = !ValueIsMissing(a->initial) || a->function != DEFAULT_NO_FUNCTION;
	bool		is_computed = a->computed.data != NULL;
	const char *why = NULL;

	if (EntityKeyFind(entity, a->name) != NULL && (!ValueIsMissing(a->constant) || has_default))
		why = "is composed and has a constant or a default";
	else if (!ValueIsMissing(a->constant) && has_default)
		why = "has a constant and a default";
	else if (!ValueIsMissing(a->initial) && a->function != DEFAULT_NO_FUNCTION)
		why = "has two defaults";
	else if (is_computed && (!ValueIsMissing(a->constant) || a->read_only || (has_default && !MayHaveCounterpart(entity, a))))
		why = "is computed, and cannot be read-only or have a constant or a default";
	else if (is_computed && (EntityKeyFind(entity, a->name) != NULL || KeySchemaHas(r->key, a->name) ||
										  (entity->type_attribute.data != NULL && SliceEqual(entity->type_attribute, a->name))))
		why = "is computed, and cannot be a key or the type attribute";
	else if (is_computed && a->type.data == NULL)
		why = "is computed, and needs a type";
	if (why != NULL)
		NoteEntityProblem(r, psprintf("Attribute \"%.*s\" %s.", (int) a->name.len, a->name.data, why));
}

static void
CheckEntityAttributes(Reading *r, Entity *entity)
{
	for (int i = 0; i < entity->nattributes; i++)
	{
		const EntityAttribute *a = &entity->attributes[i];

		if (EntityAttributeFind(entity, a->name) != a)
			NoteEntityProblem(r, psprintf("Attribute \"%.*s\" is declared twice.", (int) a->name.len, a->name.data));
		CheckWhatMakes(r, entity, a);
		entity->may_have_counterparts |= a->computed.data != NULL && MayHaveCounterpart(entity, a);
	}
}

/* PathVisitor */
static bool
MarkTested(Slice name, bool nested, void *arg)
{
	Entity	   *entity = arg;

	for (int i = 0; i < entity->nattributes; i++)
		entity->attributes[i].tested |= SliceEqual(entity->attributes[i].name, name);
	return true;
}

static void
MarkAttributesTested(Entity *entity)
{
	for (int i = 0; i < entity->nkeys; i++)
	{
		if (entity->keys[i].condition != NULL)
			ConditionVisitPaths(entity->keys[i].condition, MarkTested, entity);
	}
}

static void
ReadEntity(Reading *r, ValueRef map, Entity *entity)
{
	static const char *const members[] = {"name", "type", "keys", "attributes", "on_mismatch", "check_types", "applied",
	"composed", "former", "moves"};
	ValueRef	type = GetEntityMember(r, map, "type", VALUE_M);
	Slice		on_mismatch = GetTextMember(r, map, "on_mismatch");

	entity->name = GetNameMember(r, map, "name");
	r->entity = entity;
	CheckEntityMembers(r, map, members, lengthof(members));
	if (!ValueIsMissing(type))
	{
		entity->type_attribute = GetNameMember(r, type, "attribute");
		entity->type_value = GetNameMember(r, type, "value");
	}
	entity->checks_types = GetFlagMember(r, map, "check_types");
	entity->applied = GetFlagMember(r, map, "applied");
	entity->composed = entity->applied || GetFlagMember(r, map, "composed");
	entity->replaces = on_mismatch.data != NULL && SliceIs(on_mismatch, "replace");
	if (on_mismatch.data != NULL && !entity->replaces && !SliceIs(on_mismatch, "error"))
		NoteEntityProblem(r, "Member \"on_mismatch\" is neither \"error\" nor \"replace\".");
	ReadComposedKeys(r, GetEntityMember(r, map, "keys", VALUE_L), entity);
	ReadFormer(r, GetEntityMember(r, map, "former", VALUE_L), entity);
	ReadAttributes(r, GetEntityMember(r, map, "attributes", VALUE_L), entity);
	if (r->problem == NULL)
	{
		ValueRef	moves = GetEntityMember(r, map, "moves", VALUE_M);

		CheckIsKnown(r, entity);
		CheckKeys(r, entity);
		CheckEntityAttributes(r, entity);
		MarkAttributesTested(entity);
		entity->moving = !ValueIsMissing(moves);
		ReadOtherType(r, moves, entity);
		ReadSource(r, moves, entity);
		ReadDropped(r, moves, entity);
	}
	if (entity->source != NULL)
		CheckKeys(r, entity->source);
	r->entity = NULL;
}

/* ---- the list ---- */

const Entity *
EntitySetFind(const EntitySet *set, Slice name)
{
	for (int i = 0; set != NULL && i < set->count; i++)
	{
		if (SliceEqual(set->entities[i].name, name))
			return &set->entities[i];
	}
	return NULL;
}

EntitySet *
EntitySetRead(ValueRef list, const KeySchema *key, const char **problem)
{
	Reading		r = {.key = key};
	EntitySet  *set = palloc0(sizeof(EntitySet));
	Container	elements;

	if (ValueTypeOf(list) != VALUE_L)
		NoteEntityProblem(&r, "The entities are not a list.");
	OpenMapList(&r, r.problem == NULL ? list : MISSING_VALUE, &elements, ENTITY_MAX_COUNT);
	set->entities = palloc0(sizeof(Entity) * Max(elements.count, 1));
	for (uint32 i = 0; i < elements.count && r.problem == NULL; i++)
	{
		ReadEntity(&r, ListElement(&elements, i), &set->entities[set->count++]);
		set->has_read_only |= set->entities[i].has_read_only;
		set->settles_puts |= set->entities[i].may_have_counterparts || set->entities[i].ndropped > 0;
		set->moves |= set->entities[set->count - 1].source != NULL;
		if (EntitySetFind(set, set->entities[i].name) != &set->entities[i])
			NoteEntityProblem(&r, "Two entities have the same name.");
	}
	*problem = r.problem;
	return r.problem == NULL ? set : NULL;
}

/* ---- attributes on which entities depend ---- */

bool
TemplateUses(const Template *t, Slice attribute)
{
	for (int i = 0; i < t->npieces; i++)
	{
		if (t->pieces[i].part != NULL && SliceEqual(t->pieces[i].part->steps[0], attribute))
			return true;
	}
	return false;
}

typedef struct NameSearch
{
	Slice		name;
	bool		found;
} NameSearch;

/* PathVisitor */
static bool
CompareName(Slice name, bool nested, void *arg)
{
	NameSearch *search = arg;

	search->found |= SliceEqual(name, search->name);
	return !search->found;
}

bool
ConditionUses(const Condition *condition, Slice attribute)
{
	NameSearch	search = {attribute, false};

	if (condition != NULL)
		ConditionVisitPaths(condition, CompareName, &search);
	return search.found;
}

bool
ComposedKeyUses(const ComposedKey *key, Slice attribute)
{
	return ConditionUses(key->condition, attribute) || TemplateUses(key->template, attribute);
}

static bool
EntityConcerns(const Entity *entity, Slice attribute)
{
	const EntityAttribute *declared = EntityAttributeFind(entity, attribute);

	if (declared != NULL && entity->checks_types && declared->type.data != NULL)
		return true;
	if (declared != NULL && (declared->required || declared->tested || !ValueIsMissing(declared->constant)))
		return true;
	if (declared != NULL && (declared->read_only || declared->computed.data != NULL || !ValueIsMissing(declared->allowed)))
		return true;
	if (entity->has_rules && EntityComputesFrom(entity, attribute))
		return true;
	if (entity->type_attribute.data != NULL && SliceEqual(entity->type_attribute, attribute))
		return true;
	if (unlikely(entity->other_type.data != NULL))
		return true;			/* whatever is written, the item gets the type of its entity */
	for (int i = 0; i < entity->nkeys; i++)
	{
		if (SliceEqual(entity->keys[i].attribute, attribute) || ComposedKeyUses(&entity->keys[i], attribute))
			return true;
	}
	for (int i = 0; i < entity->nformer; i++)
	{
		if (TemplateUses(entity->former[i].template, attribute))
			return true;
	}
	return false;
}

bool
EntitySetConcerns(const EntitySet *set, Slice attribute)
{
	for (int i = 0; i < set->count; i++)
	{
		if (EntityConcerns(&set->entities[i], attribute))
			return true;
	}
	return false;
}
