/*
 * model.c
 *	  dynamo.plan_model and apply_model, and what the SQL of models (models.sql) needs of C: names of
 *	  tables that may be missing, definitions in comments, documents in lines.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/tuplestore.h"

#include "item/json.h"
#include "table/ddl_statement.h"
#include "table/object_names.h"
#include "table/table.h"
#include "table/table_name.h"
#include "view/kind.h"

/* ---- names ---- */

typedef struct ModelPlace
{
	Oid			relid;			/* InvalidOid if the table does not exist */
	char	   *call_name;
	char	   *sql_name;
	char	   *schema;
} ModelPlace;

static void
FindPlace(const char *name, ModelPlace *place)
{
	Relation	rel = TableNameOpen(name, AccessShareLock, true);
	TableNameParts parts;

	if (rel == NULL)
	{
		parts = TableNameToCreate(name);
		place->schema = parts.schema != NULL ? pstrdup(parts.schema) : get_namespace_name(SchemaToCreateIn());
		place->call_name = TableNameInQuotes(place->schema, parts.table);
		place->sql_name = quote_qualified_identifier(place->schema, RelationNameFor(parts.table));
		return;
	}
	TableDefRelease(TableDefAcquire(rel));	/* raises an error for another table */
	place->relid = RelationGetRelid(rel);
	place->schema = get_namespace_name(RelationGetNamespace(rel));
	place->call_name = TableNameOfRelation(place->relid);
	place->sql_name = QualifiedName(RelationGetNamespace(rel), RelationGetRelationName(rel));
	table_close(rel, AccessShareLock);
}

/* model_place(table_name text) returns (relation regclass, call_name text, sql_name text, schema_name text) */
DYNAMO_FUNCTION(dynamo_model_place);
Datum
dynamo_model_place(PG_FUNCTION_ARGS)
{
	ModelPlace	place = {0};
	TupleDesc	desc;
	Datum		values[4];
	bool		nulls[4] = {false};

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	FindPlace(text_to_cstring(PG_GETARG_TEXT_PP(0)), &place);
	values[0] = ObjectIdGetDatum(place.relid);
	nulls[0] = !OidIsValid(place.relid);
	values[1] = CStringGetTextDatum(place.call_name);
	values[2] = CStringGetTextDatum(place.sql_name);
	values[3] = CStringGetTextDatum(place.schema);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc), values, nulls)));
}

/*
 * unique_definition(object_comment text) returns jsonb: NULL if it is not the comment of
 * dynamo.add_unique_constraint.  Anybody can write an invalid one.
 */
DYNAMO_FUNCTION(dynamo_unique_definition);
Datum
dynamo_unique_definition(PG_FUNCTION_ARGS)
{
	Problem		problem = NO_PROBLEM;
	const char *json;
	char	   *comment;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	comment = text_to_cstring(PG_GETARG_TEXT_PP(0));
	json = comment + strlen(UNIQUE_COMMENT);
	/* jsonb cannot contain U+0000 */
	if (strncmp(comment, UNIQUE_COMMENT, strlen(UNIQUE_COMMENT)) != 0 || strstr(json, "\\u0000") != NULL ||
		ItemFromJson(json, strlen(json), &problem) == NULL)
		PG_RETURN_NULL();
	PG_RETURN_DATUM(DirectFunctionCall1(jsonb_in, CStringGetDatum(json)));
}

/* ---- lines ---- */

/* Prints valid JSON anew. */
typedef struct Lines
{
	const char *at;
	StringInfoData out;
	int			depth;
	bool		in_one;			/* all in one line */
} Lines;

static const char *
SkipJsonString(const char *at)
{
	for (at++; *at != '"'; at++)
		at += *at == '\\';
	return at + 1;
}

static void
SkipJsonSpace(Lines *l)
{
	l->at += strspn(l->at, " \t\r\n");
}

/* Whether an object or list fits into a line: all that it contains are plain values and lists of them. */
static bool
FitsLine(const char *at)
{
	int			depth = 0;
	bool		fits = true;

	do
	{
		if (*at == '"')
		{
			at = SkipJsonString(at);
			continue;
		}
		fits &= depth == 0 || *at != '{' || at[1 + strspn(at + 1, " \t\r\n")] == '}';
		depth += *at == '{' || *at == '[';
		depth -= *at == '}' || *at == ']';
		at++;
	} while (depth > 0);
	return fits;
}

static void
CopyToken(Lines *l)
{
	const char *end = *l->at == '"' ? SkipJsonString(l->at) : l->at + strcspn(l->at, ",:]} \t\r\n");

	appendBinaryStringInfo(&l->out, l->at, (int) (end - l->at));
	l->at = end;
}

static void
StartJsonLine(Lines *l)
{
	appendStringInfoChar(&l->out, '\n');
	appendStringInfoSpaces(&l->out, 2 * l->depth);
}

static void PrintLines(Lines *l);

static void
PrintMember(Lines *l, bool named)
{
	if (named)
	{
		CopyToken(l);
		SkipJsonSpace(l);
		l->at++;
		appendStringInfoString(&l->out, ": ");
		SkipJsonSpace(l);
	}
	PrintLines(l);
	SkipJsonSpace(l);
}

static void
PrintContainer(Lines *l)
{
	char		open = *l->at;
	char		close = open == '{' ? '}' : ']';
	bool		breaks = !l->in_one && !FitsLine(l->at);

	appendStringInfoChar(&l->out, open);
	l->at++;
	l->depth++;
	for (SkipJsonSpace(l); *l->at != close; SkipJsonSpace(l))
	{
		if (breaks)
			StartJsonLine(l);
		PrintMember(l, open == '{');
		if (*l->at != ',')
			continue;
		appendStringInfoString(&l->out, breaks ? "," : ", ");
		l->at++;
	}
	l->depth--;
	if (breaks)
		StartJsonLine(l);
	appendStringInfoChar(&l->out, close);
	l->at++;
}

static void
PrintLines(Lines *l)
{
	check_stack_depth();
	if (*l->at == '{' || *l->at == '[')
		PrintContainer(l);
	else
		CopyToken(l);
}

static text *
PrintJsonAnew(text *json, bool in_one)
{
	Lines		l = {.at = text_to_cstring(json), .in_one = in_one};

	initStringInfo(&l.out);
	SkipJsonSpace(&l);
	PrintLines(&l);
	return cstring_to_text_with_len(l.out.data, l.out.len);
}

/* lines_of_json(document json) returns json */
DYNAMO_FUNCTION(dynamo_lines_of_json);
Datum
dynamo_lines_of_json(PG_FUNCTION_ARGS)
{
	PG_RETURN_TEXT_P(PrintJsonAnew(PG_GETARG_TEXT_PP(0), false));
}

/* line_of_json(document json) returns json */
DYNAMO_FUNCTION(dynamo_line_of_json);
Datum
dynamo_line_of_json(PG_FUNCTION_ARGS)
{
	PG_RETURN_TEXT_P(PrintJsonAnew(PG_GETARG_TEXT_PP(0), true));
}

/* refuse_model(document json) returns json: raises an error */
DYNAMO_FUNCTION(dynamo_refuse_model);
Datum
dynamo_refuse_model(PG_FUNCTION_ARGS)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("the document is not a model"),
			 errdetail("It must be an object with a list \"tables\" of objects."),
			 errhint("Models are what dynamo.export_model returns, models of NoSQL Workbench, schemas of OneTable, "
					 "and what aws dynamodb describe-table prints.")));
	PG_RETURN_NULL();			/* keep compiler quiet */
}

/* ---- statements that are planned once ---- */

/*
 * The functions in SQL of which these consist are large.  PostgreSQL before 18 plans such a
 * function in each statement that calls it, which takes longer than its execution; the plans
 * here are kept by the session, and do not depend on the arguments.
 */
static SPIPlanPtr
PlanOnce(SPIPlanPtr *kept, const char *sql, int nargs, Oid *types)
{
	if (*kept == NULL)
	{
		SPIPlanPtr	plan = SPI_prepare_cursor(sql, nargs, types, CURSOR_OPT_GENERIC_PLAN);

		if (plan == NULL || SPI_keepplan(plan) != 0)
			elog(ERROR, "could not prepare a statement of models: %s", SPI_result_code_string(SPI_result));
		*kept = plan;
	}
	return *kept;
}

static void
SelectPlanned(SPIPlanPtr plan, Datum *values, const char *nulls)
{
	if (SPI_execute_plan(plan, values, nulls, true, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not execute a statement of models");
}

/* model_table(table_name regclass) returns json */
DYNAMO_FUNCTION(dynamo_model_table);
Datum
dynamo_model_table(PG_FUNCTION_ARGS)
{
	static SPIPlanPtr kept = NULL;
	MemoryContext context = CurrentMemoryContext;
	Oid			types[1] = {REGCLASSOID};
	Datum		values[1] = {PG_GETARG_DATUM(0)};
	Datum		result = (Datum) 0;
	bool		isnull = true;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	SPI_connect();
	SelectPlanned(PlanOnce(&kept, "SELECT t.t FROM dynamo_system.model_of_table($1) t(t)", 1, types), values, NULL);
	if (SPI_processed > 0)
		result = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull);
	if (!isnull)
	{
		MemoryContext old = MemoryContextSwitchTo(context);

		result = datumCopy(result, false, -1);
		MemoryContextSwitchTo(old);
	}
	SPI_finish();
	if (isnull)
		PG_RETURN_NULL();
	PG_RETURN_DATUM(result);
}

/* plan_model(document json, table_name text) returns the steps */
DYNAMO_FUNCTION(dynamo_plan_model);
Datum
dynamo_plan_model(PG_FUNCTION_ARGS)
{
	static SPIPlanPtr kept = NULL;
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	Oid			types[2] = {JSONOID, TEXTOID};
	Datum		values[2];
	char		nulls[2];

	InitMaterializedSRF(fcinfo, 0);
	for (int i = 0; i < 2; i++)
	{
		values[i] = PG_ARGISNULL(i) ? (Datum) 0 : PG_GETARG_DATUM(i);
		nulls[i] = PG_ARGISNULL(i) ? 'n' : ' ';
	}
	SPI_connect();
	SelectPlanned(PlanOnce(&kept, "SELECT p.step, p.model_table, p.object, p.change, p.detail, p.statement, p.items, p.bytes, p.locks, p.problem "
						   "FROM dynamo_system.plan_of_model($1, $2) p", 2, types), values, nulls);
	for (uint64 i = 0; i < SPI_processed; i++)
		tuplestore_puttuple(rsinfo->setResult, SPI_tuptable->vals[i]);
	SPI_finish();
	return (Datum) 0;
}

/* ---- applying ---- */

/*
 * A plan is made again after it was executed: some rights of what was created are known
 * only then.
 */
#define MAX_ROUNDS	3

/* A plan: what differs, and the statements that make the difference. */
typedef struct ModelPlan
{
	List	   *statements;
	char	   *differs;		/* an object; NULL if nothing differs */
	char	   *problems;		/* NULL if there are none */
	bool		migrates;		/* items move later, in batches */
} ModelPlan;

static void
AddStep(ModelPlan *plan, SPITupleTable *steps, uint64 i)
{
	char	   *statement = SPI_getvalue(steps->vals[i], steps->tupdesc, 1);
	char	   *object = SPI_getvalue(steps->vals[i], steps->tupdesc, 2);
	char	   *problem = SPI_getvalue(steps->vals[i], steps->tupdesc, 3);
	char	   *text;

	plan->differs = object;
	if (problem != NULL || statement == NULL)
	{
		text = psprintf("%s: %s", object, problem != NULL ? problem : "there is no statement for it");
		plan->problems = plan->problems == NULL ? text : psprintf("%s\n%s", plan->problems, text);
		return;
	}
	plan->migrates |= strncmp(statement, "SELECT dynamo.migrate_entity(", strlen("SELECT dynamo.migrate_entity(")) == 0;
	plan->statements = lappend(plan->statements, statement);
}

/* Makes the plan, in the SPI context. */
static void
MakePlan(FunctionCallInfo fcinfo, ModelPlan *plan)
{
	Oid			types[2] = {JSONOID, TEXTOID};
	Datum		values[2] = {PG_GETARG_DATUM(0), PG_ARGISNULL(1) ? (Datum) 0 : PG_GETARG_DATUM(1)};
	char		nulls[2] = {' ', PG_ARGISNULL(1) ? 'n' : ' '};

	*plan = (ModelPlan) {0};
	if (SPI_execute_with_args("SELECT p.statement, p.object, p.problem FROM dynamo.plan_model($1, $2) p ORDER BY p.step",
							  2, types, values, nulls, false, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not plan a model");
	for (uint64 i = 0; i < SPI_processed; i++)
		AddStep(plan, SPI_tuptable, i);
	if (plan->problems != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("the model cannot be applied"),
				 errdetail("%s", plan->problems)));
}

static int64
ExecuteSteps(const ModelPlan *plan)
{
	ListCell   *cell;

	foreach(cell, plan->statements)
	{
		CHECK_FOR_INTERRUPTS();
		if (SPI_execute(lfirst(cell), false, 0) < 0)
			elog(ERROR, "could not execute a step of a plan: %s", (char *) lfirst(cell));
	}
	return list_length(plan->statements);
}

/* apply_model(document json, table_name text) returns bigint */
DYNAMO_FUNCTION(dynamo_apply_model);
Datum
dynamo_apply_model(PG_FUNCTION_ARGS)
{
	int64		n = 0;
	ModelPlan	plan = {0};

	if (PG_ARGISNULL(0))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("document must not be null")));
	SPI_connect();
	for (int round = 0; round <= MAX_ROUNDS && !plan.migrates; round++)
	{
		MakePlan(fcinfo, &plan);
		if (plan.differs == NULL)
			break;
		if (round == MAX_ROUNDS)
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("the model still differs after it was applied: %s", plan.differs)));
		n += ExecuteSteps(&plan);
	}
	SPI_finish();
	PG_RETURN_INT64(n);
}
