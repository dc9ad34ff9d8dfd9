/*
 * distribute.h
 *	  Distributing tables.
 */
#ifndef DYNAMO_CITUS_DISTRIBUTE_H
#define DYNAMO_CITUS_DISTRIBUTE_H

#include "utils/relcache.h"

/* dynamo.new_table_shards: of tables that requests create; 0: not distributed. */
extern int	citus_new_table_shards;

extern void CitusInit(void);

/*
 * Distributes an open dynamo table, which is locked AccessExclusiveLock, by its
 * partition key, and closes it.  0 shards: as many as Citus chooses.
 */
extern void DistributeTable(Relation rel, int shards);

#endif							/* DYNAMO_CITUS_DISTRIBUTE_H */
