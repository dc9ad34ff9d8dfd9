/*
 * permanent.h
 *	  What the workers have in common that run as long as the server does.
 */
#ifndef DYNAMO_WORKER_PERMANENT_H
#define DYNAMO_WORKER_PERMANENT_H

#include "utils/timestamp.h"

#include "exported.h"

/* Settings of a worker's session, by default: those of the database and of roles go first. */
typedef struct PermanentWorker
{
	const char *name;			/* of the application */
	const char *lock_timeout;
	const char *statement_timeout;
} PermanentWorker;

/*
 * Connects the process to dynamo.database as a superuser and sets its defaults.  The
 * worker must live as long as the process.
 */
extern DYNAMO_EXPORT void PermanentWorkerStart(const PermanentWorker *worker);

/*
 * Handles signals between transactions, when there is nothing to cancel.  Returns whether
 * the configuration was read again.
 */
extern DYNAMO_EXPORT bool PermanentWorkerHandleInterrupts(void);

/*
 * Begin and commit a transaction, which statement_timeout ends, with its deferred triggers.
 * If it goes on nevertheless, the process ends.
 */
extern DYNAMO_EXPORT void PermanentWorkerBegin(void);
extern DYNAMO_EXPORT void PermanentWorkerCommit(void);

/* Whether a user has canceled the transaction, in PG_CATCH. */
extern bool PermanentWorkerWasCancelled(void);

/*
 * Ends a failed transaction, in PG_CATCH; the worker goes on.  Logs the error if asked
 * to.
 */
extern DYNAMO_EXPORT void PermanentWorkerRollback(bool log);

/* Whether the database has the extension, and this server may write: in a transaction. */
extern DYNAMO_EXPORT bool PermanentWorkerHasTables(void);

/* Sleeps until a time in milliseconds has passed (0: for ever) or a signal came. */
extern DYNAMO_EXPORT void PermanentWorkerSleep(long milliseconds);

/* ---- tables that rest ---- */

/* A table whose work fails is left alone for some time, longer each time. */
typedef struct TableRest
{
	TimestampTz until;
	int			seconds;		/* 0: the last work did not fail */
} TableRest;

/* Rests a second, or twice as long as the last time. */
extern DYNAMO_EXPORT void TableRestLonger(TableRest *rest, int longest);

static inline bool
TableRests(const TableRest *rest)
{
	return rest->until > GetCurrentTimestamp();
}

#endif							/* DYNAMO_WORKER_PERMANENT_H */
