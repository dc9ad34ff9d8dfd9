/*
 * streams.c
 *	  ListStreams and DescribeStream.
 *
 * A stream has one shard, or one for each shard of a distributed table.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/builtins.h"

#include "compat.h"
#include "errors.h"
#include "request/arn.h"
#include "request/model.h"
#include "request/operation.h"
#include "request/streams.h"

#define LIST_LIMIT	100

const Shape model_shard_id = {.kind = SHAPE_STRING, .min = 28, .max = 65};

static void StreamNotFound(const char *arn) pg_attribute_noreturn();

static void
StreamNotFound(const char *arn)
{
	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_RESOURCE_NOT_FOUND),
			 errmsg("Requested resource not found: Stream: %s not found", arn)));
}

/*
 * Returns the table's name in the ARN of a stream; NULL if the ARN is of
 * another partition, region or account.
 */
static char *
TableOfStream(const char *text, char **label)
{
	Arn			arn;
	char	   *name;

	if (!ArnParse(text, &arn) || !ArnIsStream(&arn, &name, label))
		InvalidRequest("Invalid StreamArn");
	return ArnIsOfPartition(&arn) && ArnIsOfRegion(&arn) && ArnIsOfAccount(&arn) ? name : NULL;
}

void
OpenStreamOfArn(const char *arn, StreamDef *def, StreamShards *shards)
{
	char	   *label;
	char	   *table_name = TableOfStream(arn, &label);
	Relation	stream = table_name != NULL ? StreamOpen(table_name, label, def) : NULL;

	if (stream == NULL)
		StreamNotFound(arn);
	CheckStreamPrivileges(stream, def);
	StreamShardsOf(stream, def, shards);
}

/* Writes the ARN for SQL users. */
DYNAMO_FUNCTION(dynamo_stream_arn);

Datum
dynamo_stream_arn(PG_FUNCTION_ARGS)
{
	PG_RETURN_TEXT_P(cstring_to_text(StreamArn(text_to_cstring(PG_GETARG_TEXT_PP(0)),
											   text_to_cstring(PG_GETARG_TEXT_PP(1)))));
}

/* ---- ListStreams ---- */

/*
 * The streams that requests without a schema find, of one table or of all,
 * ordered by table and label, after the given one.
 */
static void
SelectServedStreams(const char *table_name, const char *after_table, const char *after_label,
					int64 limit)
{
	Oid			types[] = {TEXTOID, TEXTOID, TEXTOID, INT8OID};
	Datum		values[] = {
		table_name != NULL ? CStringGetTextDatum(table_name) : (Datum) 0,
		CStringGetTextDatum(after_table), CStringGetTextDatum(after_label), Int64GetDatum(limit)
	};

	if (SPI_execute_with_args("SELECT table_name, label FROM dynamo.streams "
							  "WHERE pg_catalog.pg_table_is_visible(stream_relation) "
							  "AND ($1 IS NULL OR table_name OPERATOR(pg_catalog.=) $1) "
							  "AND (table_name COLLATE \"C\" OPERATOR(pg_catalog.>) $2 "
							  "     OR table_name OPERATOR(pg_catalog.=) $2 "
							  "        AND label COLLATE \"C\" OPERATOR(pg_catalog.>) $3) "
							  "ORDER BY table_name COLLATE \"C\", label COLLATE \"C\" LIMIT $4",
							  4, types, values, table_name != NULL ? NULL : "n   ",
							  true, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not read dynamo.streams");
}

static char *
WriterStreamSummary(Writer *out, HeapTuple row, TupleDesc desc)
{
	char	   *table_name = SPI_getvalue(row, desc, 1);
	char	   *label = SPI_getvalue(row, desc, 2);
	char	   *arn = StreamArn(table_name, label);

	WriterBeginObject(out);
	WriterStringMember(out, "StreamArn", arn);
	WriterStringMember(out, "TableName", table_name);
	WriterStringMember(out, "StreamLabel", label);
	WriterEndObject(out);
	return arn;
}

static const Member list_streams_members[] = {
	MEMBER("TableName", model_new_name),
	MEMBER("Limit", model_page_of_100),
	MEMBER("ExclusiveStartStreamArn", model_part_arn),
};
static const Shape list_streams_input = STRUCTURE("ListStreamsInput", list_streams_members);

static void
ListStreamsRequest(Request *request)
{
	const char *start = FieldString(request->input, "ExclusiveStartStreamArn");
	int64		limit = FieldInteger(request->input, "Limit", LIST_LIMIT);
	Writer	   *out = request->out;
	char	   *after_label = "";
	char	   *after_table = start != NULL ? TableOfStream(start, &after_label) : "";
	char	   *last = NULL;

	if (after_table == NULL)
		StreamNotFound(start);
	WriterName(out, "Streams");
	WriterBeginList(out);
	SPI_connect();
	/* one more than requested tells whether there are more */
	SelectServedStreams(FieldString(request->input, "TableName"), after_table, after_label, limit + 1);
	for (int64 i = 0; i < (int64) SPI_processed && i < limit; i++)
		last = WriterStreamSummary(out, SPI_tuptable->vals[i], SPI_tuptable->tupdesc);
	WriterEndList(out);
	if ((int64) SPI_processed > limit)
		WriterStringMember(out, "LastEvaluatedStreamArn", last);
	SPI_finish();
}

OPERATION(ListStreams, &list_streams_input, ListStreamsRequest, .of_streams = true, .on_coordinator = true);

/* ---- DescribeStream ---- */

static void
WriterKeyElement(Writer *out, const char *name, const char *type)
{
	WriterBeginObject(out);
	WriterStringMember(out, "AttributeName", name);
	WriterStringMember(out, "KeyType", type);
	WriterEndObject(out);
}

static void
WriterShard(Writer *out, const StreamShards *shards, int shard, const char *id)
{
	int64		first;
	int64		last;

	StreamRangeOfShard(shards, shard, &first, &last);
	WriterBeginObject(out);
	WriterStringMember(out, "ShardId", id);
	WriterName(out, "SequenceNumberRange");
	WriterBeginObject(out);
	WriterStringMember(out, "StartingSequenceNumber", SequenceNumberText(first));
	if (shards->def->closed != NULL)
		WriterStringMember(out, "EndingSequenceNumber", SequenceNumberText(Max(last, first)));
	WriterEndObject(out);
	WriterEndObject(out);
}

/* Writes the shards after the given one; of shards without children, all or none. */
static void
WriterShards(Writer *out, const Field *input, const StreamShards *shards)
{
	const char *after = FieldString(input, "ExclusiveStartShardId");
	int64		limit = FieldInteger(input, "Limit", LIST_LIMIT);
	const Field *filter = FieldMember(input, "ShardFilter");
	int			count = filter != NULL && FieldIs(filter, "Type", "CHILD_SHARDS") ? 0 : StreamShardCount(shards);
	char	   *last = NULL;
	int			i = 0;

	while (i < count && after != NULL && strcmp(StreamShardId(shards, i), after) <= 0)
		i++;
	WriterName(out, "Shards");
	WriterBeginList(out);
	for (; i < count && limit > 0; i++, limit--)
	{
		last = StreamShardId(shards, i);
		WriterShard(out, shards, i, last);
	}
	WriterEndList(out);
	if (i < count)
		WriterStringMember(out, "LastEvaluatedShardId", last);
}

static const char *const filter_types[] = {"CHILD_SHARDS", NULL};
static const Shape filter_type = ENUM(filter_types);
static const Member filter_members[] = {
	REQUIRED("Type", filter_type),
	REQUIRED("ShardId", model_shard_id),
};
static const Shape shard_filter = STRUCTURE("ShardFilter", filter_members);
static const Member describe_stream_members[] = {
	REQUIRED("StreamArn", model_part_arn),
	MEMBER("Limit", model_page_of_100),
	MEMBER("ExclusiveStartShardId", model_shard_id),
	MEMBER("ShardFilter", shard_filter),
};
static const Shape describe_stream_input = STRUCTURE("DescribeStreamInput", describe_stream_members);

static void
DescribeStreamRequest(Request *request)
{
	const char *arn = FieldString(request->input, "StreamArn");
	Writer	   *out = request->out;
	StreamDef	def;
	StreamShards shards;

	OpenStreamOfArn(arn, &def, &shards);
	WriterName(out, "StreamDescription");
	WriterBeginObject(out);
	WriterStringMember(out, "StreamArn", arn);
	WriterStringMember(out, "StreamLabel", def.label);
	WriterStringMember(out, "StreamStatus", def.closed == NULL ? "ENABLED" : "DISABLED");
	WriterStringMember(out, "StreamViewType", def.view);
	WriterName(out, "CreationRequestDateTime");
	WriterTimestamp(out, StreamTimeFromText(def.label));
	WriterStringMember(out, "TableName", def.table);
	WriterName(out, "KeySchema");
	WriterBeginList(out);
	WriterKeyElement(out, def.partition, "HASH");
	if (def.sort != NULL)
		WriterKeyElement(out, def.sort, "RANGE");
	WriterEndList(out);
	WriterShards(out, request->input, &shards);
	WriterEndObject(out);
	table_close(shards.rel, NoLock);
}

OPERATION(DescribeStream, &describe_stream_input, DescribeStreamRequest, .of_streams = true, .on_coordinator = true);
