/*
 * subtransaction.h
 *	  Work that may fail without failing the transaction.
 */
#ifndef DYNAMO_SUBTRANSACTION_H
#define DYNAMO_SUBTRANSACTION_H

#include "utils/elog.h"

#include "exported.h"

/*
 * Whether an error concerns the session rather than what it was doing: cancel,
 * shutdown, a lost connection.  An error of a trigger's RAISE does not, whatever it says.
 */
extern DYNAMO_EXPORT bool ErrorEndsSession(const ErrorData *edata);

/* Whether others were in the way, so that another attempt may succeed: a worker makes one. */
extern DYNAMO_EXPORT bool ErrorMayPass(const ErrorData *edata);

/*
 * Runs a step in a subtransaction.  Returns NULL, or the error that has rolled
 * it back, in the current memory context; what the step allocates there
 * remains.  Errors that end the session are raised.
 */
extern DYNAMO_EXPORT ErrorData *TryInSubtransaction(void (*step) (void *arg), void *arg);

/*
 * Runs a step that only reads in a subtransaction and rolls it back, so that
 * no lock that the step takes is kept.  Errors are ignored, except those that
 * end the session.
 */
extern void ReadInSubtransaction(void (*step) (void *arg), void *arg);

#endif							/* DYNAMO_SUBTRANSACTION_H */
