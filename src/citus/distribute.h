/*
 * distribute.h
 *	  Distributing tables.
 */
#ifndef DYNAMO_CITUS_DISTRIBUTE_H
#define DYNAMO_CITUS_DISTRIBUTE_H

#include "utils/relcache.h"

#include "table/table.h"

/*
 * Distributes an open dynamo table, on which the caller has AccessExclusiveLock,
 * by its partition key, and closes it.  If shards is 0, Citus chooses their
 * number.
 */
extern void DistributeTable(Relation rel, int shards);

/*
 * Distributes the new index table of an index, with what it needs beside the table; def is the
 * definition to be stored.
 */
extern void DistributeIndexTable(Oid relid, const TableDef *def, const IndexDef *index);

#endif							/* DYNAMO_CITUS_DISTRIBUTE_H */
