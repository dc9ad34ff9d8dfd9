/*
 * shard_ddl.h
 *	  Work on the rows of distributed tables whose definition changes.
 *
 * Citus has executed the statements of the change on the shards, in this transaction, which
 * excludes their writers.  Then each shard is changed on its node, as a table of one server is.
 */
#ifndef DYNAMO_INDEX_SHARD_DDL_H
#define DYNAMO_INDEX_SHARD_DDL_H

#include "index/index.h"

typedef enum ShardWork
{
	SHARD_FILL,
	SHARD_REPAIR,
	SHARD_FILL_EXPIRY,
	SHARD_RECORD,				/* its rows as changes of an index table */
	SHARD_SEARCH				/* plus a ColumnsState */
} ShardWork;

/* Does work on each shard of a distributed table, which is not SHARD_SEARCH; false if it is none. */
extern bool DoOnShards(Oid relid, ShardWork work, const char *index_name);

/* FindLeftOut in each shard of a distributed table; false if it is none. */
extern bool FindLeftOutOnShards(Oid relid, const char *index_name, ColumnsState columns, LeftOut *found);

#endif							/* DYNAMO_INDEX_SHARD_DDL_H */
