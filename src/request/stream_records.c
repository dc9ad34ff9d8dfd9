/*
 * stream_records.c
 *	  GetShardIterator and GetRecords.
 */
#include "postgres.h"

#include "access/table.h"

#include "errors.h"
#include "request/model.h"
#include "request/operation.h"
#include "request/shard_iterator.h"
#include "request/streams.h"
#include "worker/api.h"

#define MAX_RECORDS		1000
#define MAX_BYTES		(1024 * 1024)	/* limit of the SizeBytes of all records */

/* The time between PostgreSQL's epoch and the Unix epoch. */
#define EPOCH_SECONDS ((int64) (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * SECS_PER_DAY)

/* ---- GetShardIterator ---- */

static bool
NeedsSequenceNumber(const Field *input)
{
	return FieldIs(input, "ShardIteratorType", "AT_SEQUENCE_NUMBER") ||
		FieldIs(input, "ShardIteratorType", "AFTER_SEQUENCE_NUMBER");
}

static void
CheckSequenceNumberGiven(const Field *input)
{
	bool		given = FieldMember(input, "SequenceNumber") != NULL;

	if (NeedsSequenceNumber(input) && !given)
		InvalidRequest("SequenceNumber is required for ShardIteratorType %s",
					   FieldString(input, "ShardIteratorType"));
	if (!NeedsSequenceNumber(input) && given)
		InvalidRequest("SequenceNumber must not be specified for ShardIteratorType %s",
					   FieldString(input, "ShardIteratorType"));
}

/*
 * Returns the position of a sequence number, which must come from a record or
 * from DescribeStream.
 */
static int64
FindPositionOfNumber(const Field *input, const StreamShards *shards, int shard)
{
	const char *text = FieldString(input, "SequenceNumber");
	int64		first;
	int64		last;
	int64		number;
	int64		position;

	StreamRangeOfShard(shards, shard, &first, &last);
	if (!SequenceNumberFromText(text, &number) || number < 1 || number > Max(last, first))
		InvalidRequest("Invalid SequenceNumber: %s", text);
	position = FieldIs(input, "ShardIteratorType", "AT_SEQUENCE_NUMBER") ? number : number + 1;
	if (position < first)
		StreamIsTrimmed();
	return position;
}

static int64
FindIteratorPosition(const Field *input, const StreamShards *shards, int shard)
{
	if (NeedsSequenceNumber(input))
		return FindPositionOfNumber(input, shards, shard);
	if (FieldIs(input, "ShardIteratorType", "LATEST"))
		return StreamLatestOfShard(shards, shard);
	return STREAM_BEGINNING;
}

static const char *const iterator_types[] = {
	"AT_SEQUENCE_NUMBER", "LATEST", "AFTER_SEQUENCE_NUMBER", "TRIM_HORIZON", NULL
};
static const Shape iterator_type = ENUM(iterator_types);
static const Shape sequence_number = {.kind = SHAPE_STRING, .min = 21, .max = 40};

static const Member get_shard_iterator_members[] = {
	REQUIRED("StreamArn", model_part_arn),
	REQUIRED("ShardId", model_shard_id),
	REQUIRED("ShardIteratorType", iterator_type),
	MEMBER("SequenceNumber", sequence_number),
};
static const Shape get_shard_iterator_input =
STRUCTURE("GetShardIteratorInput", get_shard_iterator_members);

static void
GetShardIteratorRequest(Request *request)
{
	const Field *input = request->input;
	const char *arn = FieldString(input, "StreamArn");
	StreamShards shards;
	StreamDef	def;
	int			shard;

	CheckSequenceNumberGiven(input);
	OpenStreamOfArn(arn, &def, &shards);
	shard = StreamShardOfId(&shards, FieldString(input, "ShardId"));
	WriterStringMember(request->out, "ShardIterator",
					   ShardIteratorPrint(arn, shards.map != NULL ? StreamShardId(&shards, shard) : NULL,
										  FindIteratorPosition(input, &shards, shard)));
	table_close(shards.rel, NoLock);
}

OPERATION(GetShardIterator, &get_shard_iterator_input, GetShardIteratorRequest,
		  .of_streams = true, .on_coordinator = true);

/* ---- GetRecords ---- */

static void
WriterImage(Writer *out, const char *name, Datum item)
{
	WriterItemMember(out, name, PG_DETOAST_DATUM_PACKED(item));
}

static void
WriterIdentity(Writer *out)
{
	WriterName(out, "userIdentity");
	WriterBeginObject(out);
	WriterStringMember(out, "PrincipalId", "dynamodb.amazonaws.com");
	WriterStringMember(out, "Type", "Service");
	WriterEndObject(out);
}

/* What is needed to write a record. */
typedef struct RecordWriter
{
	Writer	   *out;
	const StreamShards *shards;
} RecordWriter;

/* A StreamTake. */
static void
WriterRecord(void *arg, const StreamRecord *record)
{
	const RecordWriter *writer = arg;
	Writer	   *out = writer->out;

	WriterBeginObject(out);
	WriterStringMember(out, "eventID", StreamEventId(writer->shards, record));
	WriterStringMember(out, "eventName", StreamEventName(record->event));
	WriterStringMember(out, "eventVersion", "1.1");
	WriterStringMember(out, "eventSource", "aws:dynamodb");
	WriterStringMember(out, "awsRegion", request_region);
	WriterName(out, "dynamodb");
	WriterBeginObject(out);
	WriterIntegerMember(out, "ApproximateCreationDateTime",
						record->created_at / USECS_PER_SEC + EPOCH_SECONDS);
	WriterImage(out, "Keys", record->keys);
	if (record->has_new)
		WriterImage(out, "NewImage", record->new_item);
	if (record->has_old)
		WriterImage(out, "OldImage", record->old_item);
	WriterStringMember(out, "SequenceNumber", SequenceNumberText(record->number));
	WriterIntegerMember(out, "SizeBytes", StreamRecordSize(record));
	WriterStringMember(out, "StreamViewType", writer->shards->def->view);
	WriterEndObject(out);
	if (record->event == STREAM_EXPIRE)
		WriterIdentity(out);
	WriterEndObject(out);
}

static const Shape shard_iterator = {.kind = SHAPE_STRING, .min = 1, .max = 2048};
static const Shape records_limit = {.kind = SHAPE_INTEGER, .min = 1, .max = 1000};
static const Member get_records_members[] = {
	REQUIRED("ShardIterator", shard_iterator),
	MEMBER("Limit", records_limit),
};
static const Shape get_records_input = STRUCTURE("GetRecordsInput", get_records_members);

static void
GetRecordsRequest(Request *request)
{
	Writer	   *out = request->out;
	StreamDef	def;
	StreamShards shards;
	RecordWriter writer = {out, &shards};
	StreamRead	read = {
		.max_records = FieldInteger(request->input, "Limit", MAX_RECORDS),
		.max_bytes = MAX_BYTES,
		.take = WriterRecord,
		.arg = &writer
	};
	char	   *arn;
	char	   *id;

	ShardIteratorParse(FieldSlice(request->input, "ShardIterator"), &arn, &id, &read.position);
	OpenStreamOfArn(arn, &def, &shards);
	WriterName(out, "Records");
	WriterBeginList(out);
	StreamReadShard(&shards, id != NULL ? StreamShardOfId(&shards, id) : 0, &read);
	WriterEndList(out);

	/* a closed shard has no records after its end */
	if (!read.ended)
		WriterStringMember(out, "NextShardIterator", ShardIteratorPrint(arn, id, read.position));
	table_close(shards.rel, NoLock);
}

OPERATION(GetRecords, &get_records_input, GetRecordsRequest, .of_streams = true, .on_coordinator = true);
