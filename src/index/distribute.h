/*
 * distribute.h
 *	  Distributing tables.
 */
#ifndef DYNAMO_INDEX_DISTRIBUTE_H
#define DYNAMO_INDEX_DISTRIBUTE_H

#include "utils/relcache.h"

/*
 * dynamo.new_table_shards, the number of shards of tables that requests create; 0
 * if they are not distributed.
 */
extern int	citus_new_table_shards;

extern void CitusInit(void);

/*
 * Distributes an open dynamo table, on which the caller has AccessExclusiveLock,
 * by its partition key, and closes it.  If shards is 0, Citus chooses their
 * number.
 */
extern void DistributeTable(Relation rel, int shards);

#endif							/* DYNAMO_INDEX_DISTRIBUTE_H */
