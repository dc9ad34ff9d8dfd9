/*
 * record_change.c
 *	  Records the changes of rows of a distributed table.
 *
 * The first record of an item has the number 1, and a record that is applied is deleted.
 * The next number is therefore one more than that of the last record that is there, as the
 * latest commit left them: of writers there is one at a time, and if the applier deletes
 * records at the moment, they count.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/tableam.h"
#include "commands/trigger.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "citus/changes.h"
#include "citus/shards.h"
#include "item/builder.h"
#include "security/owner.h"
#include "store/row_event.h"
#include "store/scan.h"
#include "table/distribution.h"
#include "table/table_slot.h"

/* ---- the shard with the records ---- */

/* Finds the shard of the change table that moves with a shard; InvalidOid if there is none. */
static Oid
FindChangeShard(Relation rel)
{
	Oid			table = DistributedTableOf(rel);
	Oid			changes = OidIsValid(table) ? FindChangeTable(table) : InvalidOid;

	return OidIsValid(changes) ? FindColocatedShard(ShardNumberOf(rel), changes) : InvalidOid;
}

/* Where the changes of a shard are recorded, as found last for its definition. */
typedef struct FoundChanges
{
	Oid			relid;
	uint64		found_at;		/* linked_table_changes then */
} FoundChanges;

static TableSlot found_changes = {sizeof(FoundChanges)};

/* The same, from the cached definition if nothing has changed. */
static Oid
ChangeShardOf(Relation rel, const TableDef *def)
{
	FoundChanges *known = TableSlotGet(def, &found_changes);
	uint64		changes = linked_table_changes;
	Oid			relid;

	if (def->cached && OidIsValid(known->relid) && known->found_at == changes)
		return known->relid;
	relid = FindChangeShard(rel);
	if (OidIsValid(relid))
		WatchLinkedTable(relid);
	known->relid = relid;
	known->found_at = changes;
	return relid;
}

static bool
HasMaintainedIndex(const TableDef *def)
{
	for (int i = 0; i < def->nindexes; i++)
	{
		if (IsMaintainedIndex(&def->indexes[i]))
			return true;
	}
	return false;
}

bool
RecordsChanges(Relation rel, const TableDef *def)
{
	if (!HasMaintainedIndex(def))
		return false;
	if (OidIsValid(ChangeShardOf(rel, def)))
		return true;
	RefuseShard(rel, "an index table of one server");
	return false;
}

/* ---- a record ---- */

/* A record to append, in the columns of the change table. */
typedef struct ChangeRecord
{
	int64		number;
	bool		has_new;
	Datum		new;
} ChangeRecord;

/* Whether the record that was found has a later change than an event; see row_event.h. */
static bool
IsLaterRecord(RawTable *t, const RowEvent *event)
{
	bool		should_free;
	CommandId	command = OwnCommandOf(ExecFetchSlotHeapTuple(t->slot, false, &should_free));

	return command != InvalidCommandId && command >= event->command;
}

/*
 * Gives a record its place after the last one of the item.  If that is of a later command,
 * which has put an item where this one removes its predecessor, the item stays.
 */
static void
PlaceRecord(RawTable *t, const TableDef *def, const RowEvent *event, const Datum *key, ChangeRecord *record)
{
	int			nkey = KeyCount(&def->key);
	ScanKeyData keys[2];
	bool		isnull;

	for (int i = 0; i < nkey; i++)
		KeyScanKey(&keys[i], t->pkey, i, TableKeyAttribute(def, i)->type, BTEqualStrategyNumber, key[i]);
	record->number = 1;
	if (!RawTableFindLast(t, keys, nkey, SnapshotSelf))
		return;
	record->number += DatumGetInt64(slot_getattr(t->slot, ChangeColumn(def, CHANGE_NUMBER) + 1, &isnull));
	if (record->has_new || !IsLaterRecord(t, event))
		return;
	record->new = slot_getattr(t->slot, ChangeColumn(def, CHANGE_NEW) + 1, &isnull);
	record->has_new = !isnull;
	if (!isnull)
		record->new = PointerGetDatum(PG_DETOAST_DATUM_COPY(record->new));
}

/* The attributes of an item that have columns, from which its entries are found. */
static struct varlena *
AttributesWithColumns(const TableDef *def, ValueRef item)
{
	ItemBuilder b;
	struct varlena *result;

	ItemBuilderInit(&b, 0, DUPLICATE_NAME_ERROR);
	ItemBuilderBeginMap(&b);
	for (int i = 0; i < def->nattributes; i++)
	{
		const AttributeDef *attr = &def->attributes[i];
		ValueRef	v = AttributeFind(item, attr->name.data, attr->name.len);

		if (ValueIsMissing(v))
			continue;
		ItemBuilderName(&b, attr->name.data, attr->name.len);
		ItemBuilderValue(&b, v);
	}
	ItemBuilderEnd(&b);
	result = ItemBuilderFinish(&b);
	ItemBuilderRelease(&b);
	return result;
}

static void
AppendRecordedChange(RawTable *t, const TableDef *def, const RowEvent *event, const Datum *key, BaseRow *old, BaseRow *new)
{
	Datum		values[MAX_CHANGE_COLUMNS];
	bool		nulls[MAX_CHANGE_COLUMNS] = {false};
	int			nkey = KeyCount(&def->key);
	ChangeRecord record = {.has_new = new != NULL};

	if (new != NULL)
		record.new = BaseRowStoredItem(def, new);
	PlaceRecord(t, def, event, key, &record);
	memcpy(values, key, sizeof(Datum) * nkey);
	values[nkey + CHANGE_NUMBER] = Int64GetDatum(record.number);
	values[nkey + CHANGE_TIME] = TimestampTzGetDatum(GetCurrentTimestamp());
	nulls[nkey + CHANGE_OLD] = old == NULL;
	values[nkey + CHANGE_OLD] = old == NULL ? (Datum) 0 :
		PointerGetDatum(AttributesWithColumns(def, BaseRowItem(def, old)));
	nulls[nkey + CHANGE_NEW] = !record.has_new;
	values[nkey + CHANGE_NEW] = record.new;
	RawTableForm(t, values, nulls);
	RawTableInsert(t);
}

/* Copies the key of a row. */
static void
KeyOfRow(const TableDef *def, BaseRow *row, Datum *key)
{
	for (int i = 0; i < KeyCount(&def->key); i++)
	{
		bool		isnull;

		key[i] = BaseRowColumn(row, TableKeyAttribute(def, i)->attnum, &isnull);
	}
}

static bool
KeyColumnsEqual(const TableDef *def, const Datum *a, const Datum *b)
{
	for (int i = 0; i < KeyCount(&def->key); i++)
	{
		if (!KeyDatumsEqual(TableKeyAttribute(def, i)->type, a[i], b[i]))
			return false;
	}
	return true;
}

/* A change of the key is the end of one item and the beginning of another one. */
static void
AppendRecords(RawTable *t, const TableDef *def, const RowEvent *event, BaseRow *old, BaseRow *new)
{
	Datum		before[2];
	Datum		after[2];

	if (old != NULL)
		KeyOfRow(def, old, before);
	if (new != NULL)
		KeyOfRow(def, new, after);
	if (old != NULL && new != NULL && !KeyColumnsEqual(def, before, after))
	{
		AppendRecordedChange(t, def, event, before, old, NULL);
		old = NULL;
	}
	AppendRecordedChange(t, def, event, new != NULL ? after : before, old, new);
}

static bool
ChangesAnyEntry(const TableDef *def, BaseRow *old, BaseRow *new)
{
	for (int i = 0; i < def->nindexes; i++)
	{
		if (IsMaintainedIndex(&def->indexes[i]) && ChangesEntry(def, &def->indexes[i], old, new))
			return true;
	}
	return false;
}

/* A move of a shard replicates the rows and, apart from them, their records. */
void
RecordChangeOfRow(const TableDef *def, const RowEvent *event, BaseRow *old, BaseRow *new)
{
	Relation	changes;
	RawTable	t;

	if (SessionReplicationRole == SESSION_REPLICATION_ROLE_REPLICA || !ChangesAnyEntry(def, old, new))
		return;
	changes = ChangeShardOpen(ChangeShardOf(event->rel, def), def, event->rel->rd_rel->relowner);
	RawTableBegin(&t, changes);
	AppendRecords(&t, def, event, old->tuple != NULL ? old : NULL, new->tuple != NULL ? new : NULL);
	RawTableEnd(&t);
	table_close(changes, NoLock);
}

/* ---- all rows ---- */

static void
RecordRow(RawTable *t, const TableDef *def, const IndexDef *index, Relation rel, HeapTuple tuple)
{
	RowEvent	event = {.rel = rel, .new = tuple, .command = InvalidCommandId};
	BaseRow		row = {.tuple = tuple, .desc = RelationGetDescr(rel)};
	EntryKey	entry;
	Datum		key[2];

	EntryKeyOfRow(def, index, &row, &entry);
	if (!entry.present)
		return;
	KeyOfRow(def, &row, key);
	AppendRecordedChange(t, def, &event, key, NULL, &row);
}

static void
RecordRowsIn(Relation changes, Relation rel, const TableDef *def, const IndexDef *index)
{
	MemoryContext caller = CurrentMemoryContext;
	MemoryContext context = AllocSetContextCreate(caller, "dynamo recorded row", ALLOCSET_DEFAULT_SIZES);
	Snapshot	snapshot = RegisterSnapshot(GetLatestSnapshot());
	TableScanDesc scan = BeginTableScan(rel, snapshot);
	TupleTableSlot *slot = table_slot_create(rel, NULL);
	RawTable	t;

	RawTableBegin(&t, changes);
	while (table_scan_getnextslot(scan, ForwardScanDirection, slot))
	{
		bool		should_free;

		CHECK_FOR_INTERRUPTS();
		MemoryContextSwitchTo(context);
		RecordRow(&t, def, index, rel, ExecFetchSlotHeapTuple(slot, false, &should_free));
		MemoryContextSwitchTo(caller);
		MemoryContextReset(context);
	}
	RawTableEnd(&t);
	ExecDropSingleTupleTableSlot(slot);
	table_endscan(scan);
	UnregisterSnapshot(snapshot);
	MemoryContextDelete(context);
}

void
RecordRows(Relation rel, const char *index_name)
{
	TableDef   *def = TableDefAcquire(rel);
	OwnerScope	scope;
	Relation	changes;

	OwnerScopeEnter(&scope, rel->rd_rel->relowner);
	changes = ChangeShardOpen(ChangeShardOf(rel, def), def, rel->rd_rel->relowner);
	RecordRowsIn(changes, rel, def, TableDefIndexOf(def, index_name));
	table_close(changes, NoLock);
	OwnerScopeLeave(&scope);
	TableDefRelease(def);
}
