/*
 * stream.h
 *	  Streams: every change of an item as a record, in order, for 24 hours.
 *
 * A record is a row of the stream's table (catalog/stream.h), written by the
 * table's AFTER ROW trigger in the transaction of the change.  It rolls back
 * with the change and survives a crash with it.
 *
 * Order.  Numbers come from a sequence while the row of the item is locked.
 * Whoever changes the same item next must wait for that lock, and takes a
 * greater number: for one item, the order of numbers is the order of changes.
 *
 * Readers.  Transactions commit in another order than they took numbers.  A
 * reader that went on to number 7 while 5 was uncommitted would never see 5.
 * So readers go up to the first number that belongs to a transaction in
 * progress, and no further: what is before it is settled, committed or
 * aborted, for good.  Two things make this exact:
 *
 *	- A number is taken and its row inserted under a lock on the stream, shared
 *	  among writers and given back at once.  A reader takes the same lock
 *	  exclusively for a moment and learns the greatest number there is: all
 *	  up to it have their rows in the table and its index, since no writer was
 *	  between the two.  A number without a row is one that will never have one.
 *	- The rows are scanned with SnapshotAny, which sees those of transactions
 *	  in progress.  Each row is visible to the reader's snapshot (a record),
 *	  or its transaction is still running according to it (stop), or it is
 *	  aborted or trimmed (skip).
 *
 * A row of a transaction that committed after the reader's snapshot was taken
 * counts as in progress: what REPEATABLE READ does not see, it does not pass.
 * A prepared transaction is in progress; a subtransaction counts as what its
 * parent is, or as aborted.  A transaction that wrote and idles holds back the
 * readers of the streams it wrote to, nobody else's.  Readers in SERIALIZABLE
 * take part in its checks by hand, as SnapshotAny does not.
 *
 * Horizon.  Every row has the next transaction id as it was after its number
 * was taken.  All who took a number as small had smaller ids: once the oldest
 * running transaction is not older than the horizon, everything up to the row
 * is settled.  That is weaker (any long transaction delays it) but needs no
 * lock.  Two who can do without the exact answer use it: readers on a standby,
 * where locks say nothing about writers, and the search backwards for the
 * oldest row in progress, to know where it may end.
 *
 * Trimming deletes settled rows from the beginning and leaves one row that
 * says up to where.  A reader that wants to go on before it learns so.
 *
 * Numbers are shown as 10^20 and more: decimal strings of 21 digits that
 * order as they should however they are compared.
 */
#ifndef DYNAMO_STREAM_H
#define DYNAMO_STREAM_H

#include "access/sdir.h"
#include "datatype/timestamp.h"
#include "executor/tuptable.h"
#include "storage/itemptr.h"
#include "utils/relcache.h"
#include "utils/snapshot.h"

#include "catalog/stream.h"

/* Shown numbers: FIRST_SHOWN_NUMBER and up. */
#define SEQUENCE_NUMBER_DIGITS	21

/* ---- enable.c ---- */

/*
 * Begins a stream of a table; returns its label.  Raises the service's errors
 * for an enabled stream.  Owners only.
 */
extern char *StreamEnable(const char *table_name, const char *view);

/* Closes the stream of a table, which remains readable until trimmed. */
extern void StreamDisable(const char *table_name);

/* ---- table.c: the rows of a stream's table ---- */

/* A stream's table open for writing. */
typedef struct StreamTable
{
	Relation	rel;
	Relation	pkey;
	Oid			sequence;
	struct IndexInfo *info;
	TupleTableSlot *slot;
	struct EState *estate;		/* NULL: pkey is the only index */
	struct ResultRelInfo *result;
} StreamTable;

/* What a record holds; missing items are null. */
typedef struct StreamRow
{
	char		event;
	bool		has_new;
	bool		has_old;
	Datum		keys;
	Datum		new_item;
	Datum		old_item;
} StreamRow;

/*
 * Opens the stream of a table for writing, past privileges and triggers.
 * Raises an error unless there is such a stream of the same owner: anyone may
 * write a trigger that names any relation.
 */
extern void StreamTableOpen(StreamTable *t, const TableDef *table, const char *stream_name);
extern void StreamTableClose(StreamTable *t);

/* The same for a stream that is open and locked already, and remains so. */
extern void StreamTableInit(StreamTable *t, Relation stream);
extern void StreamTableRelease(StreamTable *t);

/* Whether a relation has the columns and the guard of a stream's table. */
extern bool IsStreamTable(Relation rel);

/* Appends a record: takes its number, returned, and inserts it, under the lock. */
extern int64 StreamAppend(StreamTable *t, const StreamRow *row);

/* The number this session took last, if it was in this stream; else 0. */
extern int64 StreamLastAppended(Oid stream);

/* Inserts the row that says that all up to number were trimmed. */
extern void StreamAppendTrimmed(StreamTable *t, int64 number);

/*
 * A number before which a snapshot sees nothing, as far as this session has
 * learned from a visible row of a trimming; else STREAM_BEGINNING.
 */
extern int64 StreamTrimmedOnce(Oid stream, Snapshot snapshot);
extern void StreamSawTrimmed(Oid stream, int64 number, TransactionId xid);

/* The lock that writers hold for a moment, exclusively. */
extern void StreamWaitForWriters(Oid stream);

/*
 * Keeps other trimmers out until the transaction ends.  Taken before any lock
 * on the relation that a trimmer who drops it would wait for.  False if there
 * is another, unless wait.
 */
extern bool StreamLockForTrim(Oid stream, bool wait);

/* ---- late.c ---- */

/*
 * Appends the record of a change whose event fires late: command made the
 * change, since is the first one that changed the item again, or
 * InvalidCommandId.  Records of later changes are moved behind it.
 */
extern void StreamAppendLate(StreamTable *t, const StreamRow *row,
							 CommandId command, CommandId since);

/* ---- capture.c ---- */

/* While a table's expired items are deleted; InvalidOid: no longer. */
extern void StreamSetExpiring(Oid relid);
extern Oid	StreamGetExpiring(void);

/* ---- read.c ---- */

/*
 * A scan of the primary key: numbers from position on or, to be read backwards,
 * those up to it.
 */
typedef struct StreamNumberScan
{
	Relation	pkey;
	struct IndexScanDescData *scan;
	TupleTableSlot *slot;
} StreamNumberScan;

extern void StreamNumberScanBegin(StreamNumberScan *s, Relation rel, Snapshot snapshot,
								  int64 position, bool below);
extern bool StreamNumberScanNext(StreamNumberScan *s, ScanDirection direction);
extern void StreamNumberScanEnd(StreamNumberScan *s);

/* A record as it was read; items are not detoasted. */
typedef struct StreamRecord
{
	int64		number;
	TimestampTz created_at;
	char		event;
	ItemPointerData tid;
	bool		has_keys;		/* always, where records are checked */
	bool		has_new;
	bool		has_old;
	Datum		keys;
	Datum		new_item;
	Datum		old_item;
} StreamRecord;

typedef struct StreamScan
{
	Relation	rel;
	Relation	pkey;
	const StreamDef *def;		/* NULL: for trimming */
	Snapshot	snapshot;
	int64		position;		/* the next number to look at */
	int64		last;			/* the last one that may be looked at */
	bool		blocked;		/* by a transaction in progress */
	struct IndexScanDescData *scan;
	TupleTableSlot *slot;
} StreamScan;

/* Before the first record that is not trimmed. */
#define STREAM_BEGINNING	INT64CONST(0)

/* The greatest number that is read: there is a position after it. */
#define STREAM_LAST_NUMBER	(PG_INT64_MAX - 1)

/*
 * Begins to read at a position.  Raises ERRCODE_DYNAMO_TRIMMED_DATA if there
 * were records from there on that have been trimmed.  Records are checked
 * against def: ERRCODE_DATA_CORRUPTED, with the number, for one that has not
 * the keys and images it should have.  Without def (to trim), all rows come as
 * they are, STREAM_TRIMMED ones, too.
 */
extern void StreamScanBegin(StreamScan *scan, Relation rel, const StreamDef *def,
							int64 position, Snapshot snapshot);

/*
 * The next record; its data are valid until the next call.  False when there
 * is no more for now: scan->position is where to go on, and all up to there
 * is settled.
 */
extern bool StreamScanNext(StreamScan *scan, StreamRecord *record);
extern void StreamScanEnd(StreamScan *scan);

/* The position after the newest record that a reader could have seen. */
extern int64 StreamLatest(Relation rel, Snapshot snapshot);

/* The greatest number of any row; 0 if there is none. */
extern int64 StreamLastNumber(Relation rel);

/* Raises ERRCODE_DYNAMO_TRIMMED_DATA. */
extern void StreamIsTrimmed(void) pg_attribute_noreturn();

/*
 * Deletes up to so many records from before a time, and the stream's table if
 * it was closed before; returns how many records, none if another trims it.
 * The caller owns the table.
 */
extern int64 StreamTrim(Oid relid, TimestampTz cutoff, int64 max_records);

/* The oldest number that can still be read, or that is yet to come; from 1 on. */
extern int64 StreamFirstNumber(Relation rel, Snapshot snapshot);

/* The numbers that users see; false for text that is none. */
extern char *SequenceNumberText(int64 number);
extern bool SequenceNumberFromText(const char *text, int64 *number);

/* The service's name of an event, "INSERT", and whether it was time to live. */
extern const char *StreamEventName(char event);

/* 32 hexadecimal digits, different for each record of each stream. */
extern char *StreamEventId(const StreamDef *def, int64 number);

/* The service's size of a record: keys and images. */
extern int64 StreamRecordSize(const StreamRecord *record);

/* ---- find.c ---- */

/*
 * Opens the stream with this label of a table of this name, which need not be
 * there any more; without a label the open stream, or else the newest.  Found
 * as tables are found, through search_path.  NULL if there is none.
 */
extern Relation StreamOpen(const char *table_name, const char *label, StreamDef *def);

/*
 * Raises an error unless the user may read the stream: the privileges are
 * those of its table, or of itself once the table is gone; roles under row
 * security are refused.
 */
extern void CheckStreamPrivileges(Relation stream, const StreamDef *def);

#endif							/* DYNAMO_STREAM_H */
