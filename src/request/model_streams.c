/*
 * model_streams.c
 *	  Inputs of the operations on streams.
 */
#include "postgres.h"

#include "request/model.h"

static const char *const iterator_types[] = {
	"AT_SEQUENCE_NUMBER", "LATEST", "AFTER_SEQUENCE_NUMBER", "TRIM_HORIZON", NULL
};
static const char *const filter_types[] = {"CHILD_SHARDS", NULL};

static const Shape stream_arn = {.kind = SHAPE_STRING, .min = 37, .max = 1024};
static const Shape shard_id = {.kind = SHAPE_STRING, .min = 28, .max = 65};
static const Shape sequence_number = {.kind = SHAPE_STRING, .min = 21, .max = 40};
static const Shape iterator = {.kind = SHAPE_STRING, .min = 1, .max = 2048};
static const Shape iterator_type = ENUM(iterator_types);
static const Shape filter_type = ENUM(filter_types);
static const Shape list_limit = {.kind = SHAPE_INTEGER, .min = 1, .max = 100};
static const Shape records_limit = {.kind = SHAPE_INTEGER, .min = 1, .max = 1000};

static const Member list_streams_members[] = {
	MEMBER("TableName", model_new_name),
	MEMBER("Limit", list_limit),
	MEMBER("ExclusiveStartStreamArn", stream_arn),
};
const Shape model_list_streams = STRUCTURE("ListStreamsInput", list_streams_members);

static const Member filter_members[] = {
	REQUIRED("Type", filter_type),
	REQUIRED("ShardId", shard_id),
};
static const Shape shard_filter = STRUCTURE("ShardFilter", filter_members);
static const Member describe_stream_members[] = {
	REQUIRED("StreamArn", stream_arn),
	MEMBER("Limit", list_limit),
	MEMBER("ExclusiveStartShardId", shard_id),
	MEMBER("ShardFilter", shard_filter),
};
const Shape model_describe_stream = STRUCTURE("DescribeStreamInput", describe_stream_members);

static const Member get_shard_iterator_members[] = {
	REQUIRED("StreamArn", stream_arn),
	REQUIRED("ShardId", shard_id),
	REQUIRED("ShardIteratorType", iterator_type),
	MEMBER("SequenceNumber", sequence_number),
};
const Shape model_get_shard_iterator =
STRUCTURE("GetShardIteratorInput", get_shard_iterator_members);

static const Member get_records_members[] = {
	REQUIRED("ShardIterator", iterator),
	MEMBER("Limit", records_limit),
};
const Shape model_get_records = STRUCTURE("GetRecordsInput", get_records_members);
