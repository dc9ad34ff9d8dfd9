/*
 * pattern_drop.c
 *	  Drops the access patterns of a table with it.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"

#include "ddl/feature.h"
#include "pattern/pattern.h"
#include "pattern/pattern_anew.h"
#include "table/ddl_statement.h"

/*
 * Finds the functions of the patterns that belong to the table's owner or to
 * the user.
 */
static const char patterns_query[] =
"SELECT pg_catalog.format('%I.%I(%s)', n.nspname, f.proname, pg_catalog.pg_get_function_identity_arguments(f.oid)) "
"FROM dynamo.access_patterns p "
"JOIN pg_catalog.pg_proc f ON f.oid OPERATOR(pg_catalog.=) p.pattern::pg_catalog.oid "
"JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) f.pronamespace "
"JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) $1 "
"  AND (f.proowner OPERATOR(pg_catalog.=) c.relowner OR f.proowner OPERATOR(pg_catalog.=) $2) "
"JOIN pg_catalog.pg_namespace t ON t.oid OPERATOR(pg_catalog.=) c.relnamespace "
"WHERE p.relation OPERATOR(pg_catalog.=) pg_catalog.format('%I.%I', t.nspname, c.relname)";

static void
DropPatterns(Oid relid)
{
	Oid			types[2] = {OIDOID, OIDOID};
	Datum		args[2] = {ObjectIdGetDatum(relid), ObjectIdGetDatum(GetUserId())};
	SPITupleTable *functions;

	if (SPI_execute_with_args(patterns_query, 2, types, args, NULL, true, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not read the access patterns of a table");
	functions = SPI_tuptable;
	for (uint64 i = 0; i < functions->numvals; i++)
		RunStatement("DROP FUNCTION %s", SPI_getvalue(functions->vals[i], functions->tupdesc, 1));
}

static const DdlFeature patterns = {.leave_table = DropPatterns, .follow_views = PatternsFollowViews};

void
PatternInit(void)
{
	DdlFeatureRegister(&patterns);
	PatternSelectInit();
	PatternNamedInit();
}
