/*
 * backups.h
 *	  Finds backups for the requests that use them.
 */
#ifndef DYNAMO_BACKUPS_H
#define DYNAMO_BACKUPS_H

#include "request/job_request.h"

/*
 * Returns the backup of BackupArn, which is complete or being made.  Raises
 * BackupNotFoundException.
 */
extern Job *FindBackup(const Field *input);

/* Raises BackupInUseException. */
extern void BackupInUse(const Job *backup) pg_attribute_noreturn();

#endif							/* DYNAMO_BACKUPS_H */
