/*
 * partition.c
 *	  Finds and opens the partition with a row of a partitioned table.
 *
 * The partition is found as the executor finds it, by PostgreSQL's descriptor
 * of the partitions and its hash functions.  An operator class of somebody else
 * may have another hash function, which would run as the caller: such a table
 * is left to SQL.
 *
 * A partition is read and written directly only if SQL would do no more with
 * its rows: the same columns as the table, and no rules or row security of its
 * own, which statements on the table ignore.  A trigger that may change a row
 * could also change its partition.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/transam.h"
#include "access/xact.h"
#include "catalog/partition.h"
#include "catalog/pg_class.h"
#include "nodes/pg_list.h"
#include "partitioning/partbounds.h"
#include "partitioning/partdesc.h"
#include "storage/lmgr.h"
#include "utils/partcache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "errors.h"
#include "extension_objects.h"
#include "stat/stat.h"
#include "store/partition.h"
#include "table/placement.h"

/* ---- which partition ---- */

/* The position of a column in the key; -1 if it is no key column. */
static int
FindInKey(const TableDef *def, AttrNumber attnum)
{
	for (int i = 0; i < KeyCount(&def->key); i++)
	{
		if (TableKeyAttribute(def, i)->attnum == attnum)
			return i;
	}
	return -1;
}

bool
KeyDeterminesPartition(Relation rel, TableDef *def)
{
	PartitionKey key;

	if (def->distributed)
		return placement->key_determines_shard(def);
	if (rel->rd_rel->relkind != RELKIND_PARTITIONED_TABLE ||
		IsPartitionedByExpression(RelationGetRelid(rel)))
		return false;
	key = RelationGetPartitionKey(rel);
	if (key->strategy != PARTITION_STRATEGY_HASH || key->partnatts > KeyCount(&def->key))
		return false;
	for (int i = 0; i < key->partnatts; i++)
	{
		if (FindInKey(def, key->partattrs[i]) < 0 ||
			key->partsupfunc[i].fn_oid >= FirstNormalObjectId)
			return false;
	}
	return true;
}

/* The partition for a key; InvalidOid if there is none, or it is partitioned itself. */
static Oid
FindPartition(const Store *store, const Datum *values, int nvalues)
{
	PartitionKey key = RelationGetPartitionKey(store->rel);
	PartitionDesc partitions = RelationGetPartitionDesc(store->rel, true);
	PartitionBoundInfo bounds = partitions->boundinfo;
	Datum		of_key[2];
	bool		nulls[2] = {false, false};
	uint64		hash;
	int			partition;

	for (int i = 0; i < key->partnatts; i++)
	{
		int			position = FindInKey(store->def, key->partattrs[i]);

		if (position >= nvalues)
			return InvalidOid;
		of_key[i] = values[position];
	}
	if (partitions->nparts == 0)
		return InvalidOid;
	hash = compute_partition_hash_value(key->partnatts, key->partsupfunc, key->partcollation,
										of_key, nulls);
	partition = bounds->indexes[hash % bounds->nindexes];
	return partition >= 0 && partitions->is_leaf[partition] ? partitions->oids[partition] : InvalidOid;
}

/* ---- opening ---- */

/* Whether both have their columns in the same places. */
static bool
HasSameColumns(const TableDef *table, const TableDef *partition)
{
	bool		same = table->item_attnum == partition->item_attnum &&
		table->nattributes == partition->nattributes;

	for (int i = 0; same && i < table->nattributes; i++)
		same = table->attributes[i].attnum == partition->attributes[i].attnum;
	return same;
}

/* Whether SQL would do no more with the rows than we do. */
static bool
IsPlainPartition(const Store *partition)
{
	Form_pg_class form = partition->rel->rd_rel;

	return OidIsValid(partition->def->primary_key) && !form->relhasrules && !form->relrowsecurity &&
		!form->relhassubclass && (!StoreForWriting(partition) || StoreItemIsFinal(partition));
}

/*
 * Whether a relation can be a partition of a table, or a shard.  A partition was
 * attached by the owners of both.  A shard is found by its name, which a table of somebody else
 * can have.
 */
static bool
BelongsTo(const Store *table, Relation rel)
{
	return RelationIsDynamoTable(rel) &&
		(!table->def->distributed || rel->rd_rel->relowner == table->rel->rd_rel->relowner);
}

/* Opens a partition of a table that is open. */
static Store *
OpenPartition(Store *table, Oid relid)
{
	MemoryContext old = MemoryContextSwitchTo(table->context);
	Store	   *partition = palloc0(sizeof(Store));

	LockRelationOid(relid, StoreForWriting(table) ? RowExclusiveLock : AccessShareLock);
	partition->access = table->access;
	partition->role = table->role;
	partition->all_rows = table->all_rows;
	partition->context = table->context;
	partition->rel = table_open(relid, NoLock);
	if (BelongsTo(table, partition->rel))
	{
		partition->def = TableDefAcquire(partition->rel);
		partition->local = RelationIsLocalHeap(partition->rel, partition->def) &&
			HasSameColumns(table->def, partition->def);
		partition->direct = table->direct_partitions && partition->local && IsPlainPartition(partition);
		if (!StoreForWriting(table))
			TakeNewerSnapshot(partition);
	}
	table->partitions = lappend(table->partitions, partition);
	MemoryContextSwitchTo(old);
	return partition;
}

static Store *
PartitionWithOid(Store *table, Oid relid)
{
	ListCell   *cell;

	foreach(cell, table->partitions)
	{
		Store	   *partition = lfirst(cell);

		if (RelationGetRelid(partition->rel) == relid)
			return partition;
	}
	return OpenPartition(table, relid);
}

static Store *
PartitionOfValues(Store *store, const Datum *values, int nvalues)
{
	Oid			relid = FindPartition(store, values, nvalues);
	Store	   *partition = OidIsValid(relid) ? PartitionWithOid(store, relid) : store;

	return partition->local ? partition : store;
}

/* ---- shards ---- */

/*
 * Rows of a shard that was moved here after the snapshot were written here after
 * it, too.
 */
static void
SeeMovedRows(Store *shard, TransactionId placed)
{
	if (shard->newer != NULL || !WriterIsNewer(placed, GetActiveSnapshot()))
		return;
	if (IsolationUsesXactSnapshot() || IsInParallelMode())
		ereport(ERROR,
				(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
				 errmsg("could not serialize access due to the move of shard \"%s\"",
						RelationGetRelationName(shard->rel))));
	shard->newer = RegisterSnapshot(GetLatestSnapshot());
}

static PlaceLock
LockOfPlace(const Store *store)
{
	if (!StoreForWriting(store))
		return PLACE_TO_READ;
	return store->at_once ? PLACE_TO_WRITE_AT_ONCE : PLACE_TO_WRITE;
}

static Store *
ShardOfValues(Store *store, const Datum *values, int nvalues)
{
	TransactionId placed;
	Oid			relid = nvalues == 0 ? InvalidOid :
		placement->lock_shard(store->def, values[0], LockOfPlace(store), store->direct_partitions, &placed);
	Store	   *shard = OidIsValid(relid) ? PartitionWithOid(store, relid) : store;

	if (!shard->direct)
		return store;
	if (!StoreForWriting(store))
		SeeMovedRows(shard, placed);
	return shard;
}

Store *
ShardToLock(Store *store, const RowKey *key)
{
	TransactionId placed;
	Oid			relid = store->partitioned && store->def->distributed ?
		placement->lock_shard(store->def, key->values[0], LockOfPlace(store), true, &placed) : InvalidOid;
	Store	   *shard = OidIsValid(relid) ? PartitionWithOid(store, relid) : NULL;

	return shard != NULL && shard->local ? shard : NULL;
}

/* ---- stores for other nodes ---- */

/* The other node counts the request that it executes itself then. */
void
StoreNotForNode(const Store *store)
{
	StatElsewhere(true);
	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_OTHER_NODE),
			 errmsg("this server has no shard of table \"%s\" with the item that could be accessed directly",
					RelationGetRelationName(store->rel))));
}

bool
StoreIsForNode(const Store *store)
{
	return store->def->distributed && store->direct_partitions;
}

void
StoreServeNode(Store *store)
{
	if (!StoreIsForNode(store))
		StoreNotForNode(store);
	store->of_node = true;
}

/* ---- the store of a key ---- */

Store *
StoreOfValues(Store *store, const Datum *values, int nvalues)
{
	Store	   *target = store;

	if (store->partitioned)
		target = store->def->distributed ? ShardOfValues(store, values, nvalues) :
			PartitionOfValues(store, values, nvalues);
	if (store->of_node && !target->direct)
		StoreNotForNode(store);
	return target;
}

Store *
StoreOfKey(Store *store, const RowKey *key)
{
	return StoreOfValues(store, key->values, KeyCount(&store->def->key));
}

void
StoreClosePartitions(Store *store)
{
	ListCell   *cell;

	foreach(cell, store->partitions)
		StoreClose(lfirst(cell));
	store->partitions = NIL;
}

void
StoreForgetPartitions(Store *store)
{
	store->partitions = NIL;
}
