/*
 * late.c
 *	  Records of events that fire after those of later changes.
 *
 * store/row_event.h tells how that comes.  The record of such an event must
 * stand before those of the later changes of its item, which are there
 * already.  They are our transaction's, so nobody has read them: they are
 * deleted and appended again behind it.
 *
 * A record belongs to the command that changed its item, which orders the
 * changes of one item.  That is the command of the record's own row, unless
 * the event was late; then it is remembered, for ranges of numbers, until
 * the transaction ends.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "store/row_event.h"
#include "stream/stream.h"

/* ---- the commands of late records ---- */

/* Our records from first to last are of changes by this command. */
typedef struct LateRange
{
	Oid			stream;
	int64		first;
	int64		last;
	CommandId	command;
} LateRange;

/* In TopTransactionContext, in the order of numbers. */
static LateRange *ranges;
static int	nranges;
static int	max_ranges;
static FullTransactionId ranges_owner;

static void
StartOver(FullTransactionId owner)
{
	max_ranges = 8;
	nranges = 0;
	ranges = MemoryContextAlloc(TopTransactionContext, sizeof(LateRange) * max_ranges);
	ranges_owner = owner;
}

/* previous: our record before this one. */
static void
RememberCommand(Oid stream, int64 previous, int64 number, CommandId command)
{
	LateRange  *last;

	if (!FullTransactionIdEquals(ranges_owner, GetTopFullTransactionId()))
		StartOver(GetTopFullTransactionId());
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

/* Looks from the newest: what is asked for has been written lately. */
static CommandId
CommandOfRecord(Oid stream, int64 number, HeapTuple tuple)
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

/* ---- records of later changes ---- */

typedef struct LaterRecord
{
	HeapTuple	tuple;
	CommandId	command;
} LaterRecord;

static bool
HasKeys(StreamTable *t, HeapTuple tuple, Datum keys)
{
	bool		isnull;
	Datum		value = heap_getattr(tuple, STREAM_KEYS, RelationGetDescr(t->rel), &isnull);
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
NumberOf(StreamTable *t, HeapTuple tuple)
{
	bool		isnull;

	return DatumGetInt64(heap_getattr(tuple, STREAM_NUMBER, RelationGetDescr(t->rel), &isnull));
}

/*
 * The records, newest first, of changes of an item by commands after one.  All
 * of them were written by the command since, or afterwards.
 */
static List *
LaterRecords(StreamTable *t, Datum keys, CommandId command, CommandId since)
{
	StreamNumberScan s;
	List	   *found = NIL;

	StreamNumberScanBegin(&s, t->rel, SnapshotSelf, PG_INT64_MAX, true);
	while (StreamNumberScanNext(&s, BackwardScanDirection))
	{
		bool		should_free;
		HeapTuple	tuple = ExecFetchSlotHeapTuple(s.slot, false, &should_free);
		CommandId	written = OwnCommandOf(tuple);
		CommandId	changed;

		if (written == InvalidCommandId)
			continue;			/* of another transaction */
		if (written < since)
			break;
		changed = CommandOfRecord(RelationGetRelid(t->rel), NumberOf(t, tuple), tuple);
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
AppendOf(StreamTable *t, const StreamRow *row, CommandId command)
{
	int64		previous = StreamLastAppended(RelationGetRelid(t->rel));
	int64		number = StreamAppend(t, row);

	RememberCommand(RelationGetRelid(t->rel), previous, number, command);
	return number;
}

static Datum
ItemOf(StreamTable *t, HeapTuple tuple, StreamColumn column, bool *present)
{
	bool		isnull;
	Datum		value = heap_getattr(tuple, column, RelationGetDescr(t->rel), &isnull);

	*present = !isnull;
	return isnull ? (Datum) 0 : PointerGetDatum(PG_DETOAST_DATUM(value));
}

/* Appends a record once more, and deletes it where it was. */
static void
MoveToEnd(StreamTable *t, const LaterRecord *record)
{
	StreamRow	row;
	bool		isnull;

	row.event = DatumGetChar(heap_getattr(record->tuple, STREAM_EVENT,
										  RelationGetDescr(t->rel), &isnull));
	row.keys = ItemOf(t, record->tuple, STREAM_KEYS, &isnull);
	row.new_item = ItemOf(t, record->tuple, STREAM_NEW_ITEM, &row.has_new);
	row.old_item = ItemOf(t, record->tuple, STREAM_OLD_ITEM, &row.has_old);
	(void) AppendOf(t, &row, record->command);
	simple_table_tuple_delete(t->rel, &record->tuple->t_self, GetActiveSnapshot());
}

void
StreamAppendLate(StreamTable *t, const StreamRow *row, CommandId command, CommandId since)
{
	List	   *later = NIL;

	if (since != InvalidCommandId)
		later = LaterRecords(t, row->keys, command, since);
	(void) AppendOf(t, row, command);
	for (int i = list_length(later) - 1; i >= 0; i--)
	{
		CHECK_FOR_INTERRUPTS();
		MoveToEnd(t, list_nth(later, i));
	}
}
