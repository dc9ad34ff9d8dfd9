/*
 * shard.c
 *	  Shards of an index table: which one an entry is in.
 *
 * A shard's number is on disk, so its computation never changes: StableHash
 * over the encoded value (item.h) of the shard attribute, or of the base
 * key's attributes one after the other, modulo the number of shards.
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "partitioning/partbounds.h"
#include "partitioning/partdesc.h"
#include "utils/rel.h"

#include "catalog/names.h"
#include "catalog/objects.h"
#include "catalog/table.h"

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
	for (int i = 0; i < def->key.npartition + def->key.nsort; i++)
	{
		const AttributeDef *attr = &def->attributes[def->key_attributes[i]];
		ValueRef	v = AttributeFind(item, attr->name.data, attr->name.len);

		hash = StableHash(v.data, v.len, hash);
	}
	return ShardOfHash(index, hash);
}

bool
IndexHasShards(Relation index_table, const IndexDef *index)
{
	PartitionDesc desc;

	if (index_table->rd_rel->relkind != RELKIND_PARTITIONED_TABLE)
		return index->shards == 0;
	if (IsPartitionedByExpression(RelationGetRelid(index_table)))
		return false;
	desc = RelationGetPartitionDesc(index_table, true);
	if (desc->nparts != index->shards || desc->boundinfo == NULL ||
		desc->boundinfo->ndatums != index->shards)
		return false;
	for (int i = 0; i < index->shards; i++)
	{
		if (DatumGetInt32(desc->boundinfo->datums[i][0]) != i)
			return false;
	}
	return true;
}

void
CheckIndexShards(Relation index_table, const IndexDef *index)
{
	if (!IndexHasShards(index_table, index))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("index table \"%s\" has not its shards 0 to %d",
						RelationGetRelationName(index_table), index->shards - 1),
				 errhint("Use dynamo.reindex to build it again.")));
}

void
IndexShardRelations(Relation index_table, const IndexDef *index, Oid *oids)
{
	PartitionDesc desc;

	CheckIndexShards(index_table, index);
	desc = RelationGetPartitionDesc(index_table, true);
	/* list partitions stand in order of their values: 0 .. shards - 1 */
	for (int i = 0; i < index->shards; i++)
		oids[i] = desc->oids[desc->boundinfo->indexes[i]];
}
