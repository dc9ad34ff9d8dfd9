/*
 * take_changes.c
 *	  dynamo_system.take_index_changes: what changes were recorded on this node.
 *
 * The function deletes the records that it returns; with a maximum of 0, it only tells
 * whether there are any.  It is called by the applier, whose
 * transaction writes the entries.  If that transaction fails after it was prepared, nobody
 * knows for some time whether the records are deleted.  A later one therefore waits for its
 * locks before it looks.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/tableam.h"
#include "access/table.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "storage/lock.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "citus/apply.h"
#include "citus/shards.h"
#include "compat.h"
#include "object_locks.h"
#include "security/owner.h"
#include "store/raw_table.h"
#include "table/distribution.h"
#include "table/stored.h"

/* A batch ends when its items have so many bytes. */
#define MAX_BATCH_BYTES		(8 * 1024 * 1024)

/* ---- opening ---- */

Relation
OpenOwnedTable(text *schema, text *name)
{
	RangeVar   *table = makeRangeVar(text_to_cstring(schema), text_to_cstring(name), -1);
	Relation	rel = table_openrv(table, AccessShareLock);

	if (!RelationOwnercheck(RelationGetRelid(rel), GetUserId()))
		aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_TABLE, RelationGetRelationName(rel));
	if (!SessionIsOfNode())
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("changes of table \"%s\" would be lost", RelationGetRelationName(rel)),
				 errdetail("This function is a part of dynamo.apply_index_changes, which Citus calls.")));
	return rel;
}

void
LockShardForApplier(Oid shard)
{
	LOCKTAG		tag;

	SET_LOCKTAG_OBJECT(tag, MyDatabaseId, RelationRelationId, shard, LOCK_OF_APPLIER);
	(void) LockAcquire(&tag, ExclusiveLock, false, false);
}

/* ---- a batch ---- */

typedef struct Take
{
	const TableDef *def;
	Oid			owner;			/* of the table */
	RawTable	t;				/* a shard of the change table */
	Snapshot	snapshot;
	int64		limit;
	int64		taken;
	StringInfoData out;
	MemoryContext item_context; /* of the present item */
	TupleTableSlot *previous;	/* the last record taken; empty at first */
	List	   *olds;			/* the items before each of the changes of the item */
	struct varlena *new;		/* after the last one; or NULL */
} Take;

static struct varlena *
CopyColumn(TupleTableSlot *slot, int column)
{
	bool		isnull;
	Datum		value = slot_getattr(slot, column + 1, &isnull);

	return isnull ? NULL : PG_DETOAST_DATUM_COPY(value);
}

static bool
IsSameItem(const Take *take, TupleTableSlot *slot)
{
	for (int i = 0; i < KeyCount(&take->def->key); i++)
	{
		bool		isnull;

		if (!KeyDatumsEqual(TableKeyAttribute(take->def, i)->type, slot_getattr(slot, i + 1, &isnull),
							slot_getattr(take->previous, i + 1, &isnull)))
			return false;
	}
	return true;
}

/*
 * Puts out what the changes of an item have done together.  All entries that it may have had
 * are to go: records of one transaction may be in another order than its changes.
 */
static void
FinishItem(Take *take)
{
	ListCell   *cell;

	if (TTS_EMPTY(take->previous))
		return;
	foreach(cell, take->olds)
		AppendPair(&take->out, ItemRoot(lfirst(cell)), MISSING_VALUE);
	AppendPair(&take->out, MISSING_VALUE, take->new != NULL ? ItemRoot(take->new) : MISSING_VALUE);
	ExecClearTuple(take->previous);
	take->olds = NIL;
	take->new = NULL;
	MemoryContextReset(take->item_context);
}

static void
TakeRecordedChange(Take *take, TupleTableSlot *slot)
{
	MemoryContext old;
	struct varlena *before;

	if (!TryDeleteRow(take->t.rel, &slot->tts_tid, take->snapshot, true))
		elog(ERROR, "a change of table \"%s\" was applied twice", get_rel_name(take->def->relid));
	if (!TTS_EMPTY(take->previous) && !IsSameItem(take, slot))
		FinishItem(take);
	old = MemoryContextSwitchTo(take->item_context);
	before = CopyColumn(slot, ChangeColumn(take->def, CHANGE_OLD));
	if (before != NULL)
		take->olds = lappend(take->olds, before);
	take->new = CopyColumn(slot, ChangeColumn(take->def, CHANGE_NEW));
	MemoryContextSwitchTo(old);
	ExecCopySlot(take->previous, slot);
	take->taken++;
}

/* Takes the records of the open shard in the order of items, up to the limit. */
static void
TakeRecordedChanges(Take *take)
{
	IndexScanDesc scan = BeginIndexScan(take->t.rel, take->t.pkey, take->snapshot, 0);

	index_rescan(scan, NULL, 0, NULL, 0);
	while (take->taken < take->limit && take->out.len < MAX_BATCH_BYTES &&
		   index_getnext_slot(scan, ForwardScanDirection, take->t.slot))
	{
		CHECK_FOR_INTERRUPTS();
		TakeRecordedChange(take, take->t.slot);
	}
	FinishItem(take);
	index_endscan(scan);
}

static void
TakeFromShard(Take *take, Oid shard)
{
	Relation	rel;

	LockShardForApplier(shard);
	rel = ChangeShardOpen(shard, take->def, take->owner);
	take->snapshot = RegisterSnapshot(GetLatestSnapshot());
	RawTableBegin(&take->t, rel);
	take->previous = table_slot_create(rel, NULL);
	TakeRecordedChanges(take);
	ExecDropSingleTupleTableSlot(take->previous);
	RawTableEnd(&take->t);
	UnregisterSnapshot(take->snapshot);
	table_close(rel, NoLock);
}

/* Takes from all shards of this node, beginning with one that changes from call to call. */
static void
TakeFromShards(Take *take, const ShardMap *changes)
{
	static uint32 first = 0;
	int			n = CountShards(changes);

	first++;
	for (int i = 0; i < n && take->taken < take->limit && take->out.len < MAX_BATCH_BYTES; i++)
	{
		int			position = (int) ((first + i) % n);
		TransactionId placed;

		if (OidIsValid(GetShardRelation(changes, position)) &&
			OidIsValid(LockShardAt(changes, position, true, &placed)))
			TakeFromShard(take, GetShardRelation(changes, position));
	}
}

/* ---- whether there are any ---- */

static bool
ShardHasChanges(const Take *take, Oid shard)
{
	Relation	rel = ChangeShardOpen(shard, take->def, take->owner);
	Snapshot	snapshot = RegisterSnapshot(GetLatestSnapshot());
	TupleTableSlot *slot = table_slot_create(rel, NULL);
	TableScanDesc scan = BeginTableScan(rel, snapshot);
	bool		found = table_scan_getnextslot(scan, ForwardScanDirection, slot);

	table_endscan(scan);
	ExecDropSingleTupleTableSlot(slot);
	UnregisterSnapshot(snapshot);
	table_close(rel, NoLock);
	return found;
}

/* Puts out a byte if there are changes on this node. */
static void
LookIntoShards(Take *take, const ShardMap *changes)
{
	bool		found = false;

	for (int i = 0; !found && i < CountShards(changes); i++)
		found = OidIsValid(GetShardRelation(changes, i)) && ShardHasChanges(take, GetShardRelation(changes, i));
	if (found)
		appendStringInfoChar(&take->out, 1);
}

bytea *
TakeIndexChanges(Relation rel, int limit)
{
	TableDef   *def = TableDefAcquire(rel);
	Oid			table = FindChangeTable(def->relid);
	const ShardMap *changes = OidIsValid(table) ? ShardsOfRelation(table, TableKeyAttribute(def, 0)) : NULL;
	Take		take = {.def = def, .owner = rel->rd_rel->relowner, .limit = limit};
	OwnerScope	scope;

	if (changes == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("table \"%s\" has no distributed index tables", RelationGetRelationName(rel))));
	initStringInfo(&take.out);
	appendStringInfoSpaces(&take.out, VARHDRSZ);
	take.item_context = AllocSetContextCreate(CurrentMemoryContext, "dynamo changes", ALLOCSET_DEFAULT_SIZES);
	OwnerScopeEnterForMaintenance(&scope, take.owner);
	if (take.limit > 0)
		TakeFromShards(&take, changes);
	else
		LookIntoShards(&take, changes);
	OwnerScopeLeave(&scope);
	SET_VARSIZE(take.out.data, take.out.len);
	TableDefRelease(def);
	return (bytea *) take.out.data;
}

DYNAMO_FUNCTION(dynamo_take_index_changes);
Datum
dynamo_take_index_changes(PG_FUNCTION_ARGS)
{
	Relation	rel = OpenOwnedTable(PG_GETARG_TEXT_PP(0), PG_GETARG_TEXT_PP(1));
	bytea	   *changes = TakeIndexChanges(rel, PG_GETARG_INT32(2));

	table_close(rel, NoLock);
	PG_RETURN_BYTEA_P(changes);
}
