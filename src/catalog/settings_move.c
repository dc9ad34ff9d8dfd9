/*
 * settings_move.c
 *	  Settings follow their table to another name or schema, so that a table
 *	  that is protected against deletion stays so, and go when it is dropped.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "catalog/settings.h"

static const char *const settings_tables[] = {
	"dynamo.table_settings", "dynamo.index_settings", "dynamo.table_tags"
};

static void
ExecuteWithTexts(const char *sql, int n, const char *const *texts)
{
	Oid			types[4];
	Datum		values[4];

	Assert(n <= (int) lengthof(types));
	for (int i = 0; i < n; i++)
	{
		types[i] = TEXTOID;
		values[i] = CStringGetTextDatum(texts[i]);
	}
	ExecuteAsSettingsOwner(sql, n, types, values, NULL);
}

void
TableSettingsMove(Relation rel, const char *old_schema, const char *old_name)
{
	const char *names[4] = {
		get_namespace_name(RelationGetNamespace(rel)), RelationGetRelationName(rel),
		old_schema, old_name
	};

	/* what an earlier table of the new name has left */
	TableSettingsForget(rel);
	for (size_t i = 0; i < lengthof(settings_tables); i++)
		ExecuteWithTexts(psprintf("UPDATE %s SET schema_name = $1, table_name = $2 "
								  "WHERE schema_name OPERATOR(pg_catalog.=) $3 "
								  "AND table_name OPERATOR(pg_catalog.=) $4",
								  settings_tables[i]), 4, names);
}

void
SchemaSettingsMove(const char *old_schema, const char *new_schema)
{
	const char *names[2] = {new_schema, old_schema};

	for (size_t i = 0; i < lengthof(settings_tables); i++)
	{
		ExecuteWithTexts(psprintf("DELETE FROM %s WHERE schema_name OPERATOR(pg_catalog.=) $1",
								  settings_tables[i]), 1, names);
		ExecuteWithTexts(psprintf("UPDATE %s SET schema_name = $1 "
								  "WHERE schema_name OPERATOR(pg_catalog.=) $2",
								  settings_tables[i]), 2, names);
	}
}

/* An event trigger knows temporary tables by another schema than we do. */
static const char *const forget_dropped =
"WITH dropped AS MATERIALIZED ("
"SELECT CASE WHEN is_temporary THEN (SELECT nspname::pg_catalog.text FROM pg_catalog.pg_namespace "
"                                    WHERE oid OPERATOR(pg_catalog.=) pg_catalog.pg_my_temp_schema()) "
"       ELSE schema_name END AS schema_name, object_name AS table_name, objid AS relation "
"FROM pg_catalog.pg_event_trigger_dropped_objects() "
"WHERE object_type OPERATOR(pg_catalog.=) 'table'), "
"builds AS (DELETE FROM dynamo.index_builds b USING dropped d "
"WHERE b.relation OPERATOR(pg_catalog.=) d.relation), "
"tags AS (DELETE FROM dynamo.table_tags s USING dropped d "
"WHERE s.schema_name OPERATOR(pg_catalog.=) d.schema_name "
"AND s.table_name OPERATOR(pg_catalog.=) d.table_name), "
"indexes AS (DELETE FROM dynamo.index_settings s USING dropped d "
"WHERE s.schema_name OPERATOR(pg_catalog.=) d.schema_name "
"AND s.table_name OPERATOR(pg_catalog.=) d.table_name) "
"DELETE FROM dynamo.table_settings s USING dropped d "
"WHERE s.schema_name OPERATOR(pg_catalog.=) d.schema_name "
"AND s.table_name OPERATOR(pg_catalog.=) d.table_name";

void
DroppedSettingsForget(void)
{
	ExecuteAsSettingsOwner(forget_dropped, 0, NULL, NULL, NULL);
}
