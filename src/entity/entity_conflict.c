/*
 * entity_conflict.c
 *	  Whether two entities of a table can claim one item.
 */
#include "postgres.h"

#include "entity/entity.h"
#include "item/builder.h"

/* Returns a type that items of both entities may have; data is NULL if there is none. */
static Slice
SharedType(const Entity *a, const Entity *b)
{
	if (EntityIsType(a, ValueOfString(b->type_value)))
		return b->type_value;
	return b->other_type.data != NULL && EntityIsType(a, ValueOfString(b->other_type)) ? b->other_type : MISSING_SLICE;
}

static const char *
FindTypeConflict(const Entity *a, const Entity *b)
{
	Slice		shared = SharedType(a, b);

	if (!SliceEqual(a->type_attribute, b->type_attribute))
		return psprintf("The type attribute of entity \"%.*s\" is \"%.*s\"; an item could have both.",
						(int) b->name.len, b->name.data, (int) b->type_attribute.len, b->type_attribute.data);
	if (shared.data == NULL)
		return NULL;
	return psprintf("Items of entity \"%.*s\" have \"%.*s\" in their type attribute, too.",
					(int) b->name.len, b->name.data, (int) shared.len, shared.data);
}

/*
 * Returns what keys of two entities have in common.  They have templates for
 * the same attributes: all attributes of type S in the table's key.
 */
static const char *
FindKeyConflict(const Entity *a, const Entity *b)
{
	StringInfoData example;

	initStringInfo(&example);
	for (int i = 0; i < a->nbase; i++)
	{
		const ComposedKey *other = EntityKeyFind(b, a->keys[i].attribute);

		appendStringInfo(&example, "%s%.*s = \"", i == 0 ? "" : ", ",
						 (int) a->keys[i].attribute.len, a->keys[i].attribute.data);
		if (other == NULL || !TemplatesOverlap(a->keys[i].template, other->template, &example))
			return NULL;
		appendStringInfoChar(&example, '"');
	}
	return psprintf("An item with %s could be of either.", example.data);
}

/* Returns a sentence about items that could be of both entities; NULL if there are none. */
static const char *
FindConflict(const Entity *a, const Entity *b)
{
	const char *conflict;

	if (a->type_attribute.data != NULL && b->type_attribute.data != NULL)
		return FindTypeConflict(a, b);
	if (a->type_attribute.data != NULL || b->type_attribute.data != NULL)
		return NULL;
	conflict = FindKeyConflict(a, b);
	if (conflict == NULL && a->source != NULL)
		conflict = FindConflict(a->source, b);
	if (conflict == NULL && b->source != NULL)
		conflict = FindConflict(a, b->source);
	return conflict;
}

const char *
EntitySetConflict(const EntitySet *set, const Entity *entity, const Entity **other)
{
	const char *conflict = NULL;

	for (int i = 0; i < set->count && conflict == NULL; i++)
	{
		*other = &set->entities[i];
		if (!SliceEqual((*other)->name, entity->name))
			conflict = FindConflict(entity, *other);
	}
	return conflict;
}
