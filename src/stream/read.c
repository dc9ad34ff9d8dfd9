/*
 * read.c
 *	  Reading a stream: up to what is settled (stream.h).
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relscan.h"
#include "access/subtrans.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/transam.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "miscadmin.h"
#include "storage/predicate.h"
#include "storage/procarray.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "catalog/objects.h"
#include "compat.h"
#include "errors.h"
#include "stream/stream.h"

/* ---- columns ---- */

static Datum
ColumnOf(TupleTableSlot *slot, StreamColumn column, bool *isnull)
{
	return slot_getattr(slot, column, isnull);
}

static int64
NumberOf(TupleTableSlot *slot)
{
	bool		isnull;

	return DatumGetInt64(ColumnOf(slot, STREAM_NUMBER, &isnull));
}

static char
EventOf(TupleTableSlot *slot)
{
	bool		isnull;

	return DatumGetChar(ColumnOf(slot, STREAM_EVENT, &isnull));
}

/* ---- scans of the primary key ---- */

void
StreamNumberScanBegin(StreamNumberScan *s, Relation rel, Snapshot snapshot,
					  int64 position, bool below)
{
	ScanKeyData key;

	s->pkey = index_open(PrimaryKeyIndex(rel), AccessShareLock);
	s->slot = table_slot_create(rel, NULL);
	s->scan = BeginIndexScan(rel, s->pkey, snapshot, 1);
	ScanKeyEntryInitialize(&key, 0, 1,
						   below ? BTLessEqualStrategyNumber : BTGreaterEqualStrategyNumber,
						   InvalidOid, InvalidOid, below ? F_INT8LE : F_INT8GE,
						   Int64GetDatum(position));
	index_rescan(s->scan, &key, 1, NULL, 0);
}

bool
StreamNumberScanNext(StreamNumberScan *s, ScanDirection direction)
{
	CHECK_FOR_INTERRUPTS();
	return index_getnext_slot(s->scan, direction, s->slot);
}

void
StreamNumberScanEnd(StreamNumberScan *s)
{
	index_endscan(s->scan);
	ExecDropSingleTupleTableSlot(s->slot);
	index_close(s->pkey, NoLock);
}

/* The greatest number up to a limit of the rows that a snapshot sees; 0: none. */
static int64
GreatestNumber(Relation rel, Snapshot snapshot, int64 limit)
{
	StreamNumberScan s;
	int64		number = 0;

	StreamNumberScanBegin(&s, rel, snapshot, limit, true);
	if (StreamNumberScanNext(&s, BackwardScanDirection))
		number = NumberOf(s.slot);
	StreamNumberScanEnd(&s);
	return number;
}

int64
StreamLastNumber(Relation rel)
{
	return GreatestNumber(rel, SnapshotAny, STREAM_LAST_NUMBER);
}

/* ---- what was trimmed ---- */

static TransactionId
InserterOf(TupleTableSlot *slot, CommandId *command)
{
	bool		should_free;
	HeapTuple	tuple = ExecFetchSlotHeapTuple(slot, false, &should_free);
	TransactionId xid = HeapTupleHeaderGetXmin(tuple->t_data);

	*command = TransactionIdIsCurrentTransactionId(xid) ?
		HeapTupleHeaderGetCmin(tuple->t_data) : InvalidCommandId;
	return xid;
}

/*
 * Up to where the stream has been trimmed; 0 if it never was.  What was deleted
 * may still lie about: the search goes on where an earlier one ended.
 */
static int64
TrimmedUpTo(Relation rel, Snapshot snapshot)
{
	Oid			relid = RelationGetRelid(rel);
	StreamNumberScan s;
	CommandId	command;
	int64		number = 0;

	StreamNumberScanBegin(&s, rel, snapshot, StreamTrimmedOnce(relid, snapshot), false);
	if (StreamNumberScanNext(&s, ForwardScanDirection) && EventOf(s.slot) == STREAM_TRIMMED)
	{
		number = NumberOf(s.slot);
		StreamSawTrimmed(relid, number, InserterOf(s.slot, &command));
	}
	StreamNumberScanEnd(&s);
	return number;
}

int64
StreamFirstNumber(Relation rel, Snapshot snapshot)
{
	return TrimmedUpTo(rel, snapshot) + 1;
}

/*
 * Whether a position is behind the trim mark.  Who reads on has a record right
 * before it, which was not trimmed: then nothing from there on was.
 */
static bool
IsTrimmed(Relation rel, int64 position, Snapshot snapshot)
{
	return GreatestNumber(rel, snapshot, position - 1) == 0 &&
		position <= TrimmedUpTo(rel, snapshot);
}

/* ---- what is settled ---- */

/*
 * Whether a row that is not visible may become so: its transaction was in
 * progress when the snapshot was taken and has not been aborted since.
 */
static bool
IsPending(TupleTableSlot *slot, Snapshot snapshot)
{
	CommandId	command;
	TransactionId xid = InserterOf(slot, &command);

	if (command != InvalidCommandId)
		return command >= snapshot->curcid; /* else it was trimmed */
	if (!TransactionIdIsNormal(xid) || !XidInMVCCSnapshot(xid, snapshot))
		return false;
	return TransactionIdIsInProgress(xid) || TransactionIdDidCommit(xid);
}

/*
 * A serializable reader that stopped at a row has not read what its
 * transaction wrote.
 */
static void
CheckConflictOut(Relation rel, TupleTableSlot *slot, Snapshot snapshot)
{
	CommandId	command;
	TransactionId xid = InserterOf(slot, &command);

	if (!TransactionIdIsNormal(xid) || !CheckForSerializableConflictOutNeeded(rel, snapshot))
		return;
	if (TransactionIdFollowsOrEquals(xid, TransactionXmin))
		xid = SubTransGetTopmostTransaction(xid);
	if (TransactionIdPrecedes(xid, TransactionXmin) ||
		TransactionIdEquals(xid, GetTopTransactionIdIfAny()))
		return;
	CheckForSerializableConflictOut(rel, xid, snapshot);
}

/* The oldest transaction that the snapshot takes for running, all 64 bits. */
static FullTransactionId
OldestRunning(Snapshot snapshot)
{
	FullTransactionId next = ReadNextFullTransactionId();
	uint32		epoch = EpochFromFullTransactionId(next);

	if (snapshot->xmin > XidFromFullTransactionId(next))
		epoch--;
	return FullTransactionIdFromEpochAndXid(epoch, snapshot->xmin);
}

/*
 * Whether no transaction is running that can have taken a number as small as
 * this row's.  A horizon above any id that this server knows says no more than
 * that all known ones must have ended: it comes from another server's dump, or
 * a standby has not heard of ids that are of no interest here.
 */
static bool
IsBelowHorizon(TupleTableSlot *slot, Snapshot snapshot)
{
	bool		isnull;
	FullTransactionId horizon =
		FullTransactionIdFromU64(DatumGetUInt64(ColumnOf(slot, STREAM_HORIZON, &isnull)));
	FullTransactionId next = ReadNextFullTransactionId();

	if (FullTransactionIdPrecedes(next, horizon))
		horizon = next;
	return !FullTransactionIdPrecedes(OldestRunning(snapshot), horizon);
}

/* On a standby: the greatest number with nothing in progress below it. */
static int64
LastBelowHorizon(Relation rel, Snapshot snapshot)
{
	StreamNumberScan	s;
	int64		number = 0;

	StreamNumberScanBegin(&s, rel, SnapshotAny, STREAM_BEGINNING, false);
	while (number == 0 && StreamNumberScanNext(&s, BackwardScanDirection))
	{
		if (IsBelowHorizon(s.slot, snapshot))
			number = Min(NumberOf(s.slot), STREAM_LAST_NUMBER);
	}
	StreamNumberScanEnd(&s);
	return number;
}

/*
 * The greatest number that may be looked at.  Without anything new at the
 * position, writers need not be waited for.
 */
static int64
LastReadable(Relation rel, int64 position, Snapshot snapshot)
{
	if (RecoveryInProgress())
		return LastBelowHorizon(rel, snapshot);
	if (StreamLastNumber(rel) < position)
		return position - 1;
	StreamWaitForWriters(RelationGetRelid(rel));
	return StreamLastNumber(rel);
}

/* ---- records ---- */

void
StreamIsTrimmed(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_TRIMMED_DATA),
			 errmsg("The data you are trying to access has been trimmed"),
			 errhint("Read the stream from its beginning.")));
}

void
StreamScanBegin(StreamScan *scan, Relation rel, const StreamDef *def, int64 position,
				Snapshot snapshot)
{
	StreamNumberScan	s;

	/* what has been trimmed may still lie about */
	if (position == STREAM_BEGINNING)
		position = TrimmedUpTo(rel, snapshot);
	else if (IsTrimmed(rel, position, snapshot))
		StreamIsTrimmed();
	PredicateLockRelation(rel, snapshot);
	scan->rel = rel;
	scan->def = def;
	scan->snapshot = snapshot;
	scan->position = position;
	scan->blocked = false;
	scan->last = LastReadable(rel, position, snapshot);
	StreamNumberScanBegin(&s, rel, SnapshotAny, position, false);
	scan->pkey = s.pkey;
	scan->scan = s.scan;
	scan->slot = s.slot;
}

static Datum
ItemColumn(TupleTableSlot *slot, StreamColumn column, bool *present)
{
	bool		isnull;
	Datum		value = ColumnOf(slot, column, &isnull);

	*present = !isnull;
	return value;
}

static void
ReadRecord(TupleTableSlot *slot, StreamRecord *record)
{
	bool		isnull;

	record->number = NumberOf(slot);
	record->created_at = DatumGetTimestampTz(ColumnOf(slot, STREAM_CREATED_AT, &isnull));
	record->event = EventOf(slot);
	record->tid = slot->tts_tid;
	record->keys = ItemColumn(slot, STREAM_KEYS, &record->has_keys);
	record->new_item = ItemColumn(slot, STREAM_NEW_ITEM, &record->has_new);
	record->old_item = ItemColumn(slot, STREAM_OLD_ITEM, &record->has_old);
}

/* ---- records that our trigger has not made ---- */

static bool
IsKey(ValueRef v)
{
	return !ValueIsMissing(v) && ValueTypeIsKey(ValueTypeOf(v));
}

/* Whether they are the key attributes that the definition names, and no others. */
static bool
KeysFit(const StreamDef *def, Datum keys)
{
	ValueRef	item = DatumGetValue(keys);
	Container	map;

	ContainerOpen(item, &map);
	return map.count == (def->sort != NULL ? 2 : 1) &&
		IsKey(AttributeFind(item, def->partition, strlen(def->partition))) &&
		(def->sort == NULL || IsKey(AttributeFind(item, def->sort, strlen(def->sort))));
}

/* What a reader cannot make sense of; NULL for nothing. */
static const char *
RecordProblem(const StreamDef *def, const StreamRecord *record)
{
	bool		put = record->event == STREAM_INSERT || record->event == STREAM_MODIFY;
	bool		removed = record->event == STREAM_MODIFY || record->event == STREAM_REMOVE ||
		record->event == STREAM_EXPIRE;

	if (!put && !removed)
		return "Its event is unknown.";
	if (!record->has_keys || !KeysFit(def, record->keys))
		return "It has not the keys of the table.";
	if (put && !record->has_new && StreamViewHasNew(def->view))
		return "It has no new image.";
	if (removed && !record->has_old && StreamViewHasOld(def->view))
		return "It has no old image.";
	return NULL;
}

/*
 * A stream's table is its owner's, who may have filled it before it had its
 * guard.
 */
static void
CheckRecord(const StreamScan *scan, const StreamRecord *record)
{
	const char *problem = RecordProblem(scan->def, record);

	if (problem != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("invalid record " INT64_FORMAT " in stream \"%s\"",
						record->number, RelationGetRelationName(scan->rel)),
				 errdetail("%s", problem),
				 errhint("Read on behind it; dynamo.trim_streams removes it in time.")));
}

bool
StreamScanNext(StreamScan *scan, StreamRecord *record)
{
	StreamNumberScan	s = {scan->pkey, scan->scan, scan->slot};

	while (!scan->blocked && scan->position <= scan->last &&
		   StreamNumberScanNext(&s, ForwardScanDirection))
	{
		int64		number = NumberOf(scan->slot);

		if (number > scan->last)
			break;
		if (EventOf(scan->slot) == STREAM_TRIMMED && scan->def != NULL)
			continue;
		if (table_tuple_satisfies_snapshot(scan->rel, scan->slot, scan->snapshot))
		{
			ReadRecord(scan->slot, record);
			if (scan->def != NULL)
				CheckRecord(scan, record);
			scan->position = number + 1;
			return true;
		}
		if (IsPending(scan->slot, scan->snapshot))
		{
			CheckConflictOut(scan->rel, scan->slot, scan->snapshot);
			scan->blocked = true;
			scan->position = number;
			return false;
		}
	}
	if (!scan->blocked)
		scan->position = Max(scan->position, scan->last + 1);
	return false;
}

void
StreamScanEnd(StreamScan *scan)
{
	StreamNumberScan	s = {scan->pkey, scan->scan, scan->slot};

	StreamNumberScanEnd(&s);
}

int64
StreamLatest(Relation rel, Snapshot snapshot)
{
	StreamNumberScan	s;
	int64		last = LastReadable(rel, 1, snapshot);
	int64		position = last + 1;

	if (RecoveryInProgress())
		return position;
	StreamNumberScanBegin(&s, rel, SnapshotAny, STREAM_BEGINNING, false);
	while (StreamNumberScanNext(&s, BackwardScanDirection))
	{
		int64		number = NumberOf(s.slot);

		if (number > last || EventOf(s.slot) == STREAM_TRIMMED)
			continue;
		if (!table_tuple_satisfies_snapshot(rel, s.slot, snapshot) && IsPending(s.slot, snapshot))
			position = number;
		else if (IsBelowHorizon(s.slot, snapshot))
			break;
	}
	StreamNumberScanEnd(&s);
	return position;
}
