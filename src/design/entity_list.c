/*
 * entity_list.c
 *	  The list of entities in a table's definition, as JSON text.
 */
#include "postgres.h"

#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/rel.h"

#include "design/entity_list.h"
#include "errors.h"
#include "item/convert.h"
#include "table/named_list.h"

char *
EntityJson(const TableDef *def, const char *entity_name)
{
	JsonbContainer *object = NamedListFind(def->entities_text, entity_name);

	return object != NULL ? JsonbToCString(NULL, object, 0) : NULL;
}

/* Reads the definition as it will be read from now on, which checks it. */
static const EntitySet *
ReadEntityList(const TableDef *def, const char *text)
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
	char	   *text = NamedListChange(def->entities_text, entity_name, json);

	def->entities = text == NULL ? NULL : ReadEntityList(def, text);
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
