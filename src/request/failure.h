/*
 * failure.h
 *	  Errors as the service's error bodies.
 */
#ifndef DYNAMO_FAILURE_H
#define DYNAMO_FAILURE_H

#include "lib/stringinfo.h"
#include "utils/elog.h"

/* What the service says of an error; NULL if it says nothing. */
extern const char *FailureMessage(const ErrorData *edata);

/*
 * The item of a failed condition, JSON that operations put into DETAIL.  NULL
 * if there is none, or if it is text, as of a user's trigger that raises the
 * same error.
 */
extern const char *FailureItem(const ErrorData *edata);

/*
 * Logs an error of the server rather than of the request, since nobody else
 * will.
 */
extern void FailureLog(const ErrorData *edata);

/*
 * Appends the body of the answer, {"__type": ..., "message": ...}; returns
 * the HTTP status.
 */
extern int	FailureBody(StringInfo out, const ErrorData *edata);

#endif							/* DYNAMO_FAILURE_H */
