/*
 * access.c
 *	  Reads parts of items and values in SQL: operators and their functions.
 *
 * They work like those of jsonb: -> and #> return a value, ->> and #>> return
 * text.  The result is null if the part does not exist.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_type_d.h"
#include "fmgr.h"
#include "funcapi.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "item/access.h"
#include "item/builder.h"
#include "item/convert.h"
#include "item/item.h"
#include "item/slice.h"

/* ---- finding ---- */

/* Returns element i of a list; a negative i counts from the end. */
static ValueRef
FindElement(ValueRef v, int64 i)
{
	Container	c;

	if (ValueTypeOf(v) != VALUE_L)
		return MISSING_VALUE;
	ContainerOpen(v, &c);
	if (i < 0)
		i += c.count;
	if (i < 0 || i >= c.count)
		return MISSING_VALUE;
	return ListElement(&c, (uint32) i);
}

static ValueRef
FindNamed(ValueRef v, text *name)
{
	return AttributeFind(v, VARDATA_ANY(name), VARSIZE_ANY_EXHDR(name));
}

/* Returns an attribute of a stored item. */
static ValueRef
FindStored(Datum item, text *name)
{
	return ItemDatumAttribute(item, VARDATA_ANY(name), VARSIZE_ANY_EXHDR(name));
}

/* Returns the attribute that arguments 0 and 1 of an operator name. */
static ValueRef
FindArgument(FunctionCallInfo fcinfo)
{
	return FindStored(PG_GETARG_DATUM(0), PG_GETARG_TEXT_PP(1));
}

/* ---- paths ---- */

bool
StepIsNumber(text *step, long *number)
{
	char	   *digits = text_to_cstring(step);
	char	   *end;

	errno = 0;
	*number = strtol(digits, &end, 10);
	return end != digits && *end == '\0' && errno == 0;
}

/* Follows one step of a path: a name in a map, a number in a list. */
static ValueRef
FindStep(ValueRef v, text *step)
{
	long		i;

	if (ValueTypeOf(v) == VALUE_M)
		return FindNamed(v, step);
	return StepIsNumber(step, &i) ? FindElement(v, i) : MISSING_VALUE;
}

/*
 * Follows the first step from the stored value.  Only a part of a large map is
 * read.  A list is opened only if the step is a number.
 */
static ValueRef
FindFirstStep(Datum value, text *step)
{
	ValueRef	v = FindStored(value, step);
	long		i;

	if (ValueIsMissing(v) && StepIsNumber(step, &i))
		v = FindElement(DatumGetValue(value), i);
	return v;
}

ValueRef
FindSteps(Datum value, const Datum *steps, const bool *nulls, int n)
{
	ValueRef	v;

	if (n == 0)
		return DatumGetValue(value);
	if (nulls != NULL && nulls[0])
		return MISSING_VALUE;
	v = FindFirstStep(value, DatumGetTextPP(steps[0]));
	for (int i = 1; i < n && !ValueIsMissing(v); i++)
		v = nulls != NULL && nulls[i] ? MISSING_VALUE : FindStep(v, DatumGetTextPP(steps[i]));
	return v;
}

/* Returns the value at a path of steps. */
static ValueRef
FindPath(Datum value, ArrayType *path)
{
	Datum	   *steps;
	bool	   *nulls;
	int			n;

	if (ARR_NDIM(path) > 1)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("path must be a one-dimensional array")));
	deconstruct_array(path, ARR_ELEMTYPE(path), -1, false, TYPALIGN_INT,
					  &steps, &nulls, &n);
	return FindSteps(value, steps, nulls, n);
}

/* ---- operators ---- */

#define RETURN_VALUE(v) \
	do { \
		ValueRef	found_ = (v); \
		if (ValueIsMissing(found_)) \
			PG_RETURN_NULL(); \
		PG_RETURN_POINTER(ValueCopy(found_)); \
	} while (0)

#define RETURN_TEXT(v) \
	do { \
		ValueRef	found_ = (v); \
		text	   *text_ = ValueIsMissing(found_) ? NULL : ValueToText(found_); \
		if (text_ == NULL) \
			PG_RETURN_NULL(); \
		PG_RETURN_TEXT_P(text_); \
	} while (0)

DYNAMO_FUNCTION(dynamo_get_attribute);

Datum
dynamo_get_attribute(PG_FUNCTION_ARGS)
{
	RETURN_VALUE(FindArgument(fcinfo));
}

DYNAMO_FUNCTION(dynamo_get_attribute_text);

Datum
dynamo_get_attribute_text(PG_FUNCTION_ARGS)
{
	RETURN_TEXT(FindArgument(fcinfo));
}

DYNAMO_FUNCTION(dynamo_get_element);

Datum
dynamo_get_element(PG_FUNCTION_ARGS)
{
	RETURN_VALUE(FindElement(PG_GETARG_VALUE(0), PG_GETARG_INT32(1)));
}

DYNAMO_FUNCTION(dynamo_get_element_text);

Datum
dynamo_get_element_text(PG_FUNCTION_ARGS)
{
	RETURN_TEXT(FindElement(PG_GETARG_VALUE(0), PG_GETARG_INT32(1)));
}

DYNAMO_FUNCTION(dynamo_get_path);

Datum
dynamo_get_path(PG_FUNCTION_ARGS)
{
	RETURN_VALUE(FindPath(PG_GETARG_DATUM(0), PG_GETARG_ARRAYTYPE_P(1)));
}

DYNAMO_FUNCTION(dynamo_get_path_text);

Datum
dynamo_get_path_text(PG_FUNCTION_ARGS)
{
	RETURN_TEXT(FindPath(PG_GETARG_DATUM(0), PG_GETARG_ARRAYTYPE_P(1)));
}

DYNAMO_FUNCTION(dynamo_has_attribute);

Datum
dynamo_has_attribute(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(!ValueIsMissing(FindArgument(fcinfo)));
}

/* ---- sets of rows ---- */

/* Opens the container of a set-returning function, for all its calls. */
static void
OpenForCalls(FunctionCallInfo fcinfo, FuncCallContext *context)
{
	MemoryContext old = MemoryContextSwitchTo(context->multi_call_memory_ctx);
	Container  *c = palloc(sizeof(Container));

	ContainerOpen(ItemRoot((struct varlena *) PG_DETOAST_DATUM_COPY(PG_GETARG_DATUM(0))), c);
	context->max_calls = c->count;
	context->user_fctx = c;
	MemoryContextSwitchTo(old);
}

DYNAMO_FUNCTION(dynamo_attribute_names);

Datum
dynamo_attribute_names(PG_FUNCTION_ARGS)
{
	FuncCallContext *context;
	Slice		name;

	if (SRF_IS_FIRSTCALL())
		OpenForCalls(fcinfo, SRF_FIRSTCALL_INIT());
	context = SRF_PERCALL_SETUP();
	if (context->call_cntr >= context->max_calls)
		SRF_RETURN_DONE(context);

	(void) MapEntry(context->user_fctx, (uint32) context->call_cntr, &name);
	SRF_RETURN_NEXT(context, PointerGetDatum(SliceToText(name)));
}

DYNAMO_FUNCTION(dynamo_each);

Datum
dynamo_each(PG_FUNCTION_ARGS)
{
	FuncCallContext *context;
	Slice		name;
	ValueRef	value;
	Datum		columns[2];
	bool		nulls[2] = {false, false};

	if (SRF_IS_FIRSTCALL())
	{
		TupleDesc	desc;
		MemoryContext old;

		context = SRF_FIRSTCALL_INIT();
		OpenForCalls(fcinfo, context);
		old = MemoryContextSwitchTo(context->multi_call_memory_ctx);
		if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
			elog(ERROR, "return type must be a row type");
		context->tuple_desc = BlessTupleDesc(desc);
		MemoryContextSwitchTo(old);
	}
	context = SRF_PERCALL_SETUP();
	if (context->call_cntr >= context->max_calls)
		SRF_RETURN_DONE(context);

	value = MapEntry(context->user_fctx, (uint32) context->call_cntr, &name);
	columns[0] = PointerGetDatum(SliceToText(name));
	columns[1] = PointerGetDatum(ValueCopy(value));
	SRF_RETURN_NEXT(context,
					HeapTupleGetDatum(heap_form_tuple(context->tuple_desc, columns, nulls)));
}

/* Returns an element of a list or a member of a set as a separate value. */
static struct varlena *
ElementCopy(const Container *c, uint32 i)
{
	ItemBuilder b;
	Slice		member;

	if (c->type == VALUE_L)
		return ValueCopy(ListElement(c, i));

	member = ContainerSlice(c, i);
	ItemBuilderInit(&b, 1, DUPLICATE_NAME_ERROR);
	if (c->type == VALUE_SS)
		ItemBuilderString(&b, member.data, member.len);
	else if (c->type == VALUE_NS)
		ItemBuilderNumber(&b, (const uint8 *) member.data, member.len);
	else
		ItemBuilderBinary(&b, member.data, member.len);
	return ItemBuilderFinish(&b);
}

static void
CheckHasElements(ValueType type)
{
	if (type != VALUE_L && !ValueTypeIsSet(type))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a dynamo.value of type %s has no elements", ValueTypeName(type)),
				 errhint("Only lists and sets have elements.")));
}

DYNAMO_FUNCTION(dynamo_elements);

Datum
dynamo_elements(PG_FUNCTION_ARGS)
{
	FuncCallContext *context;
	struct varlena *element;

	if (SRF_IS_FIRSTCALL())
	{
		ValueType	type = ValueTypeOf(PG_GETARG_VALUE(0));

		context = SRF_FIRSTCALL_INIT();
		if (type != VALUE_NULL)
		{
			CheckHasElements(type);
			OpenForCalls(fcinfo, context);
		}
	}
	context = SRF_PERCALL_SETUP();
	if (context->call_cntr >= context->max_calls)
		SRF_RETURN_DONE(context);

	element = ElementCopy(context->user_fctx, (uint32) context->call_cntr);
	SRF_RETURN_NEXT(context, PointerGetDatum(element));
}
