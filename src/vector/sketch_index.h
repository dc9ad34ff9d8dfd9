/*
 * sketch_index.h
 *	  The btree of the sketches of a vector index.
 *
 *	CREATE INDEX ... ("tenant", dynamo_system.vector_sketch(dynamo_vector, octet_length("tenant")))
 *
 * An exact search reads the sketches of a partition, which lie side by side in
 * the order of their keys, and of the entries only those that may be among the
 * nearest.  PostgreSQL maintains, dumps and restores the btree; without it, a
 * search reads the entries.
 */
#ifndef DYNAMO_VECTOR_SKETCH_INDEX_H
#define DYNAMO_VECTOR_SKETCH_INDEX_H

#include "utils/relcache.h"

#include "item/item.h"

/* Dimensions of the longest vector whose sketch fits into a btree, with a key of ordinary length. */
#define SKETCH_MAX_DIMENSIONS	2048

/* Bytes of a sketch and a key that fit into an entry of a btree. */
#define SKETCH_MAX_BYTES	(BLCKSZ / 3 - 64)

/*
 * Returns the btree of sketches of an open index table, which has partitions if the
 * index has a HASH attribute; InvalidOid if there is none that can be used.
 */
extern Oid	FindSketchIndex(Relation index_table, bool has_partitions);

/*
 * Returns the clause of CREATE INDEX after the table's name.  The column and type are
 * those of the partition key; column is NULL if there is none.
 */
extern char *SketchClause(const char *column, ValueType type);

#endif							/* DYNAMO_VECTOR_SKETCH_INDEX_H */
