/*
 * json_jsonb.c
 *	  DynamoDB JSON that is held as jsonb to items.
 *
 * The common forms are built directly from the jsonb.  Everything else (sets,
 * binary values, nulls, wrong types) is printed and read as text, so that only
 * json_in.c knows all forms and their errors.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "item/builder.h"
#include "item/json.h"
#include "item/jsonb_walk.h"

static bool AddMap(ItemBuilder *b, JsonbContainer *map);
static bool AddAttributeValue(ItemBuilder *b, const JsonbValue *v);

static bool
AddList(ItemBuilder *b, JsonbContainer *list)
{
	JsonbWalk	walk;
	JsonbValue	element;

	ItemBuilderBeginList(b);
	JsonbWalkInit(&walk, list);
	while (JsonbWalkElement(&walk, &element))
	{
		if (!AddAttributeValue(b, &element))
			return false;
	}
	ItemBuilderEnd(b);
	return true;
}

static bool
AddContainer(ItemBuilder *b, int type, JsonbContainer *container)
{
	if (type == VALUE_M && JsonContainerIsObject(container))
		return AddMap(b, container);
	return type == VALUE_L && JsonContainerIsArray(container) && AddList(b, container);
}

/* Adds the value after the name of a type. */
static bool
AddTyped(ItemBuilder *b, int type, const JsonbValue *v)
{
	if (v->type == jbvBinary)
		return AddContainer(b, type, v->val.binary.data);
	if (v->type == jbvBool && type == VALUE_BOOL)
		ItemBuilderBool(b, v->val.boolean);
	else if (v->type == jbvBool && type == VALUE_NULL)
		ItemBuilderNullFlag(b, v->val.boolean);
	else if (v->type == jbvString && type == VALUE_S)
		ItemBuilderString(b, v->val.string.val, v->val.string.len);
	else if (v->type == jbvString && type == VALUE_N)
		ItemBuilderNumberText(b, v->val.string.val, v->val.string.len);
	else
		return false;
	return true;
}

/* Adds an attribute value such as {"S": "text"}. */
static bool
AddAttributeValue(ItemBuilder *b, const JsonbValue *v)
{
	JsonbWalk	walk;
	JsonbValue	content;
	Slice		type;

	check_stack_depth();
	if (v->type != jbvBinary || !JsonContainerIsObject(v->val.binary.data))
		return false;
	JsonbWalkInit(&walk, v->val.binary.data);
	return walk.count == 1 && JsonbWalkMember(&walk, &type, &content) &&
		AddTyped(b, ValueTypeFromName(type.data, type.len), &content);
}

static bool
AddMap(ItemBuilder *b, JsonbContainer *map)
{
	JsonbWalk	walk;
	JsonbValue	value;
	Slice		name;

	ItemBuilderBeginMap(b);
	JsonbWalkInit(&walk, map);
	while (JsonbWalkMember(&walk, &name, &value))
	{
		ItemBuilderName(b, name.data, name.len);
		if (!AddAttributeValue(b, &value))
			return false;
	}
	ItemBuilderEnd(b);
	return true;
}

static struct varlena *
BuildItem(JsonbContainer *map)
{
	struct varlena *item = NULL;
	ItemBuilder b;

	ItemBuilderInit(&b, 0, DUPLICATE_NAME_LAST);
	if (AddMap(&b, map))
		item = ItemBuilderFinish(&b);
	ItemBuilderRelease(&b);
	return item;
}

struct varlena *
ItemFromJsonbContainer(JsonbContainer *map)
{
	struct varlena *item = BuildItem(map);
	char	   *json;

	if (item != NULL)
		return item;
	json = JsonbToCString(NULL, map, -1);
	item = ItemFromJson(json, strlen(json), NULL);
	pfree(json);
	return item;
}
