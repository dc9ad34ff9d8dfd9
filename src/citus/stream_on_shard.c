/*
 * stream_on_shard.c
 *	  dynamo_system.stream_on_shard: reads and trims a shard of a stream for another node of Citus.
 *
 * Anybody may call it: it does what the functions for streams do, with the rights of the
 * caller and the same checks, but only on a shard of this server.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "libpq/pqformat.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/rel.h"

#include "citus/node_row.h"
#include "citus/shard_call.h"
#include "compat.h"
#include "errors.h"
#include "item/io.h"

#define MAX_BYTES		(1024 * 1024)

/* ---- records ---- */

static void
AppendRecordItem(StringInfo out, Datum item, bool present)
{
	ItemSendSized(out, present ? ItemRoot(PG_DETOAST_DATUM_PACKED(item)) : MISSING_VALUE);
}

/* A StreamTake. */
static void
AppendRecord(void *arg, const StreamRecord *record)
{
	StringInfo	out = arg;

	pq_sendint64(out, record->number);
	pq_sendint64(out, record->created_at);
	pq_sendbyte(out, (uint8) record->event);
	AppendRecordItem(out, record->keys, record->has_keys);
	AppendRecordItem(out, record->new_item, record->has_new);
	AppendRecordItem(out, record->old_item, record->has_old);
}

/* ---- actions ---- */

static void
ReadShard(const LocalShard *local, const StreamDef *def, int64 position, int max_records, int max_bytes,
		  StringInfo out)
{
	StringInfoData records;
	StreamRead	read = {
		.position = position,
		.max_records = Max(max_records, 0),
		.max_bytes = max_bytes > 0 ? Min(max_bytes, MAX_BYTES) : MAX_BYTES,
		.take = AppendRecord,
		.arg = &records
	};

	initStringInfo(&records);
	LocalShardRead(local, def, &read);
	pq_sendint64(out, read.position);
	pq_sendbyte(out, read.more);
	pq_sendbyte(out, read.ended);
	appendBinaryStringInfo(out, records.data, records.len);
}

/* Executes an action that reads; returns false if the shard is not here. */
static bool
ReadHere(const StreamShards *shards, int shard, ShardAction action, FunctionCallInfo fcinfo, StringInfo out)
{
	LocalShard	local;

	if (!LocalShardOpen(shards, shard, &local))
		return false;
	pq_sendbyte(out, NODE_DONE);
	if (action == SHARD_READ)
		ReadShard(&local, shards->def, pg_strtoint64(text_to_cstring(PG_GETARG_TEXT_PP(4))),
				  PG_GETARG_INT32(5), PG_GETARG_INT32(6), out);
	else if (action == SHARD_RANGE)
	{
		pq_sendint64(out, StreamFirstNumber(local.rel, local.snapshot));
		pq_sendint64(out, StreamLastNumber(local.rel));
	}
	else
		pq_sendint64(out, StreamLatest(local.rel, local.snapshot));
	LocalShardClose(shards, &local);
	return true;
}

static bool
TrimHere(const StreamShards *shards, int shard, FunctionCallInfo fcinfo, StringInfo out)
{
	Oid			relid;

	if (!RelationOwnercheck(RelationGetRelid(shards->rel), GetUserId()))
		aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_TABLE, RelationGetRelationName(shards->rel));
	PreventCommandIfReadOnly("dynamo_system.stream_on_shard()");
	relid = LocalShardLockToTrim(shards, shard);
	if (!OidIsValid(relid))
		return false;
	pq_sendbyte(out, NODE_DONE);
	pq_sendint64(out, StreamTrim(relid, pg_strtoint64(text_to_cstring(PG_GETARG_TEXT_PP(4))),
								 PG_GETARG_INT32(5)));
	return true;
}

/* ---- the function ---- */

static Relation
OpenStream(const text *schema, const text *name, StreamDef *def)
{
	Relation	rel = table_openrv(makeRangeVar(text_to_cstring(schema), text_to_cstring(name), -1),
								   AccessShareLock);

	if (!IsStreamTable(rel) || !StreamIsSharded(rel) || !StreamDefOf(rel, def))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is not the stream of a distributed table", RelationGetRelationName(rel))));
	return rel;
}

DYNAMO_FUNCTION(dynamo_stream_on_shard);
Datum
dynamo_stream_on_shard(PG_FUNCTION_ARGS)
{
	ShardAction action = (ShardAction) PG_GETARG_INT32(3);
	StreamDef	def;
	StreamShards shards;
	StringInfoData out;
	int			shard;
	bool		here;

	if (PG_GETARG_INT32(3) < SHARD_READ || PG_GETARG_INT32(3) > SHARD_TRIM)
		InvalidArgument("action must be between %d and %d", SHARD_READ, SHARD_TRIM);
	StreamShardsOf(OpenStream(PG_GETARG_TEXT_PP(0), PG_GETARG_TEXT_PP(1), &def), &def, &shards);
	CheckStreamPrivileges(shards.rel, &def);
	shard = StreamShardOfId(&shards, text_to_cstring(PG_GETARG_TEXT_PP(2)));
	initStringInfo(&out);
	appendStringInfoSpaces(&out, VARHDRSZ);
	here = action == SHARD_TRIM ? TrimHere(&shards, shard, fcinfo, &out) :
		ReadHere(&shards, shard, action, fcinfo, &out);
	if (!here)
		pq_sendbyte(&out, NODE_ELSEWHERE);
	table_close(shards.rel, NoLock);
	SET_VARSIZE(out.data, out.len);
	PG_RETURN_POINTER(out.data);
}
