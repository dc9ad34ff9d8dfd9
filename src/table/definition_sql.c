/*
 * definition_sql.c
 *	  Returns the definition in the arguments of a trigger, for the views.
 *
 * The views read the definitions of all tables.  An invalid definition is
 * therefore null and not an error.
 */
#include "postgres.h"

#include "fmgr.h"
#include "mb/pg_wchar.h"

#include "compat.h"
#include "table/definition.h"

/*
 * Returns the first of the arguments in pg_trigger.tgargs, each of which ends
 * with a zero byte.  NULL if it is not valid text, which is possible only if a
 * user calls the function with other bytes.
 */
static char *
FirstArgument(const bytea *arguments)
{
	char	   *text = pnstrdup(VARDATA_ANY(arguments), VARSIZE_ANY_EXHDR(arguments));

	return pg_verifymbstr(text, strlen(text), true) ? text : NULL;
}

Datum
DefinitionToSql(FunctionCallInfo fcinfo, bool (*read) (const char *definition, Datum *json))
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
	return DefinitionToSql(fcinfo, TableDefToJsonb);
}
