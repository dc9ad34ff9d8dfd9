/*
 * alter.c
 *	  Changes the projection, storage or shards of an index.
 *
 * The projection of an inline index is only a part of the definition.  All
 * other changes need new entries: a second index is built beside the first and
 * replaces it, so that readers always have a complete one.  On a small table
 * this happens immediately.
 */
#include "postgres.h"

#include "executor/spi.h"
#include "utils/lsyscache.h"

#include "copy/copy.h"
#include "errors.h"
#include "index/build.h"
#include "table/distribution.h"
#include "table/index_relation.h"

/* Returns the specification that would create the index as it is. */
static CreateIndexSpec
IndexToSpec(const IndexDef *index)
{
	CreateIndexSpec spec = {0};

	spec.name = index->name;
	spec.local = index->local;
	spec.key = index->key;
	spec.projected = index->projected;
	spec.nnon_key = index->nnon_key;
	spec.non_key = index->non_key;
	spec.kind = index->kind;
	spec.shards = index->shards;
	spec.shard_by = index->shard_by;
	return spec;
}

/* A number of shards requires an index table, storage "inline" no shards. */
static void
ApplyStorage(CreateIndexSpec *spec, const IndexChange *change)
{
	const char *storage = change->storage;
	const char *shard_by = change->shard_by;
	int			shards = change->shards;

	if (shards < 0)
		shards = storage != NULL && strcmp(storage, "inline") == 0 ? 0 : spec->shards;
	if (storage == NULL && shards == 0)
		storage = spec->kind->storage;
	if (shard_by == NULL && shards > 0)
		shard_by = spec->shard_by.data;
	if (shard_by != NULL && shard_by[0] == '\0')
		shard_by = NULL;
	SetStorage(spec, storage, shards > 0 ? shards : SHARDS_NOT_GIVEN, shard_by);
}

static void
ApplyChange(CreateIndexSpec *spec, const IndexChange *change)
{
	if (change->projection != NULL || change->nnon_key > 0)
	{
		spec->nnon_key = 0;
		spec->non_key = NULL;
		SetProjection(spec, change->projection != NULL ? change->projection : "INCLUDE",
					  change->non_key, change->nnon_key);
	}
	ApplyStorage(spec, change);
}

static bool
IsSameSlice(Slice a, Slice b)
{
	if (a.data == NULL || b.data == NULL)
		return a.data == b.data;
	return SliceCompare(a, b) == 0;
}

/* Whether the entries of both are in the same relations. */
static bool
HasSameStorage(const IndexDef *index, const CreateIndexSpec *spec)
{
	return index->kind == spec->kind && index->shards == spec->shards &&
		IsSameSlice(index->shard_by, spec->shard_by);
}

static bool
KeepsProjection(const IndexDef *index, const CreateIndexSpec *spec)
{
	if (index->projected != spec->projected || index->nnon_key != spec->nnon_key)
		return false;
	for (int i = 0; i < spec->nnon_key; i++)
	{
		if (SliceCompare(index->non_key[i], spec->non_key[i]) != 0)
			return false;
	}
	return true;
}

/* Recreates the relation under the lock that is held. */
static void
ChangeInPlace(Oid relid, TableDef *def, IndexDef *index, const CreateIndexSpec *spec)
{
	Oid			schema = get_rel_namespace(relid);
	Oid			found = FindIndexRelation(def, index);

	if (RelationIsDistributed(relid))
		DistributedError(relid, "changing an index with a table, or to one,");
	if (OidIsValid(found))
		DropIndexRelation(found);
	index->relation = "";		/* let a name be chosen again */
	index->relation = ChooseIndexRelation(def, schema, get_rel_name(relid), index->name);
	SetIndexShape(index, spec);
	IndexStore(relid, def, index, false);
}

static void
ChangeBeside(Oid relid, TableDef *def, const CreateIndexSpec *spec)
{
	IndexDef   *index = AddReplacement(def, get_rel_namespace(relid),
									   get_rel_name(relid), spec);

	IndexStore(relid, def, index, false);
}

/* As in the service, nothing about it can be changed. */
static void
RefuseVectorIndex(const IndexDef *index)
{
	if (!index->kind->secondary)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("vector index \"%s\" cannot be changed", index->name),
				 errhint("Drop it with dynamo.drop_vector_index, and create it again.")));
}

void
IndexAlter(const char *table_name, const char *index_name, const IndexChange *change)
{
	Oid			relid;
	TableDef   *def;
	IndexDef   *index;
	CreateIndexSpec spec;

	RefuseDuringBuild(table_name);
	def = LockForIndexDdl(table_name, &relid);
	index = unconstify(IndexDef *, TableDefIndex(def, index_name));
	if (index == NULL || index->replaces != NULL)
		FailNoIndex(def, table_name, index_name);
	RefuseVectorIndex(index);
	CheckNoPendingBuild(def);
	spec = IndexToSpec(index);
	ApplyChange(&spec, change);
	CheckIndexShape(def, &spec);
	if (HasSameStorage(index, &spec) && KeepsProjection(index, &spec))
		return;
	if (!HasSameStorage(index, &spec))
		RefuseCopiedIndex(relid, index_name, "change");
	SPI_connect();
	if (HasSameStorage(index, &spec) && !index->kind->own_entries)
	{
		SetIndexShape(index, &spec);
		StoreDefinition(relid, def);
	}
	else if (BuildsInPlace(relid))
		ChangeInPlace(relid, def, index, &spec);
	else
		ChangeBeside(relid, def, &spec);
	SPI_finish();
}
