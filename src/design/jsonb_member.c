/*
 * jsonb_member.c
 *	  Reads members of jsonb objects, by their names or one after another.
 */
#include "postgres.h"

#include "ddl/ddl.h"
#include "design/jsonb_member.h"

Jsonb *
JsonbMember(Jsonb *object, const char *name)
{
	JsonbValue	value;

	if (!JB_ROOT_IS_OBJECT(object) || getKeyJsonValueFromContainer(&object->root, name, strlen(name), &value) == NULL)
		return NULL;
	return JsonbValueToJsonb(&value);
}

char *
JsonbMemberText(Jsonb *object, const char *name)
{
	JsonbValue	value;

	if (!JB_ROOT_IS_OBJECT(object) || getKeyJsonValueFromContainer(&object->root, name, strlen(name), &value) == NULL ||
		value.type != jbvString)
		return NULL;
	return pnstrdup(value.val.string.val, value.val.string.len);
}

bool
NextObjectEntry(JsonbIterator **it, Jsonb *object, char **name, JsonbValue *value)
{
	JsonbValue	key;

	if (*it == NULL)
	{
		*it = JsonbIteratorInit(&object->root);
		(void) JsonbIteratorNext(it, &key, true);
	}
	if (JsonbIteratorNext(it, &key, true) != WJB_KEY)
		return false;
	*name = pnstrdup(key.val.string.val, key.val.string.len);
	(void) JsonbIteratorNext(it, value, true);
	return true;
}

char *
ObjectEntryText(const JsonbValue *value, const char *what, const char *name)
{
	if (value->type != jbvString)
		InvalidArgument("%s \"%s\" is not a string", what, name);
	return pnstrdup(value->val.string.val, value->val.string.len);
}
