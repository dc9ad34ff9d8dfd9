/*
 * placement.c
 *	  Who says where rows are; without anybody, all are on this server.
 */
#include "postgres.h"

#include "table/placement.h"

static bool
Never(void)
{
	return false;
}

static bool
NeverOf(Oid object)
{
	return false;
}

static Oid
NoTableOfShard(Oid relid, const char *name, Oid schema)
{
	return InvalidOid;
}

static bool
KeyDeterminesNone(TableDef *def)
{
	return false;
}

static int
NoShards(TableDef *def)
{
	return 0;
}

static const ShardMap *
NoMap(TableDef *def)
{
	return NULL;
}

static const PlacementMethods one_server = {
	.server_is_worker = Never,
	.session_is_of_node = Never,
	.nodes_are_reachable = Never,
	.is_distributed = NeverOf,
	.schema_is_distributed = NeverOf,
	.table_of_shard = NoTableOfShard,
	.key_determines_shard = KeyDeterminesNone,
	.shards_in_order = NoShards,
	.shards_of_table = NoMap
};

const PlacementMethods *placement = &one_server;
int			new_table_shards;

void
PlacementRegister(const PlacementMethods *methods)
{
	placement = methods;
}
