/*
 * parts_key.c
 *	  Composes the key of an entity from its parts.
 */
#include "postgres.h"

#include "item/builder.h"
#include "parts/parts.h"

/* Adds the constants of an entity; one that is given is the same. */
static void
AddConstants(ItemBuilder *b, const Entity *entity)
{
	for (int i = 0; i < entity->nattributes; i++)
	{
		const EntityAttribute *a = &entity->attributes[i];

		if (ValueIsMissing(a->constant))
			continue;
		ItemBuilderName(b, a->name.data, a->name.len);
		ItemBuilderValue(b, a->constant);
	}
}

struct varlena *
PartsItem(const Entity *entity, ValueRef parts)
{
	ItemBuilder *b = ItemBuilderCreate(0, DUPLICATE_NAME_LAST);

	ItemBuilderBeginMap(b);
	ItemBuilderMembers(b, parts);
	if (entity->type_attribute.data != NULL)
	{
		ItemBuilderName(b, entity->type_attribute.data, entity->type_attribute.len);
		ItemBuilderString(b, entity->type_value.data, entity->type_value.len);
	}
	AddConstants(b, entity);
	ItemBuilderEnd(b);
	return ItemBuilderFinish(b);
}

/* Adds a key attribute.  Returns false if it notes a problem. */
static bool
AddPartsKey(ItemBuilder *b, const Entity *entity, const ComposedKey *key, ValueRef item, Problem *problem)
{
	StringInfoData text;
	ComposeProblem why;

	initStringInfo(&text);
	if (EntityComposeKey(entity, key, item, &text, &why) != COMPOSE_OK)
		return NoteComposeProblem(entity, key, &why, problem);
	ItemBuilderName(b, key->attribute.data, key->attribute.len);
	ItemBuilderString(b, text.data, text.len);
	return true;
}

bool
PartsItemWithKey(const Entity *entity, ValueRef parts, struct varlena **item, Problem *problem)
{
	ItemBuilder *b = ItemBuilderCreate(0, DUPLICATE_NAME_ERROR);
	struct varlena *without = PartsItem(entity, parts);

	ItemBuilderBeginMap(b);
	ItemBuilderMembers(b, ItemRoot(without));
	for (int i = 0; i < entity->nbase; i++)
	{
		if (!AddPartsKey(b, entity, &entity->keys[i], ItemRoot(without), problem))
			return false;
	}
	ItemBuilderEnd(b);
	*item = ItemBuilderFinish(b);
	return true;
}

bool
PartsCompose(const TableDef *def, ValueRef parts, struct varlena **item, Problem *problem)
{
	const Entity *entity;

	*item = NULL;
	if (!PartsEntity(def, parts, &entity, problem))
		return false;
	return entity == NULL || PartsItemWithKey(entity, parts, item, problem);
}

static const KeyPartsMethods methods = {
	.compose = PartsCompose,
	.choose = PartsChoose,
	.fix_item = PartsFixItem,
	.condition = PartsConditionOf,
	.range = PartsRange,
};

void
PartsInit(void)
{
	KeyPartsRegister(&methods);
}
