/*
 * sharded_index.c
 *	  Sharded indexes: an index table in parts.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/pg_type_d.h"
#include "utils/lsyscache.h"

#include "extension_objects.h"
#include "index_kind/index_kinds.h"
#include "store/scan.h"
#include "table/index_relation.h"
#include "table/object_names.h"

static bool
IsSharded(int shards, const VectorDef *vector)
{
	return shards > 0 && vector == NULL;
}

static const IndexColumn shard_column = {SHARD_COLUMN, "pg_catalog.int4", INT4OID};

/* ---- entries ---- */

static void
AddShard(const TableDef *def, const IndexDef *index, ValueRef item, EntryKey *key)
{
	key->shard = IndexShardOf(def, index, item);
}

static void
FormShard(const IndexDef *index, const EntryKey *key, Datum *before, Datum *beside)
{
	*before = Int32GetDatum(key->shard);
}

static void
DescribeShards(const IndexDef *index, StringInfo out)
{
	appendStringInfo(out, "\"shards\": %d, ", index->shards);
	if (index->shard_by.data != NULL)
		DescribeText(out, "shard_by", index->shard_by.data);
}

/* ---- the table ---- */

static char *
ShardedClauses(const IndexDef *index)
{
	return "PARTITION BY LIST (" SHARD_COLUMN ")";
}

static void
CreateShards(Oid relid, Oid index_table, const TableDef *def, const IndexDef *index)
{
	Oid			schema = get_rel_namespace(relid);
	const char *table = QualifiedName(schema, get_rel_name(index_table));

	for (int i = 0; i < index->shards; i++)
		(void) CreateTableBeside(relid,
								 ChooseIndexRelation(def, schema, index->relation, psprintf("%d", i)),
								 psprintf("PARTITION OF %s FOR VALUES IN (%d) WITH (fillfactor = %d)",
										  table, i, INDEX_FILLFACTOR));
}

/* ---- reading ---- */

/* The files of all shards are created in one transaction. */
static bool
ShardsAreNewer(const TableDef *def, const IndexDef *index, Snapshot snapshot)
{
	Relation	rel;
	bool		newer;

	if (EntriesAreNewer(def, index, snapshot))
		return true;
	rel = table_open(IndexDefRelation(def, index), AccessShareLock);
	CheckIndexShards(rel, index);
	newer = FileIsNewer(IndexShardRelation(rel, index, 0), snapshot);
	table_close(rel, NoLock);
	return newer;
}

const IndexKind sharded_index = {
	.storage = "table",
	.has_parameters = IsSharded,
	.own_entries = true,
	.secondary = true,
	.in_parts = true,
	.before = &shard_column,
	.undistributable = "a sharded index",
	.check_spec = CheckSecondaryIndex,
	.complete_key = AddShard,
	.form_entry = FormShard,
	.describe = DescribeShards,
	.create = CreateIndexTable,
	.table_clauses = ShardedClauses,
	.complete_table = CreateShards,
	.find = FindIndexTable,
	.begin_scan = ScanShards,
	.is_newer = ShardsAreNewer,
	.fill = FillEntries,
	.rebuild = RebuildEntries,
	.plan = PlanNothing,
	.verify_relation = VerifyShape,
	.verify = VerifyTable,
};
