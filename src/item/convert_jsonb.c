/*
 * convert_jsonb.c
 *	  Plain JSON: casts from and to jsonb, and to json.
 *
 * As in the SDKs' marshall and unmarshall, objects are maps, arrays are lists,
 * and strings, numbers, booleans and null have the types of these names.  In
 * the other direction sets become arrays and binary values become base64
 * strings, so that only the cast from jsonb loses nothing.
 */
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/numeric.h"

#include "compat.h"
#include "item/base64.h"
#include "item/convert.h"
#include "item/jsonb_walk.h"
#include "item/number.h"

/* ---- from jsonb ---- */

static void
AddNumeric(ItemBuilder *b, Numeric number)
{
	char	   *text = DatumGetCString(DirectFunctionCall1(numeric_out,
														   NumericGetDatum(number)));

	ItemBuilderNumberText(b, text, strlen(text));
	pfree(text);
}

static void
AddJsonbScalar(ItemBuilder *b, const JsonbValue *v)
{
	switch (v->type)
	{
		case jbvNull:
			ItemBuilderNull(b);
			break;
		case jbvString:
			ItemBuilderString(b, v->val.string.val, v->val.string.len);
			break;
		case jbvNumeric:
			AddNumeric(b, v->val.numeric);
			break;
		case jbvBool:
			ItemBuilderBool(b, v->val.boolean);
			break;
		default:
			elog(ERROR, "unexpected jsonb value type %d", (int) v->type);
	}
}

static void
AddJsonbValue(ItemBuilder *b, const JsonbValue *v)
{
	JsonbContainer *container;
	JsonbWalk	walk;
	JsonbValue	child;
	Slice		name;

	CHECK_FOR_INTERRUPTS();
	if (v->type != jbvBinary)
	{
		AddJsonbScalar(b, v);
		return;
	}

	/* The builder limits the depth. */
	container = v->val.binary.data;
	JsonbWalkInit(&walk, container);
	if (JsonContainerIsObject(container))
	{
		ItemBuilderBeginMap(b);
		while (JsonbWalkMember(&walk, &name, &child))
		{
			ItemBuilderName(b, name.data, name.len);
			AddJsonbValue(b, &child);
		}
	}
	else
	{
		ItemBuilderBeginList(b);
		while (JsonbWalkElement(&walk, &child))
			AddJsonbValue(b, &child);
	}
	ItemBuilderEnd(b);
}

void
ItemBuilderJsonb(ItemBuilder *b, Jsonb *jsonb)
{
	JsonbValue	root = {.type = jbvBinary};
	JsonbWalk	walk;

	root.val.binary.data = &jsonb->root;
	if (JB_ROOT_IS_SCALAR(jsonb))
	{
		/* A scalar is stored as the only element of an array. */
		JsonbWalkInit(&walk, &jsonb->root);
		(void) JsonbWalkElement(&walk, &root);
	}
	AddJsonbValue(b, &root);
}

static struct varlena *
BuildFromJsonb(Jsonb *jsonb, int depth)
{
	ItemBuilder b;
	struct varlena *result;

	ItemBuilderInit(&b, depth, DUPLICATE_NAME_LAST);
	ItemBuilderJsonb(&b, jsonb);
	result = ItemBuilderFinish(&b);
	ItemBuilderRelease(&b);
	return result;
}

DYNAMO_FUNCTION(dynamo_item_from_jsonb);

Datum
dynamo_item_from_jsonb(PG_FUNCTION_ARGS)
{
	Jsonb	   *jsonb = PG_GETARG_JSONB_P(0);

	if (!JB_ROOT_IS_OBJECT(jsonb))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("cannot cast jsonb %s to type dynamo.item",
						JB_ROOT_IS_SCALAR(jsonb) ? "scalar" : "array"),
				 errdetail("An item must be a JSON object.")));
	PG_RETURN_POINTER(BuildFromJsonb(jsonb, 0));
}

DYNAMO_FUNCTION(dynamo_value_from_jsonb);

Datum
dynamo_value_from_jsonb(PG_FUNCTION_ARGS)
{
	PG_RETURN_POINTER(BuildFromJsonb(PG_GETARG_JSONB_P(0), 1));
}

/* ---- to jsonb ---- */

static void PushValue(JsonbBuild *build, JsonbIteratorToken token, ValueRef v);

static void
StringToJsonb(JsonbValue *out, Slice s)
{
	CheckSliceIsText(s);
	out->type = jbvString;
	out->val.string.val = (char *) s.data;
	out->val.string.len = (int) s.len;
}

static void
BinaryToJsonb(JsonbValue *out, Slice bytes)
{
	StringInfoData text;

	initStringInfo(&text);
	Base64Append(&text, bytes.data, bytes.len);
	out->type = jbvString;
	out->val.string.val = text.data;
	out->val.string.len = text.len;
}

static void
NumberToJsonb(JsonbValue *out, Slice number)
{
	out->type = jbvNumeric;
	out->val.numeric = NumberToNumeric((const uint8 *) number.data, number.len);
}

/*
 * Fills in a jsonb scalar from a scalar, or from the payload of a set member
 * of this type.
 */
static void
ScalarToJsonb(JsonbValue *out, ValueType type, Slice payload)
{
	if (type == VALUE_S)
		StringToJsonb(out, payload);
	else if (type == VALUE_N)
		NumberToJsonb(out, payload);
	else
		BinaryToJsonb(out, payload);
}

static void
PushSet(JsonbBuild *build, ValueRef v)
{
	Container	c;
	ValueType	member;

	ContainerOpen(v, &c);
	member = c.type == VALUE_SS ? VALUE_S : c.type == VALUE_NS ? VALUE_N : VALUE_B;
	JsonbPush(build, WJB_BEGIN_ARRAY, NULL);
	for (uint32 i = 0; i < c.count; i++)
	{
		JsonbValue	element;

		ScalarToJsonb(&element, member, ContainerSlice(&c, i));
		JsonbPush(build, WJB_ELEM, &element);
	}
	JsonbPush(build, WJB_END_ARRAY, NULL);
}

static void
PushList(JsonbBuild *build, ValueRef v)
{
	Container	c;

	check_stack_depth();
	ContainerOpen(v, &c);
	JsonbPush(build, WJB_BEGIN_ARRAY, NULL);
	for (uint32 i = 0; i < c.count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		PushValue(build, WJB_ELEM, ListElement(&c, i));
	}
	JsonbPush(build, WJB_END_ARRAY, NULL);
}

static void
PushMap(JsonbBuild *build, ValueRef v)
{
	Container	c;

	check_stack_depth();
	ContainerOpen(v, &c);
	JsonbPush(build, WJB_BEGIN_OBJECT, NULL);
	for (uint32 i = 0; i < c.count; i++)
	{
		Slice		name;
		ValueRef	value = MapEntry(&c, i, &name);
		JsonbValue	key;

		CHECK_FOR_INTERRUPTS();
		StringToJsonb(&key, name);
		JsonbPush(build, WJB_KEY, &key);
		PushValue(build, WJB_VALUE, value);
	}
	JsonbPush(build, WJB_END_OBJECT, NULL);
}

/* Fills in a jsonb scalar from a value that is not a container. */
static void
TopScalar(JsonbValue *out, ValueRef v)
{
	ValueType	type = ValueTypeOf(v);

	if (type == VALUE_NULL)
		out->type = jbvNull;
	else if (type == VALUE_BOOL)
	{
		out->type = jbvBool;
		out->val.boolean = ValueBool(v);
	}
	else
		ScalarToJsonb(out, type, ValuePayload(v));
}

static void
PushValue(JsonbBuild *build, JsonbIteratorToken token, ValueRef v)
{
	ValueType	type = ValueTypeOf(v);
	JsonbValue	scalar;

	if (type == VALUE_M)
		PushMap(build, v);
	else if (type == VALUE_L)
		PushList(build, v);
	else if (ValueTypeIsSet(type))
		PushSet(build, v);
	else
	{
		TopScalar(&scalar, v);
		JsonbPush(build, token, &scalar);
	}
}

Jsonb *
ValueToJsonb(ValueRef v)
{
	JsonbBuild	build = {0};
	JsonbValue	scalar;

	if (ValueTypeOf(v) >= VALUE_L)
	{
		PushValue(&build, WJB_ELEM, v);
		return JsonbValueToJsonb(build.result);
	}

	TopScalar(&scalar, v);
	return JsonbValueToJsonb(&scalar);
}

DYNAMO_FUNCTION(dynamo_value_to_jsonb);

Datum
dynamo_value_to_jsonb(PG_FUNCTION_ARGS)
{
	PG_RETURN_JSONB_P(ValueToJsonb(PG_GETARG_VALUE(0)));
}

/*
 * PostgreSQL's own JSON functions (to_jsonb, json_agg, row_to_json, ...) look
 * for a cast to json, whether they return json or jsonb.
 */
DYNAMO_FUNCTION(dynamo_value_to_json);

Datum
dynamo_value_to_json(PG_FUNCTION_ARGS)
{
	Jsonb	   *jsonb = ValueToJsonb(PG_GETARG_VALUE(0));

	PG_RETURN_TEXT_P(cstring_to_text(JsonbToCString(NULL, &jsonb->root, VARSIZE(jsonb))));
}
