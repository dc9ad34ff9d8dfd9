/*
 * background_worker.h
 *	  What the extension's background workers have in common.
 */
#ifndef DYNAMO_BACKGROUND_WORKER_H
#define DYNAMO_BACKGROUND_WORKER_H

#include "postmaster/bgworker.h"
#include "storage/lock.h"

#include "exported.h"

/*
 * Returns a worker that runs a function of one of the extension's libraries once, with
 * access to a database, after recovery has finished.
 */
extern DYNAMO_EXPORT BackgroundWorker WorkerDescribe(const char *library, const char *function,
									   const char *type);

/*
 * Connects a worker that does work for a table to its database, and replaces
 * settings of the database or the user that could prevent the work.
 */
extern DYNAMO_EXPORT void WorkerConnect(Oid database, const char *application_name);

/*
 * Waits for the end of the transaction that has started the worker, even if it
 * is prepared first.
 */
extern DYNAMO_EXPORT void WorkerAwaitLauncher(VirtualTransactionId launcher);

/* In a transaction: whether the extension has not been dropped since the worker was started. */
extern bool WorkerHasExtension(void);

#endif							/* DYNAMO_BACKGROUND_WORKER_H */
