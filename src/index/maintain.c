/*
 * maintain.c
 *	  The triggers of index tables.
 *
 * maintain_indexes, on the base table, fires AFTER each row and AFTER
 * TRUNCATE.  It updates the entries of all its index tables.  A single trigger
 * maintains all of them, so that a row is processed once.  It first compares
 * the old and the new key columns; an index table without a changed entry is
 * not opened.  If another trigger could change a row after its columns were
 * derived, maintain_indexes also checks the columns; a table then has it even
 * without index tables.
 *
 * guard_index, on the index table or on each of its shards, fires BEFORE each
 * row and skips every write.  Maintenance writes without firing triggers, so
 * that other writes come from elsewhere: from a data-only restore or a
 * subscription to all tables, which would write each entry a second time.
 * Only the replication that moves a shard to another node may write to the
 * shard.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_inherits.h"
#include "commands/tablecmds.h"
#include "commands/trigger.h"
#include "storage/lmgr.h"
#include "utils/datum.h"
#include "utils/rel.h"

#include "extension_objects.h"
#include "index/index.h"
#include "security/owner.h"
#include "store/elsewhere.h"
#include "store/row_event.h"
#include "store/store.h"
#include "table/distribution.h"
#include "table/index_relation.h"
#include "table/stored.h"

/* True while an index table is truncated together with its table. */
static bool truncating = false;

/* ---- rows ---- */

static bool
ItemsIdentical(const TableDef *def, BaseRow *old, BaseRow *new)
{
	return datumIsEqual(BaseRowStoredItem(def, old), BaseRowStoredItem(def, new), false, -1);
}

static bool
HasSameEntryItem(const TableDef *def, const IndexDef *index, BaseRow *old, BaseRow *new)
{
	return SliceEqual(SliceOfVarlena(IndexEntryItem(def, index, BaseRowItem(def, old))),
					  SliceOfVarlena(IndexEntryItem(def, index, BaseRowItem(def, new))));
}

/* Whether an entry that keeps its key also keeps its content. */
static bool
KeepsContent(const TableDef *def, const IndexDef *index, BaseRow *old, BaseRow *new,
			 const EntryKey *before, const EntryKey *after)
{
	if ((index->projected == PROJECTED_KEYS_ONLY && index->kind->beside == NULL) ||
		ItemsIdentical(def, old, new))
		return true;
	if (index->kind->beside != NULL && !index->kind->same_beside(index, before, after))
		return false;
	if (EntryIsWholeItem(index))
	{
		BaseRowItem(def, old);
		BaseRowItem(def, new);
		return SliceEqual(SliceOfVarlena(old->item), SliceOfVarlena(new->item));
	}
	return HasSameEntryItem(def, index, old, new);
}

static struct varlena *
EntryContent(const TableDef *def, const IndexDef *index, BaseRow *row)
{
	ValueRef	item = BaseRowItem(def, row);

	return EntryIsWholeItem(index) ? row->item :
		IndexEntryItem(def, index, item);
}

/*
 * Whether the entry found belongs to a row that got the same key by a later
 * command.  The event of that row has then fired before this one.
 */
static bool
EntryIsLater(EntryTable *t, const RowEvent *event)
{
	bool		should_free;
	CommandId	command = OwnCommandOf(ExecFetchSlotHeapTuple(t->own.slot, false, &should_free));

	return command != InvalidCommandId && command >= event->command;
}

/*
 * Finds the entry of the old row.  A missing one is not an error; verify_index
 * reports it.
 */
static bool
FindOldEntry(EntryTable *t, const EntryKey *key, const RowEvent *event)
{
	return EntryFind(t, key) && !EntryIsLater(t, event);
}

static void
ReplaceEntry(EntryTable *t, const EntryKey *key, BaseRow *row)
{
	struct varlena *content = EntryContent(t->def, t->index, row);

	if (EntryFind(t, key))
		EntryUpdate(t, key, content);
	else
		EntryInsert(t, key, content);
}

/* Writes the entry of a row; may_exist: the entry may already exist. */
static void
WriteEntry(EntryTable *t, const EntryKey *key, BaseRow *row, bool may_exist)
{
	if (may_exist)
		ReplaceEntry(t, key, row);
	else
		EntryInsert(t, key, EntryContent(t->def, t->index, row));
}

static void
RemoveEntry(const TableDef *def, const IndexDef *index, const RowEvent *event, const EntryKey *key)
{
	EntryTable	t;

	EntryTableOpen(&t, def, index, key->shard, RowExclusiveLock);
	if (FindOldEntry(&t, key, event))
		EntryDelete(&t);
	EntryTableClose(&t);
}

/* Moves an entry from one key to another; either can be absent. */
static void
MoveEntry(const TableDef *def, const IndexDef *index, const RowEvent *event,
		  const EntryKey *before, const EntryKey *after, BaseRow *new, bool overtaken)
{
	EntryTable	t;
	bool		stays = before->present && after->present && before->shard == after->shard && !overtaken;

	if (before->present && !stays)
		RemoveEntry(def, index, event, before);
	if (!after->present)
		return;
	EntryTableOpen(&t, def, index, after->shard, RowExclusiveLock);
	if (stays && FindOldEntry(&t, before, event))
		EntryMove(&t, after, EntryContent(def, index, new));
	else
		WriteEntry(&t, after, new, overtaken);
	EntryTableClose(&t);
}

/*
 * Updates the entry of a row in one index.  overtaken: another event has the
 * same new row, and may or may not have fired.
 *
 * While an index is being filled, a row may have no entry yet.  The pass may
 * already be past the position of the new version, so its entry is written
 * here even if its content has not changed.
 */
static void
MaintainIndex(const TableDef *def, const IndexDef *index, const RowEvent *event,
			  BaseRow *old, BaseRow *new, bool overtaken)
{
	EntryKey	before;
	EntryKey	after;

	EntryKeyOfRow(def, index, old, &before);
	EntryKeyOfRow(def, index, new, &after);
	if (!before.present || !after.present || !EntryKeysEqual(def, index, &before, &after))
		MoveEntry(def, index, event, &before, &after, new, overtaken);
	else if (overtaken || index->status == INDEX_CREATING ||
			 !KeepsContent(def, index, old, new, &before, &after))
	{
		EntryTable	t;

		EntryTableOpen(&t, def, index, after.shard, RowExclusiveLock);
		ReplaceEntry(&t, &after, new);
		EntryTableClose(&t);
	}
}

bool
ChangesEntry(const TableDef *def, const IndexDef *index, BaseRow *old, BaseRow *new)
{
	EntryKey	before;
	EntryKey	after;

	EntryKeyOfRow(def, index, old, &before);
	EntryKeyOfRow(def, index, new, &after);
	if (before.present != after.present)
		return true;
	return before.present && (!EntryKeysEqual(def, index, &before, &after) ||
							  !KeepsContent(def, index, old, new, &before, &after));
}

/*
 * Whether an index is maintained.  A replaced one is kept unchanged for its
 * last readers.
 */
bool
IsMaintainedIndex(const IndexDef *index)
{
	return index->kind->own_entries && index->status != INDEX_DELETING;
}

/*
 * Updates the entries of a row, or records the change if they are on other
 * nodes.  If the row was changed again before the event fired, its latest
 * version is used, so that the entries are right at the end whatever the order
 * of the events.
 */
static void
MaintainRow(const RowEvent *event, const TableDef *def)
{
	TupleDesc	desc = RelationGetDescr(event->rel);
	bool		overtaken = RowEventOvertaken(event) != InvalidCommandId;
	BaseRow		old = {.desc = desc, .tuple = event->old};
	BaseRow		new = {.desc = desc, .tuple = overtaken ? RowEventLatest(event) : event->new};

	if (elsewhere->records_changes(event->rel, def))
	{
		elsewhere->record_change(def, event, &old, &new);
		return;
	}
	for (int i = 0; i < def->nindexes; i++)
	{
		if (IsMaintainedIndex(&def->indexes[i]))
			MaintainIndex(def, &def->indexes[i], event, &old, &new, overtaken);
	}
}

/* ---- TRUNCATE ---- */

/*
 * Does what TRUNCATE does, except for the message to logical subscribers.  A
 * subscriber's index table is truncated together with its table.  If one is
 * only rebuilt here, a subscriber's must keep its rows.
 */
static void
TruncateUnpublished(Oid index_table)
{
	List	   *relids = find_all_inheritors(index_table, AccessExclusiveLock, NULL);
	List	   *rels = NIL;
	ListCell   *cell;

	foreach(cell, relids)
	{
		Relation	rel = table_open(lfirst_oid(cell), NoLock);

		CheckTableNotInUse(rel, "TRUNCATE");
		rels = lappend(rels, rel);
	}
	TruncateRelations(rels, relids);
	foreach(cell, rels)
		table_close((Relation) lfirst(cell), NoLock);
	CommandCounterIncrement();
}

/*
 * A user who may truncate the table needs no privilege on the index table.  The
 * static mark that lets the index table be truncated must be taken back after an
 * error, too.
 */
static void
TruncateMarked(Oid index_table)
{
	truncating = true;
	PG_TRY();
	{
		TruncateUnpublished(index_table);
	}
	PG_FINALLY();
	{
		truncating = false;
	}
	PG_END_TRY();
}

/* Truncates an index table as part of the user's statement. */
static void
TruncateIndexTableOf(const TableDef *def, const IndexDef *index)
{
	Relation	rel = IndexTableOpen(def, index, AccessExclusiveLock);
	Oid			index_table = RelationGetRelid(rel);

	table_close(rel, NoLock);
	TruncateMarked(index_table);
}

void
TruncateIndexTable(const TableDef *def, const IndexDef *index)
{
	OwnerScope	scope;

	OwnerScopeEnterForMaintenance(&scope, RelationOwner(TableDefRoot(def)));
	TruncateIndexTableOf(def, index);
	OwnerScopeLeave(&scope);
}

/*
 * A single partition cannot be truncated, because it is not known which
 * entries belong to it.
 */
static void
CheckWholeTable(Relation partition)
{
	Relation	rel = table_open(PartitionRoot(RelationGetRelid(partition)), AccessShareLock);

	if (!CheckRelationLockedByMe(rel, AccessExclusiveLock, false))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("cannot truncate partition \"%s\" of dynamo table \"%s\"",
						RelationGetRelationName(partition), RelationGetRelationName(rel)),
				 errdetail("The index tables would keep the entries of the partition."),
				 errhint("Use DELETE, or truncate the whole table.")));
	table_close(rel, NoLock);
}

/* The index tables of a distributed table have entries of other shards, too. */
static void
RefuseTruncation(Relation rel, const TableDef *def)
{
	for (int i = 0; i < def->nindexes; i++)
	{
		if (IsMaintainedIndex(&def->indexes[i]))
		{
			RefuseDistributed(rel, "TRUNCATE of a table with index tables");
			return;
		}
	}
}

static void
TruncateIndexTables(Relation rel, const TableDef *def)
{
	RefuseTruncation(rel, def);
	for (int i = 0; i < def->nindexes; i++)
	{
		if (IsMaintainedIndex(&def->indexes[i]))
			TruncateIndexTableOf(def, &def->indexes[i]);
	}
}

/* ---- the trigger functions ---- */

/*
 * Checks the key columns if other triggers may have changed the row after they
 * were derived.
 */
static void
CheckAfterTriggers(const TriggerData *trigger, const TableDef *def)
{
	if (TRIGGER_FIRED_BY_INSERT(trigger->tg_event))
		CheckDerivedRow(trigger->tg_relation, def, trigger->tg_trigtuple, NULL);
	else if (TRIGGER_FIRED_BY_UPDATE(trigger->tg_event))
		CheckDerivedRow(trigger->tg_relation, def, trigger->tg_newtuple, trigger->tg_trigtuple);
}

/* A StoreMaintenance, for a table without later_trigger. */
static void
MaintainWrittenRow(Relation rel, TableDef *def, HeapTuple old, HeapTuple new, CommandId command)
{
	RowEvent	event = {.rel = rel, .old = old, .new = new, .command = command};

	MaintainRow(&event, def);
}

void
MaintenanceInit(void)
{
	StoreSetMaintenance(MaintainWrittenRow);
}

static void
MaintainAfterRow(const TriggerData *trigger, const TableDef *def)
{
	RowEvent	event;

	RowEventOfTrigger(&event, trigger);
	MaintainRow(&event, def);
}

DYNAMO_FUNCTION(dynamo_maintain_indexes);

Datum
dynamo_maintain_indexes(PG_FUNCTION_ARGS)
{
	TriggerData *trigger = (TriggerData *) fcinfo->context;
	TableDef   *def;

	if (!CALLED_AS_TRIGGER(fcinfo) || !TRIGGER_FIRED_AFTER(trigger->tg_event) ||
		TRIGGER_FIRED_FOR_ROW(trigger->tg_event) == TRIGGER_FIRED_BY_TRUNCATE(trigger->tg_event))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("dynamo_system.maintain_indexes must be an AFTER row trigger or an AFTER TRUNCATE trigger")));
	def = TableDefAcquire(trigger->tg_relation);
	if (unlikely(def->later_trigger != NULL))
		CheckAfterTriggers(trigger, def);
	if (!TRIGGER_FIRED_BY_TRUNCATE(trigger->tg_event))
		MaintainAfterRow(trigger, def);
	else if (trigger->tg_relation->rd_rel->relispartition)
		CheckWholeTable(trigger->tg_relation);
	else
		TruncateIndexTables(trigger->tg_relation, def);
	TableDefRelease(def);
	return PointerGetDatum(NULL);
}

DYNAMO_FUNCTION(dynamo_guard_index);

Datum
dynamo_guard_index(PG_FUNCTION_ARGS)
{
	TriggerData *trigger = (TriggerData *) fcinfo->context;

	if (!CALLED_AS_TRIGGER(fcinfo) || !TRIGGER_FIRED_BEFORE(trigger->tg_event))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("dynamo_system.guard_index must be a BEFORE trigger")));
	if (TRIGGER_FIRED_BY_TRUNCATE(trigger->tg_event) && !truncating &&
		SessionReplicationRole != SESSION_REPLICATION_ROLE_REPLICA)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("cannot truncate index table \"%s\"",
						RelationGetRelationName(trigger->tg_relation)),
				 errhint("Truncate its table instead, or use dynamo.reindex to rebuild the index.")));
	return PointerGetDatum(MovedRow(trigger));
}
