/*
 * stream_records.c
 *	  GetShardIterator and GetRecords.
 */
#include "postgres.h"

#include "access/table.h"
#include "utils/snapmgr.h"

#include "errors.h"
#include "request/operation.h"
#include "request/shard_iterator.h"
#include "request/streams.h"

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
FindPositionOfNumber(const Field *input, Relation stream)
{
	const char *text = FieldString(input, "SequenceNumber");
	int64		first = StreamFirstNumber(stream, GetActiveSnapshot());
	int64		number;
	int64		position;

	if (!SequenceNumberFromText(text, &number) || number < 1 ||
		number > Max(StreamLastNumber(stream), first))
		InvalidRequest("Invalid SequenceNumber: %s", text);
	position = FieldIs(input, "ShardIteratorType", "AT_SEQUENCE_NUMBER") ? number : number + 1;
	if (position < first)
		StreamIsTrimmed();
	return position;
}

static int64
FindPosition(const Field *input, Relation stream)
{
	if (NeedsSequenceNumber(input))
		return FindPositionOfNumber(input, stream);
	if (FieldIs(input, "ShardIteratorType", "LATEST"))
		return StreamLatest(stream, GetActiveSnapshot());
	return STREAM_BEGINNING;
}

void
GetShardIteratorRequest(Request *request)
{
	const Field *input = request->input;
	const char *arn = FieldString(input, "StreamArn");
	StreamDef	def;
	Relation	stream;

	CheckSequenceNumberGiven(input);
	stream = OpenStreamOfArn(arn, &def);
	if (!FieldIs(input, "ShardId", ShardIdOf(&def)))
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_RESOURCE_NOT_FOUND),
				 errmsg("Requested resource not found: Shard does not exist")));
	WriterStringMember(request->out, "ShardIterator",
					   ShardIteratorPrint(arn, FindPosition(input, stream)));
	table_close(stream, NoLock);
}

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

static void
WriterRecord(Writer *out, const StreamDef *def, const StreamRecord *record, int64 size)
{
	WriterBeginObject(out);
	WriterStringMember(out, "eventID", StreamEventId(def, record->number));
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
	WriterIntegerMember(out, "SizeBytes", size);
	WriterStringMember(out, "StreamViewType", def->view);
	WriterEndObject(out);
	if (record->event == STREAM_EXPIRE)
		WriterIdentity(out);
	WriterEndObject(out);
}

/*
 * Writes records up to a number, up to a megabyte or up to the end.  Returns
 * the position of the next record.
 */
static int64
WriterRecords(Writer *out, const StreamDef *def, StreamScan *scan, int64 limit)
{
	StreamRecord record;
	int64		bytes = 0;

	for (int64 n = 0; n < limit; n++)
	{
		int64		size;

		if (!StreamScanNext(scan, &record))
			break;
		size = StreamRecordSize(&record);
		bytes += size;
		if (n > 0 && bytes > MAX_BYTES)
			return record.number;
		WriterRecord(out, def, &record, size);
	}
	return scan->position;
}

void
GetRecordsRequest(Request *request)
{
	int64		limit = FieldInteger(request->input, "Limit", MAX_RECORDS);
	Writer	   *out = request->out;
	char	   *arn;
	int64		position;
	StreamDef	def;
	Relation	stream;
	StreamScan	scan;

	ShardIteratorParse(FieldSlice(request->input, "ShardIterator"), &arn, &position);
	stream = OpenStreamOfArn(arn, &def);
	StreamScanBegin(&scan, stream, &def, position, GetActiveSnapshot());
	WriterName(out, "Records");
	WriterBeginList(out);
	position = WriterRecords(out, &def, &scan, limit);
	WriterEndList(out);

	/* a closed shard has no records after its end */
	if (def.closed == NULL || scan.blocked || position <= StreamLastNumber(stream))
		WriterStringMember(out, "NextShardIterator", ShardIteratorPrint(arn, position));
	StreamScanEnd(&scan);
	table_close(stream, NoLock);
}
