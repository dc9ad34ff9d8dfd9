/*
 * may_lack_key.c
 *	  dynamo_internal.may_lack_key and its planner support.
 *
 * An item with an empty text as a part of an index's key is not in the index.
 * A plan that compares the part with a value that is known only when it runs
 * therefore has two arms (entity_filter_lacking.c):
 *
 *		"GSI1PK" = compose_key(...) OR may_lack_key("PK", <value>, ...)
 *
 * The second one is true for all rows if a value is an empty text, or an array
 * that contains one; otherwise for none.  Its index condition is
 *
 *		"PK" >= lowest_key_if_empty(<value>, ...)
 *
 * which is '' or NULL: the scan ends before it reads a page if it is NULL.  The
 * planner is told that this is so, because an empty text is rare.
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "extension_objects.h"
#include "item/item.h"
#include "planner/entity_filter.h"
#include "planner/may_lack_key.h"

/* How the planner support marks its calls of lowest_key_if_empty in index conditions. */
#define LOWEST_KEY_IN_PLAN	COERCE_SQL_SYNTAX

/* ---- the functions ---- */

static bool
ArrayHasEmptyText(ArrayType *array)
{
	Datum	   *texts;
	bool	   *nulls;
	int			n;
	bool		empty = false;

	deconstruct_array(array, TEXTOID, -1, false, TYPALIGN_INT, &texts, &nulls, &n);
	for (int i = 0; i < n && !empty; i++)
		empty = !nulls[i] && VARSIZE_ANY_EXHDR(DatumGetPointer(texts[i])) == 0;
	return empty;
}

bool
IsEmptyText(Datum value, Oid type)
{
	if (type == TEXTOID || type == VARCHAROID)
		return VARSIZE_ANY_EXHDR(DatumGetPointer(value)) == 0;
	return (type == TEXTARRAYOID || type == VARCHARARRAYOID) && ArrayHasEmptyText(DatumGetArrayTypeP(value));
}

/* Whether an argument from this one on is an empty text. */
static bool
HasEmptyArgument(FunctionCallInfo fcinfo, int first)
{
	for (int i = first; i < PG_NARGS(); i++)
	{
		if (!PG_ARGISNULL(i) && IsEmptyText(PG_GETARG_DATUM(i), get_fn_expr_argtype(fcinfo->flinfo, i)))
			return true;
	}
	return false;
}

/* may_lack_key(key text, VARIADIC compared "any") returns boolean */
DYNAMO_FUNCTION(dynamo_may_lack_key);
Datum
dynamo_may_lack_key(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(HasEmptyArgument(fcinfo, 1));
}

/* lowest_key_if_empty(VARIADIC compared "any") returns text */
DYNAMO_FUNCTION(dynamo_lowest_key_if_empty);
Datum
dynamo_lowest_key_if_empty(PG_FUNCTION_ARGS)
{
	if (!HasEmptyArgument(fcinfo, 0))
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(""));
}

/* ---- calls of them ---- */

Expr *
MayLackKeyCall(Var *column, List *values)
{
	Oid			types[] = {TEXTOID, ANYOID};
	Oid			function = ExtensionFunctionOid(INTERNAL_SCHEMA, "may_lack_key", types, 2);

	if (!OidIsValid(function))
		return NULL;
	return (Expr *) makeFuncExpr(function, BOOLOID, lcons(column, values), InvalidOid,
								 DEFAULT_COLLATION_OID, COERCE_EXPLICIT_CALL);
}

/* ---- planner support ---- */

static Node *
MayLackKeyCondition(SupportRequestIndexCondition *req)
{
	FuncExpr   *call = (FuncExpr *) req->node;
	Oid			types[] = {ANYOID};
	Oid			function = ExtensionFunctionOid(INTERNAL_SCHEMA, "lowest_key_if_empty", types, 1);
	List	   *values;
	Expr	   *lowest;

	if (!OidIsValid(function) || !is_funcclause(req->node) || req->indexarg != 0 || list_length(call->args) < 2)
		return NULL;
	values = list_copy_tail(call->args, 1);
	if (!is_pseudo_constant_for_index(req->root, (Node *) values, req->index) ||
		!op_in_opfamily(TextGreaterEqualOperator, req->opfamily))
		return NULL;
	lowest = (Expr *) makeFuncExpr(function, TEXTOID, values, DEFAULT_COLLATION_OID, DEFAULT_COLLATION_OID,
								   LOWEST_KEY_IN_PLAN);
	req->lossy = false;
	return (Node *) list_make1(make_opclause(TextGreaterEqualOperator, BOOLOID, false, linitial(call->args),
											 lowest, InvalidOid, req->indexcollation));
}

/*
 * Answers an estimate of the index condition that the bound is NULL.  Only
 * estimates simplify a call in an index condition: those of queries are
 * simplified before there are any.
 */
static Node *
SupportSimplify(const SupportRequestSimplify *req)
{
	if (req->fcall->funcformat != LOWEST_KEY_IN_PLAN)
		return NULL;
	return (Node *) makeNullConst(TEXTOID, -1, DEFAULT_COLLATION_OID);
}

DYNAMO_FUNCTION(dynamo_may_lack_key_support);
Datum
dynamo_may_lack_key_support(PG_FUNCTION_ARGS)
{
	Node	   *request = (Node *) PG_GETARG_POINTER(0);
	Node	   *answer = NULL;

	if (IsA(request, SupportRequestIndexCondition))
		answer = MayLackKeyCondition((SupportRequestIndexCondition *) request);
	else if (IsA(request, SupportRequestSimplify))
		answer = SupportSimplify((SupportRequestSimplify *) request);
	else if (IsA(request, SupportRequestSelectivity))
	{
		((SupportRequestSelectivity *) request)->selectivity = 0;
		answer = request;
	}
	PG_RETURN_POINTER(answer);
}
