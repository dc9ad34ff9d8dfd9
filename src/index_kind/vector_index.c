/*
 * vector_index.c
 *	  Vector indexes: an index table with the vector of each item, which search/ finds by
 *	  their distance.
 */
#include "postgres.h"

#include "index_kind/index_kinds.h"

static bool
HasVector(int shards, const VectorDef *vector)
{
	return vector != NULL;
}

const IndexKind vector_index = {
	.storage = "table",
	.has_parameters = HasVector,
	.own_entries = true,
	.undistributable = "a vector index",
};
