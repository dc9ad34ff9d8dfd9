/*
 * shard_call.c
 *	  Calls dynamo_system.stream_on_shard on other nodes.
 *
 * While Citus moves a shard, the place that this session knows may be the old one.  The call is
 * then made again.
 */
#include "postgres.h"

#include "libpq/pqformat.h"
#include "miscadmin.h"
#include "storage/latch.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/wait_event.h"

#include "citus/node_call.h"
#include "citus/node_row.h"
#include "citus/remote.h"
#include "citus/shard_call.h"
#include "citus/shards.h"
#include "compat.h"
#include "item/io.h"

#define ATTEMPTS			100
#define ATTEMPT_MS			50
#define BATCH_RECORDS		1000
#define BATCH_BYTES			(1024 * 1024)

typedef struct ShardCall
{
	ShardAction action;
	int64		number;
	int			max_records;
	int			max_bytes;
} ShardCall;

/* ---- calls ---- */

static Slice
CallNodeForRecords(const StreamShards *shards, int shard, const char *id, const ShardCall *call)
{
	NodeCall	node = {.function = LINK_STREAM};
	PGresult   *answer;

	node.shard = GetShardPlace(shards->map, shard, &node.group);
	node.args[0] = NodeText(get_namespace_name(RelationGetNamespace(shards->rel)));
	node.args[1] = NodeText(RelationGetRelationName(shards->rel));
	node.args[2] = NodeText(id);
	node.args[3] = NodeInteger(call->action);
	node.args[4] = NodeText(psprintf(INT64_FORMAT, call->number));
	node.args[5] = NodeInteger(call->max_records);
	node.args[6] = NodeInteger(call->max_bytes);
	if (call->action == SHARD_TRIM)
		return NodeValue(NodeCallInTransaction(&node, true));
	return NodeValue(NodeCallRead(&node, &answer) ? answer : NodeCallInTransaction(&node, false));
}

/* Returns the result after the status; false if the shard is elsewhere. */
static bool
ReadStatus(Slice answer, StringInfo result)
{
	if (answer.len == 0)
		elog(ERROR, "another node of Citus has given no answer");
	result->data = unconstify(char *, answer.data);
	result->len = result->maxlen = (int) answer.len;
	result->cursor = 1;
	return answer.data[0] == NODE_DONE;
}

static void
SleepBeforeAttempt(void)
{
	(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, ATTEMPT_MS,
					 PG_WAIT_EXTENSION);
	ResetLatch(MyLatch);
	CHECK_FOR_INTERRUPTS();
}

static void
Call(const StreamShards *shards, int shard, const ShardCall *call, StringInfo result)
{
	char	   *id = StreamShardId(shards, shard);
	StreamShards now = *shards;

	RemoteCheckNesting();
	for (int i = 0; i < ATTEMPTS; i++)
	{
		if (ReadStatus(CallNodeForRecords(&now, shard, id, call), result))
			return;
		SleepBeforeAttempt();
		AcceptInvalidationMessages();
		StreamShardsOf(shards->rel, shards->def, &now);
		shard = StreamShardOfId(&now, id);
	}
	ereport(ERROR,
			(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
			 errmsg("could not serialize access due to the move of a shard of stream \"%s\"",
					RelationGetRelationName(shards->rel))));
}

/* ---- records ---- */

/* Reads an item; *present is false if it is missing. */
static Datum
ReadCalledItem(StringInfo in, bool *present)
{
	struct varlena *item = ItemReceiveSized(in);

	*present = item != NULL;
	return PointerGetDatum(item);
}

static void
ReadCalledRecord(StringInfo in, StreamRecord *record)
{
	memset(record, 0, sizeof(*record));
	record->number = pq_getmsgint64(in);
	record->created_at = pq_getmsgint64(in);
	record->event = (char) pq_getmsgbyte(in);
	record->keys = ReadCalledItem(in, &record->has_keys);
	record->new_item = ReadCalledItem(in, &record->has_new);
	record->old_item = ReadCalledItem(in, &record->has_old);
}

/* Returns the number of records. */
static int64
TakeAnswer(StringInfo in, StreamRead *read)
{
	int64		n = 0;

	read->position = pq_getmsgint64(in);
	read->more = pq_getmsgbyte(in) != 0;
	read->ended = pq_getmsgbyte(in) != 0;
	for (; in->cursor < in->len; n++)
	{
		StreamRecord record;

		ReadCalledRecord(in, &record);
		read->take(read->arg, &record);
	}
	return n;
}

void
RemoteShardRead(const StreamShards *shards, int shard, StreamRead *read)
{
	int64		taken = 0;

	do
	{
		ShardCall	call = {
			.action = SHARD_READ,
			.number = read->position,
			.max_records = (int) Min(read->max_records - taken, BATCH_RECORDS),
			.max_bytes = read->max_bytes > 0 ? (int) read->max_bytes : BATCH_BYTES
		};
		StringInfoData in;

		Call(shards, shard, &call, &in);
		taken += TakeAnswer(&in, read);
	} while (read->more && taken < read->max_records && read->max_bytes == 0);
}

void
RemoteShardRange(const StreamShards *shards, int shard, int64 *first, int64 *last)
{
	const ShardCall call = {.action = SHARD_RANGE};
	StringInfoData in;

	Call(shards, shard, &call, &in);
	*first = pq_getmsgint64(&in);
	*last = pq_getmsgint64(&in);
}

int64
RemoteShardLatest(const StreamShards *shards, int shard)
{
	const ShardCall call = {.action = SHARD_LATEST};
	StringInfoData in;

	Call(shards, shard, &call, &in);
	return pq_getmsgint64(&in);
}

int64
RemoteShardTrim(const StreamShards *shards, int shard, TimestampTz cutoff, int64 max_records)
{
	const ShardCall call = {
		.action = SHARD_TRIM, .number = cutoff, .max_records = (int) Min(max_records, PG_INT32_MAX)
	};
	StringInfoData in;

	Call(shards, shard, &call, &in);
	return pq_getmsgint64(&in);
}
