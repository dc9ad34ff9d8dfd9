/*
 * shard_ddl.c
 *	  dynamo_system.change_shard: works on the rows of a shard whose definition has changed.
 */
#include "postgres.h"

#include "access/table.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/rel.h"

#include "citus/changes.h"
#include "citus/each_shard.h"
#include "citus/shard_ddl.h"
#include "compat.h"
#include "table/distribution.h"
#include "table/table_name.h"

/* ---- for all shards ---- */

/* A ShardResult. */
static void
TakeNothing(void *arg, const char *result)
{
}

/* A ShardResult: adds the items of a shard that an index leaves out. */
static void
AddLeftOut(void *arg, const char *result)
{
	LeftOut    *found = arg;
	long long	items;
	int			by_limits;
	int			example;

	if (result == NULL || sscanf(result, "%lld %d %n", &items, &by_limits, &example) != 2)
		elog(ERROR, "could not read what an index leaves out");
	found->items += items;
	found->by_limits |= by_limits != 0;
	if (found->example[0] == '\0')
		strlcpy(found->example, result + example, sizeof(found->example));
}

void
WorkOnShards(Oid relid, int work, const char *index_name, LeftOut *found)
{
	Relation	rel = table_open(relid, NoLock);
	TableDef   *def = TableDefAcquire(rel);
	ShardStatement statement = {
		.sql = psprintf("SELECT dynamo_system.change_shard($1, %d, $2)", work),
		.writes = true,
		.argument = index_name,
		.take = found != NULL ? AddLeftOut : TakeNothing,
		.arg = found
	};

	RunOnShards(def, &statement, "this operation");
	TableDefRelease(def);
	table_close(rel, NoLock);
}

/* ---- on a shard ---- */

/*
 * Opens a shard for its owner, in a transaction that has changed it: otherwise somebody could
 * be writing to it.
 */
static Relation
OpenChangedShard(const char *name)
{
	Relation	rel = TableNameOpen(name, AccessShareLock, false);

	if (!RelationOwnercheck(RelationGetRelid(rel), GetUserId()))
		aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_TABLE, RelationGetRelationName(rel));
	if (!RelationIsDynamoTable(rel) || !OidIsValid(DistributedTableOf(rel)) ||
		!CheckRelationLockedByMe(rel, ShareRowExclusiveLock, true))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is not a shard whose definition this transaction has changed", TableNameForMessage(name))));
	return rel;
}

static text *
SearchShard(Oid relid, const char *index_name, ColumnsState columns)
{
	LeftOut		found = FindLeftOut(relid, index_name, columns);

	return cstring_to_text(psprintf(INT64_FORMAT " %d %s", found.items, found.by_limits, found.example));
}

DYNAMO_FUNCTION(dynamo_change_shard);
Datum
dynamo_change_shard(PG_FUNCTION_ARGS)
{
	Relation	rel = OpenChangedShard(text_to_cstring(PG_GETARG_TEXT_PP(0)));
	int			work = PG_GETARG_INT32(1);
	char	   *index_name = text_to_cstring(PG_GETARG_TEXT_PP(2));
	Oid			relid = RelationGetRelid(rel);
	text	   *result = cstring_to_text("");

	switch (work)
	{
		case SHARD_FILL:
			FillKeyColumns(relid, index_name);
			break;
		case SHARD_REPAIR:
			RepairKeyColumns(relid, index_name);
			break;
		case SHARD_FILL_EXPIRY:
			FillExpiry(relid);
			break;
		case SHARD_RECORD:
			RecordRows(rel, index_name);
			break;
		case SHARD_SEARCH + COLUMNS_FILLED:
		case SHARD_SEARCH + COLUMNS_MISSING:
		case SHARD_SEARCH + COLUMNS_STALE:
			result = SearchShard(relid, index_name, work - SHARD_SEARCH);
			break;
		default:
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("unknown work on a shard: %d", work)));
	}
	table_close(rel, NoLock);
	PG_RETURN_TEXT_P(result);
}
