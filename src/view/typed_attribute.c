/*
 * typed_attribute.c
 *	  dynamo_system.typed_attribute and its variants: the columns of entity views.
 *
 * A cast in the view itself would fail without naming the item.  The functions cast
 * as the user of the view, as a cast does, and
 *
 *	typed_attribute				raises the error of the cast with the item's key
 *	typed_attribute_restricted	the same for types whose casts run code of users, which may
 *								not be for parallel workers
 *	typed_attribute_or_null		returns null instead
 *	old_attribute				is for the old rows of views, see entity_view_old_row.c
 *
 * Their arguments are the table, its item, the attribute, a null of the type, and its
 * type modifier; where the item's key may tell the attribute, also its text.
 */
#include "postgres.h"

#include "access/table.h"
#include "fmgr.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "extension_objects.h"
#include "item/json.h"
#include "item/slice.h"
#include "table/table.h"
#include "view/attribute_cast.h"
#include "view/typed_attribute.h"

#define TYPE_ARGUMENT	3
#define MAX_SHOWN_VALUE	200		/* bytes of a value in a message */

/* A call of one of the functions. */
typedef struct TypedCall
{
	Oid			relation;
	Datum		item;
	Slice		name;
	ValueRef	value;
	AttributeCast *cast;
	Oid			type;
	int32		typmod;
} TypedCall;

/* What a function keeps for the statement. */
typedef struct CallState
{
	AttributeCast *cast;
	Oid			type;
	int32		typmod;
} CallState;

/* ---- what is wrong with a value ---- */

char *
DescribeAttributeValue(ValueRef value)
{
	StringInfoData text;

	initStringInfo(&text);
	if (ValueIsMissing(value))
		return "missing";
	if (ValueTypeOf(value) == VALUE_S)
		JsonAppendString(&text, ValuePayload(value).data, ValuePayload(value).len);
	else
		ValueToJson(&text, value);
	if (text.len <= MAX_SHOWN_VALUE)
		return text.data;
	return psprintf("%.*s...", pg_mbcliplen(text.data, text.len, MAX_SHOWN_VALUE), text.data);
}

/* Returns the key of an item as JSON. */
static char *
DescribeKeyOfItem(const TableDef *def, ValueRef item)
{
	ItemBuilder *b = ItemBuilderCreate(0, DUPLICATE_NAME_ERROR);
	StringInfoData text;

	ItemBuilderBeginMap(b);
	for (int i = 0; i < KeyCount(&def->key); i++)
	{
		Slice		name = def->key.attributes[i].name;
		ValueRef	v = AttributeFind(item, name.data, name.len);

		if (ValueIsMissing(v))
			continue;
		ItemBuilderName(b, name.data, name.len);
		ItemBuilderValue(b, v);
	}
	ItemBuilderEnd(b);
	initStringInfo(&text);
	ItemToJson(&text, ItemRoot(ItemBuilderFinish(b)));
	return text.data;
}

/* Whether the user may read whole items of a table, not only some columns of a view. */
static bool
MayReadItems(Oid relid, AttrNumber item)
{
	Oid			table = PartitionRoot(relid);

	return pg_class_aclcheck(table, GetUserId(), ACL_SELECT) == ACLCHECK_OK ||
		pg_attribute_aclcheck(table, item, GetUserId(), ACL_SELECT) == ACLCHECK_OK;
}

/* The error for a user who may read the table: with all that there is to say. */
static void
TellAll(ErrorData *edata, const char *what)
{
	edata->detail = edata->detail == NULL ? psprintf("%s", what) : psprintf("%s %s", what, edata->detail);
	edata->detail_log = pstrdup("The detail is sent only to the client, because it contains values.");
	if (edata->hint == NULL)
		edata->hint = pstrdup("dynamo.check_entity lists all such items.");
}

/* The error for a user who has rights to columns of a view only: without a value. */
static void
TellLittle(ErrorData *edata, const TypedCall *call, const char *what)
{
	edata->detail_log = psprintf("%s %s", what, edata->message);
	edata->message = psprintf("attribute \"%.*s\" of an item of the view cannot be cast to type %s",
							  (int) call->name.len, call->name.data, format_type_with_typemod(call->type, call->typmod));
	edata->detail = NULL;
	edata->hint = NULL;
	edata->context = NULL;
	edata->internalquery = NULL;
}

/* Says in an error which value it is about, as far as the user may know. */
static void
DescribeError(ErrorData *edata, const TypedCall *call)
{
	Relation	rel = try_table_open(call->relation, AccessShareLock);
	TableDef   *def;
	char	   *what;

	if (rel == NULL)
		return;
	if (RelationIsDynamoTable(rel))
	{
		def = TableDefAcquire(rel);
		what = psprintf("Attribute \"%.*s\" of item %s of table \"%s\" is %s.", (int) call->name.len, call->name.data,
						DescribeKeyOfItem(def, DatumGetValue(call->item)), get_rel_name(PartitionRoot(call->relation)),
						DescribeAttributeValue(call->value));
		if (MayReadItems(call->relation, def->item_attnum))
			TellAll(edata, what);
		else
			TellLittle(edata, call, what);
		TableDefRelease(def);
	}
	table_close(rel, AccessShareLock);
}

/* In PG_CATCH: raises the error of a cast again. */
static void
RaiseDescribed(const TypedCall *call)
{
	ErrorData  *edata = CopyErrorData();

	FlushErrorState();
	if (ErrorIsOfValue(edata))
		DescribeError(edata, call);
	ReThrowError(edata);
}

/* ---- calls ---- */

static CallState *
PrepareCall(FmgrInfo *flinfo, int32 typmod)
{
	MemoryContext caller = MemoryContextSwitchTo(flinfo->fn_mcxt);
	CallState  *state = palloc(sizeof(CallState));

	state->type = get_fn_expr_rettype(flinfo);
	if (!OidIsValid(state->type))
		elog(ERROR, "could not determine the type of an attribute");
	state->typmod = typmod;
	state->cast = AttributeCastMake(state->type, typmod);
	MemoryContextSwitchTo(caller);
	return state;
}

/* The number of the argument with the text of the attribute, of n arguments; -1: none. */
static int
ShownArgument(int n)
{
	return n > TYPED_ATTRIBUTE_NARGS ? TYPED_ATTRIBUTE_NARGS : -1;
}

/*
 * Reads the arguments; shown is the number of the one with the text of the attribute, or
 * -1.  Returns false if there is nothing to cast.
 */
static bool
ReadTypedCall(FunctionCallInfo fcinfo, int shown, TypedCall *call)
{
	CallState  *state = fcinfo->flinfo->fn_extra;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(2) || PG_ARGISNULL(4))
		return false;
	if (state == NULL || state->typmod != PG_GETARG_INT32(4))
		state = fcinfo->flinfo->fn_extra = PrepareCall(fcinfo->flinfo, PG_GETARG_INT32(4));
	call->relation = PG_GETARG_OID(0);
	call->item = PG_GETARG_DATUM(1);
	call->name = SliceOfVarlena(PG_GETARG_TEXT_PP(2));
	call->cast = state->cast;
	call->type = state->type;
	call->typmod = state->typmod;
	if (shown < 0)
		call->value = ItemDatumAttribute(call->item, call->name.data, call->name.len);
	else
		call->value = PG_ARGISNULL(shown) ? MISSING_VALUE : ValueOfString(SliceOfVarlena(PG_GETARG_TEXT_PP(shown)));
	return true;
}

static Datum
CastOrDescribe(const TypedCall *call, bool *isnull)
{
	MemoryContext context = CurrentMemoryContext;
	volatile Datum result = (Datum) 0;

	PG_TRY();
	{
		result = AttributeCastValue(call->cast, call->value, isnull);
	}
	PG_CATCH();
	{
		(void) MemoryContextSwitchTo(context);
		RaiseDescribed(call);
	}
	PG_END_TRY();
	return result;
}

/*
 * typed_attribute(relation oid, item dynamo.item, name text, type anyelement,
 * typmod integer [, shown text]) returns anyelement
 */
DYNAMO_FUNCTION(dynamo_typed_attribute);
Datum
dynamo_typed_attribute(PG_FUNCTION_ARGS)
{
	TypedCall	call;
	Datum		result;

	if (!ReadTypedCall(fcinfo, ShownArgument(PG_NARGS()), &call))
		PG_RETURN_NULL();
	if (AttributeCastAtOnce(call.cast, call.value, &result))
		return result;
	return CastOrDescribe(&call, &fcinfo->isnull);
}

/* typed_attribute_or_null: with the same arguments */
DYNAMO_FUNCTION(dynamo_typed_attribute_or_null);
Datum
dynamo_typed_attribute_or_null(PG_FUNCTION_ARGS)
{
	TypedCall	call;
	Datum		result;

	if (!ReadTypedCall(fcinfo, ShownArgument(PG_NARGS()), &call) ||
		AttributeCastTry(call.cast, call.value, &result, &fcinfo->isnull) != NULL)
		PG_RETURN_NULL();
	return result;
}

/* ---- planning ---- */

void
ReplaceTypeArgument(FuncExpr *call)
{
	ListCell   *cell = list_nth_cell(call->args, TYPE_ARGUMENT);
	Node	   *type = lfirst(cell);

	lfirst(cell) = makeNullConst(exprType(type), -1, exprCollation(type));
}

/*
 * typed_attribute_support(internal) returns internal: replaces the null of a domain, which
 * would be checked, and may not be null, by a constant.
 */
DYNAMO_FUNCTION(dynamo_typed_attribute_support);
Datum
dynamo_typed_attribute_support(PG_FUNCTION_ARGS)
{
	SupportRequestSimplify *request = (SupportRequestSimplify *) PG_GETARG_POINTER(0);
	FuncExpr   *call;

	if (!IsA(request, SupportRequestSimplify) || list_length(request->fcall->args) <= TYPE_ARGUMENT ||
		!IsA(list_nth(request->fcall->args, TYPE_ARGUMENT), CoerceToDomain))
		PG_RETURN_POINTER(NULL);
	call = copyObject(request->fcall);
	ReplaceTypeArgument(call);
	PG_RETURN_POINTER(call);
}

/* ---- old rows ---- */

/* Returns a datum that is not null and that nobody reads. */
static Datum
StandIn(Oid type)
{
	int16		length;
	bool		by_value;
	char	   *bytes;

	get_typlenbyval(type, &length, &by_value);
	if (by_value)
		return (Datum) 0;
	bytes = palloc0(length > 0 ? length : VARHDRSZ);
	if (length == -1)
		SET_VARSIZE(bytes, VARHDRSZ);
	return PointerGetDatum(bytes);
}

/*
 * old_attribute(..., removes boolean): the attribute in an old row, if the statement sets
 * it and does not read it.  The trigger compares it with the new value.  One that cannot
 * be cast differs from every value, and from null if the statement removes it.
 */
DYNAMO_FUNCTION(dynamo_old_attribute);
Datum
dynamo_old_attribute(PG_FUNCTION_ARGS)
{
	int			removes = PG_NARGS() - 1;
	TypedCall	call;
	Datum		result;

	if (!ReadTypedCall(fcinfo, ShownArgument(removes), &call))
		PG_RETURN_NULL();
	if (AttributeCastTry(call.cast, call.value, &result, &fcinfo->isnull) == NULL)
		return result;
	if (PG_ARGISNULL(removes) || !PG_GETARG_BOOL(removes))
		PG_RETURN_NULL();
	return StandIn(call.type);
}
