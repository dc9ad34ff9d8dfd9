/*
 * placement.c
 *	  Who says where rows are; without anybody, all are on this server.
 */
#include "postgres.h"

#include <ctype.h>

#include "catalog/pg_namespace.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"

#include "table/placement.h"

int			new_table_shards;

static const char *catalog_to_load;
static void (*load_for_catalog) (void);

/* ---- a database with a catalog of distributed tables, whose module is not loaded ---- */

/* Whether that has been loaded now, and is registered. */
static bool
WasLoaded(void)
{
	const PlacementMethods *before = placement;

	if (load_for_catalog != NULL && OidIsValid(get_relname_relid(catalog_to_load, PG_CATALOG_NAMESPACE)))
		load_for_catalog();
	return placement != before;
}

static bool
ServerIsWorkerIfLoaded(void)
{
	return WasLoaded() && placement->server_is_worker();
}

static bool
IsDistributedIfLoaded(Oid relid)
{
	return WasLoaded() && placement->is_distributed(relid);
}

/* Names of shards end with a number, so that other tables cost no look at the catalog. */
static Oid
TableOfShardIfLoaded(Oid relid, const char *name, Oid schema)
{
	size_t		len = strlen(name);

	return len > 0 && isdigit((unsigned char) name[len - 1]) && WasLoaded() ?
		placement->table_of_shard(relid, name, schema) : InvalidOid;
}

static bool
SchemaIsDistributedIfLoaded(Oid schema)
{
	return WasLoaded() && placement->schema_is_distributed(schema);
}

/* ---- one server: what follows the definition of a table, or is_distributed ---- */

static bool
Never(void)
{
	return false;
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
	.server_is_worker = ServerIsWorkerIfLoaded,
	.session_is_of_node = Never,
	.nodes_are_reachable = Never,
	.is_distributed = IsDistributedIfLoaded,
	.schema_is_distributed = SchemaIsDistributedIfLoaded,
	.table_of_shard = TableOfShardIfLoaded,
	.key_determines_shard = KeyDeterminesNone,
	.shards_in_order = NoShards,
	.shards_of_table = NoMap
};

const PlacementMethods *placement = &one_server;

void
PlacementInit(const char *catalog, void (*load) (void))
{
	DefineCustomIntVariable("dynamo.new_table_shards",
							"Number of shards of the tables that CreateTable requests create.",
							"0 creates tables that are not distributed.",
							&new_table_shards, 0, 0, MAX_TABLE_SHARDS,
							PGC_USERSET, 0, NULL, NULL, NULL);
	catalog_to_load = catalog;
	load_for_catalog = load;
}

void
PlacementRegister(const PlacementMethods *methods)
{
	placement = methods;
}
