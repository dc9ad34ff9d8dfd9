/*
 * archive_changes.h
 *	  Incremental exports: what has changed in a table between two times.
 *
 * The changes are the records of the table's stream.  Each has its own time.  The
 * records from the first time on and before the second are one line for each item:
 *
 *	{"Metadata":{"WriteTimestampMicros":"..."},"Keys":{...},"NewImage":{...},"OldImage":{...}}
 *
 * with the item before the first of its changes, and after the last one, whose time it
 * has.  An item that was there neither before nor after has a line with its keys alone:
 * whoever copied the table at about the first time may have it.
 *
 * No change is missing, though transactions do not commit in the order of their changes:
 * the export waits for those that have written to the stream before.
 */
#ifndef DYNAMO_ARCHIVE_CHANGES_H
#define DYNAMO_ARCHIVE_CHANGES_H

#include "archive/archive.h"
#include "transfer/export.h"

/*
 * Raises the reason why the changes of a table cannot be exported: its stream, if there
 * is one, has no images of items after changes.
 */
extern void CheckChangesAreRecorded(Relation rel);

/*
 * Exports the changes of an open table from a job's since until its moment as lines.  The caller has
 * set begin, write and arg of the export.  Raises ERRCODE_DYNAMO_INVALID_EXPORT_TIME if they are not all
 * recorded any more.
 */
extern void ChangesExport(const Job *job, const Store *store, Export *export);

#endif							/* DYNAMO_ARCHIVE_CHANGES_H */
