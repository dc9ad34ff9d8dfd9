/*
 * json_jsonb.c
 *	  DynamoDB JSON that is held as jsonb to items.
 *
 * Builds from the jsonb what is written in the common way.  Whatever is not
 * (sets, binary values, nulls, wrong types) is made text and read as such, so
 * that json_in.c alone knows all forms and their errors.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/jsonb.h"

#include "item/builder.h"
#include "item/json.h"

static bool AddMap(JsonbIterator **it, ItemBuilder *b);
static bool AddAttributeValue(JsonbIterator **it, ItemBuilder *b);

static bool
AddScalar(ItemBuilder *b, int type, const JsonbValue *v)
{
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

/* The elements of a list, after its beginning, and its end. */
static bool
AddList(JsonbIterator **it, ItemBuilder *b)
{
	JsonbValue	v;
	JsonbIteratorToken token;

	ItemBuilderBeginList(b);
	while ((token = JsonbIteratorNext(it, &v, false)) == WJB_BEGIN_OBJECT)
	{
		if (!AddAttributeValue(it, b))
			return false;
	}
	ItemBuilderEnd(b);
	return token == WJB_END_ARRAY;
}

/* {"S": "text"}, after its beginning, and its end. */
static bool
AddAttributeValue(JsonbIterator **it, ItemBuilder *b)
{
	JsonbValue	v;
	int			type;
	bool		added = false;

	check_stack_depth();
	if (JsonbIteratorNext(it, &v, false) != WJB_KEY)
		return false;
	type = ValueTypeFromName(v.val.string.val, v.val.string.len);
	switch (JsonbIteratorNext(it, &v, false))
	{
		case WJB_VALUE:
			added = AddScalar(b, type, &v);
			break;
		case WJB_BEGIN_OBJECT:
			added = type == VALUE_M && AddMap(it, b);
			break;
		case WJB_BEGIN_ARRAY:
			added = type == VALUE_L && AddList(it, b);
			break;
		default:
			break;
	}
	return added && JsonbIteratorNext(it, &v, false) == WJB_END_OBJECT;
}

/* The entries of a map, after its beginning, and its end. */
static bool
AddMap(JsonbIterator **it, ItemBuilder *b)
{
	JsonbValue	v;
	JsonbIteratorToken token;

	ItemBuilderBeginMap(b);
	while ((token = JsonbIteratorNext(it, &v, false)) == WJB_KEY)
	{
		ItemBuilderName(b, v.val.string.val, v.val.string.len);
		if (JsonbIteratorNext(it, &v, false) != WJB_BEGIN_OBJECT ||
			!AddAttributeValue(it, b))
			return false;
	}
	ItemBuilderEnd(b);
	return token == WJB_END_OBJECT;
}

static struct varlena *
BuildItem(JsonbContainer *map)
{
	JsonbIterator *it = JsonbIteratorInit(map);
	struct varlena *item = NULL;
	ItemBuilder b;
	JsonbValue	v;

	ItemBuilderInit(&b, 0, DUPLICATE_NAME_LAST);
	if (JsonbIteratorNext(&it, &v, false) == WJB_BEGIN_OBJECT && AddMap(&it, &b))
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
	item = ItemFromJson(json, strlen(json));
	pfree(json);
	return item;
}
