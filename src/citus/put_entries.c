/*
 * put_entries.c
 *	  dynamo_system.put_index_entries: writes entries into the shards of an index table on this node.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/pg_class.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#include "citus/apply.h"
#include "citus/shards.h"
#include "errors.h"
#include "security/owner.h"
#include "table/distribution.h"
#include "table/index_relation.h"
#include "table/limits.h"

/* ---- keys ---- */

void
EntryKeyOfItem(const TableDef *def, const IndexDef *index, ValueRef item, EntryKey *key)
{
	key->shard = 0;
	key->present = ItemInIndex(def, index, item);
	for (int i = 0; key->present && i < index->nentry; i++)
	{
		const AttributeDef *attr = EntryAttribute(def, index, i);
		ValueRef	v = AttributeFind(item, attr->name.data, attr->name.len);

		key->present = !ValueIsMissing(v) && ColumnOfValue(attr, v, &key->keys[i]);
	}
	if (key->present)
		key->present = IndexAdmits(def, index, key->keys, NULL);
}

/* ---- shards ---- */

/* The shards of an index table that this call has opened, by position. */
typedef struct Target
{
	const TableDef *def;
	const IndexDef *index;
	Relation	parent;			/* the index table */
	const ShardMap *map;
	EntryTable **tables;
	MemoryContext context;
	int64		written;
} Target;

static Relation
OpenIndexShard(const Target *target, int position)
{
	TransactionId placed;
	Oid			shard = LockShardAt(target->map, position, true, &placed);
	Relation	rel;

	if (!OidIsValid(shard))
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_OTHER_NODE),
				 errmsg("this server does not have the shard of table \"%s\" with an entry",
						RelationGetRelationName(target->parent))));
	LockShardForApplier(shard);
	rel = table_open(shard, NoLock);
	if (rel->rd_rel->relowner != target->parent->rd_rel->relowner ||
		!IsIndexTable(rel, target->def, target->index))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("\"%s\" is not a shard of index table \"%s\"", RelationGetRelationName(rel),
						RelationGetRelationName(target->parent))));
	return rel;
}

static EntryTable *
ShardOfEntry(Target *target, const EntryKey *key)
{
	int			position = FindShardPosition(target->map, key->keys[0]);
	MemoryContext old;

	if (target->tables[position] != NULL)
		return target->tables[position];
	old = MemoryContextSwitchTo(target->context);
	target->tables[position] = palloc(sizeof(EntryTable));
	EntryTableOpenShard(target->tables[position], target->def, target->index,
						OpenIndexShard(target, position));
	MemoryContextSwitchTo(old);
	return target->tables[position];
}

/* ---- entries ---- */

static EntryTable *
FindTarget(Target *target, struct varlena *item, EntryKey *key)
{
	EntryKeyOfItem(target->def, target->index, ItemRoot(item), key);
	if (!key->present)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("an item cannot be an entry of index \"%s\"", target->index->name)));
	target->written++;
	return ShardOfEntry(target, key);
}

static void
DeleteEntry(Target *target, struct varlena *item)
{
	EntryKey	key;
	EntryTable *t = FindTarget(target, item, &key);

	if (EntryFind(t, &key))
		EntryDelete(t);
}

static void
PutEntry(Target *target, struct varlena *item)
{
	EntryKey	key;
	EntryTable *t = FindTarget(target, item, &key);

	if (EntryFind(t, &key))
		EntryUpdate(t, &key, item);
	else
		EntryInsert(t, &key, item);
}

static void
PutEntries(Target *target, StringInfo in)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "dynamo entry", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(context);
	struct varlena *gone;
	struct varlena *entry;

	while (ReadPair(in, &gone, &entry))
	{
		CHECK_FOR_INTERRUPTS();
		if (gone != NULL)
			DeleteEntry(target, gone);
		if (entry != NULL)
			PutEntry(target, entry);
		MemoryContextReset(context);
	}
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(context);
}

static void
CloseShards(Target *target)
{
	for (int i = 0; i < CountShards(target->map); i++)
	{
		if (target->tables[i] != NULL)
			EntryTableClose(target->tables[i]);
	}
}

int64
PutIndexEntries(Relation rel, const char *name, Slice entries)
{
	TableDef   *def = TableDefAcquire(rel);
	StringInfoData in;
	Target		target = {.def = def, .context = CurrentMemoryContext};
	OwnerScope	scope;

	target.index = TableDefIndex(def, name);
	if (target.index == NULL || !def->distributed || def->undistributable != NULL ||
		!target.index->kind->own_entries)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("table \"%s\" has no distributed index table \"%s\"", RelationGetRelationName(rel), name)));
	target.parent = IndexTableOpen(def, target.index, AccessShareLock);
	target.map = ShardsOfIndex(def, target.index);
	if (target.map == NULL)
		DistributedError(def->relid, "an index table that is not distributed by its partition key");
	target.tables = palloc0(sizeof(EntryTable *) * CountShards(target.map));
	in.data = unconstify(char *, entries.data);
	in.len = in.maxlen = (int) entries.len;
	in.cursor = 0;
	OwnerScopeEnterForMaintenance(&scope, rel->rd_rel->relowner);
	PutEntries(&target, &in);
	CloseShards(&target);
	OwnerScopeLeave(&scope);
	table_close(target.parent, NoLock);
	TableDefRelease(def);
	return target.written;
}

DYNAMO_FUNCTION(dynamo_put_index_entries);
Datum
dynamo_put_index_entries(PG_FUNCTION_ARGS)
{
	Relation	rel = OpenOwnedTable(PG_GETARG_TEXT_PP(0), PG_GETARG_TEXT_PP(1));
	int64		written = PutIndexEntries(rel, text_to_cstring(PG_GETARG_TEXT_PP(2)),
										  SliceOfVarlena(PG_GETARG_BYTEA_PP(3)));

	table_close(rel, NoLock);
	PG_RETURN_INT64(written);
}
