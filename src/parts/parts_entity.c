/*
 * parts_entity.c
 *	  Finds the entity to which a key by parts belongs.
 */
#include "postgres.h"

#include "errors.h"
#include "parts/parts.h"

/* Details do not list more entities than this. */
#define MAX_DESCRIBED	10

/* ---- what an entity knows ---- */

bool
IsTypeAttribute(const Entity *entity, Slice name)
{
	return entity->type_attribute.data != NULL && SliceEqual(entity->type_attribute, name);
}

static bool
TemplateHasPart(const Template *template, Slice name)
{
	for (int i = 0; i < template->npieces; i++)
	{
		const TemplatePart *part = template->pieces[i].part;

		if (part != NULL && SliceEqual(part->steps[0], name))
			return true;
	}
	return false;
}

bool
EntityKeyHasPart(const Entity *entity, Slice name)
{
	for (int i = 0; i < entity->nbase; i++)
	{
		if (TemplateHasPart(entity->keys[i].template, name))
			return true;
	}
	return false;
}

/* Whether an attribute belongs to the table's key, and the entity has no template for it. */
static bool
IsGivenKey(const TableDef *def, const Entity *entity, Slice name)
{
	for (int i = 0; i < entity->nbase; i++)
	{
		if (SliceEqual(entity->keys[i].attribute, name))
			return false;
	}
	return KeySchemaHas(&def->key, name);
}

/* Whether the parts name something of an entity that is not a key attribute. */
static bool
NamesSomethingOf(const Entity *entity, const Container *parts)
{
	for (uint32 i = 0; i < parts->count; i++)
	{
		Slice		name;

		(void) MapEntry(parts, i, &name);
		if (EntityKeyHasPart(entity, name) || IsTypeAttribute(entity, name))
			return true;
	}
	return false;
}

static bool
NamesSomething(const EntitySet *set, const Container *parts)
{
	for (int i = 0; i < set->count; i++)
	{
		if (set->entities[i].nbase > 0 && NamesSomethingOf(&set->entities[i], parts))
			return true;
	}
	return false;
}

/* ---- whether parts are those of an entity ---- */

const char *
PartValueProblem(const Entity *entity, Slice name, ValueRef v)
{
	const EntityAttribute *a = EntityAttributeFind(entity, name);

	if (IsTypeAttribute(entity, name) && !EntityIsType(entity, v))
		return psprintf("has the %.*s \"%.*s\"", (int) name.len, name.data,
						(int) entity->type_value.len, entity->type_value.data);
	if (a != NULL && !ValueIsMissing(a->constant) && !ValueEqual(a->constant, v))
		return psprintf("has another constant \"%.*s\"", (int) name.len, name.data);
	return NULL;
}

static bool
HasValue(const Entity *entity, const TemplatePart *part, ValueRef parts)
{
	const EntityAttribute *a = EntityAttributeFind(entity, part->steps[0]);
	ValueRef	v = PartAttribute(part, parts);

	if (IsTypeAttribute(entity, part->name) || (a != NULL && (!ValueIsMissing(a->constant) || a->computed.data != NULL)))
		return true;
	return !ValueIsMissing(v) && ValueTypeOf(v) != VALUE_NULL;
}

/* Returns a clause about the first part that is missing; NULL if there is none. */
static const char *
MissingPart(const TableDef *def, const Entity *entity, ValueRef parts)
{
	for (int i = 0; i < entity->nbase; i++)
	{
		const Template *t = entity->keys[i].template;

		for (int j = 0; j < t->npieces; j++)
		{
			const TemplatePart *part = t->pieces[j].part;

			if (part != NULL && !HasValue(entity, part, parts))
				return psprintf("needs \"%.*s\"", (int) part->name.len, part->name.data);
		}
	}
	for (int i = 0; i < KeyCount(&def->key); i++)
	{
		Slice		name = def->key.attributes[i].name;

		if (IsGivenKey(def, entity, name) && ValueIsMissing(AttributeFind(parts, name.data, name.len)))
			return psprintf("needs \"%.*s\"", (int) name.len, name.data);
	}
	return NULL;
}

/* Whether a part of the key is computed of an attribute. */
static bool
KeyComputesFrom(const Entity *entity, Slice name)
{
	for (int i = 0; entity->has_rules && i < entity->nattributes; i++)
	{
		const EntityAttribute *a = &entity->attributes[i];

		if (EntityComputedUses(a, name) && EntityAttributeFind(entity, name) != NULL && EntityKeyHasPart(entity, a->name))
			return true;
	}
	return false;
}

/* Returns a clause that says why parts are not those of an entity; NULL if they are. */
static const char *
WhyNotOf(const TableDef *def, const Entity *entity, ValueRef parts)
{
	Container	c;

	ContainerOpen(parts, &c);
	for (uint32 i = 0; i < c.count; i++)
	{
		Slice		name;
		ValueRef	v = MapEntry(&c, i, &name);
		const char *problem = PartValueProblem(entity, name, v);

		if (problem != NULL)
			return problem;
		if (!IsTypeAttribute(entity, name) && !EntityKeyHasPart(entity, name) && !IsGivenKey(def, entity, name) &&
			!KeyComputesFrom(entity, name))
			return psprintf("has no part \"%.*s\"", (int) name.len, name.data);
	}
	return MissingPart(def, entity, parts);
}

/* ---- problems ---- */

static bool
NoteNotParts(const char *detail, Problem *problem)
{
	return ProblemNote(problem, &(Problem) {
		.sqlstate = ERRCODE_DYNAMO_VALIDATION,
		.message = "The provided key element does not match the schema",
		.detail = detail,
		.for_client = true
	});
}

static void
AppendWhyNot(StringInfo out, const TableDef *def, const Entity *entity, ValueRef parts)
{
	appendStringInfo(out, "entity \"%.*s\" %s", (int) entity->name.len, entity->name.data,
					 WhyNotOf(def, entity, parts));
}

/* The parts are those of no entity. */
static bool
NoteNoEntity(const TableDef *def, ValueRef parts, Problem *problem)
{
	StringInfoData detail;
	Container	c;
	int			n = 0;

	ContainerOpen(parts, &c);
	initStringInfo(&detail);
	appendStringInfoString(&detail, "The key must consist of the table's key attributes, or of the parts of an entity: ");
	for (int i = 0; i < def->entities->count; i++)
	{
		const Entity *entity = &def->entities->entities[i];

		if (entity->nbase == 0 || !NamesSomethingOf(entity, &c))
			continue;
		if (n++ > 0)
			appendStringInfoString(&detail, "; ");
		if (n > MAX_DESCRIBED)
		{
			appendStringInfoString(&detail, "...");
			break;
		}
		AppendWhyNot(&detail, def, entity, parts);
	}
	appendStringInfoChar(&detail, '.');
	return NoteNotParts(detail.data, problem);
}

static bool
NoteSeveral(const Entity *a, const Entity *b, Problem *problem)
{
	const Entity *typed = a->type_attribute.data != NULL ? a : b;
	StringInfoData detail;

	initStringInfo(&detail);
	appendStringInfo(&detail, "The parts are those of entity \"%.*s\" and of entity \"%.*s\": ",
					 (int) a->name.len, a->name.data, (int) b->name.len, b->name.data);
	if (typed->type_attribute.data != NULL)
		appendStringInfo(&detail, "add the type attribute \"%.*s\".",
						 (int) typed->type_attribute.len, typed->type_attribute.data);
	else
		appendStringInfoString(&detail, "give the table's key attributes.");
	return NoteNotParts(detail.data, problem);
}

/* ---- the entity ---- */

static bool
FindByParts(const TableDef *def, ValueRef parts, const Entity **found, Problem *problem)
{
	for (int i = 0; i < def->entities->count; i++)
	{
		const Entity *entity = &def->entities->entities[i];

		if (entity->nbase == 0 || WhyNotOf(def, entity, parts) != NULL)
			continue;
		if (*found != NULL)
			return NoteSeveral(*found, entity, problem);
		*found = entity;
	}
	return *found != NULL || NoteNoEntity(def, parts, problem);
}

/* Checks that the parts are those of the entity which the type attribute names. */
static bool
CheckPartsOf(const TableDef *def, const Entity *entity, ValueRef parts, Problem *problem)
{
	const char *why = entity->nbase == 0 ? "composes no key of the table" : WhyNotOf(def, entity, parts);

	return why == NULL ||
		NoteNotParts(psprintf("Entity \"%.*s\" %s.", (int) entity->name.len, entity->name.data, why), problem);
}

bool
PartsEntity(const TableDef *def, ValueRef parts, const Entity **entity, Problem *problem)
{
	Container	c;

	*entity = NULL;
	ContainerOpen(parts, &c);
	if (!NamesSomething(def->entities, &c))
		return true;
	*entity = EntityOfType(def->entities, parts);
	return *entity != NULL ? CheckPartsOf(def, *entity, parts, problem) :
		FindByParts(def, parts, entity, problem);
}

/* ---- attributes of which some are parts ---- */

/* Whether an attribute may be in a key by parts: of this entity, or of any if it is NULL. */
static bool
MayBePart(const TableDef *def, const Entity *entity, Slice name)
{
	if (KeySchemaHas(&def->key, name))
		return true;
	for (int i = 0; i < def->entities->count; i++)
	{
		const Entity *e = &def->entities->entities[i];

		if ((entity == NULL || e == entity) && e->nbase > 0 && (IsTypeAttribute(e, name) || EntityKeyHasPart(e, name)))
			return true;
	}
	return false;
}

int
PartsChoose(const TableDef *def, ValueRef attributes, Slice **names)
{
	const Entity *entity = EntityOfType(def->entities, attributes);
	Container	c;
	int			n = 0;

	ContainerOpen(attributes, &c);
	if (!NamesSomething(def->entities, &c))
		return 0;
	*names = palloc(sizeof(Slice) * c.count);
	for (uint32 i = 0; i < c.count; i++)
	{
		Slice		name;

		(void) MapEntry(&c, i, &name);
		if (MayBePart(def, entity, name))
			(*names)[n++] = name;
	}
	return n;
}

bool
PartsFixItem(const TableDef *def, ValueRef parts)
{
	const Entity *entity = EntityOfType(def->entities, parts);

	return entity != NULL && entity->applied;
}
