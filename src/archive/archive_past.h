/*
 * archive_past.h
 *	  Copies a table as it was at a time.
 *
 * The past of a table is its present, with the changes since then undone: the
 * records of its stream, if they have old images, lead back from what one snapshot
 * shows of the table, the last change first.  No copy of an earlier state is
 * needed, and a time can be reached as far back as the stream has all records.
 *
 * Each change has its own time.  What a transaction wrote until the time is
 * restored if the transaction is committed when the copy begins.
 */
#ifndef DYNAMO_ARCHIVE_PAST_H
#define DYNAMO_ARCHIVE_PAST_H

#include "archive/archive.h"
#include "stream/stream_definition.h"
#include "transfer/import.h"

/*
 * Whether the stream of a table has old images, and since when it has all changes
 * (microseconds since 1970).
 */
extern bool PastIsRecorded(Relation rel, int64 *since);

/*
 * Opens the records of a table's changes: its stream, if it has old images; otherwise returns NULL.
 * PastRecordsSince returns since when a snapshot shows all of them (microseconds since 1970).
 */
extern Relation PastRecordsOpen(Relation rel, TableStream *stream);
extern int64 PastRecordsSince(Relation records, const TableStream *stream, Snapshot snapshot);

/*
 * Puts the items of a job's source, as of its moment, into the open store of an import
 * that has not begun.  Raises ERRCODE_DYNAMO_INVALID_RESTORE_TIME if that time cannot be
 * reached any more.
 */
extern void PastCopy(const Job *job, Import *import);

#endif							/* DYNAMO_ARCHIVE_PAST_H */
