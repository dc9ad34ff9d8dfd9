/*
 * archive_worker.h
 *	  The task of a worker, in bgw_extra.
 */
#ifndef DYNAMO_ARCHIVE_WORKER_H
#define DYNAMO_ARCHIVE_WORKER_H

#include "postmaster/bgworker.h"
#include "storage/lock.h"

#include "archive/archive.h"
#include "transfer/export_tree.h"

typedef struct JobTask
{
	Oid			database;
	VirtualTransactionId launcher;
	char		id[TREE_ID_LENGTH + 1];
} JobTask;

StaticAssertDecl(sizeof(JobTask) <= BGW_EXTRALEN, "task does not fit");

/* A transaction of the worker, with a snapshot. */
extern void BeginJobTransaction(void);
extern void CommitJobTransaction(void);

/* ---- archive_bulk.c ---- */

/*
 * Executes a bulk operation from where it is, outside of a transaction; context is that
 * of the job.
 */
extern void BulkRun(Job *job, MemoryContext context);

#endif							/* DYNAMO_ARCHIVE_WORKER_H */
