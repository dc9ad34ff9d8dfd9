/*
 * backup_details.h
 *	  What a backup keeps of its table, as JSON.
 */
#ifndef DYNAMO_BACKUP_DETAILS_H
#define DYNAMO_BACKUP_DETAILS_H

#include "request/job_request.h"

/*
 * Returns an object with the members Creation (the input of a CreateTable that
 * makes such a table), TableCreationDateTime and SourceTableFeatureDetails.
 */
extern char *BackupDetails(const OpenedTable *table);

/* Reads it. */
extern Field *BackupDetailsRead(const Job *backup);

#endif							/* DYNAMO_BACKUP_DETAILS_H */
