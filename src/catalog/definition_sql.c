/*
 * definition_sql.c
 *	  dynamo.table_definition and dynamo.stream_definition: the definition in
 *	  the arguments of a trigger, for the views.
 *
 * The views read the definitions of all tables, so that one which is not valid
 * must not raise an error: it is null.
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/builtins.h"

#include "catalog/stream.h"
#include "catalog/table.h"
#include "compat.h"

/* The first of the arguments that pg_trigger.tgargs holds, each ended by NUL. */
static char *
FirstArgument(const bytea *arguments)
{
	return pnstrdup(VARDATA_ANY(arguments), VARSIZE_ANY_EXHDR(arguments));
}

static Datum
Definition(FunctionCallInfo fcinfo, bool (*read) (const char *definition, Datum *json))
{
	Datum		json;

	if (!read(FirstArgument(PG_GETARG_BYTEA_PP(0)), &json))
		PG_RETURN_NULL();
	PG_RETURN_DATUM(json);
}

DYNAMO_FUNCTION(dynamo_table_definition);

Datum
dynamo_table_definition(PG_FUNCTION_ARGS)
{
	return Definition(fcinfo, TableDefToJsonb);
}

DYNAMO_FUNCTION(dynamo_stream_definition);

Datum
dynamo_stream_definition(PG_FUNCTION_ARGS)
{
	return Definition(fcinfo, StreamDefToJsonb);
}
