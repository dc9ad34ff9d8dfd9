/*
 * sketch_index.h
 *	  The btree of the sketches of a vector index.
 *
 *	CREATE INDEX ... ("tenant", dynamo.vector_sketch(dynamo_vector, octet_length("tenant")))
 *
 * An exact search reads the sketches of a partition, which lie side by side in
 * the order of their keys, and of the entries only those that may be among the
 * nearest.  PostgreSQL maintains, dumps and restores the btree; without it, a
 * search reads the entries.
 */
#ifndef DYNAMO_TABLE_SKETCH_INDEX_H
#define DYNAMO_TABLE_SKETCH_INDEX_H

#include "utils/relcache.h"

#include "table/table.h"

/* Dimensions of the longest vector whose sketch fits into a btree, with a key of ordinary length. */
#define SKETCH_MAX_DIMENSIONS	2048

/* Bytes of a sketch and a key that fit into an entry of a btree. */
#define SKETCH_MAX_BYTES	(BLCKSZ / 3 - 64)

/* Returns the btree of sketches of an open index table; InvalidOid if there is none that can be used. */
extern Oid	FindSketchIndex(Relation index_table, const IndexDef *index);

/* Returns the clause of CREATE INDEX after the table's name. */
extern char *SketchClause(const TableDef *def, const IndexDef *index);

#endif							/* DYNAMO_TABLE_SKETCH_INDEX_H */
