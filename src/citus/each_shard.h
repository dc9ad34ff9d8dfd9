/*
 * each_shard.h
 *	  Runs a statement for each shard of a table, on the node that has it.
 */
#ifndef DYNAMO_CITUS_EACH_SHARD_H
#define DYNAMO_CITUS_EACH_SHARD_H

#include "store/elsewhere.h"

/* As ElsewhereMethods has it. */
extern void RunOnShards(TableDef *def, const ShardStatement *statement, const char *what);

#endif							/* DYNAMO_CITUS_EACH_SHARD_H */
