/*
 * subscript.c
 *	  Subscripts of items and values: item['address']['city'], also as the target of
 *	  an UPDATE.
 *
 * Subscripts work like those of jsonb, but need no operator, and so no search_path.
 * A text names an entry of a map, a number an element of a list, from 0, or from the
 * end if it is negative.  What is read is a dynamo.value, null if it does not exist.
 * An assignment makes the maps and lists that are missing; behind the end of a list it
 * appends, as SET of an update expression does.  PostgreSQL's jsonbsubs.c is the model.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/execExpr.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "nodes/subscripting.h"
#include "parser/parse_coerce.h"
#include "parser/parse_expr.h"
#include "utils/builtins.h"

#include "compat.h"
#include "extension_objects.h"
#include "item/access.h"
#include "item/builder.h"
#include "item/item.h"

/* What is kept for the execution of a reference. */
typedef struct Steps
{
	int			depth;			/* of the container: 0 for an item, 1 for a value */
	Datum	   *steps;			/* the subscripts as text */
	bool	   *numeric;		/* whether one is an integer */
} Steps;

/* ---- analysis ---- */

static void
RefuseSlice(ParseState *pstate, const A_Indices *index)
{
	Node	   *place = index->uidx ? index->uidx : index->lidx;

	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("subscripts of items and values have no slices"),
			 place == NULL ? 0 : parser_errposition(pstate, exprLocation(place))));
}

/* A subscript as an expression of type text or integer. */
static Node *
TransformSubscript(ParseState *pstate, Node *subscript)
{
	Node	   *expression = transformExpr(pstate, subscript, pstate->p_expr_kind);
	Oid			type = exprType(expression);
	Oid			text_type = TEXTOID;
	Oid			int_type = INT4OID;
	Oid			target = InvalidOid;

	if (can_coerce_type(1, &type, &text_type, COERCION_IMPLICIT))
		target = TEXTOID;
	else if (can_coerce_type(1, &type, &int_type, COERCION_IMPLICIT))
		target = INT4OID;
	else
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("subscript type %s is not supported", format_type_be(type)),
				 errhint("A subscript is a text, the name of an attribute, or an integer, the position in a list."),
				 parser_errposition(pstate, exprLocation(expression))));
	return coerce_type(pstate, expression, type, target, -1, COERCION_IMPLICIT, COERCE_IMPLICIT_CAST, -1);
}

static void
TransformSubscripts(SubscriptingRef *ref, List *given, ParseState *pstate, bool is_slice, bool is_assignment)
{
	List	   *subscripts = NIL;
	ListCell   *cell;

	foreach(cell, given)
	{
		A_Indices  *index = lfirst_node(A_Indices, cell);

		if (is_slice || index->is_slice)
			RefuseSlice(pstate, index);
		subscripts = lappend(subscripts, TransformSubscript(pstate, index->uidx));
	}
	ref->refupperindexpr = subscripts;
	ref->reflowerindexpr = NIL;
	ref->refrestype = ValueTypeOid();
	ref->reftypmod = -1;
}

/* ---- execution ---- */

/* Notes the subscripts as text; false if one is null, and so the result. */
static bool
CheckSubscripts(ExprState *state, ExprEvalStep *op, ExprContext *econtext)
{
	SubscriptingRefState *ref = op->d.sbsref_subscript.state;
	Steps	   *s = ref->workspace;

	for (int i = 0; i < ref->numupper; i++)
	{
		if (ref->upperindexnull[i])
		{
			if (ref->isassignment)
				ereport(ERROR,
						(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						 errmsg("subscript in assignment must not be null")));
			*op->resnull = true;
			return false;
		}
		s->steps[i] = ref->upperindex[i];
		if (s->numeric[i])
			s->steps[i] = CStringGetTextDatum(psprintf("%d", DatumGetInt32(ref->upperindex[i])));
	}
	return true;
}

static void
SetFound(ValueRef found, Datum *value, bool *isnull)
{
	*isnull = ValueIsMissing(found);
	*value = *isnull ? (Datum) 0 : PointerGetDatum(ValueCopy(found));
}

static void
FetchSubscript(ExprState *state, ExprEvalStep *op, ExprContext *econtext)
{
	SubscriptingRefState *ref = op->d.sbsref.state;
	const Steps *s = ref->workspace;

	SetFound(FindSteps(*op->resvalue, s->steps, NULL, ref->numupper), op->resvalue, op->resnull);
}

/* The value before an assignment, for a nested one. */
static void
FetchOld(ExprState *state, ExprEvalStep *op, ExprContext *econtext)
{
	SubscriptingRefState *ref = op->d.sbsref.state;
	const Steps *s = ref->workspace;
	ValueRef	found = *op->resnull ? MISSING_VALUE : FindSteps(*op->resvalue, s->steps, NULL, ref->numupper);

	SetFound(found, &ref->prevvalue, &ref->prevnull);
}

/* ---- assignment ---- */

static void AddAssigned(ItemBuilder *b, ValueRef old, const Steps *s, int i, int n, ValueRef assigned);

/* Adds a map whose entry of this step's name is assigned to. */
static void
AddMap(ItemBuilder *b, ValueRef old, const Steps *s, int i, int n, ValueRef assigned)
{
	text	   *step = DatumGetTextPP(s->steps[i]);
	Slice		wanted = {VARDATA_ANY(step), VARSIZE_ANY_EXHDR(step)};
	bool		found = false;
	Container	c = {.count = 0};

	if (!ValueIsMissing(old))
		ContainerOpen(old, &c);
	ItemBuilderBeginMap(b);
	for (uint32 entry = 0; entry < c.count; entry++)
	{
		Slice		name;
		ValueRef	value = MapEntry(&c, entry, &name);

		ItemBuilderName(b, name.data, name.len);
		if (SliceCompare(name, wanted) != 0)
		{
			ItemBuilderValue(b, value);
			continue;
		}
		found = true;
		AddAssigned(b, value, s, i + 1, n, assigned);
	}
	if (!found)
	{
		ItemBuilderName(b, wanted.data, wanted.len);
		AddAssigned(b, MISSING_VALUE, s, i + 1, n, assigned);
	}
	ItemBuilderEnd(b);
}

/* The position that a step means in a list of count elements; count to append. */
static uint32
ListPosition(text *step, uint32 count)
{
	long		number;

	if (!StepIsNumber(step, &number))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				 errmsg("subscript of a list is not an integer: \"%s\"", text_to_cstring(step))));
	if (number < 0)
		number += count;
	if (number < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("subscript %s is out of range", text_to_cstring(step)),
				 errdetail("The list has %u elements.", count)));
	return Min((uint64) number, count);
}

/* Adds a list whose element at this step is assigned to. */
static void
AddList(ItemBuilder *b, ValueRef old, const Steps *s, int i, int n, ValueRef assigned)
{
	Container	c = {.count = 0};
	uint32		position;

	if (!ValueIsMissing(old))
		ContainerOpen(old, &c);
	position = ListPosition(DatumGetTextPP(s->steps[i]), c.count);
	ItemBuilderBeginList(b);
	for (uint32 element = 0; element < c.count; element++)
	{
		if (element == position)
			AddAssigned(b, ListElement(&c, element), s, i + 1, n, assigned);
		else
			ItemBuilderValue(b, ListElement(&c, element));
	}
	if (position == c.count)
		AddAssigned(b, MISSING_VALUE, s, i + 1, n, assigned);
	ItemBuilderEnd(b);
}

/* Adds a value in which what the steps from i on lead to is another. */
static void
AddAssigned(ItemBuilder *b, ValueRef old, const Steps *s, int i, int n, ValueRef assigned)
{
	check_stack_depth();
	if (i == n)
	{
		if (ValueIsMissing(assigned))
			ItemBuilderNull(b);
		else
			ItemBuilderValue(b, assigned);
	}
	else if (ValueIsMissing(old) ? s->numeric[i] : ValueTypeOf(old) == VALUE_L)
		AddList(b, old, s, i, n, assigned);
	else if (ValueIsMissing(old) || ValueTypeOf(old) == VALUE_M)
		AddMap(b, old, s, i, n, assigned);
	else
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a dynamo.value of type %s has no element \"%s\" to assign to",
						ValueTypeName(ValueTypeOf(old)), TextDatumGetCString(s->steps[i])),
				 errhint("Only maps and lists have elements with subscripts.")));
}

static void
AssignSubscript(ExprState *state, ExprEvalStep *op, ExprContext *econtext)
{
	SubscriptingRefState *ref = op->d.sbsref.state;
	const Steps *s = ref->workspace;
	ItemBuilder *b = ItemBuilderCreate(s->depth, DUPLICATE_NAME_ERROR);
	ValueRef	old = *op->resnull ? MISSING_VALUE : DatumGetValue(*op->resvalue);
	ValueRef	assigned = ref->replacenull ? MISSING_VALUE : DatumGetValue(ref->replacevalue);

	/* an item is a map, also if it was null */
	if (ValueIsMissing(old) && s->depth == 0)
		AddMap(b, old, s, 0, ref->numupper, assigned);
	else
		AddAssigned(b, old, s, 0, ref->numupper, assigned);
	*op->resvalue = PointerGetDatum(ItemBuilderFinish(b));
	*op->resnull = false;
}

/* ---- handlers ---- */

static void
SetUp(const SubscriptingRef *ref, SubscriptingRefState *state, SubscriptExecSteps *methods, int depth)
{
	int			n = list_length(ref->refupperindexpr);
	Steps	   *s = palloc(sizeof(Steps));
	ListCell   *cell;

	s->depth = depth;
	s->steps = palloc0_array(Datum, n);
	s->numeric = palloc_array(bool, n);
	foreach(cell, ref->refupperindexpr)
		s->numeric[foreach_current_index(cell)] = exprType(lfirst(cell)) == INT4OID;
	state->workspace = s;
	methods->sbs_check_subscripts = CheckSubscripts;
	methods->sbs_fetch = FetchSubscript;
	methods->sbs_assign = AssignSubscript;
	methods->sbs_fetch_old = FetchOld;
}

static void
SetUpItem(const SubscriptingRef *ref, SubscriptingRefState *state, SubscriptExecSteps *methods)
{
	SetUp(ref, state, methods, 0);
}

static void
SetUpValue(const SubscriptingRef *ref, SubscriptingRefState *state, SubscriptExecSteps *methods)
{
	SetUp(ref, state, methods, 1);
}

DYNAMO_FUNCTION(dynamo_item_subscript);

Datum
dynamo_item_subscript(PG_FUNCTION_ARGS)
{
	static const SubscriptRoutines routines = {
		.transform = TransformSubscripts,
		.exec_setup = SetUpItem,
		.fetch_strict = true,
		.fetch_leakproof = false,
		.store_leakproof = false
	};

	PG_RETURN_POINTER(&routines);
}

DYNAMO_FUNCTION(dynamo_value_subscript);

Datum
dynamo_value_subscript(PG_FUNCTION_ARGS)
{
	static const SubscriptRoutines routines = {
		.transform = TransformSubscripts,
		.exec_setup = SetUpValue,
		.fetch_strict = true,
		.fetch_leakproof = false,
		.store_leakproof = false
	};

	PG_RETURN_POINTER(&routines);
}
