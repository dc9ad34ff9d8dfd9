/*
 * io.c
 *	  Input and output of the types dynamo.item and dynamo.value.
 *
 * The binary form is the stored form: the version byte and the encoded value
 * (item.h).  Received bytes are checked completely before use.
 */
#include "postgres.h"

#include "fmgr.h"
#include "lib/stringinfo.h"
#include "libpq/pqformat.h"
#include "utils/memutils.h"

#include "item/io.h"
#include "item/json.h"

/*
 * The text of most items is at most this many times as long as the stored
 * form.
 */
#define TEXT_EXPANSION	3

/* The room that json_out.c keeps free beyond what it needs. */
#define TEXT_SLACK		512

/* ---- input ---- */

typedef struct varlena *(*TextReader) (const char *text, uint32 len, Problem *problem);

/*
 * Reads argument 0.  If the caller collects errors, like COPY with ON_ERROR
 * and pg_input_is_valid, a problem is noted and the result is NULL.
 */
static struct varlena *
ReadArgument(FunctionCallInfo fcinfo, TextReader read)
{
	const char *text = PG_GETARG_CSTRING(0);
	Problem		problem = NO_PROBLEM;
	struct varlena *result = read(text, strlen(text), &problem);

	if (unlikely(result == NULL))
		ErrorSave(fcinfo->context, ReportOfProblem(&problem));
	return result;
}

DYNAMO_FUNCTION(dynamo_item_in);

Datum
dynamo_item_in(PG_FUNCTION_ARGS)
{
	PG_RETURN_POINTER(ReadArgument(fcinfo, ItemFromJson));
}

DYNAMO_FUNCTION(dynamo_value_in);

Datum
dynamo_value_in(PG_FUNCTION_ARGS)
{
	PG_RETURN_POINTER(ReadArgument(fcinfo, ValueFromJson));
}

/* ---- output ---- */

/* Creates a buffer that is large enough for most values. */
static void
InitTextBuffer(StringInfo out, ValueRef v)
{
	out->maxlen = Min(v.len, MaxAllocSize / 2 / TEXT_EXPANSION) * TEXT_EXPANSION + TEXT_SLACK;
	out->data = palloc(out->maxlen);
	resetStringInfo(out);
}

DYNAMO_FUNCTION(dynamo_item_out);

Datum
dynamo_item_out(PG_FUNCTION_ARGS)
{
	ValueRef	item = PG_GETARG_VALUE(0);
	StringInfoData out;

	InitTextBuffer(&out, item);
	ItemToJson(&out, item);
	PG_RETURN_CSTRING(out.data);
}

DYNAMO_FUNCTION(dynamo_value_out);

Datum
dynamo_value_out(PG_FUNCTION_ARGS)
{
	ValueRef	value = PG_GETARG_VALUE(0);
	StringInfoData out;

	InitTextBuffer(&out, value);
	ValueToJson(&out, value);
	PG_RETURN_CSTRING(out.data);
}

/* ---- the binary form ---- */

#define NO_ITEM		(-1)		/* the length of a missing one */

static void ReceiveError(const char *type, const char *problem)
			pg_attribute_noreturn();

static void
ReceiveError(const char *type, const char *problem)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
			 errmsg("invalid binary format of type %s", type),
			 errdetail("The %s.", problem)));
}

/* Checks a value in binary form, and returns it. */
static ValueRef
ReceivedValue(StringInfo buf, bool is_item)
{
	const char *type = is_item ? "dynamo.item" : "dynamo.value";
	int			version = pq_getmsgbyte(buf);
	ValueRef	v;
	const char *problem;

	if (version != ITEM_VERSION)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
				 errmsg("invalid binary format of type %s", type),
				 errdetail("The version is %d; this server supports version %d.",
						   version, ITEM_VERSION)));

	v.len = buf->len - buf->cursor;
	v.data = (const uint8 *) pq_getmsgbytes(buf, v.len);
	problem = ValueFormatProblem(v, is_item ? 0 : 1);
	if (problem != NULL)
		ReceiveError(type, problem);
	if (is_item && ValueTypeOf(v) != VALUE_M)
		ReceiveError(type, "value is not a map");
	return v;
}

struct varlena *
ItemReceive(Slice bytes)
{
	StringInfoData buf = {.data = unconstify(char *, bytes.data), .len = (int) bytes.len, .maxlen = (int) bytes.len};

	return ValueCopy(ReceivedValue(&buf, true));
}

struct varlena *
ItemReceiveSized(StringInfo in)
{
	int			len = (int) pq_getmsgint(in, sizeof(uint32));

	if (len == NO_ITEM)
		return NULL;
	return ItemReceive((Slice) {pq_getmsgbytes(in, len), (uint32) len});
}

struct varlena *
ItemReceiveInPlace(struct varlena *place, uint32 len)
{
	StringInfoData buf = {.data = VARDATA(place), .len = (int) len, .maxlen = (int) len};

	(void) ReceivedValue(&buf, true);
	SET_VARSIZE(place, len + VARHDRSZ);
	return place;
}

DYNAMO_FUNCTION(dynamo_item_recv);

Datum
dynamo_item_recv(PG_FUNCTION_ARGS)
{
	PG_RETURN_POINTER(ValueCopy(ReceivedValue((StringInfo) PG_GETARG_POINTER(0), true)));
}

DYNAMO_FUNCTION(dynamo_value_recv);

Datum
dynamo_value_recv(PG_FUNCTION_ARGS)
{
	PG_RETURN_POINTER(ValueCopy(ReceivedValue((StringInfo) PG_GETARG_POINTER(0), false)));
}

void
ItemSend(StringInfo out, ValueRef item)
{
	pq_sendbyte(out, ITEM_VERSION);
	pq_sendbytes(out, (const char *) item.data, (int) item.len);
}

void
ItemSendSized(StringInfo out, ValueRef item)
{
	int			at = out->len;
	uint32		len;

	pq_sendint32(out, (uint32) NO_ITEM);
	if (ValueIsMissing(item))
		return;
	ItemSend(out, item);
	len = pg_hton32((uint32) (out->len - at) - sizeof(uint32));
	memcpy(out->data + at, &len, sizeof(len));
}

static bytea *
SendValue(ValueRef v)
{
	StringInfoData buf;

	pq_begintypsend(&buf);
	ItemSend(&buf, v);
	return pq_endtypsend(&buf);
}

DYNAMO_FUNCTION(dynamo_item_send);

Datum
dynamo_item_send(PG_FUNCTION_ARGS)
{
	PG_RETURN_BYTEA_P(SendValue(PG_GETARG_VALUE(0)));
}

DYNAMO_FUNCTION(dynamo_value_send);

Datum
dynamo_value_send(PG_FUNCTION_ARGS)
{
	PG_RETURN_BYTEA_P(SendValue(PG_GETARG_VALUE(0)));
}
