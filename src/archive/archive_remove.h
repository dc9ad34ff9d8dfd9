/*
 * archive_remove.h
 *	  Removes the files of backups and exports.
 */
#ifndef DYNAMO_ARCHIVE_REMOVE_H
#define DYNAMO_ARCHIVE_REMOVE_H

#include "archive/archive.h"

/*
 * Removes the files of a backup or an export below the archive directory when the
 * transaction has committed.
 */
extern void JobRemoveFilesAtCommit(const Job *job, const char *directory);

extern void RemoveInit(void);

#endif							/* DYNAMO_ARCHIVE_REMOVE_H */
