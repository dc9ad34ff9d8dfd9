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
#include "utils/rel.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

#include "compat.h"
#include "errors.h"
#include "stream/stream_shards.h"
#include "table/definition.h"
#include "table/distribution.h"
#include "table/table_name.h"

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
	char	   *label = StreamEnable(TableArgument(fcinfo, 0),
									 text_to_cstring(PG_GETARG_TEXT_PP(1)));

	PG_RETURN_TEXT_P(cstring_to_text(label));
}

DYNAMO_FUNCTION(dynamo_disable_stream);

Datum
dynamo_disable_stream(PG_FUNCTION_ARGS)
{
	StreamDisable(TableArgument(fcinfo, 0));
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

/* The result of a call. */
typedef struct Output
{
	ReturnSetInfo *result;
	const StreamShards *shards;
	MemoryContext row_context;
	int64		taken;
} Output;

static void
PutRecord(const Output *out, const StreamRecord *record)
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
	values[7] = CStringGetTextDatum(StreamEventId(out->shards, record));
	tuplestore_putvalues(out->result->setResult, out->result->setDesc, values, nulls);
}

/* A StreamTake. */
static void
TakeRecord(void *arg, const StreamRecord *record)
{
	Output	   *out = arg;
	MemoryContext caller = MemoryContextSwitchTo(out->row_context);

	PutRecord(out, record);
	out->taken++;
	MemoryContextSwitchTo(caller);
	MemoryContextReset(out->row_context);
}

/* Appends up to limit records of a shard, or of all shards, to the result. */
static void
PutRecords(ReturnSetInfo *result, const StreamShards *shards, int first, int end, int64 position, int64 limit)
{
	Output		out = {
		.result = result,
		.shards = shards,
		.row_context = AllocSetContextCreate(CurrentMemoryContext, "dynamo stream record", ALLOCSET_DEFAULT_SIZES)
	};

	for (int i = first; i < end && out.taken < limit; i++)
	{
		StreamRead	read = {
			.position = position, .max_records = limit - out.taken, .take = TakeRecord, .arg = &out
		};

		StreamReadShard(shards, i, &read);
	}
	MemoryContextDelete(out.row_context);
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

/* Opens a stream for a user who may read it. */
static void
OpenReadable(FunctionCallInfo fcinfo, int label_arg, int flags, StreamDef *def, StreamShards *shards)
{
	char	   *label = PG_ARGISNULL(label_arg) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(label_arg));
	char	   *table_name;
	Relation	stream;

	if (PG_ARGISNULL(0))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("table_name must not be null")));
	table_name = TableArgument(fcinfo, 0);
	InitMaterializedSRF(fcinfo, flags);
	stream = StreamOpen(table_name, label, def);
	if (stream == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_RESOURCE_NOT_FOUND),
				 errmsg("Requested resource not found: table \"%s\" has no such stream", TableNameForMessage(table_name)),
				 errhint("Use dynamo.enable_stream to start one.")));
	CheckStreamPrivileges(stream, def);
	StreamShardsOf(stream, def, shards);
}

/* Each shard has numbers of its own. */
static void
CheckOneShard(const StreamShards *shards, int64 position)
{
	if (StreamShardCount(shards) > 1 && position != STREAM_BEGINNING)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("sequence numbers of stream \"%s\" belong to its shards", RelationGetRelationName(shards->rel)),
				 errhint("Name the shard by shard_id; dynamo.stream_shards returns the shards.")));
}

DYNAMO_FUNCTION(dynamo_read_stream);

Datum
dynamo_read_stream(PG_FUNCTION_ARGS)
{
	int64		position = PG_ARGISNULL(1) ? STREAM_BEGINNING : GetPositionAfter(PG_GETARG_NUMERIC(1));
	int64		limit = GetLimitArgument(fcinfo, 2);
	StreamShards shards;
	StreamDef	def;
	int			first = 0;
	int			end;

	OpenReadable(fcinfo, 3, 0, &def, &shards);
	end = StreamShardCount(&shards);
	if (PG_ARGISNULL(4))
		CheckOneShard(&shards, position);
	else
	{
		first = StreamShardOfId(&shards, text_to_cstring(PG_GETARG_TEXT_PP(4)));
		end = first + 1;
	}
	PutRecords((ReturnSetInfo *) fcinfo->resultinfo, &shards, first, end, position, limit);
	table_close(shards.rel, NoLock);
	return (Datum) 0;
}

DYNAMO_FUNCTION(dynamo_stream_shards);

Datum
dynamo_stream_shards(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	StreamShards shards;
	StreamDef	def;

	OpenReadable(fcinfo, 1, MAT_SRF_USE_EXPECTED_DESC, &def, &shards);
	for (int i = 0; i < StreamShardCount(&shards); i++)
	{
		Datum		value = CStringGetTextDatum(StreamShardId(&shards, i));
		bool		isnull = false;

		tuplestore_putvalues(result->setResult, result->setDesc, &value, &isnull);
	}
	table_close(shards.rel, NoLock);
	return (Datum) 0;
}

DYNAMO_FUNCTION(dynamo_is_shard);

Datum
dynamo_is_shard(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(RelationIsShard(PG_GETARG_OID(0)));
}
