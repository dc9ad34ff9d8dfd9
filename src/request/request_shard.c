/*
 * request_shard.c
 *	  Sends requests to the node of Citus with the shard of their item.
 *
 * A request of a client is a transaction of its own.  If its item is on another node,
 * it is sent there as it is, and is executed there on the shard: no distributed
 * transaction is needed.  This node holds no lock meanwhile.  The other node refuses
 * what is not on one of its shards, and never sends a request further; then this one
 * executes it by statements of Citus.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "utils/rel.h"

#include "citus/node_link.h"
#include "citus/shards.h"
#include "errors.h"
#include "request/failure.h"
#include "request/params.h"
#include "request/request_shard.h"
#include "stat/stat.h"
#include "store/store.h"

/* ---- where to ---- */

/* Whether the shard of an item of an open table is on another node. */
static bool
IsElsewhere(Relation rel, ValueRef item, int *group)
{
	TableDef   *def;
	const AttributeDef *attr;
	Problem		problem = NO_PROBLEM;
	Datum		value;
	int64		shard;
	bool		elsewhere;

	/* row security needs a statement */
	if (rel->rd_rel->relrowsecurity || !RelationIsDynamoTable(rel))
		return false;
	def = TableDefAcquire(rel);
	elsewhere = KeyDeterminesShard(def);
	if (elsewhere)
	{
		attr = TableKeyAttribute(def, 0);
		elsewhere = KeyValueGetDatum(attr, AttributeFind(item, attr->name.data, attr->name.len), &value, &problem) &&
			FindShard(def, value, &shard, group) == SHARD_ELSEWHERE;
	}
	TableDefRelease(def);
	return elsewhere;
}

/* What is wrong with a request is found where it is executed. */
static bool
FindNode(const Request *request, int *group)
{
	const Field *field = request->operation->item == NULL ? NULL :
		FieldMember(request->input, request->operation->item);
	Relation	rel;
	bool		elsewhere;

	if (field == NULL || field->problem != NULL || field->item == NULL)
		return false;
	rel = TableNameOpen(FieldTableName(request->input), AccessShareLock, true);
	if (rel == NULL)
		return false;
	elsewhere = IsElsewhere(rel, ItemRoot(field->item), group);
	table_close(rel, AccessShareLock);
	return elsewhere;
}

bool
RequestRunOnShard(const Request *request, Slice json)
{
	LinkCall	call = {.function = LINK_REQUEST};
	Slice		response;

	call.writes = strcmp(request->operation->name, "GetItem") != 0;
	/* a standby, or a role, that may only read, says so itself */
	if (!LinksArePossible() || !StoreAccessIsDirect() || RecoveryInProgress() || (call.writes && XactReadOnly) ||
		!FindNode(request, &call.group))
		return false;
	call.args[0] = SliceOf(request->operation->name);
	call.args[1] = json;
	StatElsewhere(true);
	if (LinkExecute(&call, &response))
	{
		WriterRaw(request->out, response);
		return true;
	}
	StatElsewhere(false);
	return false;
}

/* ---- on the other node ---- */

void
RequestCheckShard(const Operation *operation)
{
	if (operation->item == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot execute operation %s on a shard", operation->name)));
}

/*
 * The message is that of the response, so that details which are part of it are not
 * needed, except for those that become members of the response.
 */
void
RequestThrowToNode(ErrorData *edata)
{
	const DynamoException *exception = DynamoExceptionForSqlstate(edata->sqlerrcode);
	const char *message = FailureMessage(edata);

	if (edata->sqlerrcode == ERRCODE_DYNAMO_OTHER_NODE)
		edata->output_to_server = false;
	else if (exception->http_status < 500)
	{
		edata->output_to_server = false;
		edata->message = message != NULL ? pstrdup(message) : edata->message;
		edata->detail = FailureData(edata) != NULL ? edata->detail : NULL;
		edata->hint = NULL;
	}
	ReThrowError(edata);
}
