/*
 * migrate_json.c
 *	  The definition of an entity as JSON, which migrations change by expressions of SQL.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/fmgrprotos.h"

#include "design/entity_list.h"
#include "migrate/migrate_json.h"

Jsonb *
JsonbOfText(const char *text)
{
	return DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(text)));
}

Jsonb *
EntityJsonb(const TableDef *def, const char *entity_name)
{
	return JsonbOfText(EntityJson(def, entity_name));
}

void
SetEntity(TableDef *def, const char *entity_name, Jsonb *json)
{
	ReplaceEntity(def, entity_name, JsonbToCString(NULL, &json->root, 0));
}

Jsonb *
EvaluateJsonb(const char *expression, int n, Jsonb **arguments)
{
	MemoryContext caller = CurrentMemoryContext;
	Oid			types[] = {JSONBOID, JSONBOID, JSONBOID};
	Datum		values[3];
	Jsonb	   *result;
	Datum		value;
	bool		isnull;

	for (int i = 0; i < n; i++)
		values[i] = JsonbPGetDatum(arguments[i]);
	SPI_connect();
	if (SPI_execute_with_args(psprintf("SELECT (%s)", expression), n, types, values, NULL, true, 1) != SPI_OK_SELECT ||
		SPI_processed != 1)
		elog(ERROR, "could not evaluate the definition of an entity");
	value = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull);
	if (isnull)
		elog(ERROR, "the definition of an entity is null");
	MemoryContextSwitchTo(caller);
	result = DatumGetJsonbP(datumCopy(value, false, -1));
	SPI_finish();
	return result;
}

Jsonb *
MergeJsonb(Jsonb *a, Jsonb *b)
{
	return EvaluateJsonb("$1 OPERATOR(pg_catalog.||) $2", 2, (Jsonb *[]) {a, b});
}

bool
JsonbIsSame(const Jsonb *a, const Jsonb *b)
{
	return compareJsonbContainers(unconstify(JsonbContainer *, &a->root), unconstify(JsonbContainer *, &b->root)) == 0;
}
