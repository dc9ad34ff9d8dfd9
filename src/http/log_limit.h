/*
 * log_limit.h
 *	  How much strangers get into the server's log.
 *
 * Of each kind of message that anybody who reaches the port can cause, all
 * workers together log one a second.  The next one tells how many were left
 * out.
 */
#ifndef DYNAMO_HTTP_LOG_LIMIT_H
#define DYNAMO_HTTP_LOG_LIMIT_H

typedef enum LogKind
{
	LOG_KIND_FULL,				/* too many clients */
	LOG_KIND_ACCEPT,			/* a connection that was not accepted */
	LOG_KIND_MALFORMED,
	LOG_KIND_LOST,				/* while a request came */
	LOG_KIND_TLS,
	LOG_KIND_SLOW_REQUEST,
	LOG_KIND_SLOW_ANSWER,
	LOG_KIND_HOST,
	LOG_KIND_KEY,
	LOG_KIND_SIGNATURE,
	LOG_KIND_ACCESS,
	LOG_KINDS
} LogKind;

/* Asks for shared memory; in the postmaster. */
extern void LogLimitInit(void);

/*
 * NULL if a message of this kind is not to be logged now; otherwise what to
 * append to it: how many were not logged since the last one, or nothing.
 * Valid until the next call.
 */
extern const char *LogLimit(LogKind kind);

#endif							/* DYNAMO_HTTP_LOG_LIMIT_H */
