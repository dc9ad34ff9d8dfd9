/*
 * capture.c
 *	  The triggers of streams.
 *
 * capture_changes, on a table with a stream, fires AFTER each row and BEFORE
 * TRUNCATE.  It appends a record for every changed item.  An update that
 * changes nothing appends none; an update that changes the key appends two,
 * the removal of one item and the insertion of another.  TRUNCATE removes
 * every item.
 *
 * guard_stream, on the stream's table, skips every write.  Records are written
 * without firing triggers, so that other writes come from elsewhere: from a
 * subscription to all tables, whose items create their own records, or from a
 * user.
 *
 * Restoring a dump creates no records.  A full dump loads data before it
 * creates triggers.  A data-only dump loads data into tables with triggers:
 * rows inserted by an owner of the table, with the settings of pg_dump's
 * output, create no records, and the records in the dump are accepted.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "access/tableam.h"
#include "catalog/namespace.h"
#include "catalog/partition.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "commands/trigger.h"
#include "miscadmin.h"
#include "nodes/parsenodes.h"
#include "utils/acl.h"
#include "utils/datum.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/rls.h"
#include "utils/snapmgr.h"

#include "compat.h"
#include "store/row_event.h"
#include "stream/stream.h"
#include "table/distribution.h"
#include "table/restoring.h"
#include "table/stored.h"

/* ---- conditions ---- */

/* The table whose expired items are being deleted. */
static Oid	expiring = InvalidOid;

void
StreamSetExpiring(Oid relid)
{
	expiring = relid;
}

Oid
StreamGetExpiring(void)
{
	return expiring;
}

static bool
IsExpiring(Relation rel)
{
	if (!OidIsValid(expiring))
		return false;
	return RelationGetRelid(rel) == expiring ||
		(rel->rd_rel->relispartition &&
		 list_member_oid(get_partition_ancestors(RelationGetRelid(rel)), expiring));
}

/* ---- records ---- */

/* The state of a trigger call. */
typedef struct Capture
{
	Relation	rel;
	TupleDesc	desc;
	const TableDef *def;
	bool		new_images;
	bool		old_images;
	StreamTable stream;
	RowEvent	event;			/* never late for TRUNCATE */
} Capture;

static void
CaptureBegin(Capture *c, const TriggerData *trigger)
{
	const char *view;

	if (trigger->tg_trigger->tgnargs != 3)
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("dynamo_system.capture_changes must be called with a stream, a view and a label")));
	view = trigger->tg_trigger->tgargs[1];
	c->event.late = false;
	c->rel = trigger->tg_relation;
	c->desc = RelationGetDescr(c->rel);
	c->def = TableDefAcquire(c->rel);
	c->new_images = StreamViewHasNew(view);
	c->old_images = StreamViewHasOld(view);
	StreamTableOpen(&c->stream, c->rel, c->def, trigger->tg_trigger->tgargs[0]);
}

static void
CaptureEnd(Capture *c)
{
	StreamTableClose(&c->stream);
	TableDefRelease(unconstify(TableDef *, c->def));
}

static Datum
GetCapturedColumn(const Capture *c, HeapTuple tuple, AttrNumber attnum)
{
	bool		isnull;
	Datum		value = heap_getattr(tuple, attnum, c->desc, &isnull);

	if (isnull)
		InvalidTupleError(c->def->relid, tuple, "Its key or its item is null.");
	return value;
}

/* The key as an item, from the columns, so that the item need not be read. */
static Datum
BuildKeyItem(const Capture *c, HeapTuple tuple)
{
	const char *problem;
	bool		none;
	Datum		keys = MaybeItemDatum(KeyOfTuple(c->def, tuple, c->desc, &problem), &none);

	if (none)
		InvalidTupleError(c->def->relid, tuple, problem);
	return keys;
}

static bool
HaveSameKey(const Capture *c, HeapTuple old, HeapTuple new)
{
	for (int i = 0; i < KeyCount(&c->def->key); i++)
	{
		const AttributeDef *attr = TableKeyAttribute(c->def, i);

		if (!KeyDatumsEqual(attr->type, GetCapturedColumn(c, old, attr->attnum),
							GetCapturedColumn(c, new, attr->attnum)))
			return false;
	}
	return true;
}

/* Items have one canonical form: equal items have equal bytes. */
static bool
HaveSameItem(const Capture *c, HeapTuple old, HeapTuple new)
{
	Datum		a = GetCapturedColumn(c, old, c->def->item_attnum);
	Datum		b = GetCapturedColumn(c, new, c->def->item_attnum);
	/* datum_image_eq also compares compressed and out-of-line values. */
	return datumIsEqual(a, b, false, -1) || datum_image_eq(a, b, false, -1);
}

/* Appends a record.  old or new may be NULL, depending on the event. */
static void
RecordChange(Capture *c, char event, HeapTuple old, HeapTuple new)
{
	StreamRow	row = {0};

	row.event = event;
	row.has_new = new != NULL && c->new_images;
	row.has_old = old != NULL && c->old_images;
	row.keys = BuildKeyItem(c, new != NULL ? new : old);
	row.partition_key = GetCapturedColumn(c, new != NULL ? new : old, TableKeyAttribute(c->def, 0)->attnum);
	if (row.has_new)
		row.new_item = GetCapturedColumn(c, new, c->def->item_attnum);
	if (row.has_old)
		row.old_item = GetCapturedColumn(c, old, c->def->item_attnum);
	if (c->event.late)
		StreamAppendLate(&c->stream, &row, c->event.command,
						 new != NULL ? RowEventOvertaken(&c->event) :
						 RowEventKeyTaken(&c->event, c->def));
	else
		(void) StreamAppend(&c->stream, &row);
}

static void
AppendUpdateRecords(Capture *c, HeapTuple old, HeapTuple new)
{
	if (!HaveSameKey(c, old, new))
	{
		RecordChange(c, STREAM_REMOVE, old, NULL);
		RecordChange(c, STREAM_INSERT, NULL, new);
	}
	else if (!HaveSameItem(c, old, new))
		RecordChange(c, STREAM_MODIFY, old, new);
}

/* Rows that are moved with their shard, whose records move with the shard of the stream. */
static bool
IsMoving(const TriggerData *trigger)
{
	return SessionReplicationRole == SESSION_REPLICATION_ROLE_REPLICA &&
		OidIsValid(DistributedTableOf(trigger->tg_relation));
}

static void
CaptureRow(const TriggerData *trigger)
{
	Capture		c;

	if (IsMoving(trigger) || IsWriteOfRestored(trigger->tg_relation))
		return;
	CaptureBegin(&c, trigger);
	RowEventOfTrigger(&c.event, trigger);
	if (c.event.old != NULL && c.event.new != NULL)
		AppendUpdateRecords(&c, c.event.old, c.event.new);
	else if (c.event.new == NULL)
		RecordChange(&c, IsExpiring(c.rel) ? STREAM_EXPIRE : STREAM_REMOVE, c.event.old, NULL);
	else if (!IsRestoring(c.rel))
		RecordChange(&c, STREAM_INSERT, NULL, c.event.new);
	CaptureEnd(&c);
}

/* ---- TRUNCATE ---- */

/*
 * Records the removal of all rows of a table that is locked against writers.
 */
static void
AppendRemovals(Capture *c)
{
	Snapshot	snapshot = RegisterSnapshot(GetLatestSnapshot());
	TableScanDesc scan = BeginTableScan(c->rel, snapshot);
	TupleTableSlot *slot = table_slot_create(c->rel, NULL);
	MemoryContext row_context = AllocSetContextCreate(CurrentMemoryContext, "dynamo stream row",
													  ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(row_context);

	while (table_scan_getnextslot(scan, ForwardScanDirection, slot))
	{
		bool		should_free;

		CHECK_FOR_INTERRUPTS();
		RecordChange(c, STREAM_REMOVE, ExecFetchSlotHeapTuple(slot, false, &should_free), NULL);
		MemoryContextReset(row_context);
	}
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(row_context);
	ExecDropSingleTupleTableSlot(slot);
	table_endscan(scan);
	UnregisterSnapshot(snapshot);
}

/* Also handles a partition, which has the definition of its table. */
static void
CaptureTruncate(const TriggerData *trigger)
{
	List	   *relids = find_all_inheritors(RelationGetRelid(trigger->tg_relation), NoLock, NULL);
	ListCell   *cell;

	/* the shards have no such trigger */
	RefuseDistributed(trigger->tg_relation, "TRUNCATE of a table with a stream");
	foreach(cell, relids)
	{
		TriggerData of_relation = *trigger;
		Capture		c;

		if (get_rel_relkind(lfirst_oid(cell)) != RELKIND_RELATION)
			continue;
		of_relation.tg_relation = table_open(lfirst_oid(cell), AccessShareLock);
		CaptureBegin(&c, &of_relation);
		AppendRemovals(&c);
		CaptureEnd(&c);
		table_close(of_relation.tg_relation, NoLock);
	}
}

/* ---- the trigger functions ---- */

DYNAMO_FUNCTION(dynamo_capture_changes);

Datum
dynamo_capture_changes(PG_FUNCTION_ARGS)
{
	const TriggerData *trigger = (TriggerData *) fcinfo->context;
	bool		truncate;

	if (!CALLED_AS_TRIGGER(fcinfo))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("dynamo_system.capture_changes must be called as a trigger")));
	truncate = TRIGGER_FIRED_BY_TRUNCATE(trigger->tg_event);
	if (TRIGGER_FIRED_FOR_ROW(trigger->tg_event) == truncate ||
		TRIGGER_FIRED_BEFORE(trigger->tg_event) != truncate)
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("dynamo_system.capture_changes must be an AFTER row trigger or a BEFORE TRUNCATE trigger")));
	if (truncate)
		CaptureTruncate(trigger);
	else
		CaptureRow(trigger);
	return PointerGetDatum(NULL);
}

DYNAMO_FUNCTION(dynamo_guard_stream);

Datum
dynamo_guard_stream(PG_FUNCTION_ARGS)
{
	const TriggerData *trigger = (TriggerData *) fcinfo->context;

	if (!CALLED_AS_TRIGGER(fcinfo) || !TRIGGER_FIRED_BEFORE(trigger->tg_event))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("dynamo_system.guard_stream must be a BEFORE trigger")));
	if (TRIGGER_FIRED_BY_TRUNCATE(trigger->tg_event) &&
		SessionReplicationRole != SESSION_REPLICATION_ROLE_REPLICA)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("cannot truncate stream \"%s\"",
						RelationGetRelationName(trigger->tg_relation)),
				 errhint("Use dynamo.trim_streams to delete records.")));
	if (TRIGGER_FIRED_BY_INSERT(trigger->tg_event) && IsRestoring(trigger->tg_relation))
		return PointerGetDatum(trigger->tg_trigtuple);
	return PointerGetDatum(MovedRow(trigger));
}
