/*
 * entity_list.c
 *	  The list of entities in a table's definition, as JSON text.
 */
#include "postgres.h"

#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/rel.h"

#include "errors.h"
#include "item/convert.h"
#include "model/entity_list.h"

/* Returns the list as jsonb; NULL if there is none. */
static Jsonb *
ListOf(const TableDef *def)
{
	if (def->entities_text == NULL)
		return NULL;
	return DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(def->entities_text)));
}

static bool
HasName(JsonbContainer *object, const char *name)
{
	JsonbValue	value;

	return getKeyJsonValueFromContainer(object, "name", strlen("name"), &value) != NULL &&
		value.type == jbvString && SliceIs((Slice) {value.val.string.val, value.val.string.len}, name);
}

char *
EntityJson(const TableDef *def, const char *entity_name)
{
	Jsonb	   *list = ListOf(def);

	for (uint32 i = 0; list != NULL && i < JB_ROOT_COUNT(list); i++)
	{
		JsonbContainer *object = getIthJsonbValueFromContainer(&list->root, i)->val.binary.data;

		if (HasName(object, entity_name))
			return JsonbToCString(NULL, object, 0);
	}
	return NULL;
}

/* Returns the list without one entity and with another; NULL if it is empty. */
static char *
ChangedList(const TableDef *def, const char *without, const char *added)
{
	Jsonb	   *list = ListOf(def);
	StringInfoData out;

	initStringInfo(&out);
	for (uint32 i = 0; list != NULL && i < JB_ROOT_COUNT(list); i++)
	{
		JsonbContainer *object = getIthJsonbValueFromContainer(&list->root, i)->val.binary.data;

		if (!HasName(object, without))
			appendStringInfo(&out, "%s%s", out.len == 0 ? "[" : ", ", JsonbToCString(NULL, object, 0));
	}
	if (added != NULL)
		appendStringInfo(&out, "%s%s", out.len == 0 ? "[" : ", ", added);
	if (out.len == 0)
		return NULL;
	appendStringInfoChar(&out, ']');
	return out.data;
}

/* Reads the definition as it will be read from now on, which checks it. */
static const EntitySet *
ReadList(const TableDef *def, const char *text)
{
	Jsonb	   *list = DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(text)));
	ItemBuilder *b = ItemBuilderCreate(0, DUPLICATE_NAME_LAST);
	const char *problem;
	EntitySet  *set;

	ItemBuilderJsonb(b, list);
	set = EntitySetRead(ItemRoot(ItemBuilderFinish(b)), &def->key, &problem);
	if (set == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid entity"), errdetail("%s", problem)));
	return set;
}

void
ReplaceEntity(TableDef *def, const char *entity_name, const char *json)
{
	char	   *text = ChangedList(def, entity_name, json);

	def->entities = text == NULL ? NULL : ReadList(def, text);
	def->entities_text = text;
}

const Entity *
RequireEntity(const TableDef *def, const char *entity_name)
{
	const Entity *entity = EntitySetFind(def->entities, SliceOf(entity_name));

	if (entity == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("the table has no entity \"%s\"", entity_name)));
	return entity;
}
