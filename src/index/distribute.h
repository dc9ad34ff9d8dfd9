/*
 * distribute.h
 *	  Distributing tables.
 */
#ifndef DYNAMO_INDEX_DISTRIBUTE_H
#define DYNAMO_INDEX_DISTRIBUTE_H

#include "utils/relcache.h"

#include "exported.h"
#include "table/table.h"

/*
 * Distributes an open dynamo table, on which the caller has AccessExclusiveLock,
 * by its partition key, and closes it.  If shards is 0, Citus chooses their
 * number.
 */
extern DYNAMO_EXPORT void DistributeTable(Relation rel, int shards);

/*
 * Distributes the new index table of an index, with what it needs beside the table; def is the
 * definition to be stored.  And drops the change table if no index is left that needs it.
 */
extern void DistributeIndexTable(Oid relid, const TableDef *def, const IndexDef *index);
extern void DropUnusedChangeTable(Oid relid, const TableDef *def);

#endif							/* DYNAMO_INDEX_DISTRIBUTE_H */
