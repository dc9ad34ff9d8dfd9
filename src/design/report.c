/*
 * report.c
 *	  The reports on a design: dynamo.outline, advise, check_access_patterns and
 *	  draw.
 *
 * Each is a query in SQL, a function of dynamo_internal with the same parameters and
 * the caller.  It reads the table's items, and so may run code of the table's owner:
 * whoever has the owner's rights, a superuser above all, runs it as the owner.
 * Others run it as themselves, like a SELECT.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "nodes/execnodes.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "ddl/ddl.h"
#include "extension_objects.h"
#include "security/owner.h"
#include "table/table_name.h"

#define MAX_ARGUMENTS	4

/* A function of dynamo_internal, whose last parameter is the caller. */
typedef struct Report
{
	const char *function;
	int			nargs;
	Oid			types[MAX_ARGUMENTS];
} Report;

static Oid
ReportOid(const Report *report)
{
	Oid			function = ExtensionFunctionOid(INTERNAL_SCHEMA, report->function, report->types, report->nargs);

	if (!OidIsValid(function))
		elog(ERROR, "function %s.%s does not exist", INTERNAL_SCHEMA, report->function);
	return function;
}

/*
 * Calls the query as a function, by its OID: the caller cannot use its schema.
 * Rows come as a tuplestore in the caller's ReturnSetInfo.
 */
static Datum
CallReport(const Report *report, FunctionCallInfo fcinfo, bool *isnull)
{
	LOCAL_FCINFO(call, MAX_ARGUMENTS);
	FmgrInfo   *function = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(FmgrInfo));
	Datum		caller = ObjectIdGetDatum(GetUserId());
	Relation	rel = TableNameOpen(RequiredTableArgument(fcinfo, 0), AccessShareLock, false);
	OwnerScope	scope;
	Datum		result;

	fmgr_info_cxt(ReportOid(report), function, fcinfo->flinfo->fn_mcxt);
	InitFunctionCallInfoData(*call, function, report->nargs, DEFAULT_COLLATION_OID, NULL, fcinfo->resultinfo);
	call->args[0] = (NullableDatum) {.value = ObjectIdGetDatum(RelationGetRelid(rel))};
	for (int i = 1; i < report->nargs - 1; i++)
		call->args[i] = fcinfo->args[i];
	call->args[report->nargs - 1] = (NullableDatum) {.value = caller};
	OwnerScopeEnterForMaintenance(&scope, rel->rd_rel->relowner);
	result = FunctionCallInvoke(call);
	OwnerScopeLeave(&scope);
	table_close(rel, NoLock);
	*isnull = call->isnull;
	return result;
}

static Datum
ReportRows(const Report *report, FunctionCallInfo fcinfo)
{
	ReturnSetInfo *rows = (ReturnSetInfo *) fcinfo->resultinfo;

	if (rows == NULL || !IsA(rows, ReturnSetInfo) || (rows->allowedModes & SFRM_Materialize) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("set-valued function called in context that cannot accept a set")));
	rows->allowedModes |= SFRM_Materialize_Preferred;
	return CallReport(report, fcinfo, &fcinfo->isnull);
}

/* outline(table_name text, sample integer) returns setof record */
DYNAMO_FUNCTION(dynamo_outline);
Datum
dynamo_outline(PG_FUNCTION_ARGS)
{
	static const Report report = {"report_outline", 3, {REGCLASSOID, INT4OID, OIDOID}};

	return ReportRows(&report, fcinfo);
}

/* advise(table_name text, sample integer) returns setof record */
DYNAMO_FUNCTION(dynamo_advise);
Datum
dynamo_advise(PG_FUNCTION_ARGS)
{
	static const Report report = {"report_advice", 3, {REGCLASSOID, INT4OID, OIDOID}};

	return ReportRows(&report, fcinfo);
}

/* check_access_patterns(table_name text, strict boolean, samples integer) returns setof record */
DYNAMO_FUNCTION(dynamo_check_access_patterns);
Datum
dynamo_check_access_patterns(PG_FUNCTION_ARGS)
{
	static const Report report = {"report_check", 4, {REGCLASSOID, BOOLOID, INT4OID, OIDOID}};

	return ReportRows(&report, fcinfo);
}

/* draw(table_name text, sample integer, redact boolean) returns text */
DYNAMO_FUNCTION(dynamo_draw);
Datum
dynamo_draw(PG_FUNCTION_ARGS)
{
	static const Report report = {"report_drawing", 4, {REGCLASSOID, INT4OID, BOOLOID, OIDOID}};

	return CallReport(&report, fcinfo, &fcinfo->isnull);
}
