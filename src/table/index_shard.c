/*
 * index_shard.c
 *	  Determines the shard of an index table that contains an entry.
 *
 * A shard's number is stored on disk, so its computation never changes.  It is
 * StableHash over the encoded value (item.h) of the shard attribute, or over
 * the concatenated attributes of the base key, modulo the number of shards.
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "catalog/pg_type_d.h"
#include "partitioning/partbounds.h"
#include "partitioning/partdesc.h"
#include "utils/partcache.h"
#include "utils/rel.h"

#include "extension_objects.h"
#include "table/object_names.h"
#include "table/table.h"

static int
ShardOfHash(const IndexDef *index, uint64 hash)
{
	return (int) (hash % (uint64) index->shards);
}

int
IndexShardOfValue(const IndexDef *index, ValueRef value)
{
	if (ValueIsMissing(value))
		return 0;
	return ShardOfHash(index, StableHash(value.data, value.len, 0));
}

int
IndexShardOf(const TableDef *def, const IndexDef *index, ValueRef item)
{
	uint64		hash = 0;

	if (index->shard_by.data != NULL)
		return IndexShardOfValue(index, AttributeFind(item, index->shard_by.data,
													  index->shard_by.len));
	for (int i = 0; i < KeyCount(&def->key); i++)
	{
		const AttributeDef *attr = TableKeyAttribute(def, i);
		ValueRef	v = AttributeFind(item, attr->name.data, attr->name.len);

		hash = StableHash(v.data, v.len, hash);
	}
	return ShardOfHash(index, hash);
}

/* Whether a table is partitioned by lists of numbers in its first column. */
static bool
IsPartitionedByShard(Relation rel)
{
	PartitionKey key;

	if (IsPartitionedByExpression(RelationGetRelid(rel)))
		return false;
	key = RelationGetPartitionKey(rel);
	return key->strategy == PARTITION_STRATEGY_LIST && key->partattrs[0] == 1 &&
		key->parttypid[0] == INT4OID;
}

bool
IndexHasShards(Relation index_table, const IndexDef *index)
{
	PartitionDesc desc;

	if (index_table->rd_rel->relkind != RELKIND_PARTITIONED_TABLE)
		return index->shards == 0;
	if (!IsPartitionedByShard(index_table))
		return false;
	desc = RelationGetPartitionDesc(index_table, true);
	if (desc->nparts != index->shards || desc->boundinfo == NULL ||
		desc->boundinfo->ndatums != index->shards)
		return false;
	for (int i = 0; i < index->shards; i++)
	{
		if (DatumGetInt32(desc->boundinfo->datums[i][0]) != i || !desc->is_leaf[desc->boundinfo->indexes[i]])
			return false;
	}
	return true;
}

static void ShardsError(Relation index_table, const IndexDef *index) pg_attribute_noreturn();

static void
ShardsError(Relation index_table, const IndexDef *index)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATA_CORRUPTED),
			 errmsg("index table \"%s\" does not have exactly the shards 0 to %d",
					RelationGetRelationName(index_table), index->shards - 1),
			 errhint("Use dynamo.reindex to rebuild it.")));
}

void
CheckIndexShards(Relation index_table, const IndexDef *index)
{
	if (!IndexHasShards(index_table, index))
		ShardsError(index_table, index);
}

/*
 * Omits partitions that are being detached, so that the result does not depend
 * on the snapshot.
 */
Oid
IndexShardRelation(Relation index_table, const IndexDef *index, int shard)
{
	PartitionDesc desc = RelationGetPartitionDesc(index_table, true);
	PartitionBoundInfo bounds = desc->boundinfo;

	/* List partitions are in the order of their values: 0 to shards - 1. */
	if (desc->nparts != index->shards || bounds == NULL ||
		bounds->ndatums != index->shards || DatumGetInt32(bounds->datums[shard][0]) != shard)
		ShardsError(index_table, index);
	return desc->oids[bounds->indexes[shard]];
}
