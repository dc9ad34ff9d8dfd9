/*
 * archive_remove.h
 *	  Removes the files of deleted backups.
 */
#ifndef DYNAMO_ARCHIVE_REMOVE_H
#define DYNAMO_ARCHIVE_REMOVE_H

/* Removes the files of a backup when the transaction has committed. */
extern void BackupRemoveAtCommit(const char *directory, const char *id);

extern void RemoveInit(void);

#endif							/* DYNAMO_ARCHIVE_REMOVE_H */
