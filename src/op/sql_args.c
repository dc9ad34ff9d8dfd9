/*
 * sql_args.c
 *	  Converts SQL arguments to the structures of op.h.
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"

#include "errors.h"
#include "op/sql_args.h"
#include "table/table_name.h"

#define RETURN_VALUES_SET \
	"Member must satisfy enum value set: [ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]"
#define RETURN_ON_FAILURE_SET \
	"Member must satisfy enum value set: [ALL_OLD, NONE]"

/* The name in SQL of what the path of a member begins with: "return_values" for "returnValues". */
static char *
ParameterOfMember(const char *member)
{
	StringInfoData name;

	initStringInfo(&name);
	for (const char *c = member; *c != '\0' && *c != '.'; c++)
	{
		if (*c >= 'A' && *c <= 'Z')
			appendStringInfoChar(&name, '_');
		appendStringInfoChar(&name, pg_tolower((unsigned char) *c));
	}
	return name.data;
}

void
ModelError(const char *value, const char *member, const char *constraint)
{
	const char *quote = value != NULL ? "'" : "";
	char	   *parameter = ParameterOfMember(member);

	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_VALIDATION),
			 errmsg("1 validation error detected: Value %s%s%s at '%s' failed to satisfy constraint: %s",
					quote, value != NULL ? value : "null", quote,
					member, constraint),
			 strncmp(parameter, member, strlen(parameter)) != 0 ? errhint("It is the parameter \"%s\".", parameter) : 0));
}

static void
RequireMember(FunctionCallInfo fcinfo, int n, const char *member)
{
	if (ArgIsNull(fcinfo, n))
		ModelError(NULL, member, "Member must not be null");
}

const char *
ArgString(FunctionCallInfo fcinfo, int n)
{
	return ArgIsNull(fcinfo, n) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(n));
}

const char *
ArgTableName(FunctionCallInfo fcinfo, int n)
{
	const char *name;

	RequireMember(fcinfo, n, "tableName");
	name = TableArgument(fcinfo, n);
	if (name[0] == '\0')
		ModelError("", "tableName", "Member must have length greater than or equal to 1");
	return name;
}

ValueRef
ArgItem(FunctionCallInfo fcinfo, int n, struct varlena **datum)
{
	struct varlena *item;

	if (datum != NULL)
		*datum = NULL;
	if (ArgIsNull(fcinfo, n))
		return MISSING_VALUE;

	item = PG_DETOAST_DATUM_PACKED(PG_GETARG_DATUM(n));
	if (datum != NULL)
		*datum = item;
	return ItemRoot(item);
}

ValueRef
ArgRequiredItem(FunctionCallInfo fcinfo, int n, const char *member,
				struct varlena **datum)
{
	RequireMember(fcinfo, n, member);
	return ArgItem(fcinfo, n, datum);
}

ExprText
ArgExpr(FunctionCallInfo fcinfo, int n)
{
	ExprText	expr = {false, {NULL, 0}};

	if (!ArgIsNull(fcinfo, n))
	{
		text	   *t = PG_GETARG_TEXT_PP(n);

		expr.given = true;
		expr.text.data = VARDATA_ANY(t);
		expr.text.len = VARSIZE_ANY_EXHDR(t);
	}
	return expr;
}

ExprArgs
ArgExprArgs(FunctionCallInfo fcinfo, int values, int names)
{
	ExprArgs	args = {MISSING_VALUE, false, 0, NULL};

	if (values >= 0)
		args.values = ArgItem(fcinfo, values, NULL);
	if (!ArgIsNull(fcinfo, names))
	{
		args.names_given = true;
		args.nnames = ExprNamesFromJsonb(&PG_GETARG_JSONB_P(names)->root, &args.names);
	}
	return args;
}

ReturnValues
ArgReturnValues(FunctionCallInfo fcinfo, int n)
{
	ReturnValues result = RETURN_NONE;
	text	   *t;

	if (ArgIsNull(fcinfo, n))
		return RETURN_NONE;

	t = PG_GETARG_TEXT_PP(n);
	if (!ReturnValuesFromText(SliceOfVarlena(t), &result))
		ModelError(text_to_cstring(t), "returnValues", RETURN_VALUES_SET);
	return result;
}

static bool
ArgIsWord(FunctionCallInfo fcinfo, int n, const char *word)
{
	return !ArgIsNull(fcinfo, n) && SliceIs(SliceOfVarlena(PG_GETARG_TEXT_PP(n)), word);
}

bool
ArgReturnOldOnFailure(FunctionCallInfo fcinfo, int n)
{
	if (ArgIsNull(fcinfo, n) || ArgIsWord(fcinfo, n, "NONE"))
		return false;
	if (!ArgIsWord(fcinfo, n, "ALL_OLD"))
		ModelError(ArgString(fcinfo, n), "returnValuesOnConditionCheckFailure",
				   RETURN_ON_FAILURE_SET);
	return true;
}

ReturnSetInfo *
RequireValuePerCall(FunctionCallInfo fcinfo)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;

	if (rsinfo == NULL || !IsA(rsinfo, ReturnSetInfo) ||
		(rsinfo->allowedModes & SFRM_ValuePerCall) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("set-valued function called in context that cannot accept a set")));
	return rsinfo;
}
