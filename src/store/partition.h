/*
 * partition.h
 *	  The partition with a row of a partitioned table.
 *
 * A table that is partitioned by hash of key columns is read and written like a
 * plain table once the partition of a key is known.  Other partitioned tables,
 * and partitions that differ from their table, are accessed by SQL statements,
 * which PostgreSQL routes.
 */
#ifndef DYNAMO_STORE_PARTITION_H
#define DYNAMO_STORE_PARTITION_H

#include "exported.h"
#include "store/store.h"

/*
 * Whether the rows of an open table are in partitions, or in shards, that a key
 * determines.
 */
extern bool KeyDeterminesPartition(Relation rel, TableDef *def);

/*
 * Returns the store with the row of a key: that of a partition, open until the
 * table's store is closed; or the table's store itself, if it is not partitioned
 * or its rows must be accessed by SQL statements.  The key has nvalues values:
 * those of the leading key attributes.  Privileges are those on the table; SQL
 * statements must name the table.
 */
extern Store *StoreOfValues(Store *store, const Datum *values, int nvalues);
extern DYNAMO_EXPORT Store *StoreOfKey(Store *store, const RowKey *key);

/*
 * Returns the shard with a key, to lock a row there whatever row security shows; NULL
 * if it is not on this server, or is not to be accessed in this session.
 */
extern Store *ShardToLock(Store *store, const RowKey *key);

/* ---- open.c ---- */

/*
 * Sets a newer snapshot than the active one for reads, if the table was
 * rewritten since.
 */
extern void TakeNewerSnapshot(Store *store);

#endif							/* DYNAMO_STORE_PARTITION_H */
