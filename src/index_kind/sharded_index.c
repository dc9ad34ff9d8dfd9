/*
 * sharded_index.c
 *	  Sharded indexes: an index table in parts.
 */
#include "postgres.h"

#include "index_kind/index_kinds.h"

static bool
IsSharded(int shards, const VectorDef *vector)
{
	return shards > 0 && vector == NULL;
}

const IndexKind sharded_index = {
	.storage = "table",
	.has_parameters = IsSharded,
	.own_entries = true,
	.secondary = true,
	.in_parts = true,
	.undistributable = "a sharded index",
};
