/*
 * definition_sql.c
 *	  table_definition and stream_definition: the definition in the arguments
 *	  of a trigger, for the views.
 *
 * The views read the definitions of all tables, so that an invalid definition
 * must not raise an error: it is null.
 */
#include "postgres.h"

#include "fmgr.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"

#include "compat.h"
#include "ddl/stream_definition.h"
#include "table/table.h"

/*
 * The first of the arguments that pg_trigger.tgargs holds, each ended by NUL;
 * NULL if it is no text, which only who calls us with other bytes has.
 */
static char *
FirstArgument(const bytea *arguments)
{
	char	   *text = pnstrdup(VARDATA_ANY(arguments), VARSIZE_ANY_EXHDR(arguments));

	return pg_verifymbstr(text, strlen(text), true) ? text : NULL;
}

static Datum
Definition(FunctionCallInfo fcinfo, bool (*read) (const char *definition, Datum *json))
{
	char	   *text = FirstArgument(PG_GETARG_BYTEA_PP(0));
	Datum		json;

	if (text == NULL || !read(text, &json))
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
