/*
 * failure.h
 *	  Converts errors to the service's error bodies.
 */
#ifndef DYNAMO_FAILURE_H
#define DYNAMO_FAILURE_H

#include "lib/stringinfo.h"
#include "utils/elog.h"
#include "exported.h"

/* Returns the service's message for an error; NULL if it has none. */
extern const char *FailureMessage(const ErrorData *edata);

/*
 * The item of a failed condition, which operations store in DETAIL as JSON.
 * NULL if there is none, or if DETAIL is other text, for example of a user's
 * trigger that raises the same error.
 */
extern const char *FailureItem(const ErrorData *edata);

/* Such an item, or the reasons why a transaction was canceled, as JSON; or NULL. */
extern const char *FailureData(const ErrorData *edata);

/*
 * Logs an error of the server rather than of the request, because it would not
 * be logged otherwise.
 */
extern void FailureLog(const ErrorData *edata);

/*
 * Appends the body of the error response, {"__type": ..., "message": ...};
 * returns the HTTP status.
 */
extern DYNAMO_EXPORT int	FailureBody(StringInfo out, const ErrorData *edata);

#endif							/* DYNAMO_FAILURE_H */
