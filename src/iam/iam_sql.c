/*
 * iam_sql.c
 *	  The SQL function dynamo.iam_policy_to_sql.
 */
#include "postgres.h"

#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/tuplestore.h"

#include "compat.h"
#include "errors.h"
#include "iam/iam.h"

#define COLUMNS		4

static const char *const kinds[] = {
	[IAM_SQL] = "sql",
	[IAM_NOTE] = "note",
	[IAM_REFUSED] = "not translated",
};

static void
PutIamLine(ReturnSetInfo *result, const IamLine *line)
{
	Datum		values[COLUMNS];
	bool		nulls[COLUMNS] = {line->statement == 0, line->sid == NULL};

	values[0] = Int32GetDatum(line->statement);
	values[1] = nulls[1] ? (Datum) 0 : CStringGetTextDatum(line->sid);
	values[2] = CStringGetTextDatum(kinds[line->kind]);
	values[3] = CStringGetTextDatum(line->text);
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

static char *
RequiredArgument(FunctionCallInfo fcinfo, int i, const char *name)
{
	if (PG_ARGISNULL(i))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("%s must not be null", name)));
	return text_to_cstring(PG_GETARG_TEXT_PP(i));
}

/* iam_policy_to_sql(policy jsonb, role_name text, schema_name text, variables jsonb) returns table */
DYNAMO_FUNCTION(dynamo_iam_policy_to_sql);

Datum
dynamo_iam_policy_to_sql(PG_FUNCTION_ARGS)
{
	char	   *role = RequiredArgument(fcinfo, 1, "role_name");
	char	   *schema = RequiredArgument(fcinfo, 2, "schema_name");
	ListCell   *lc;

	if (PG_ARGISNULL(0))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("policy must not be null")));
	/* PostgreSQL takes the word for all roles, also in quotes */
	if (strcmp(role, "public") == 0)
		ereport(ERROR,
				(errcode(ERRCODE_RESERVED_NAME),
				 errmsg("role name \"%s\" is reserved", role)));
	InitMaterializedSRF(fcinfo, 0);
	foreach(lc, IamTranslate(PG_GETARG_JSONB_P(0), role, schema, PG_ARGISNULL(3) ? NULL : PG_GETARG_JSONB_P(3)))
		PutIamLine((ReturnSetInfo *) fcinfo->resultinfo, lfirst(lc));
	return (Datum) 0;
}
