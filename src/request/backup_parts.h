/*
 * backup_parts.h
 *	  What a backup keeps of a table that requests do not know: how it is stored,
 *	  entity views, access patterns, indexes and constraints of SQL.
 */
#ifndef DYNAMO_BACKUP_PARTS_H
#define DYNAMO_BACKUP_PARTS_H

#include "archive/archive.h"
#include "request/shape.h"

/*
 * Returns the parts of a table as JSON.  Reports by a notice what a backup
 * omits.
 */
extern Slice BackupParts(Oid relid);

/*
 * Makes the parts for an empty table of the user.  A part that cannot be made
 * is reported by a notice.  Code of the backup's owner is only given to the
 * owner.
 */
extern void BackupPartsRestore(const Job *backup, const Field *parts, Oid relid);

#endif							/* DYNAMO_BACKUP_PARTS_H */
