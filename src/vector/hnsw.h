/*
 * hnsw.h
 *	  The approximate part of a vector index: an HNSW index of pgvector.
 *
 * pgvector is needed neither to build nor to install the extension.  A vector
 * index that was created with the method "hnsw" has an HNSW index on its index
 * table, of the column with the vector, cast to pgvector's type:
 *
 *	CREATE INDEX ... USING hnsw ((dynamo_vector::vector(768)) vector_cosine_ops)
 *
 * It is an ordinary index: PostgreSQL maintains, dumps and restores it.  If it
 * is missing, for example because pgvector was dropped, searches are exact.  It
 * is built after the index table has been filled, which is many times as fast as
 * adding the entries one by one.
 */
#ifndef DYNAMO_VECTOR_HNSW_H
#define DYNAMO_VECTOR_HNSW_H

#include "utils/relcache.h"

#include "vector/vector.h"

/* Dimensions of the longest vector that HNSW indexes of this type can hold. */
#define HNSW_MAX_DIMENSIONS	2000

/* Returns pgvector's operator class for a distance; InvalidOid if it is not installed. */
extern Oid	FindHnswClass(VectorDistance distance);

/*
 * Returns the HNSW index of an open index table that can be used; or one that
 * cannot, for example because its build was interrupted.  InvalidOid if there is
 * none.
 */
extern Oid	FindHnswIndex(Relation index_table, bool usable);

/* Whether this role may name pgvector's objects, which a search does. */
extern bool CanNameHnsw(Oid opclass);

/*
 * Returns the type of an operator class, with these dimensions: "public.vector(4)".
 */
extern char *HnswTypeName(Oid opclass, int dimensions);

/* Returns the qualified operator of a distance: "OPERATOR(public.<=>)". */
extern char *HnswOperator(Oid opclass, VectorDistance distance);

/* Returns the clause of CREATE INDEX after the table's name. */
extern char *HnswClause(Oid opclass, int dimensions);

#endif							/* DYNAMO_VECTOR_HNSW_H */
