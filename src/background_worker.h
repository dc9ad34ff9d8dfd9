/*
 * background_worker.h
 *	  What the extension's background workers have in common.
 */
#ifndef DYNAMO_BACKGROUND_WORKER_H
#define DYNAMO_BACKGROUND_WORKER_H

#include "postmaster/bgworker.h"
#include "storage/lock.h"

/*
 * Returns a worker that runs a function of this library once, with access to a
 * database, after recovery has finished.
 */
extern BackgroundWorker WorkerDescribe(const char *function, const char *type);

/*
 * Connects a worker that does work for a table to its database, and replaces
 * settings of the database or the user that could prevent the work.
 */
extern void WorkerConnect(Oid database, const char *application_name);

/*
 * Waits for the end of the transaction that has started the worker, even if it
 * is prepared first.
 */
extern void WorkerAwaitLauncher(VirtualTransactionId launcher);

#endif							/* DYNAMO_BACKGROUND_WORKER_H */
