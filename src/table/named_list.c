/*
 * named_list.c
 *	  Lists of named definitions, as JSON text.
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "utils/builtins.h"

#include "item/item.h"
#include "table/named_list.h"

static Jsonb *
ReadNamedList(const char *list)
{
	return DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(list != NULL ? list : "[]")));
}

static int
CountElements(const Jsonb *list)
{
	return JB_ROOT_IS_ARRAY(list) ? JB_ROOT_COUNT(list) : 0;
}

/* Returns element i; NULL if it is not an object. */
static JsonbContainer *
GetObject(Jsonb *list, int i)
{
	JsonbValue *element = getIthJsonbValueFromContainer(&list->root, i);

	return element->type == jbvBinary && JsonContainerIsObject(element->val.binary.data) ?
		element->val.binary.data : NULL;
}

static bool
ElementHasName(JsonbContainer *object, const char *name)
{
	JsonbValue	value;

	return getKeyJsonValueFromContainer(object, "name", strlen("name"), &value) != NULL &&
		value.type == jbvString && SliceIs((Slice) {value.val.string.val, value.val.string.len}, name);
}

JsonbContainer *
NamedListFind(const char *list, const char *name)
{
	Jsonb	   *elements = ReadNamedList(list);

	for (int i = 0; i < CountElements(elements); i++)
	{
		JsonbContainer *object = GetObject(elements, i);

		if (object != NULL && ElementHasName(object, name))
			return object;
	}
	return NULL;
}

static void
AppendElement(StringInfo out, const char *text)
{
	appendStringInfo(out, "%s%s", out->len == 0 ? "[" : ", ", text);
}

char *
NamedListChange(const char *list, const char *without, const char *added)
{
	Jsonb	   *elements = ReadNamedList(list);
	StringInfoData out;

	initStringInfo(&out);
	for (int i = 0; i < CountElements(elements); i++)
	{
		JsonbContainer *object = GetObject(elements, i);

		if (object != NULL && !ElementHasName(object, without))
			AppendElement(&out, JsonbToCString(NULL, object, 0));
	}
	if (added != NULL)
		AppendElement(&out, added);
	if (out.len == 0)
		return NULL;
	appendStringInfoChar(&out, ']');
	return out.data;
}
