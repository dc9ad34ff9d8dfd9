/*
 * stream_sql.c
 *	  SQL functions that enable, disable and read streams.
 */
#include "postgres.h"

#include "access/table.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/memutils.h"
#include "utils/numeric.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "compat.h"
#include "errors.h"
#include "stream/stream.h"
#include "table/definition.h"

DYNAMO_FUNCTION(dynamo_stream_definition);

Datum
dynamo_stream_definition(PG_FUNCTION_ARGS)
{
	return DefinitionToSql(fcinfo, StreamDefToJsonb);
}

DYNAMO_FUNCTION(dynamo_enable_stream);

Datum
dynamo_enable_stream(PG_FUNCTION_ARGS)
{
	char	   *label = StreamEnable(text_to_cstring(PG_GETARG_TEXT_PP(0)),
									 text_to_cstring(PG_GETARG_TEXT_PP(1)));

	PG_RETURN_TEXT_P(cstring_to_text(label));
}

DYNAMO_FUNCTION(dynamo_disable_stream);

Datum
dynamo_disable_stream(PG_FUNCTION_ARGS)
{
	StreamDisable(text_to_cstring(PG_GETARG_TEXT_PP(0)));
	PG_RETURN_VOID();
}

/* ---- dynamo.read_stream ---- */

#define READ_COLUMNS	8

static int64
GetPositionAfter(Numeric after)
{
	char	   *text = DatumGetCString(DirectFunctionCall1(numeric_out, NumericGetDatum(after)));
	int64		number;

	if (!SequenceNumberFromText(text, &number))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("\"%s\" is not a sequence number of a stream", text)));
	return number + 1;
}

static Datum
MakeNumberDatum(int64 number)
{
	return DirectFunctionCall3(numeric_in, CStringGetDatum(SequenceNumberText(number)),
							   ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));
}

static void
PutRecord(ReturnSetInfo *result, const StreamDef *def, const StreamRecord *record)
{
	Datum		values[READ_COLUMNS];
	bool		nulls[READ_COLUMNS] = {false};

	values[0] = MakeNumberDatum(record->number);
	values[1] = CStringGetTextDatum(StreamEventName(record->event));
	values[2] = record->keys;
	values[3] = record->new_item;
	nulls[3] = !record->has_new;
	values[4] = record->old_item;
	nulls[4] = !record->has_old;
	values[5] = TimestampTzGetDatum(record->created_at);
	values[6] = BoolGetDatum(record->event == STREAM_EXPIRE);
	values[7] = CStringGetTextDatum(StreamEventId(def, record->number));
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

/* Appends up to limit records to the result. */
static void
PutRecords(ReturnSetInfo *result, Relation stream, const StreamDef *def,
		   int64 position, int64 limit)
{
	MemoryContext row_context = AllocSetContextCreate(CurrentMemoryContext, "dynamo stream record",
													  ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = CurrentMemoryContext;
	StreamScan	scan;
	StreamRecord record;

	StreamScanBegin(&scan, stream, def, position, GetActiveSnapshot());
	while (limit-- > 0 && StreamScanNext(&scan, &record))
	{
		MemoryContextSwitchTo(row_context);
		PutRecord(result, def, &record);
		MemoryContextSwitchTo(caller);
		MemoryContextReset(row_context);
	}
	StreamScanEnd(&scan);
	MemoryContextDelete(row_context);
}

/* The value of a limit; an absent argument means no limit. */
static int64
GetLimitArgument(FunctionCallInfo fcinfo, int arg)
{
	int64		limit = PG_ARGISNULL(arg) ? PG_INT64_MAX : PG_GETARG_INT64(arg);

	if (limit < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("max_records must not be negative")));
	return limit;
}

DYNAMO_FUNCTION(dynamo_read_stream);

Datum
dynamo_read_stream(PG_FUNCTION_ARGS)
{
	char	   *table_name;
	char	   *label = PG_ARGISNULL(3) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(3));
	int64		position = PG_ARGISNULL(1) ? STREAM_BEGINNING : GetPositionAfter(PG_GETARG_NUMERIC(1));
	int64		limit = GetLimitArgument(fcinfo, 2);
	Relation	stream;
	StreamDef	def;

	if (PG_ARGISNULL(0))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("table_name must not be null")));
	table_name = text_to_cstring(PG_GETARG_TEXT_PP(0));
	InitMaterializedSRF(fcinfo, 0);
	stream = StreamOpen(table_name, label, &def);
	if (stream == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_RESOURCE_NOT_FOUND),
				 errmsg("Requested resource not found: table \"%s\" has no such stream", table_name),
				 errhint("Use dynamo.enable_stream to start one.")));
	CheckStreamPrivileges(stream, &def);
	PutRecords((ReturnSetInfo *) fcinfo->resultinfo, stream, &def, position, limit);
	table_close(stream, NoLock);
	return (Datum) 0;
}
