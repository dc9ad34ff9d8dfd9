/*
 * stream.h
 *	  Streams: every change of an item as a record, in order, for 24 hours.
 *
 * A record is a row of the stream's table (stream_definition.h).  The table's
 * AFTER ROW trigger writes it in the transaction of the change.  It rolls back
 * with the change and survives a crash with it.
 *
 * Order.  Numbers come from a sequence and are taken while the row of the item
 * is locked.  A later change of the same item must wait for that lock and
 * takes a greater number.  For one item, the order of numbers is therefore the
 * order of changes.
 *
 * Readers.  Transactions do not commit in the order of their numbers.  A
 * reader that continued to number 7 while 5 was uncommitted would never see 5.
 * Readers therefore stop before the first number of a transaction in progress.
 * Everything before it is settled: committed or aborted, permanently.  Two
 * rules make this exact:
 *
 *	- A number is taken and its row inserted under a lock on the stream, which
 *	  writers share and release immediately.  A reader takes the same lock
 *	  exclusively for a moment and reads the greatest number.  All numbers up
 *	  to it have their rows in the table and its index, since no writer is
 *	  between the two steps.  A number without a row will never have one.
 *	- The rows are scanned with SnapshotAny, which sees rows of transactions
 *	  in progress.  Each row is visible to the reader's snapshot (a record),
 *	  or its transaction is running according to the snapshot (stop), or it is
 *	  aborted or trimmed (skip).
 *
 * A row of a transaction that committed after the reader's snapshot counts as
 * in progress: readers in REPEATABLE READ do not pass rows that they do not
 * see.  A prepared transaction is in progress; a subtransaction has the state
 * of its parent, or is aborted.  An idle transaction delays only the readers
 * of the streams that it has written to.  For readers in SERIALIZABLE,
 * conflicts are reported explicitly, because SnapshotAny does not.
 *
 * Horizon.  Every row contains the next transaction id at the time after its
 * number was taken.  All transactions with smaller numbers had smaller ids.
 * When the oldest running transaction is not older than the horizon,
 * everything up to the row is settled.  This condition is weaker (any long
 * transaction delays it) but needs no lock.  It is used where the exact answer
 * is not needed: by readers on a standby, where locks do not show writers, and
 * to end the backward search for the oldest row in progress.
 *
 * Trimming deletes settled rows from the start and leaves one row with the
 * last trimmed number, which tells readers with earlier positions about it.
 *
 * Distributed tables.  Each shard of the table has a shard of the stream, in the same place
 * (stream_definition.h), and all of the above holds for each of them.  A sequence would not
 * move with the shard.  A writer takes the lock exclusively instead, and its number is one more
 * than the greatest number of any row.  The number of a row that was aborted and vacuumed is
 * therefore given again.  So a reader's position is never beyond such a number: it is one more
 * than that of a record that the reader has seen, or of the row that marks what was trimmed.  One
 * of these rows is always there, and moves with the shard.
 *
 * Numbers are displayed as 10^20 and above: decimal strings of 21 digits,
 * whose order is the same as text and as numbers.
 */
#ifndef DYNAMO_STREAM_H
#define DYNAMO_STREAM_H

#include "access/sdir.h"
#include "datatype/timestamp.h"
#include "executor/tuptable.h"
#include "storage/itemptr.h"
#include "utils/relcache.h"
#include "utils/snapshot.h"

#include "store/raw_table.h"
#include "exported.h"
#include "stream/stream_definition.h"

/* Displayed numbers start with FIRST_SHOWN_NUMBER. */
#define SEQUENCE_NUMBER_DIGITS	21

/* ---- stream_ddl.c ---- */

/* Registers what DDL does to streams. */
extern void StreamInit(void);

/* ---- stream_label.c ---- */

/*
 * Stores and returns the label of a new stream of a table: the current time, or
 * a later time than that of the previous label, since labels must be unique.
 */
extern char *StreamNewLabel(Relation rel);

/* ---- enable.c ---- */

/*
 * Starts a stream of a table; returns its label.  Raises the service's error
 * if the table has an enabled stream.  Only for the owner.
 */
extern DYNAMO_EXPORT char *StreamEnable(const char *table_name, const char *view);

/*
 * The same for a table without an enabled stream that the caller owns and has locked against
 * writers; closes it.
 */
extern DYNAMO_EXPORT char *StreamStart(Relation rel, const char *view);

/* Closes the enabled stream of a table that is locked against readers. */
extern DYNAMO_EXPORT void StreamEnd(Oid relid, const TableStream *stream);

/* Closes the stream of a table.  It remains readable until it is trimmed. */
extern DYNAMO_EXPORT void StreamDisable(const char *table_name);

/* ---- stream_table.c: the rows of a stream's table ---- */

/* A stream's table that is open for writing. */
typedef struct StreamTable
{
	RawTable	own;
	Oid			sequence;
} StreamTable;

/* The columns of a record; missing items are null. */
typedef struct StreamRow
{
	char		event;
	bool		has_new;
	bool		has_old;
	Datum		keys;
	Datum		new_item;
	Datum		old_item;
	Datum		partition_key;		/* of a distributed table */
} StreamRow;

/*
 * Opens the stream to which an open relation with this definition writes, without checking
 * privileges or firing triggers.  Raises an error unless it is a stream of the same owner,
 * because any user can write a trigger that names any relation.
 */
extern void StreamTableOpen(StreamTable *t, Relation source, const TableDef *table, const char *stream_name);
extern void StreamTableClose(StreamTable *t);

/*
 * StreamTableOpen for a stream that is already open and locked, and remains
 * so.
 */
extern void StreamTableInit(StreamTable *t, Relation stream);
extern void StreamTableRelease(StreamTable *t);

/* Whether a relation has the columns and the guard of a stream's table. */
extern DYNAMO_EXPORT bool IsStreamTable(Relation rel);

/*
 * Whether a stream's table is that of a distributed table, or a shard of it: shards have
 * numbers of their own.
 */
extern DYNAMO_EXPORT bool StreamIsSharded(Relation stream);

/* Appends a record under the lock; returns its number. */
extern int64 StreamAppend(StreamTable *t, const StreamRow *row);

/*
 * The last number that this session took, if it was in this stream; otherwise
 * 0.
 */
extern int64 StreamLastAppended(Oid stream);

/* Inserts the row that marks all numbers up to number as trimmed. */
extern void StreamAppendTrimmed(StreamTable *t, int64 number, Datum partition_key);

/*
 * A number before which a snapshot sees nothing, if this session knows one
 * from a visible row of a trimming; otherwise STREAM_BEGINNING.
 */
extern int64 StreamTrimmedOnce(Oid stream, Snapshot snapshot);
extern void StreamSawTrimmed(Oid stream, int64 number, TransactionId xid);

/*
 * Takes exclusively, and releases, the lock that writers hold while they
 * append.
 */
extern void StreamWaitForWriters(Oid stream);

/*
 * Excludes other trimmers until the transaction ends.  Must be taken before
 * any lock on the relation for which a trimmer that drops it would wait.
 * Without wait, returns false if there is another trimmer.
 */
extern bool StreamLockForTrim(Oid stream, bool wait);

/* ---- late_record.c ---- */

/*
 * Appends the record of a change whose event fires late.  command made the
 * change; since is the first command that changed the item again, or
 * InvalidCommandId.  Records of later changes are moved after the new record.
 */
extern void StreamAppendLate(StreamTable *t, const StreamRow *row,
							 CommandId command, CommandId since);

/* ---- capture.c ---- */

/*
 * Set to a table while its expired items are deleted, otherwise to InvalidOid.
 */
extern void StreamSetExpiring(Oid relid);
extern Oid	StreamGetExpiring(void);

/* ---- stream_read.c ---- */

/*
 * A scan of the primary key: numbers from position on or, backwards, up to it.
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

/* A record of a stream; items are not detoasted. */
typedef struct StreamRecord
{
	int64		number;
	TimestampTz created_at;
	char		event;
	ItemPointerData tid;
	bool		has_keys;		/* always true if records are checked */
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
	const StreamDef *def;		/* NULL for trimming */
	Snapshot	snapshot;
	int64		position;		/* the next number to read */
	int64		last;			/* the last number that may be read */
	bool		sharded;		/* position is not beyond numbers that may be given again */
	bool		blocked;		/* stopped by a transaction in progress */
	struct IndexScanDescData *scan;
	TupleTableSlot *slot;
} StreamScan;

/* The position before the first record that is not trimmed. */
#define STREAM_BEGINNING	INT64CONST(0)

/* The greatest number that is read; a position after it must exist. */
#define STREAM_LAST_NUMBER	(PG_INT64_MAX - 1)

/*
 * Starts reading at a position.  Raises ERRCODE_DYNAMO_TRIMMED_DATA if records
 * after it have been trimmed.  Records are checked against def: a record
 * without the required keys and images raises ERRCODE_DATA_CORRUPTED with its
 * number.  If def is NULL (to trim), all rows are returned unchecked,
 * including STREAM_TRIMMED ones.
 */
extern void StreamScanBegin(StreamScan *scan, Relation rel, const StreamDef *def,
							int64 position, Snapshot snapshot);

/*
 * Reads the next record, whose data are valid until the next call.  Returns
 * false if there is none at the moment.  scan->position is then where to
 * continue; everything before it is settled.
 */
extern bool StreamScanNext(StreamScan *scan, StreamRecord *record);
extern void StreamScanEnd(StreamScan *scan);

/* The position after the newest record that a reader could have seen. */
extern DYNAMO_EXPORT int64 StreamLatest(Relation rel, Snapshot snapshot);

/* The greatest number of any row; 0 if there is none. */
extern DYNAMO_EXPORT int64 StreamLastNumber(Relation rel);

/* Raises ERRCODE_DYNAMO_TRIMMED_DATA. */
extern DYNAMO_EXPORT void StreamIsTrimmed(void) pg_attribute_noreturn();

/*
 * Deletes up to max_records records from before cutoff, and drops the stream's
 * table if it was closed before cutoff.  Returns the number of records; 0 if
 * another session trims the stream.  The caller owns the table.
 */
extern DYNAMO_EXPORT int64 StreamTrim(Oid relid, TimestampTz cutoff, int64 max_records);

/*
 * The streams in this database, and the shards of streams on this server, without those of other
 * sessions' temporary tables.  SPI must be connected.
 */
extern List *StreamsHere(void);

/*
 * The oldest number that can be read, or the next one to be written; at least
 * 1.
 */
extern DYNAMO_EXPORT int64 StreamFirstNumber(Relation rel, Snapshot snapshot);

/*
 * When the oldest record was written that readers must wait for, because its
 * transaction is in progress (of the last 10,000 rows), and the oldest record
 * of all; DT_NOEND if there is none.
 */
extern TimestampTz StreamOldestPending(Relation rel, Snapshot snapshot);
extern TimestampTz StreamOldestRecord(Relation rel, Snapshot snapshot);

/*
 * Since when a stream has the records of all changes that a snapshot sees, as far as trimming
 * is concerned: DT_NOBEGIN if nothing was trimmed.  Accurate to a second.
 */
extern DYNAMO_EXPORT TimestampTz StreamReachesBackTo(Relation rel, Snapshot snapshot);

/*
 * Calls a function with each record written after a time that a snapshot sees, the last one
 * first: undone in this order, they lead back to that time.  The data are valid during the call.
 */
extern DYNAMO_EXPORT void StreamReadBack(Relation rel, Snapshot snapshot, TimestampTz since,
										 void (*take) (void *arg, const StreamRecord *record), void *arg);

/* Convert numbers to and from their public form; false for invalid text. */
extern DYNAMO_EXPORT char *SequenceNumberText(int64 number);
extern DYNAMO_EXPORT bool SequenceNumberFromText(const char *text, int64 *number);

/* The service's name of an event, such as "INSERT". */
extern DYNAMO_EXPORT const char *StreamEventName(char event);

/* The size of a record by the service's rules: keys and images. */
extern DYNAMO_EXPORT int64 StreamRecordSize(const StreamRecord *record);

/* ---- find_stream.c ---- */

/*
 * Opens the stream with this label of a table of this name, which may have
 * been dropped.  Without a label, opens the enabled or else the newest stream.
 * The name is looked up like a table name, through search_path.  Returns NULL
 * if there is none.
 */
extern DYNAMO_EXPORT Relation StreamOpen(const char *table_name, const char *label, StreamDef *def);

/*
 * Returns the OIDs of the streams of a table, or of one that no longer exists, the
 * latest first; SPI is connected.
 */
extern List *StreamsOfName(const char *table_name);

/*
 * Raises an error unless the user may read the stream.  This needs privileges
 * on its table or, if the table has been dropped, on the stream itself.  Roles
 * under row security are refused.
 */
extern DYNAMO_EXPORT void CheckStreamPrivileges(Relation stream, const StreamDef *def);

#endif							/* DYNAMO_STREAM_H */
