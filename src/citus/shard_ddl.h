/*
 * shard_ddl.h
 *	  Work on the rows of distributed tables whose definition changes.
 *
 * Citus has executed the statements of the change on the shards, in this transaction, which
 * excludes their writers.  Then each shard is changed on its node, as a table of one server is.
 */
#ifndef DYNAMO_CITUS_SHARD_DDL_H
#define DYNAMO_CITUS_SHARD_DDL_H

#include "index/index.h"

/* As ElsewhereMethods has it. */
extern void WorkOnShards(Oid relid, int work, const char *index_name, LeftOut *found);

#endif							/* DYNAMO_CITUS_SHARD_DDL_H */
