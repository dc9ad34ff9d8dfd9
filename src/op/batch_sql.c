/*
 * batch_sql.c
 *	  dynamo.batch_get_item and dynamo.batch_write_item.
 *
 * In SQL a call is for one table, because calls can be combined (UNION ALL,
 * several in one transaction).  The limits of 100 keys and 25 writes apply
 * only to requests.
 */
#include "postgres.h"

#include "funcapi.h"
#include "utils/array.h"
#include "utils/lsyscache.h"

#include "op/item_list.h"
#include "op/sql_args.h"
#include "op/write.h"

/*
 * Returns the number of elements of an array argument and their items; 0 for
 * NULL.  The result parameter "datums" may be NULL.
 */
static int
ArgItems(FunctionCallInfo fcinfo, int n, const char *member,
		 ValueRef **items, struct varlena ***datums)
{
	ArrayType  *array;
	Datum	   *elements;
	bool	   *nulls;
	int			count;
	int16		typlen;
	bool		typbyval;
	char		typalign;

	*items = NULL;
	if (PG_ARGISNULL(n))
		return 0;
	array = PG_GETARG_ARRAYTYPE_P(n);
	get_typlenbyvalalign(ARR_ELEMTYPE(array), &typlen, &typbyval, &typalign);
	deconstruct_array(array, ARR_ELEMTYPE(array), typlen, typbyval, typalign,
					  &elements, &nulls, &count);

	*items = palloc(sizeof(ValueRef) * Max(count, 1));
	if (datums != NULL)
		*datums = palloc(sizeof(struct varlena *) * Max(count, 1));
	for (int i = 0; i < count; i++)
	{
		struct varlena *item;

		if (nulls[i])
			ModelError(NULL, psprintf("%s.%d.member", member, i + 1),
					   "Member must not be null");
		item = PG_DETOAST_DATUM_PACKED(elements[i]);
		(*items)[i] = ItemRoot(item);
		if (datums != NULL)
			(*datums)[i] = item;
	}
	return count;
}

/* ---- batch_write_item ---- */

static int
AddWrites(WriteOp *writes, int n, WriteKind kind, const char *table_name,
		  const ValueRef *items, struct varlena **datums, int count)
{
	for (int i = 0; i < count; i++)
	{
		WriteOp    *op = &writes[n + i];

		memset(op, 0, sizeof(*op));
		op->kind = kind;
		op->table_name = table_name;
		op->item = items[i];
		op->datum = datums != NULL ? datums[i] : NULL;
	}
	return n + count;
}

/* A batch with nothing to write raises the errors about its table, as batch_get_item does without keys. */
static void
CheckTableOfBatch(const char *table_name, WriteKind kind)
{
	Store		store;

	StoreOpen(&store, table_name, WriteAccess(kind));
	StoreClose(&store);
}

DYNAMO_FUNCTION(dynamo_batch_write_item);

Datum
dynamo_batch_write_item(PG_FUNCTION_ARGS)
{
	const char *table_name = ArgTableName(fcinfo, 0);
	ValueRef   *puts;
	ValueRef   *deletes;
	struct varlena **datums = NULL;
	int			nputs = ArgItems(fcinfo, 1, "putItems", &puts, &datums);
	int			ndeletes = ArgItems(fcinfo, 2, "deleteKeys", &deletes, NULL);
	WriteOp    *writes = palloc(sizeof(WriteOp) * Max(nputs + ndeletes, 1));
	WriteResult *results = palloc0(sizeof(WriteResult) * Max(nputs + ndeletes, 1));
	int			n = 0;

	n = AddWrites(writes, n, WRITE_KIND_PUT, table_name, puts, datums, nputs);
	n = AddWrites(writes, n, WRITE_KIND_DELETE, table_name, deletes, NULL, ndeletes);
	if (n == 0)
		CheckTableOfBatch(table_name, PG_ARGISNULL(1) ? WRITE_KIND_DELETE : WRITE_KIND_PUT);
	BatchWriteItem(writes, n, results);
	PG_RETURN_VOID();
}

/* ---- batch_get_item ---- */

static ItemList *
BatchGet(FunctionCallInfo fcinfo)
{
	BatchGetTable table = {0};
	ValueRef   *keys;
	ItemList   *list;

	table.table_name = ArgTableName(fcinfo, 0);
	table.nkeys = ArgItems(fcinfo, 1, "keys", &keys, NULL);
	table.keys = keys;
	table.projection = ArgExpr(fcinfo, 2);
	table.args = ArgExprArgs(fcinfo, -1, 3);

	list = ItemListMake(table.nkeys, true);
	BatchGetItem(&table, 1, &list->results);
	return list;
}

DYNAMO_FUNCTION(dynamo_batch_get_item);

Datum
dynamo_batch_get_item(PG_FUNCTION_ARGS)
{
	return ItemListReturn(fcinfo, BatchGet);
}
