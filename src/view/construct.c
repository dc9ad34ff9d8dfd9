/*
 * construct.c
 *	  Items and values from SQL data of any type.
 *
 * Text becomes S, numbers N, booleans BOOL, bytea B, arrays L, and rows M.
 * Items and values do not change.  json is converted like jsonb by its cast.
 * A null becomes NULL.  Dates and times become S in ISO 8601, and values of
 * all other types become S with the text that their types print.
 *
 * This needs the system catalogs, on which item/ does not depend.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/tupmacs.h"
#include "catalog/pg_type_d.h"
#include "common/shortest_dec.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/datetime.h"
#include "utils/json.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"
#include "utils/typcache.h"

#include "item/convert.h"
#include "item/number.h"
#include "view/construct.h"

extern PGDLLEXPORT Datum dynamo_item_out(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum dynamo_value_out(PG_FUNCTION_ARGS);

static void AddDatum(ItemBuilder *b, Datum datum, bool isnull, Oid type);

/* ---- by kind of type ---- */

static void
AddSqlText(ItemBuilder *b, Datum datum)
{
	text	   *t = DatumGetTextPP(datum);

	ItemBuilderString(b, VARDATA_ANY(t), VARSIZE_ANY_EXHDR(t));
}

static void
AddBytea(ItemBuilder *b, Datum datum)
{
	bytea	   *bytes = DatumGetByteaPP(datum);

	ItemBuilderBinary(b, VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes));
}

static void
AddSqlInteger(ItemBuilder *b, int64 integer)
{
	uint8		number[NUMBER_MAX_BYTES];

	ItemBuilderNumber(b, number, NumberFromInt64(integer, number));
}

/*
 * Adds a floating-point number with the digits that it needs: what is stored must not depend
 * on extra_float_digits, which is for clients.
 */
static void
AddSqlFloat(ItemBuilder *b, Datum datum, Oid type)
{
	char		number[DOUBLE_SHORTEST_DECIMAL_LEN];
	int			len = type == FLOAT4OID ? float_to_shortest_decimal_buf(DatumGetFloat4(datum), number) :
		double_to_shortest_decimal_buf(DatumGetFloat8(datum), number);

	ItemBuilderNumberText(b, number, len);
}

/* Adds a number of a type whose text form is that of a number. */
static void
AddNumberByOutput(ItemBuilder *b, Datum datum, Oid type)
{
	Oid			output;
	bool		is_varlena;
	char	   *number;

	getTypeOutputInfo(type, &output, &is_varlena);
	number = OidOutputFunctionCall(output, datum);
	ItemBuilderNumberText(b, number, strlen(number));
}

static void
AddTimestamp(ItemBuilder *b, Datum datum, Oid type)
{
	char		buffer[MAXDATELEN + 1];

	JsonEncodeDateTime(buffer, datum, type, NULL);
	ItemBuilderString(b, buffer, strlen(buffer));
}

static void
AddJson(ItemBuilder *b, Datum datum)
{
	text	   *t = DatumGetTextPP(datum);
	Datum		jsonb = DirectFunctionCall1(jsonb_in, CStringGetDatum(text_to_cstring(t)));

	ItemBuilderJsonb(b, DatumGetJsonbP(jsonb));
}

/*
 * Adds a datum of any other type: an item or a value as it is, everything else
 * as text.
 */
static void
AddByOutput(ItemBuilder *b, Datum datum, Oid type)
{
	Oid			output;
	bool		is_varlena;
	FmgrInfo	info;
	char	   *string;

	getTypeOutputInfo(type, &output, &is_varlena);
	fmgr_info(output, &info);
	if (info.fn_addr == dynamo_item_out || info.fn_addr == dynamo_value_out)
	{
		ItemBuilderValue(b, ItemRoot((struct varlena *) PG_DETOAST_DATUM_PACKED(datum)));
		return;
	}
	string = OutputFunctionCall(&info, datum);
	ItemBuilderString(b, string, strlen(string));
	pfree(string);
}

/* ---- arrays and rows ---- */

typedef struct ArrayElements
{
	Oid			type;
	Datum	   *values;
	bool	   *nulls;
	int			next;
} ArrayElements;

/* Adds one dimension of an array: a list of elements, or of lists. */
static void
AddDimension(ItemBuilder *b, ArrayElements *elements, const int *dims, int ndim)
{
	ItemBuilderBeginList(b);
	for (int i = 0; i < dims[0]; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (ndim > 1)
			AddDimension(b, elements, dims + 1, ndim - 1);
		else
		{
			AddDatum(b, elements->values[elements->next],
					 elements->nulls[elements->next], elements->type);
			elements->next++;
		}
	}
	ItemBuilderEnd(b);
}

static void
DeconstructArray(ArrayType *array, ArrayElements *elements, int *n)
{
	int16		len;
	bool		byval;
	char		align;

	elements->type = ARR_ELEMTYPE(array);
	elements->next = 0;
	get_typlenbyvalalign(elements->type, &len, &byval, &align);
	deconstruct_array(array, elements->type, len, byval, align,
					  &elements->values, &elements->nulls, n);
}

static void
AddArray(ItemBuilder *b, Datum datum)
{
	ArrayType  *array = DatumGetArrayTypeP(datum);
	ArrayElements elements;
	int			empty = 0;
	int			n;

	DeconstructArray(array, &elements, &n);
	if (ARR_NDIM(array) == 0)
		AddDimension(b, &elements, &empty, 1);
	else
		AddDimension(b, &elements, ARR_DIMS(array), ARR_NDIM(array));
}

/* Adds a row as a map of its columns; a null column is left out. */
static void
AddSqlRow(ItemBuilder *b, Datum datum)
{
	HeapTupleHeader header = DatumGetHeapTupleHeader(datum);
	HeapTupleData tuple;
	TupleDesc	desc;

	desc = lookup_rowtype_tupdesc(HeapTupleHeaderGetTypeId(header),
								  HeapTupleHeaderGetTypMod(header));
	tuple.t_len = HeapTupleHeaderGetDatumLength(header);
	ItemPointerSetInvalid(&tuple.t_self);
	tuple.t_tableOid = InvalidOid;
	tuple.t_data = header;

	ItemBuilderBeginMap(b);
	for (int i = 0; i < desc->natts; i++)
	{
		Form_pg_attribute att = TupleDescAttr(desc, i);
		bool		isnull;
		Datum		column;

		if (att->attisdropped)
			continue;
		column = heap_getattr(&tuple, i + 1, desc, &isnull);
		if (isnull)
			continue;
		ItemBuilderName(b, NameStr(att->attname), strlen(NameStr(att->attname)));
		AddDatum(b, column, false, att->atttypid);
	}
	ItemBuilderEnd(b);
	ReleaseTupleDesc(desc);
}

/* ---- any type ---- */

/* Adds a datum of a type that is not listed in AddDatum. */
static void
AddOther(ItemBuilder *b, Datum datum, Oid type)
{
	check_stack_depth();
	if (OidIsValid(get_element_type(type)))
		AddArray(b, datum);
	else if (type_is_rowtype(type))
		AddSqlRow(b, datum);
	else
		AddByOutput(b, datum, type);
}

static void
AddDatum(ItemBuilder *b, Datum datum, bool isnull, Oid type)
{
	if (isnull)
	{
		ItemBuilderNull(b);
		return;
	}

	if (type != TEXTOID)		/* the most frequent type needs no look at the catalogs */
		type = getBaseType(type);
	switch (type)
	{
		case TEXTOID:
		case VARCHAROID:
		case BPCHAROID:
			AddSqlText(b, datum);
			break;
		case UNKNOWNOID:
			ItemBuilderString(b, DatumGetCString(datum), strlen(DatumGetCString(datum)));
			break;
		case INT2OID:
			AddSqlInteger(b, DatumGetInt16(datum));
			break;
		case INT4OID:
			AddSqlInteger(b, DatumGetInt32(datum));
			break;
		case INT8OID:
			AddSqlInteger(b, DatumGetInt64(datum));
			break;
		case FLOAT4OID:
		case FLOAT8OID:
			AddSqlFloat(b, datum, type);
			break;
		case NUMERICOID:
		case OIDOID:
			AddNumberByOutput(b, datum, type);
			break;
		case BOOLOID:
			ItemBuilderBool(b, DatumGetBool(datum));
			break;
		case BYTEAOID:
			AddBytea(b, datum);
			break;
		case DATEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			AddTimestamp(b, datum, type);
			break;
		case JSONBOID:
			ItemBuilderJsonb(b, DatumGetJsonbP(datum));
			break;
		case JSONOID:
			AddJson(b, datum);
			break;
		default:
			AddOther(b, datum, type);
			break;
	}
}

void
ItemBuilderDatum(ItemBuilder *b, Datum datum, Oid type)
{
	AddDatum(b, datum, false, type);
}

/* ---- functions ---- */

DYNAMO_FUNCTION(dynamo_to_value);

Datum
dynamo_to_value(PG_FUNCTION_ARGS)
{
	ItemBuilder *b = ItemBuilderCreate(1, DUPLICATE_NAME_LAST);
	Oid			type = get_fn_expr_argtype(fcinfo->flinfo, 0);

	if (!OidIsValid(type))
		elog(ERROR, "could not determine input data type");
	AddDatum(b, PG_ARGISNULL(0) ? (Datum) 0 : PG_GETARG_DATUM(0), PG_ARGISNULL(0), type);
	PG_RETURN_POINTER(ItemBuilderFinish(b));
}

DYNAMO_FUNCTION(dynamo_row_to_item);

Datum
dynamo_row_to_item(PG_FUNCTION_ARGS)
{
	ItemBuilder *b = ItemBuilderCreate(0, DUPLICATE_NAME_LAST);

	AddSqlRow(b, PG_GETARG_DATUM(0));
	PG_RETURN_POINTER(ItemBuilderFinish(b));
}

/* Returns argument i of build_item, which is an attribute name, as text. */
static char *
ArgumentName(Datum datum, bool isnull, Oid type, int i)
{
	Oid			output;
	bool		is_varlena;

	if (isnull)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("argument %d: attribute name must not be null", i + 1)));
	if (type == UNKNOWNOID)
		return DatumGetCString(datum);
	if (type == TEXTOID)
		return TextDatumGetCString(datum);
	getTypeOutputInfo(type, &output, &is_varlena);
	return OidOutputFunctionCall(output, datum);
}

DYNAMO_FUNCTION(dynamo_build_item);

Datum
dynamo_build_item(PG_FUNCTION_ARGS)
{
	ItemBuilder *b = ItemBuilderCreate(0, DUPLICATE_NAME_LAST);
	Datum	   *args;
	bool	   *nulls;
	Oid		   *types;
	int			n = extract_variadic_args(fcinfo, 0, false, &args, &types, &nulls);

	if (n < 0)
		PG_RETURN_NULL();
	if (n % 2 != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument list must have even number of elements"),
				 errhint("The arguments of build_item are alternating attribute names and values.")));

	ItemBuilderBeginMap(b);
	for (int i = 0; i < n; i += 2)
	{
		char	   *name = ArgumentName(args[i], nulls[i], types[i], i);

		ItemBuilderName(b, name, strlen(name));
		AddDatum(b, args[i + 1], nulls[i + 1], types[i + 1]);
	}
	ItemBuilderEnd(b);
	PG_RETURN_POINTER(ItemBuilderFinish(b));
}

/* A function without arguments cannot be VARIADIC "any". */
DYNAMO_FUNCTION(dynamo_build_item_noargs);

Datum
dynamo_build_item_noargs(PG_FUNCTION_ARGS)
{
	ItemBuilder *b = ItemBuilderCreate(0, DUPLICATE_NAME_LAST);

	ItemBuilderBeginMap(b);
	ItemBuilderEnd(b);
	PG_RETURN_POINTER(ItemBuilderFinish(b));
}

/* ---- sets ---- */

/* Makes a set of the elements of the function's array. */
static Datum
ConstructSet(FunctionCallInfo fcinfo, ValueType set)
{
	ItemBuilder *b = ItemBuilderCreate(1, DUPLICATE_NAME_LAST);
	ArrayElements elements;
	int			n;

	DeconstructArray(PG_GETARG_ARRAYTYPE_P(0), &elements, &n);
	ItemBuilderBeginSet(b, set);
	for (int i = 0; i < n; i++)
	{
		if (elements.nulls[i])
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("member of a set must not be null")));
		AddDatum(b, elements.values[i], false, elements.type);
	}
	ItemBuilderEnd(b);
	PG_RETURN_POINTER(ItemBuilderFinish(b));
}

DYNAMO_FUNCTION(dynamo_string_set);

Datum
dynamo_string_set(PG_FUNCTION_ARGS)
{
	return ConstructSet(fcinfo, VALUE_SS);
}

DYNAMO_FUNCTION(dynamo_number_set);

Datum
dynamo_number_set(PG_FUNCTION_ARGS)
{
	return ConstructSet(fcinfo, VALUE_NS);
}

DYNAMO_FUNCTION(dynamo_binary_set);

Datum
dynamo_binary_set(PG_FUNCTION_ARGS)
{
	return ConstructSet(fcinfo, VALUE_BS);
}
