/*
 * import_shards.c
 *	  Imports into distributed tables: a statement for each batch of items.
 *
 * A put on another node takes a message for each item.  The items of a statement are sent
 * to all nodes together.  Of several items with the same key, the last one counts, as if they
 * were put one after another.
 */
#include "postgres.h"

#include "executor/spi.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "extension_objects.h"
#include "store/plan.h"
#include "transfer/import.h"

#define MAX_ARRAYS	3			/* the items, and the values of their keys */

bool
ImportsByStatement(const Import *import)
{
	return import->store->def->distributed && import->store->direct_partitions;
}

static Datum
ToArray(const Datum *values, int n, Oid type)
{
	int16		len;
	bool		byval;
	char		align;

	get_typlenbyvalalign(type, &len, &byval, &align);
	return PointerGetDatum(construct_array(unconstify(Datum *, values), n, type, len, byval, align));
}

/* The statement, whose parameters are arrays: the items, and the values of each key column. */
static char *
MakeImportStatement(const TableDef *def)
{
	int			nkeys = KeyCount(&def->key);
	StringInfoData keys;
	StringInfoData values;
	StringInfoData arrays;

	initStringInfo(&keys);
	initStringInfo(&values);
	initStringInfo(&arrays);
	for (int i = 0; i < nkeys; i++)
	{
		const char *comma = i == 0 ? "" : ", ";

		appendStringInfo(&keys, "%s%s", comma, quote_identifier(TableKeyAttribute(def, i)->column));
		appendStringInfo(&values, "%si.k%d", comma, i);
		appendStringInfo(&arrays, ", k%d", i);
	}
	return psprintf("INSERT INTO %s (%s, item) SELECT DISTINCT ON (%s) %s, i.item "
					"FROM ROWS FROM (pg_catalog.unnest($1), pg_catalog.unnest($2)%s) WITH ORDINALITY i(item%s, n) "
					"ORDER BY %s, i.n DESC ON CONFLICT (%s) DO UPDATE SET item = EXCLUDED.item",
					RelationSqlName(def->relid), keys.data, values.data, values.data,
					nkeys > 1 ? ", pg_catalog.unnest($3)" : "", arrays.data, values.data, keys.data);
}

void
ImportByStatement(Import *import, const ImportedItem *items, int n)
{
	const TableDef *def = import->store->def;
	int			nkeys = KeyCount(&def->key);
	Oid			types[MAX_ARRAYS];
	Datum		arrays[MAX_ARRAYS];
	Datum	   *values = palloc(sizeof(Datum) * n);

	for (int column = 0; column <= nkeys; column++)
	{
		Oid			type = column == 0 ? ItemTypeOid() : KeyColumnType(TableKeyAttribute(def, column - 1)->type);

		for (int i = 0; i < n; i++)
			values[i] = column == 0 ? PointerGetDatum(items[i].item) : items[i].key[column - 1];
		types[column] = get_array_type(type);
		arrays[column] = ToArray(values, n, type);
	}
	SPI_connect();
	if (SPI_execute_plan(StorePlan(MakeImportStatement(def), nkeys + 1, types), arrays, NULL, false, 0) != SPI_OK_INSERT)
		elog(ERROR, "could not import items");
	SPI_finish();
}
