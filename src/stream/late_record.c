/*
 * late_record.c
 *	  Records of events that fire after the events of later changes.
 *
 * store/row_event.h describes how this happens.  The record of such an event
 * must precede the existing records of later changes of its item.  These were
 * written by the same transaction, so that nobody has read them yet: they are
 * deleted and appended again after the late record.
 *
 * A record belongs to the command that changed its item, which determines the
 * order of the changes of an item.  Usually this is the command that inserted
 * the record's row.  For a late event the command is remembered for a range of
 * numbers until the transaction ends.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "store/row_event.h"
#include "stream/stream.h"

/* ---- commands of late records ---- */

/*
 * The records first to last of this transaction are changes by this command.
 */
typedef struct LateRange
{
	Oid			stream;
	int64		first;
	int64		last;
	CommandId	command;
} LateRange;

/* Ranges in the order of numbers, in TopTransactionContext. */
static LateRange *ranges;
static int	nranges;
static int	max_ranges;
static FullTransactionId ranges_owner;

static void
ResetRanges(FullTransactionId owner)
{
	max_ranges = 8;
	nranges = 0;
	ranges = MemoryContextAlloc(TopTransactionContext, sizeof(LateRange) * max_ranges);
	ranges_owner = owner;
}

/*
 * Remembers the command of a record.  previous is the preceding record of this
 * transaction.
 */
static void
RememberCommand(Oid stream, int64 previous, int64 number, CommandId command)
{
	LateRange  *last;

	if (!FullTransactionIdEquals(ranges_owner, GetTopFullTransactionId()))
		ResetRanges(GetTopFullTransactionId());
	last = nranges > 0 ? &ranges[nranges - 1] : NULL;
	if (last != NULL && last->stream == stream && last->command == command &&
		last->last == previous)
	{
		last->last = number;
		return;
	}
	if (nranges == max_ranges)
	{
		max_ranges *= 2;
		ranges = repalloc_huge(ranges, sizeof(LateRange) * max_ranges);
	}
	ranges[nranges++] = (LateRange) {stream, number, number, command};
}

/*
 * The command of a record.  Searches from the newest range, since callers ask
 * for recent records.
 */
static CommandId
FindCommand(Oid stream, int64 number, HeapTuple tuple)
{
	if (FullTransactionIdEquals(ranges_owner, GetTopFullTransactionId()))
	{
		for (int i = nranges - 1; i >= 0 && ranges[i].last >= number; i--)
		{
			if (ranges[i].stream == stream && ranges[i].first <= number)
				return ranges[i].command;
		}
	}
	return OwnCommandOf(tuple);
}

/* ---- finding records of later changes ---- */

typedef struct LaterRecord
{
	HeapTuple	tuple;
	CommandId	command;
} LaterRecord;

static bool
HasKeys(StreamTable *t, HeapTuple tuple, Datum keys)
{
	bool		isnull;
	Datum		value = heap_getattr(tuple, STREAM_KEYS, RelationGetDescr(t->own.rel), &isnull);
	struct varlena *a;
	struct varlena *b;

	if (isnull)
		return false;
	a = PG_DETOAST_DATUM_PACKED(value);
	b = PG_DETOAST_DATUM_PACKED(keys);
	return VARSIZE_ANY_EXHDR(a) == VARSIZE_ANY_EXHDR(b) &&
		memcmp(VARDATA_ANY(a), VARDATA_ANY(b), VARSIZE_ANY_EXHDR(a)) == 0;
}

static int64
GetLateNumber(StreamTable *t, HeapTuple tuple)
{
	bool		isnull;

	return DatumGetInt64(heap_getattr(tuple, STREAM_NUMBER, RelationGetDescr(t->own.rel), &isnull));
}

/*
 * Returns the records, newest first, of changes of an item by commands after
 * the given one.  All of them were written by the command since, or later.
 */
static List *
FindLaterRecords(StreamTable *t, Datum keys, CommandId command, CommandId since)
{
	StreamNumberScan s;
	List	   *found = NIL;

	StreamNumberScanBegin(&s, t->own.rel, SnapshotSelf, PG_INT64_MAX, true);
	while (StreamNumberScanNext(&s, BackwardScanDirection))
	{
		bool		should_free;
		HeapTuple	tuple = ExecFetchSlotHeapTuple(s.slot, false, &should_free);
		CommandId	written = OwnCommandOf(tuple);
		CommandId	changed;

		if (written == InvalidCommandId)
			continue;			/* from another transaction */
		if (written < since)
			break;
		changed = FindCommand(RelationGetRelid(t->own.rel), GetLateNumber(t, tuple), tuple);
		if (changed > command && HasKeys(t, tuple, keys))
		{
			LaterRecord *record = palloc(sizeof(LaterRecord));

			record->tuple = heap_copytuple(tuple);
			record->command = changed;
			found = lappend(found, record);
		}
	}
	StreamNumberScanEnd(&s);
	return found;
}

/* ---- appending ---- */

static int64
AppendRow(StreamTable *t, const StreamRow *row, CommandId command)
{
	int64		previous = StreamLastAppended(RelationGetRelid(t->own.rel));
	int64		number = StreamAppend(t, row);

	RememberCommand(RelationGetRelid(t->own.rel), previous, number, command);
	return number;
}

static Datum
GetLateItem(StreamTable *t, HeapTuple tuple, StreamColumn column, bool *present)
{
	bool		isnull;
	Datum		value = heap_getattr(tuple, column, RelationGetDescr(t->own.rel), &isnull);

	*present = !isnull;
	return isnull ? (Datum) 0 : PointerGetDatum(PG_DETOAST_DATUM(value));
}

/* Deletes a record and appends it again at the end. */
static void
MoveToEnd(StreamTable *t, const LaterRecord *record)
{
	StreamRow	row;
	bool		isnull;

	row.event = DatumGetChar(heap_getattr(record->tuple, STREAM_EVENT,
										  RelationGetDescr(t->own.rel), &isnull));
	row.keys = GetLateItem(t, record->tuple, STREAM_KEYS, &isnull);
	row.new_item = GetLateItem(t, record->tuple, STREAM_NEW_ITEM, &row.has_new);
	row.old_item = GetLateItem(t, record->tuple, STREAM_OLD_ITEM, &row.has_old);
	row.partition_key = StreamIsSharded(t->own.rel) ?
		heap_getattr(record->tuple, STREAM_PARTITION_KEY, RelationGetDescr(t->own.rel), &isnull) : (Datum) 0;
	(void) AppendRow(t, &row, record->command);
	RawTableDelete(&t->own, &record->tuple->t_self, GetActiveSnapshot());
}

void
StreamAppendLate(StreamTable *t, const StreamRow *row, CommandId command, CommandId since)
{
	List	   *later = NIL;

	if (since != InvalidCommandId)
		later = FindLaterRecords(t, row->keys, command, since);
	(void) AppendRow(t, row, command);
	for (int i = list_length(later) - 1; i >= 0; i--)
	{
		CHECK_FOR_INTERRUPTS();
		MoveToEnd(t, list_nth(later, i));
	}
}
