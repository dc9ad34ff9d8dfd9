/*
 * row_event.c
 *	  Events of AFTER ROW triggers, and later changes of their rows.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relscan.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "executor/tuptable.h"
#include "utils/snapmgr.h"

#include "store/row_event.h"
#include "store/scan.h"
#include "table/distribution.h"

/* ---- versions of one row ---- */

/*
 * Whether this transaction has replaced or deleted a version, without rolling
 * it back.
 */
static bool
IsReplaced(HeapTuple tuple)
{
	HeapTupleHeader header = tuple->t_data;

	return !(header->t_infomask & HEAP_XMAX_INVALID) &&
		!HEAP_XMAX_IS_LOCKED_ONLY(header->t_infomask) &&
		TransactionIdIsCurrentTransactionId(HeapTupleHeaderGetUpdateXid(header));
}

/*
 * Returns the command that inserted a version whose event is waiting.  A
 * version inserted by COPY FREEZE contains no transaction and has room for one
 * command only.  If it has been replaced, that is the later command; any
 * earlier command is then as good.
 */
static CommandId
FindInserter(HeapTuple tuple)
{
	HeapTupleHeader header = tuple->t_data;

	if (!HeapTupleHeaderXminFrozen(header))
		return HeapTupleHeaderGetCmin(header);
	if (IsReplaced(tuple))
		return HeapTupleHeaderGetCmax(header) - 1;
	return HeapTupleHeaderGetRawCommandId(header);
}

CommandId
OwnCommandOf(HeapTuple tuple)
{
	if (!TransactionIdIsCurrentTransactionId(HeapTupleHeaderGetXmin(tuple->t_data)))
		return InvalidCommandId;
	return HeapTupleHeaderGetCmin(tuple->t_data);
}

/* ---- events ---- */

/*
 * Returns the command that made the change.  Tuples of other access methods
 * may have no commands in their headers.
 */
static CommandId
FindChangingCommand(const RowEvent *event)
{
	if (event->rel->rd_tableam != GetHeapamTableAmRoutine())
		return InvalidCommandId;
	if (event->new != NULL)
		return FindInserter(event->new);
	return HeapTupleHeaderGetCmax(event->old->t_data);
}

void
RowEventOfTrigger(RowEvent *event, const TriggerData *trigger)
{
	event->rel = trigger->tg_relation;
	event->old = TRIGGER_FIRED_BY_INSERT(trigger->tg_event) ? NULL : trigger->tg_trigtuple;
	event->new = TRIGGER_FIRED_BY_UPDATE(trigger->tg_event) ? trigger->tg_newtuple :
		TRIGGER_FIRED_BY_INSERT(trigger->tg_event) ? trigger->tg_trigtuple : NULL;
	event->command = FindChangingCommand(event);
	event->late = event->command != InvalidCommandId &&
		event->command != GetCurrentCommandId(false);
}

CommandId
RowEventOvertaken(const RowEvent *event)
{
	if (!event->late || event->new == NULL || !IsReplaced(event->new))
		return InvalidCommandId;
	return HeapTupleHeaderGetCmax(event->new->t_data);
}

/*
 * Fetches the version that has replaced this one; false if the row was
 * deleted.
 */
static bool
FetchNext(Relation rel, HeapTuple tuple, TupleTableSlot *slot)
{
	HeapTupleHeader header = tuple->t_data;

	return !HeapTupleHeaderIndicatesMovedPartitions(header) &&
		!ItemPointerEquals(&header->t_ctid, &tuple->t_self) &&
		table_tuple_fetch_row_version(rel, &header->t_ctid, SnapshotAny, slot);
}

HeapTuple
RowEventLatest(const RowEvent *event)
{
	TupleTableSlot *slot = table_slot_create(event->rel, NULL);
	HeapTuple	tuple = event->new;

	while (tuple != NULL && IsReplaced(tuple))
		tuple = FetchNext(event->rel, tuple, slot) ? ExecCopySlotHeapTuple(slot) : NULL;
	ExecDropSingleTupleTableSlot(slot);
	return tuple;
}

/* ---- rows of one key ---- */

static int
OldKeyScanKeys(const RowEvent *event, const TableDef *def, Relation primary, ScanKey keys)
{
	int			n = KeyCount(&def->key);

	for (int i = 0; i < n; i++)
	{
		for (int j = 0; j < n; j++)
		{
			const AttributeDef *attr = TableKeyAttribute(def, j);
			bool		isnull;

			if (attr->attnum == primary->rd_index->indkey.values[i])
				KeyScanKey(&keys[i], primary, i, attr->type, BTEqualStrategyNumber,
						   heap_getattr(event->old, attr->attnum,
										RelationGetDescr(event->rel), &isnull));
		}
	}
	return n;
}

/*
 * Returns the first later command that inserted a version with the key, valid
 * or not.
 */
static CommandId
FindCommandAfter(const RowEvent *event, IndexScanDesc scan, TupleTableSlot *slot)
{
	CommandId	first = InvalidCommandId;

	while (index_getnext_slot(scan, ForwardScanDirection, slot))
	{
		bool		should_free;
		CommandId	command = OwnCommandOf(ExecFetchSlotHeapTuple(slot, false, &should_free));

		if (command != InvalidCommandId && command > event->command)
			first = Min(first, command);
	}
	return first;
}

CommandId
RowEventKeyTaken(const RowEvent *event, const TableDef *def)
{
	ScanKeyData keys[2];
	Relation	primary;
	IndexScanDesc scan;
	TupleTableSlot *slot;
	CommandId	first;
	int			n;

	if (!event->late || event->old == NULL || !OidIsValid(def->primary_key))
		return InvalidCommandId;
	primary = index_open(def->primary_key, AccessShareLock);
	slot = table_slot_create(event->rel, NULL);
	n = OldKeyScanKeys(event, def, primary, keys);
	scan = BeginIndexScan(event->rel, primary, SnapshotAny, n);
	index_rescan(scan, keys, n, NULL, 0);
	first = FindCommandAfter(event, scan, slot);
	index_endscan(scan);
	ExecDropSingleTupleTableSlot(slot);
	index_close(primary, NoLock);
	return first;
}

HeapTuple
MovedRow(const TriggerData *trigger)
{
	if (SessionReplicationRole != SESSION_REPLICATION_ROLE_REPLICA ||
		!TRIGGER_FIRED_FOR_ROW(trigger->tg_event) || ShardNumberOf(trigger->tg_relation) == 0)
		return NULL;
	return TRIGGER_FIRED_BY_UPDATE(trigger->tg_event) ? trigger->tg_newtuple : trigger->tg_trigtuple;
}
