/*
 * entity_functions.c
 *	  dynamo.describe_entity, entity_key, keys_of, kind_of and key_parts: functions
 *	  that apply a table's definition to items.
 *
 * Like the system catalogs that definitions are in, they are for everyone.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "fmgr.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/rel.h"

#include "design/entity_list.h"
#include "errors.h"
#include "item/builder.h"
#include "item/convert.h"
#include "table/table.h"
#include "table/table_name.h"

/* The definition of a table that a function reads. */
typedef struct OpenDefinition
{
	Relation	rel;
	TableDef   *def;
} OpenDefinition;

static OpenDefinition
OpenDefinitionByName(FunctionCallInfo fcinfo)
{
	OpenDefinition d;

	d.rel = TableNameOpen(TableArgument(fcinfo, 0), AccessShareLock, false);
	d.def = TableDefAcquire(d.rel);
	return d;
}

static void
CloseDefinition(OpenDefinition *d)
{
	TableDefRelease(d->def);
	table_close(d->rel, NoLock);
}

/* Returns the entity to which an item belongs; NULL if there is none. */
static const Entity *
FindEntityOfItem(const TableDef *def, ValueRef item)
{
	return def->entities == NULL ? NULL : EntityOfItem(def->entities, item);
}

DYNAMO_FUNCTION(dynamo_describe_entity);
Datum
dynamo_describe_entity(PG_FUNCTION_ARGS)
{
	OpenDefinition d = OpenDefinitionByName(fcinfo);
	char	   *name = text_to_cstring(PG_GETARG_TEXT_PP(1));
	Datum		json;

	(void) RequireEntity(d.def, name);
	json = DirectFunctionCall1(jsonb_in, CStringGetDatum(EntityJson(d.def, name)));
	CloseDefinition(&d);
	PG_RETURN_DATUM(json);
}

/* kind_of(table_name text, item dynamo.item) returns text */
DYNAMO_FUNCTION(dynamo_kind_of);
Datum
dynamo_kind_of(PG_FUNCTION_ARGS)
{
	OpenDefinition d = OpenDefinitionByName(fcinfo);
	const Entity *entity = FindEntityOfItem(d.def, PG_GETARG_VALUE(1));
	text	   *name = entity == NULL ? NULL : SliceToText(entity->name);

	CloseDefinition(&d);
	if (name == NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(name);
}

/* Adds a composed key; raises an error if a part is missing or does not fit. */
static void
AddComposedKey(ItemBuilder *b, const Entity *entity, const ComposedKey *key, ValueRef item)
{
	StringInfoData text;
	ComposeProblem problem;

	initStringInfo(&text);
	if (EntityComposeKey(entity, key, item, &text, &problem) != COMPOSE_OK)
		(void) NoteComposeProblem(entity, key, &problem, NULL);
	ItemBuilderName(b, key->attribute.data, key->attribute.len);
	ItemBuilderString(b, text.data, text.len);
}

/*
 * Adds the attributes of the table's key without a template, which are the
 * item's own.
 */
static void
AddGivenKeys(ItemBuilder *b, const TableDef *def, const Entity *entity, ValueRef item)
{
	for (int i = 0; i < KeyCount(&def->key); i++)
	{
		Slice		name = def->key.attributes[i].name;
		ValueRef	v = AttributeFind(item, name.data, name.len);
		bool		composed = false;

		for (int j = 0; j < entity->nbase; j++)
			composed |= SliceEqual(entity->keys[j].attribute, name);
		if (composed || ValueIsMissing(v))
			continue;
		ItemBuilderName(b, name.data, name.len);
		ItemBuilderValue(b, v);
	}
}

/* entity_key(table_name text, entity_name text, item dynamo.item) returns dynamo.item */
DYNAMO_FUNCTION(dynamo_entity_key);
Datum
dynamo_entity_key(PG_FUNCTION_ARGS)
{
	OpenDefinition d = OpenDefinitionByName(fcinfo);
	const Entity *entity = RequireEntity(d.def, text_to_cstring(PG_GETARG_TEXT_PP(1)));
	ValueRef	item = PG_GETARG_VALUE(2);
	ItemBuilder *b = ItemBuilderCreate(0, DUPLICATE_NAME_ERROR);

	ItemBuilderBeginMap(b);
	for (int i = 0; i < entity->nbase; i++)
		AddComposedKey(b, entity, &entity->keys[i], item);
	AddGivenKeys(b, d.def, entity, item);
	ItemBuilderEnd(b);
	CloseDefinition(&d);
	PG_RETURN_POINTER(ItemBuilderFinish(b));
}

static void
AddKeyParts(ItemBuilder *b, const Entity *entity, const Template *t, ValueRef item)
{
	for (int i = 0; i < t->npieces; i++)
	{
		const TemplatePart *part = t->pieces[i].part;
		ValueRef	v = part == NULL ? MISSING_VALUE : EntityPartValue(entity, item, part);

		if (ValueIsMissing(v))
			continue;
		ItemBuilderName(b, part->name.data, part->name.len);
		ItemBuilderValue(b, v);
	}
}

/* key_parts(table_name text, item dynamo.item) returns dynamo.item */
DYNAMO_FUNCTION(dynamo_key_parts);
Datum
dynamo_key_parts(PG_FUNCTION_ARGS)
{
	OpenDefinition d = OpenDefinitionByName(fcinfo);
	ValueRef	item = PG_GETARG_VALUE(1);
	const Entity *entity = FindEntityOfItem(d.def, item);
	ItemBuilder *b = ItemBuilderCreate(0, DUPLICATE_NAME_LAST);

	ItemBuilderBeginMap(b);
	for (int i = 0; entity != NULL && i < entity->nkeys; i++)
		AddKeyParts(b, entity, entity->keys[i].template, item);
	ItemBuilderEnd(b);
	CloseDefinition(&d);
	if (entity == NULL)
		PG_RETURN_NULL();
	PG_RETURN_POINTER(ItemBuilderFinish(b));
}

/* ---- keys_of ---- */

/* The columns of the result. */
enum
{
	KEYS_OF_PARTITION_KEY,
	KEYS_OF_SORT_KEY,
	KEYS_OF_ITEM,
	KEYS_OF_NCOLUMNS
};

/* Returns the item as a write would store it, after the checks of its key. */
static struct varlena *
ItemToStore(const TableDef *def, struct varlena *item)
{
	struct varlena *composed;

	(void) ComposeEntityKeys(def, ItemRoot(item), MISSING_VALUE, false, true, &composed, NULL);
	if (composed != NULL)
		item = composed;
	(void) CheckItemKeys(def, ItemRoot(item), NULL, NULL);
	return item;
}

/* keys_of(table_name text, item dynamo.item) returns (partition_key, sort_key dynamo.value, item dynamo.item) */
DYNAMO_FUNCTION(dynamo_keys_of);
Datum
dynamo_keys_of(PG_FUNCTION_ARGS)
{
	OpenDefinition d = OpenDefinitionByName(fcinfo);
	struct varlena *item = ItemToStore(d.def, PG_DETOAST_DATUM_PACKED(PG_GETARG_DATUM(1)));
	Datum		values[KEYS_OF_NCOLUMNS] = {0};
	bool		nulls[KEYS_OF_NCOLUMNS] = {false, true, false};
	TupleDesc	desc;

	for (int i = 0; i < KeyCount(&d.def->key); i++)
	{
		Slice		name = d.def->key.attributes[i].name;

		values[i] = PointerGetDatum(ValueCopy(AttributeFind(ItemRoot(item), name.data, name.len)));
		nulls[i] = false;
	}
	values[KEYS_OF_ITEM] = PointerGetDatum(item);
	CloseDefinition(&d);
	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc), values, nulls)));
}
