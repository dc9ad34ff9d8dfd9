/*
 * each_shard.h
 *	  Runs a statement for each shard of a table, on the node that has it.
 */
#ifndef DYNAMO_CITUS_EACH_SHARD_H
#define DYNAMO_CITUS_EACH_SHARD_H

#include "table/table.h"

/* Takes the result for a shard, a text; NULL for a null. */
typedef void (*ShardResult) (void *arg, const char *result);

typedef struct ShardStatement
{
	const char *sql;			/* $1 is the name of the shard; the result is one text */
	bool		writes;
	const char *argument;		/* $2, a text */
	ShardResult take;
	void	   *arg;			/* of take */
} ShardStatement;

/*
 * Runs a statement for each shard, as the current user, in this transaction.  Raises
 * its errors.  what completes "is not supported on distributed tables", which is the
 * error if this build of Citus, or the distribution of the table, does not allow it.
 */
extern void RunOnShards(TableDef *def, const ShardStatement *statement, const char *what);

#endif							/* DYNAMO_CITUS_EACH_SHARD_H */
