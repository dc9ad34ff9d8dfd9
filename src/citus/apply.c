/*
 * apply.c
 *	  Applies the changes of a distributed table to its index tables.
 *
 * One transaction takes changes from all nodes that have some, computes what becomes of the
 * entries, and writes them on their nodes: one call for each node, over the connections of
 * Citus, which commits on all nodes or on none.  After a crash, the changes are either
 * applied or still there.  Applying a change again would do nothing, and no older change of
 * the item is left then, so that nothing else must be remembered.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_class.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "storage/lock.h"
#include "storage/proc.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#include "citus/apply.h"
#include "citus/remote.h"
#include "citus/session.h"
#include "citus/shards.h"
#include "ddl/ddl.h"
#include "object_locks.h"
#include "table/distribution.h"
#include "table/table_name.h"

/*
 * Nodes wait for locks as long as this session would, until the end of the transaction there:
 * the owner of one table can lock it, and the changes of others are applied after its own.
 */
#define WITH_LOCK_TIMEOUT	" FROM (SELECT pg_catalog.set_config('lock_timeout', $1, true)) AS s"

#define TAKE_STATEMENT	"SELECT dynamo_system.take_index_changes($2, $3, $4)" WITH_LOCK_TIMEOUT
#define PUT_STATEMENT	"SELECT dynamo_system.put_index_entries($2, $3, $4, $5)" WITH_LOCK_TIMEOUT

#define CHANGES_AT_ONCE	10000

/* A node, and some shard of a table there, by which Citus finds it. */
typedef struct ShardNode
{
	int			group;
	bool		here;			/* its shards are accessed in this session */
	int64		shard;
	StringInfoData entries;		/* pairs for put_index_entries */
} ShardNode;

/* What becomes of the entries of an index table. */
typedef struct IndexChanges
{
	const IndexDef *index;
	const ShardMap *map;
	List	   *nodes;
} IndexChanges;

typedef struct Apply
{
	Relation	rel;
	TableDef   *def;
	int			nindexes;
	IndexChanges *indexes;
	int64		items;
	bool		full;			/* some node has given as many changes as it may */
	MemoryContext context;
	List	   *olds;			/* of the present item */
} Apply;

/* ---- nodes ---- */

/*
 * Finds the node with the shard at a position.  Shards that this transaction has changed in
 * the session could not be accessed over a connection.
 */
static ShardNode *
FindNodeOfShard(List **nodes, const ShardMap *map, int position)
{
	ShardNode  *node;
	ListCell   *cell;
	int			group;
	int64		shard = GetShardPlace(map, position, &group);

	foreach(cell, *nodes)
	{
		node = lfirst(cell);
		if (node->group == group)
			return node;
	}
	node = palloc0(sizeof(ShardNode));
	node->group = group;
	node->shard = shard;
	node->here = OidIsValid(GetShardRelation(map, position)) && CitusSessionStaysLocal();
	initStringInfo(&node->entries);
	*nodes = lappend(*nodes, node);
	return node;
}

/* The nodes with shards of a table. */
static List *
FindNodes(const ShardMap *map)
{
	List	   *nodes = NIL;

	for (int i = 0; i < CountShards(map); i++)
	{
		int			group;

		(void) GetShardPlace(map, i, &group);
		if (group >= 0)
			(void) FindNodeOfShard(&nodes, map, i);
	}
	return nodes;
}

/* ---- entries ---- */

static ShardNode *
NodeOfEntry(Apply *apply, IndexChanges *changes, const EntryKey *key)
{
	MemoryContext old = MemoryContextSwitchTo(apply->context);
	int			position = FindShardPosition(changes->map, key->keys[0]);
	int			group;
	ShardNode  *node;

	(void) GetShardPlace(changes->map, position, &group);
	if (group < 0)
		DistributedError(apply->def->relid, "an index table with several copies of its shards");
	node = FindNodeOfShard(&changes->nodes, changes->map, position);
	MemoryContextSwitchTo(old);
	return node;
}

/* Computes the entry of an item after its changes, and those that it may have had. */
static void
ChangeEntries(Apply *apply, IndexChanges *changes, struct varlena *new)
{
	const TableDef *def = apply->def;
	const IndexDef *index = changes->index;
	EntryKey	after = {.present = false};
	ListCell   *cell;

	if (new != NULL)
		EntryKeyOfItem(def, index, ItemRoot(new), &after);
	foreach(cell, apply->olds)
	{
		ValueRef	old = ItemRoot(lfirst(cell));
		EntryKey	before;

		EntryKeyOfItem(def, index, old, &before);
		if (before.present && !(after.present && EntryKeysEqual(def, index, &before, &after)))
			AppendPair(&NodeOfEntry(apply, changes, &before)->entries, old, MISSING_VALUE);
	}
	if (after.present)
		AppendPair(&NodeOfEntry(apply, changes, &after)->entries, MISSING_VALUE,
				   ItemRoot(IndexEntryItem(def, index, ItemRoot(new))));
}

/* ---- changes ---- */

/*
 * Computes the entries of all items of an answer; the last pair of an item has no first member.
 * Returns the number of pairs, which is at least that of changes.
 */
static int
ReadChanges(Apply *apply, Slice answer)
{
	MemoryContext item_context = AllocSetContextCreate(CurrentMemoryContext, "dynamo changed item",
													   ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(item_context);
	StringInfoData in;
	struct varlena *old;
	struct varlena *new;
	int			pairs = 0;

	in.data = unconstify(char *, answer.data);
	in.len = in.maxlen = (int) answer.len;
	in.cursor = 0;
	apply->olds = NIL;
	while (ReadPair(&in, &old, &new))
	{
		CHECK_FOR_INTERRUPTS();
		pairs++;
		if (old != NULL)
		{
			apply->olds = lappend(apply->olds, old);
			continue;
		}
		for (int i = 0; i < apply->nindexes; i++)
			ChangeEntries(apply, &apply->indexes[i], new);
		apply->items++;
		apply->olds = NIL;
		MemoryContextReset(item_context);
	}
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(item_context);
	return pairs;
}

static char *
SchemaName(const Apply *apply)
{
	return get_namespace_name(RelationGetNamespace(apply->rel));
}

static char *
LockTimeoutText(void)
{
	return psprintf("%d", LockTimeout);
}

/* Takes changes from a node. */
static Slice
CallNodeForChanges(const Apply *apply, const ShardNode *node, int limit)
{
	const char *const args[] = {
		LockTimeoutText(), SchemaName(apply), RelationGetRelationName(apply->rel), psprintf("%d", limit)
	};

	if (node->here)
		return SliceOfVarlena(TakeIndexChanges(apply->rel, limit));
	return NodeValue(RemoteExecute(node->shard, limit > 0, TAKE_STATEMENT, lengthof(args), args));
}

/* A node without changes is only read, and takes no part in the commit. */
static void
TakeChanges(Apply *apply, const ShardNode *node, int limit)
{
	if (CallNodeForChanges(apply, node, 0).len > 0 && ReadChanges(apply, CallNodeForChanges(apply, node, limit)) >= limit)
		apply->full = true;
}

static void
PutEntriesElsewhere(const Apply *apply, const char *index_name, const ShardNode *node)
{
	const char *const args[] = {
		LockTimeoutText(), SchemaName(apply), RelationGetRelationName(apply->rel), index_name,
		RemoteBytes(node->entries.data, node->entries.len)
	};

	PQclear(RemoteExecute(node->shard, true, PUT_STATEMENT, lengthof(args), args));
}

static void
PutEntriesOfChanges(const Apply *apply, const IndexChanges *changes)
{
	ListCell   *cell;

	foreach(cell, changes->nodes)
	{
		const ShardNode *node = lfirst(cell);

		if (node->here)
			(void) PutIndexEntries(apply->rel, changes->index->name,
								   (Slice) {node->entries.data, (uint32) node->entries.len});
		else
			PutEntriesElsewhere(apply, changes->index->name, node);
	}
}

/* ---- a batch ---- */

/* Finds the index tables, and refuses a table that has none. */
static void
FindIndexTables(Apply *apply)
{
	TableDef   *def = apply->def;

	apply->indexes = palloc0(sizeof(IndexChanges) * Max(def->nindexes, 1));
	for (int i = 0; i < def->nindexes; i++)
	{
		IndexChanges *changes = &apply->indexes[apply->nindexes];

		if (!IsMaintainedIndex(&def->indexes[i]))
			continue;
		changes->index = &def->indexes[i];
		changes->map = ShardsOfIndex(def, changes->index);
		if (changes->map == NULL)
			DistributedError(def->relid, "an index table that is not distributed by its partition key");
		apply->nindexes++;
	}
}

static void
CheckApplicable(Relation rel, TableDef *def)
{
	if (!def->distributed)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("table \"%s\" is not distributed", RelationGetRelationName(rel)),
				 errdetail("Its indexes are maintained by each write.")));
	if (def->undistributable != NULL)
		DistributedError(def->relid, def->undistributable);
	RequireCoordinator("changes of indexes are applied on the Citus coordinator");
	if (ShardsOfTable(def) == NULL || !RemoteIsPossible())
		DistributedError(def->relid, "an index table with this build of Citus");
}

/* One applier at a time works on a table. */
static void
LockForApplier(Oid table)
{
	LOCKTAG		tag;

	SET_LOCKTAG_OBJECT(tag, MyDatabaseId, RelationRelationId, table, LOCK_OF_APPLIER);
	(void) LockAcquire(&tag, ExclusiveLock, false, false);
}

int64
ApplyIndexChanges(Relation rel, int limit, bool *full)
{
	Apply		apply = {.rel = rel, .def = TableDefAcquire(rel), .context = CurrentMemoryContext};
	List	   *nodes;
	ListCell   *cell;

	CheckApplicable(rel, apply.def);
	LockForApplier(RelationGetRelid(rel));
	FindIndexTables(&apply);
	nodes = apply.nindexes > 0 ? FindNodes(ShardsOfTable(apply.def)) : NIL;
	foreach(cell, nodes)
		TakeChanges(&apply, lfirst(cell), limit);
	for (int i = 0; i < apply.nindexes; i++)
		PutEntriesOfChanges(&apply, &apply.indexes[i]);
	TableDefRelease(apply.def);
	*full = apply.full;
	return apply.items;
}

void
ApplyAllChanges(Oid table)
{
	Relation	rel = table_open(table, NoLock);
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "dynamo changes of a table",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(context);
	bool		full = true;

	while (full)
	{
		CHECK_FOR_INTERRUPTS();
		if (ApplyIndexChanges(rel, CHANGES_AT_ONCE, &full) > 0)
			full = true;
		CommandCounterIncrement();
		MemoryContextReset(context);
	}
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(context);
	table_close(rel, NoLock);
}

DYNAMO_FUNCTION(dynamo_apply_index_changes);
Datum
dynamo_apply_index_changes(PG_FUNCTION_ARGS)
{
	int			limit = PG_GETARG_INT32(1);
	Relation	rel = OpenTableForDrop(TableArgument(fcinfo, 0), AccessShareLock);
	int64		items;
	bool		full;

	if (limit < 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("max_changes must be positive")));
	items = ApplyIndexChanges(rel, limit, &full);
	table_close(rel, NoLock);
	PG_RETURN_INT64(items);
}
