/*
 * gin.c
 *	  GIN operator class of items: item @> item and item ? name.
 *
 * As in jsonb_path_ops, a key is a hash of a scalar and of the names on its
 * path; list indexes are not part of it.  A member of a set counts as a scalar
 * of the set's type.  Each top-level attribute also has a key for its name.
 * Because keys are hashes, matches are rechecked against the item.  The hashes
 * do not depend on the machine's byte order.
 */
#include "postgres.h"

#include "access/gin.h"
#include "access/stratnum.h"
#include "fmgr.h"
#include "miscadmin.h"

#include "item/item.h"
#include "table/object_names.h"

#define STRATEGY_CONTAINS	7	/* the numbers that the classes of jsonb use */
#define STRATEGY_EXISTS		9

#define SEED_NAME			1
#define SEED_PATH			2

typedef struct KeyList
{
	Datum	   *keys;
	int			n;
	int			room;
} KeyList;

static void
AddKey(KeyList *list, uint64 hash)
{
	if (list->n == list->room)
	{
		list->room = Max(list->room * 2, 16);
		list->keys = list->keys == NULL ? palloc(sizeof(Datum) * list->room) :
			repalloc(list->keys, sizeof(Datum) * list->room);
	}
	list->keys[list->n++] = Int32GetDatum((int32) (hash ^ (hash >> 32)));
}

/* Adds the key of a scalar or set member; path is the hash of its path. */
static void
AddScalarKey(KeyList *list, uint64 path, ValueType type, Slice payload, bool flag)
{
	uint64		hash = StableHash(payload.data, payload.len, path);
	char		tail[2] = {(char) type, (char) flag};

	AddKey(list, StableHash(tail, sizeof(tail), hash));
}

static void
AddValue(KeyList *list, uint64 path, ValueRef v)
{
	ValueType	type = ValueTypeOf(v);
	Container	c;

	check_stack_depth();
	if (type < VALUE_L)
	{
		AddScalarKey(list, path, type, ValuePayload(v), type == VALUE_BOOL && ValueBool(v));
		return;
	}
	ContainerOpen(v, &c);
	for (uint32 i = 0; i < c.count; i++)
	{
		if (type == VALUE_M)
		{
			Slice		name;
			ValueRef	value = MapEntry(&c, i, &name);

			AddValue(list, StableHash(name.data, name.len, path), value);
		}
		else if (type == VALUE_L)
			AddValue(list, path, ListElement(&c, i));
		else
			AddScalarKey(list, path, type, ContainerSlice(&c, i), false);
	}
}

static void
AddNames(KeyList *list, ValueRef item)
{
	Container	c;

	ContainerOpen(item, &c);
	for (uint32 i = 0; i < c.count; i++)
	{
		Slice		name;

		MapEntry(&c, i, &name);
		AddKey(list, StableHash(name.data, name.len, SEED_NAME));
	}
}

/*
 * Adds the keys that an item needs to contain another one: its scalars.  A
 * scalar implies the names above it, whose long lists would only slow the
 * search.  A name is therefore searched only if there is no scalar below it.
 */
static void
AddQuery(KeyList *list, ValueRef item)
{
	Container	c;

	ContainerOpen(item, &c);
	for (uint32 i = 0; i < c.count; i++)
	{
		int			before = list->n;
		Slice		name;
		ValueRef	value = MapEntry(&c, i, &name);

		AddValue(list, StableHash(name.data, name.len, SEED_PATH), value);
		if (list->n == before)
			AddKey(list, StableHash(name.data, name.len, SEED_NAME));
	}
}

DYNAMO_FUNCTION(dynamo_gin_extract_item);
Datum
dynamo_gin_extract_item(PG_FUNCTION_ARGS)
{
	ValueRef	item = PG_GETARG_VALUE(0);
	int32	   *n = (int32 *) PG_GETARG_POINTER(1);
	KeyList		list = {0};

	AddNames(&list, item);
	AddValue(&list, SEED_PATH, item);
	*n = list.n;
	PG_RETURN_POINTER(list.keys);
}

DYNAMO_FUNCTION(dynamo_gin_extract_item_query);
Datum
dynamo_gin_extract_item_query(PG_FUNCTION_ARGS)
{
	int32	   *n = (int32 *) PG_GETARG_POINTER(1);
	StrategyNumber strategy = PG_GETARG_UINT16(2);
	int32	   *search_mode = (int32 *) PG_GETARG_POINTER(6);
	KeyList		list = {0};

	if (strategy == STRATEGY_EXISTS)
	{
		text	   *name = PG_GETARG_TEXT_PP(0);

		AddKey(&list, StableHash(VARDATA_ANY(name), VARSIZE_ANY_EXHDR(name), SEED_NAME));
	}
	else if (strategy == STRATEGY_CONTAINS)
	{
		AddQuery(&list, PG_GETARG_VALUE(0));
		if (list.n == 0)
			*search_mode = GIN_SEARCH_MODE_ALL; /* every item contains {} */
	}
	else
		elog(ERROR, "unrecognized strategy number: %d", strategy);
	*n = list.n;
	PG_RETURN_POINTER(list.keys);
}

/* All keys must be present; the item is then rechecked. */
DYNAMO_FUNCTION(dynamo_gin_consistent_item);
Datum
dynamo_gin_consistent_item(PG_FUNCTION_ARGS)
{
	bool	   *check = (bool *) PG_GETARG_POINTER(0);
	int32		nkeys = PG_GETARG_INT32(3);
	bool	   *recheck = (bool *) PG_GETARG_POINTER(5);

	*recheck = true;
	for (int i = 0; i < nkeys; i++)
	{
		if (!check[i])
			PG_RETURN_BOOL(false);
	}
	PG_RETURN_BOOL(true);
}

DYNAMO_FUNCTION(dynamo_gin_triconsistent_item);
Datum
dynamo_gin_triconsistent_item(PG_FUNCTION_ARGS)
{
	GinTernaryValue *check = (GinTernaryValue *) PG_GETARG_POINTER(0);
	int32		nkeys = PG_GETARG_INT32(3);

	for (int i = 0; i < nkeys; i++)
	{
		if (check[i] == GIN_FALSE)
			PG_RETURN_GIN_TERNARY_VALUE(GIN_FALSE);
	}
	PG_RETURN_GIN_TERNARY_VALUE(GIN_MAYBE);
}
