/*
 * capture.c
 *	  The triggers of streams.
 *
 * capture_changes, on a table with a stream, AFTER each row and BEFORE
 * TRUNCATE: appends a record for every item that changed.  An update that
 * changes nothing makes none; one that gives an item another key removes one
 * item and inserts another.  TRUNCATE removes every item.
 *
 * guard_stream, on the stream's table: skips every write.  Records are
 * written past triggers, so that what arrives here came from elsewhere: a
 * subscription to all tables, whose items make their own records, or a user.
 *
 * Restoring a dump is no change.  A dump of the whole loads data before there
 * are triggers.  A data-only dump finds them there: rows that are inserted in
 * the state that pg_dump's output sets up, by an owner of the table, make no
 * record, and the records in the dump are let in.
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

#include "catalog/stored.h"
#include "compat.h"
#include "store/row_event.h"
#include "stream/stream.h"

/* ---- circumstances ---- */

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

/* Whether rows are inserted from a dump: its fixed settings, and an owner. */
static bool
IsRestoring(Relation rel)
{
	return !check_function_bodies && !row_security && namespace_search_path[0] == '\0' &&
		RelationOwnercheck(RelationGetRelid(rel), GetUserId());
}

/* ---- records ---- */

/* What a trigger of a table is called with. */
typedef struct Capture
{
	Relation	rel;
	TupleDesc	desc;
	const TableDef *def;
	bool		new_images;
	bool		old_images;
	StreamTable stream;
	RowEvent	event;			/* not late for TRUNCATE */
} Capture;

static void
CaptureBegin(Capture *c, const TriggerData *trigger)
{
	const char *view;

	if (trigger->tg_trigger->tgnargs != 3)
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("dynamo.capture_changes must be called with a stream, a view and a label")));
	view = trigger->tg_trigger->tgargs[1];
	c->event.late = false;
	c->rel = trigger->tg_relation;
	c->desc = RelationGetDescr(c->rel);
	c->def = TableDefAcquire(c->rel);
	c->new_images = StreamViewHasNew(view);
	c->old_images = StreamViewHasOld(view);
	StreamTableOpen(&c->stream, c->def, trigger->tg_trigger->tgargs[0]);
}

static void
CaptureEnd(Capture *c)
{
	StreamTableClose(&c->stream);
	TableDefRelease(unconstify(TableDef *, c->def));
}

static Datum
ColumnOf(const Capture *c, HeapTuple tuple, AttrNumber attnum)
{
	bool		isnull;
	Datum		value = heap_getattr(tuple, attnum, c->desc, &isnull);

	if (isnull)
		InvalidTupleError(c->def->relid, tuple, "Its key or its item is null.");
	return value;
}

static const AttributeDef *
KeyAttributeOf(const Capture *c, int i)
{
	return &c->def->attributes[c->def->key_attributes[i]];
}

/* The key as an item, from the columns: the item need not be read. */
static Datum
KeysOf(const Capture *c, HeapTuple tuple)
{
	const char *problem;
	struct varlena *keys = KeyOfTuple(c->def, tuple, c->desc, &problem);

	if (keys == NULL)
		InvalidTupleError(c->def->relid, tuple, problem);
	return PointerGetDatum(keys);
}

static bool
SameKey(const Capture *c, HeapTuple old, HeapTuple new)
{
	for (int i = 0; i < c->def->key.npartition + c->def->key.nsort; i++)
	{
		const AttributeDef *attr = KeyAttributeOf(c, i);

		if (!KeyDatumsEqual(attr->type, ColumnOf(c, old, attr->attnum),
							ColumnOf(c, new, attr->attnum)))
			return false;
	}
	return true;
}

/* Items have one form: equal bytes are equal items. */
static bool
SameItem(const Capture *c, HeapTuple old, HeapTuple new)
{
	Datum		a = ColumnOf(c, old, c->def->item_attnum);
	Datum		b = ColumnOf(c, new, c->def->item_attnum);
	/* the second also sees through compression and storage outside the row */
	return datumIsEqual(a, b, false, -1) || datum_image_eq(a, b, false, -1);
}

/* Either tuple may be NULL, as the event has it. */
static void
Record(Capture *c, char event, HeapTuple old, HeapTuple new)
{
	StreamRow	row = {0};

	row.event = event;
	row.has_new = new != NULL && c->new_images;
	row.has_old = old != NULL && c->old_images;
	row.keys = KeysOf(c, new != NULL ? new : old);
	if (row.has_new)
		row.new_item = ColumnOf(c, new, c->def->item_attnum);
	if (row.has_old)
		row.old_item = ColumnOf(c, old, c->def->item_attnum);
	if (c->event.late)
		StreamAppendLate(&c->stream, &row, c->event.command,
						 new != NULL ? RowEventOvertaken(&c->event) :
						 RowEventKeyTaken(&c->event, c->def));
	else
		(void) StreamAppend(&c->stream, &row);
}

static void
RecordUpdate(Capture *c, HeapTuple old, HeapTuple new)
{
	if (!SameKey(c, old, new))
	{
		Record(c, STREAM_REMOVE, old, NULL);
		Record(c, STREAM_INSERT, NULL, new);
	}
	else if (!SameItem(c, old, new))
		Record(c, STREAM_MODIFY, old, new);
}

static void
CaptureRow(const TriggerData *trigger)
{
	Capture		c;

	CaptureBegin(&c, trigger);
	RowEventOfTrigger(&c.event, trigger);
	if (c.event.old != NULL && c.event.new != NULL)
		RecordUpdate(&c, c.event.old, c.event.new);
	else if (c.event.new == NULL)
		Record(&c, IsExpiring(c.rel) ? STREAM_EXPIRE : STREAM_REMOVE, c.event.old, NULL);
	else if (!IsRestoring(c.rel))
		Record(&c, STREAM_INSERT, NULL, c.event.new);
	CaptureEnd(&c);
}

/* ---- TRUNCATE ---- */

/* Records the removal of all rows of a table, which nobody else can write. */
static void
RecordAll(Capture *c)
{
	Snapshot	snapshot = RegisterSnapshot(GetLatestSnapshot());
	TableScanDesc scan = table_beginscan(c->rel, snapshot, 0, NULL);
	TupleTableSlot *slot = table_slot_create(c->rel, NULL);
	MemoryContext row_context = AllocSetContextCreate(CurrentMemoryContext, "dynamo stream row",
													  ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(row_context);

	while (table_scan_getnextslot(scan, ForwardScanDirection, slot))
	{
		bool		should_free;

		CHECK_FOR_INTERRUPTS();
		Record(c, STREAM_REMOVE, ExecFetchSlotHeapTuple(slot, false, &should_free), NULL);
		MemoryContextReset(row_context);
	}
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(row_context);
	ExecDropSingleTupleTableSlot(slot);
	table_endscan(scan);
	UnregisterSnapshot(snapshot);
}

/* The partitions of a table have its definition, too. */
static void
CaptureTruncate(const TriggerData *trigger)
{
	List	   *relids = find_all_inheritors(RelationGetRelid(trigger->tg_relation), NoLock, NULL);
	ListCell   *cell;

	foreach(cell, relids)
	{
		TriggerData of_relation = *trigger;
		Capture		c;

		if (get_rel_relkind(lfirst_oid(cell)) != RELKIND_RELATION)
			continue;
		of_relation.tg_relation = table_open(lfirst_oid(cell), AccessShareLock);
		CaptureBegin(&c, &of_relation);
		RecordAll(&c);
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
				 errmsg("dynamo.capture_changes must be called as a trigger")));
	truncate = TRIGGER_FIRED_BY_TRUNCATE(trigger->tg_event);
	if (TRIGGER_FIRED_FOR_ROW(trigger->tg_event) == truncate ||
		TRIGGER_FIRED_BEFORE(trigger->tg_event) != truncate)
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("dynamo.capture_changes must be an AFTER row trigger or a BEFORE TRUNCATE trigger")));
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
				 errmsg("dynamo.guard_stream must be a BEFORE trigger")));
	if (TRIGGER_FIRED_BY_TRUNCATE(trigger->tg_event) &&
		SessionReplicationRole != SESSION_REPLICATION_ROLE_REPLICA)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("cannot truncate stream \"%s\"",
						RelationGetRelationName(trigger->tg_relation)),
				 errhint("Use dynamo.trim_streams.")));
	if (TRIGGER_FIRED_BY_INSERT(trigger->tg_event) && IsRestoring(trigger->tg_relation))
		return PointerGetDatum(trigger->tg_trigtuple);
	return PointerGetDatum(NULL);
}
