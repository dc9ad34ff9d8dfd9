/*
 * stream_read.c
 *	  Reads a stream up to the last settled record (stream.h).
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relscan.h"
#include "access/subtrans.h"
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
#include "utils/timestamp.h"

#include "compat.h"
#include "errors.h"
#include "stream/stream.h"

/* ---- columns ---- */

static Datum
GetRecordColumn(TupleTableSlot *slot, StreamColumn column, bool *isnull)
{
	return slot_getattr(slot, column, isnull);
}

/*
 * A number or time of a record, 0 for NULL, which a record stored by hand can have: where
 * integers of eight bytes are passed by reference, the Datum of NULL points nowhere.
 */
static int64
GetRecordInteger(TupleTableSlot *slot, StreamColumn column)
{
	bool		isnull;
	Datum		value = GetRecordColumn(slot, column, &isnull);

	return isnull ? 0 : DatumGetInt64(value);
}

static int64
GetRecordNumber(TupleTableSlot *slot)
{
	return GetRecordInteger(slot, STREAM_NUMBER);
}

static char
GetEvent(TupleTableSlot *slot)
{
	bool		isnull;

	return DatumGetChar(GetRecordColumn(slot, STREAM_EVENT, &isnull));
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

/*
 * The greatest number up to a limit among the rows that a snapshot sees; 0 if
 * there is none.
 */
static int64
FindGreatestNumber(Relation rel, Snapshot snapshot, int64 limit)
{
	StreamNumberScan s;
	int64		number = 0;

	StreamNumberScanBegin(&s, rel, snapshot, limit, true);
	if (StreamNumberScanNext(&s, BackwardScanDirection))
		number = GetRecordNumber(s.slot);
	StreamNumberScanEnd(&s);
	return number;
}

int64
StreamLastNumber(Relation rel)
{
	return FindGreatestNumber(rel, SnapshotAny, STREAM_LAST_NUMBER);
}

/* ---- trimmed records ---- */

static TransactionId
GetInserter(TupleTableSlot *slot, CommandId *command)
{
	bool		should_free;
	HeapTuple	tuple = ExecFetchSlotHeapTuple(slot, false, &should_free);
	TransactionId xid = HeapTupleHeaderGetXmin(tuple->t_data);

	*command = TransactionIdIsCurrentTransactionId(xid) ?
		HeapTupleHeaderGetCmin(tuple->t_data) : InvalidCommandId;
	return xid;
}

/*
 * The number up to which the stream has been trimmed; 0 if it never was.
 * Deleted index entries may remain, so that the search continues where an
 * earlier one ended.
 */
static int64
FindTrimmedNumber(Relation rel, Snapshot snapshot)
{
	Oid			relid = RelationGetRelid(rel);
	StreamNumberScan s;
	CommandId	command;
	int64		number = 0;

	StreamNumberScanBegin(&s, rel, snapshot, StreamTrimmedOnce(relid, snapshot), false);
	if (StreamNumberScanNext(&s, ForwardScanDirection) && GetEvent(s.slot) == STREAM_TRIMMED)
	{
		number = GetRecordNumber(s.slot);
		StreamSawTrimmed(relid, number, GetInserter(s.slot, &command));
	}
	StreamNumberScanEnd(&s);
	return number;
}

int64
StreamFirstNumber(Relation rel, Snapshot snapshot)
{
	return FindTrimmedNumber(rel, snapshot) + 1;
}

/*
 * Whether records after a position have been trimmed.  A reader that continues
 * has a record right before the position.  If that one was not trimmed, no
 * later one was.
 */
static bool
IsTrimmed(Relation rel, int64 position, Snapshot snapshot)
{
	return FindGreatestNumber(rel, snapshot, position - 1) == 0 &&
		position <= FindTrimmedNumber(rel, snapshot);
}

/* ---- settled records ---- */

/*
 * Whether an invisible row may become visible: its transaction was in progress
 * when the snapshot was taken and has not been aborted since.
 */
static bool
IsPending(TupleTableSlot *slot, Snapshot snapshot)
{
	CommandId	command;
	TransactionId xid = GetInserter(slot, &command);

	if (command != InvalidCommandId)
		return command >= snapshot->curcid; /* otherwise it was trimmed */
	if (!TransactionIdIsNormal(xid) || !XidInMVCCSnapshot(xid, snapshot))
		return false;
	return TransactionIdIsInProgress(xid) || TransactionIdDidCommit(xid);
}

/*
 * Reports to SERIALIZABLE that the reader stopped at a row of another
 * transaction without reading it.
 */
static void
CheckConflictOut(Relation rel, TupleTableSlot *slot, Snapshot snapshot)
{
	CommandId	command;
	TransactionId xid = GetInserter(slot, &command);

	if (!TransactionIdIsNormal(xid) || !CheckForSerializableConflictOutNeeded(rel, snapshot))
		return;
	if (TransactionIdFollowsOrEquals(xid, TransactionXmin))
		xid = SubTransGetTopmostTransaction(xid);
	if (TransactionIdPrecedes(xid, TransactionXmin) ||
		TransactionIdEquals(xid, GetTopTransactionIdIfAny()))
		return;
	CheckForSerializableConflictOut(rel, xid, snapshot);
}

/* The oldest transaction that was running for the snapshot, as a 64-bit id. */
static FullTransactionId
FindOldestRunning(Snapshot snapshot)
{
	FullTransactionId next = ReadNextFullTransactionId();
	uint32		epoch = EpochFromFullTransactionId(next);

	if (snapshot->xmin > XidFromFullTransactionId(next))
		epoch--;
	return FullTransactionIdFromEpochAndXid(epoch, snapshot->xmin);
}

/*
 * Whether no running transaction can have taken a number as small as this
 * row's.  A horizon above all ids known to this server only means that all
 * known transactions must have ended: the row comes from another server's
 * dump, or a standby does not know of newer ids, which do not matter here.
 */
static bool
IsBelowHorizon(TupleTableSlot *slot, Snapshot snapshot)
{
	FullTransactionId horizon = FullTransactionIdFromU64((uint64) GetRecordInteger(slot, STREAM_HORIZON));
	FullTransactionId next = ReadNextFullTransactionId();

	if (FullTransactionIdPrecedes(next, horizon))
		horizon = next;
	return !FullTransactionIdPrecedes(FindOldestRunning(snapshot), horizon);
}

/*
 * For a standby: the greatest number with no transaction in progress below it.
 */
static int64
FindLastBelowHorizon(Relation rel, Snapshot snapshot)
{
	StreamNumberScan	s;
	int64		number = 0;

	StreamNumberScanBegin(&s, rel, SnapshotAny, STREAM_BEGINNING, false);
	while (number == 0 && StreamNumberScanNext(&s, BackwardScanDirection))
	{
		if (IsBelowHorizon(s.slot, snapshot))
			number = Min(GetRecordNumber(s.slot), STREAM_LAST_NUMBER);
	}
	StreamNumberScanEnd(&s);
	return number;
}

/*
 * The greatest number that may be read.  If there is nothing new at the
 * position, it need not wait for writers.
 */
static int64
FindLastReadable(Relation rel, int64 position, Snapshot snapshot)
{
	if (RecoveryInProgress())
		return FindLastBelowHorizon(rel, snapshot);
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
			 errhint("Read the stream from its start.")));
}

void
StreamScanBegin(StreamScan *scan, Relation rel, const StreamDef *def, int64 position,
				Snapshot snapshot)
{
	StreamNumberScan	s;

	/* Index entries of trimmed records may remain. */
	if (position == STREAM_BEGINNING)
		position = FindTrimmedNumber(rel, snapshot);
	else if (IsTrimmed(rel, position, snapshot))
		StreamIsTrimmed();
	PredicateLockRelation(rel, snapshot);
	scan->rel = rel;
	scan->def = def;
	scan->snapshot = snapshot;
	scan->position = position;
	scan->sharded = StreamIsSharded(rel);
	scan->blocked = false;
	scan->last = FindLastReadable(rel, position, snapshot);
	StreamNumberScanBegin(&s, rel, SnapshotAny, position, false);
	scan->pkey = s.pkey;
	scan->scan = s.scan;
	scan->slot = s.slot;
}

static Datum
GetRecordItem(TupleTableSlot *slot, StreamColumn column, bool *present)
{
	bool		isnull;
	Datum		value = GetRecordColumn(slot, column, &isnull);

	*present = !isnull;
	return value;
}

static void
ReadRecord(TupleTableSlot *slot, StreamRecord *record)
{
	record->number = GetRecordNumber(slot);
	record->created_at = GetRecordInteger(slot, STREAM_CREATED_AT);
	record->event = GetEvent(slot);
	record->tid = slot->tts_tid;
	record->keys = GetRecordItem(slot, STREAM_KEYS, &record->has_keys);
	record->new_item = GetRecordItem(slot, STREAM_NEW_ITEM, &record->has_new);
	record->old_item = GetRecordItem(slot, STREAM_OLD_ITEM, &record->has_old);
}

/* ---- records that the trigger has not created ---- */

static bool
IsKey(ValueRef v)
{
	return !ValueIsMissing(v) && ValueTypeIsKey(ValueTypeOf(v));
}

/* Whether an item consists of exactly the key attributes of the definition. */
static bool
AreExpectedKeys(const StreamDef *def, Datum keys)
{
	ValueRef	item = DatumGetValue(keys);
	Container	map;

	ContainerOpen(item, &map);
	return map.count == (def->sort != NULL ? 2 : 1) &&
		IsKey(AttributeFind(item, def->partition, strlen(def->partition))) &&
		(def->sort == NULL || IsKey(AttributeFind(item, def->sort, strlen(def->sort))));
}

/* What is wrong with a record; NULL if nothing is. */
static const char *
FindRecordProblem(const StreamDef *def, const StreamRecord *record)
{
	bool		put = record->event == STREAM_INSERT || record->event == STREAM_MODIFY;
	bool		removed = record->event == STREAM_MODIFY || record->event == STREAM_REMOVE ||
		record->event == STREAM_EXPIRE;

	if (!put && !removed)
		return "The event of the record is unknown.";
	if (!record->has_keys || !AreExpectedKeys(def, record->keys))
		return "The record does not have the keys of the table.";
	if (put && !record->has_new && StreamViewHasNew(def->view))
		return "The record has no new image.";
	if (removed && !record->has_old && StreamViewHasOld(def->view))
		return "The record has no old image.";
	return NULL;
}

/*
 * Checks a record.  The stream's owner could have filled the table before it
 * had its guard.
 */
static void
CheckRecord(const StreamScan *scan, const StreamRecord *record)
{
	const char *problem = FindRecordProblem(scan->def, record);

	if (problem != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("invalid record " INT64_FORMAT " in stream \"%s\"",
						record->number, RelationGetRelationName(scan->rel)),
				 errdetail("%s", problem),
				 errhint("Continue reading after this record; dynamo.trim_streams will remove it.")));
}

bool
StreamScanNext(StreamScan *scan, StreamRecord *record)
{
	StreamNumberScan	s = {scan->pkey, scan->scan, scan->slot};

	while (!scan->blocked && scan->position <= scan->last &&
		   StreamNumberScanNext(&s, ForwardScanDirection))
	{
		int64		number = GetRecordNumber(scan->slot);

		if (number > scan->last)
			break;
		if (GetEvent(scan->slot) == STREAM_TRIMMED && scan->def != NULL)
		{
			if (RowIsSeen(scan->rel, scan->slot, scan->snapshot))
				scan->position = number + 1;
			continue;
		}
		if (RowIsSeen(scan->rel, scan->slot, scan->snapshot))
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
			if (!scan->sharded)
				scan->position = number;
			return false;
		}
	}
	if (!scan->blocked && !scan->sharded)
		scan->position = Max(scan->position, scan->last + 1);
	return false;
}

void
StreamScanEnd(StreamScan *scan)
{
	StreamNumberScan	s = {scan->pkey, scan->scan, scan->slot};

	StreamNumberScanEnd(&s);
}

/* After the greatest number that is seen and has no transaction in progress below it. */
static int64
FindLatestSeen(Relation rel, Snapshot snapshot)
{
	int64		last = FindLastReadable(rel, 1, snapshot);
	StreamNumberScan s;
	int64		position = 1;

	StreamNumberScanBegin(&s, rel, SnapshotAny, last, true);
	while (StreamNumberScanNext(&s, BackwardScanDirection))
	{
		bool		seen = RowIsSeen(rel, s.slot, snapshot);

		if (seen && position == 1)
			position = GetRecordNumber(s.slot) + 1;
		if (!seen && IsPending(s.slot, snapshot))
			position = 1;
		else if (seen && IsBelowHorizon(s.slot, snapshot))
			break;
	}
	StreamNumberScanEnd(&s);
	return position;
}

static int64
FindLatest(Relation rel, Snapshot snapshot)
{
	StreamNumberScan	s;
	int64		last = FindLastReadable(rel, 1, snapshot);
	int64		position = last + 1;

	if (RecoveryInProgress())
		return position;
	StreamNumberScanBegin(&s, rel, SnapshotAny, STREAM_BEGINNING, false);
	while (StreamNumberScanNext(&s, BackwardScanDirection))
	{
		int64		number = GetRecordNumber(s.slot);

		if (number > last || GetEvent(s.slot) == STREAM_TRIMMED)
			continue;
		if (!RowIsSeen(rel, s.slot, snapshot) && IsPending(s.slot, snapshot))
			position = number;
		else if (IsBelowHorizon(s.slot, snapshot))
			break;
	}
	StreamNumberScanEnd(&s);
	return position;
}

int64
StreamLatest(Relation rel, Snapshot snapshot)
{
	return StreamIsSharded(rel) ? FindLatestSeen(rel, snapshot) : FindLatest(rel, snapshot);
}

/* ---- ages ---- */

/* A scrape must not read a whole stream while a transaction stays open for hours. */
#define MAX_EXAMINED	10000

static TimestampTz
GetCreatedAt(TupleTableSlot *slot)
{
	bool		isnull;
	Datum		value = GetRecordColumn(slot, STREAM_CREATED_AT, &isnull);

	return isnull ? DT_NOEND : DatumGetTimestampTz(value);
}

TimestampTz
StreamOldestPending(Relation rel, Snapshot snapshot)
{
	StreamNumberScan s;
	TimestampTz oldest = DT_NOEND;
	int			examined = 0;

	StreamNumberScanBegin(&s, rel, SnapshotAny, STREAM_BEGINNING, false);
	while (examined++ < MAX_EXAMINED && StreamNumberScanNext(&s, BackwardScanDirection))
	{
		CHECK_FOR_INTERRUPTS();
		if (!RowIsSeen(rel, s.slot, snapshot) && IsPending(s.slot, snapshot))
			oldest = Min(oldest, GetCreatedAt(s.slot));
		else if (IsBelowHorizon(s.slot, snapshot))
			break;
	}
	StreamNumberScanEnd(&s);
	return oldest;
}

TimestampTz
StreamOldestRecord(Relation rel, Snapshot snapshot)
{
	StreamNumberScan s;
	TimestampTz oldest = DT_NOEND;

	StreamNumberScanBegin(&s, rel, snapshot, StreamFirstNumber(rel, snapshot), false);
	if (StreamNumberScanNext(&s, ForwardScanDirection) && GetEvent(s.slot) != STREAM_TRIMMED)
		oldest = GetCreatedAt(s.slot);
	StreamNumberScanEnd(&s);
	return oldest;
}

/* ---- reading back ---- */

TimestampTz
StreamReachesBackTo(Relation rel, Snapshot snapshot)
{
	StreamNumberScan s;
	TimestampTz since = DT_NOBEGIN;

	StreamNumberScanBegin(&s, rel, snapshot, STREAM_BEGINNING, false);
	if (StreamNumberScanNext(&s, ForwardScanDirection) && GetEvent(s.slot) == STREAM_TRIMMED)
	{
		since = GetCreatedAt(s.slot);
		/* what was trimmed is older than what was not */
		if (StreamNumberScanNext(&s, ForwardScanDirection))
			since = GetCreatedAt(s.slot);
	}
	StreamNumberScanEnd(&s);
	return since;
}

void
StreamReadBack(Relation rel, Snapshot snapshot, TimestampTz since,
			   void (*take) (void *arg, const StreamRecord *record), void *arg)
{
	StreamNumberScan s;
	StreamRecord record;

	/* the times of records that were written at once may differ from the order of their numbers */
	StreamNumberScanBegin(&s, rel, snapshot, STREAM_LAST_NUMBER, true);
	while (StreamNumberScanNext(&s, BackwardScanDirection))
	{
		ReadRecord(s.slot, &record);
		if (record.event != STREAM_TRIMMED && record.created_at > since)
			take(arg, &record);
	}
	StreamNumberScanEnd(&s);
}
