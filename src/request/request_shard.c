/*
 * request_shard.c
 *	  Sends requests to the node with the shard of their item, or of the partition key
 *	  that they read.
 *
 * A request of a client is a transaction of its own.  If its item is on another node,
 * it is sent there as it is, and is executed there on the shard: no distributed
 * transaction is needed.  This node holds no lock meanwhile.  The other node refuses
 * what is not on one of its shards, and never sends a request further; then this one
 * executes it itself.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "utils/rel.h"

#include "errors.h"
#include "request/failure.h"
#include "request/params.h"
#include "request/request_shard.h"
#include "stat/stat.h"
#include "store/elsewhere.h"
#include "store/store.h"
#include "table/index_relation.h"
#include "table/key_parts.h"
#include "table/placement.h"

/* Whether an operation is one on a single item or partition key. */
static bool
OperationIsForShard(const Operation *operation)
{
	return operation->item != NULL || operation->condition != NULL;
}

/* ---- where to ---- */

/* A NameOfPlaceholder; names is the field of ExpressionAttributeNames, or NULL. */
static Slice
NameInField(Slice placeholder, const void *names)
{
	const Field *map = names;

	for (int i = 0; map != NULL && i < map->count; i++)
	{
		if (SliceEqual(map->names[i], placeholder) && map->fields[i] != NULL)
			return map->fields[i]->string;
	}
	return MISSING_SLICE;
}

/* The item in a member of a request; MISSING_VALUE if it is absent or invalid. */
static ValueRef
ItemInMember(const Request *request, const char *name)
{
	const Field *field = FieldMember(request->input, name);

	return field != NULL && field->problem == NULL && field->item != NULL ? ItemRoot(field->item) : MISSING_VALUE;
}

/* The value of an attribute in the condition of a query. */
static ValueRef
ValueInCondition(const Request *request, Slice attribute)
{
	const Field *condition = FieldMember(request->input, request->operation->condition);
	Slice		placeholder = MISSING_SLICE;

	if (condition != NULL)
		placeholder = KeyConditionGlance(condition->string, attribute, NameInField,
										 FieldMember(request->input, "ExpressionAttributeNames"));
	return placeholder.data == NULL ? MISSING_VALUE :
		AttributeFind(ItemInMember(request, "ExpressionAttributeValues"), placeholder.data, placeholder.len);
}

/* The value of the partition key that a request names; MISSING_VALUE if there is none. */
static ValueRef
PartitionValue(const Request *request, const TableDef *def, Slice attribute)
{
	Problem		problem = NO_PROBLEM;
	ValueRef	item;

	if (request->operation->condition != NULL)
		return ValueInCondition(request, attribute);
	item = ItemInMember(request, request->operation->item);
	if (ValueIsMissing(item) ||
		(strcmp(request->operation->item, "Key") == 0 && !TakeKeyParameter(def, &item, &problem)))
		return MISSING_VALUE;
	return AttributeFind(item, attribute.data, attribute.len);
}

/*
 * Returns the shards that a request accesses, and the attribute that decides on the shard:
 * those of the table, or of an index table.  NULL if a single shard does not suffice.
 */
static const ShardMap *
ShardsOfRequest(const Request *request, TableDef *def, const AttributeDef **attr)
{
	const char *name = NULL;
	const IndexDef *index;

	*attr = TableKeyAttribute(def, 0);
	if (!placement->key_determines_shard(def))
		return NULL;
	if (request->operation->condition != NULL)
		name = FieldString(request->input, "IndexName");
	if (name == NULL)
		return placement->shards_of_table(def);
	index = TableDefIndex(def, name);
	if (index == NULL || !index->kind->own_entries || !OidIsValid(FindIndexRelation(def, index)))
		return NULL;
	*attr = EntryAttribute(def, index, 0);
	return placement->shards_of_index(def, index);
}

/* Whether the shard of the request's key is on another node. */
static bool
KeyIsElsewhere(const Request *request, TableDef *def, int *group)
{
	const AttributeDef *attr;
	const ShardMap *map = ShardsOfRequest(request, def, &attr);
	Problem		problem = NO_PROBLEM;
	ValueRef	v;
	Datum		value;

	if (map == NULL)
		return false;
	v = PartitionValue(request, def, attr->name);
	if (ValueIsMissing(v) || ValueTypeOf(v) != attr->type ||
		!KeyValueGetDatum(attr, v, &value, &problem))
		return false;
	return placement->is_elsewhere(map, placement->find_position(map, value), group);
}

/* The same for an open table. */
static bool
IsItemElsewhere(const Request *request, Relation rel, int *group)
{
	TableDef   *def;
	bool		elsewhere;

	/* row security needs a statement */
	if (rel->rd_rel->relrowsecurity || !RelationIsDynamoTable(rel))
		return false;
	def = TableDefAcquire(rel);
	elsewhere = KeyIsElsewhere(request, def, group);
	TableDefRelease(def);
	return elsewhere;
}

/* What is wrong with a request is found where it is executed. */
static bool
FindNodeOfItem(const Request *request, int *group)
{
	Relation	rel;
	bool		elsewhere;

	if (!OperationIsForShard(request->operation))
		return false;
	rel = TableNameOpen(FieldTableName(request->input), AccessShareLock, true);
	if (rel == NULL)
		return false;
	elsewhere = IsItemElsewhere(request, rel, group);
	table_close(rel, AccessShareLock);
	return elsewhere;
}

/* Whether an operation may change something. */
static bool
Writes(const Operation *operation)
{
	return operation->condition == NULL && strcmp(operation->name, "GetItem") != 0;
}

bool
RequestRunOnShard(const Request *request, Slice json)
{
	bool		writes = Writes(request->operation);
	Slice		response;
	int			group;

	/* a standby, or a role, that may only read, says so itself */
	if (!elsewhere->executes_requests() || !StoreAccessIsDirect() || RecoveryInProgress() || (writes && XactReadOnly) ||
		!FindNodeOfItem(request, &group))
		return false;
	StatElsewhere(true);
	if (elsewhere->execute_request(group, writes, SliceOf(request->operation->name), json, &response))
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
	if (!OperationIsForShard(operation))
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
