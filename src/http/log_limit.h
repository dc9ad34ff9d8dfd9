/*
 * log_limit.h
 *	  Limits log messages that clients can cause without authentication, and counts their causes.
 *
 * All workers together log at most one message a second of each kind that any client
 * can cause.  The next message contains the number of suppressed ones.
 */
#ifndef DYNAMO_HTTP_LOG_LIMIT_H
#define DYNAMO_HTTP_LOG_LIMIT_H

typedef enum LogKind
{
	LOG_KIND_FULL,				/* too many clients */
	LOG_KIND_ACCEPT,			/* a connection that was not accepted */
	LOG_KIND_MALFORMED,
	LOG_KIND_LOST,				/* a client was too slow */
	LOG_KIND_TLS,
	LOG_KIND_SLOW_REQUEST,
	LOG_KIND_SLOW_ANSWER,
	LOG_KIND_HOST,
	LOG_KIND_KEY,
	LOG_KIND_SIGNATURE,
	LOG_KIND_ACCESS,
	LOG_KIND_FAILURE,			/* the server could not authenticate a client */
	LOG_KINDS
} LogKind;

/* Finds shared memory, while AddinShmemInitLock is held. */
extern void LogLimitAttach(void);

/*
 * Returns NULL if a message of this kind must not be logged now; otherwise the
 * text to append to it: the number of suppressed messages, or nothing.  Valid
 * until the next call.
 */
extern const char *LogLimit(LogKind kind);

/* How often LogLimit was called for a kind, by all workers since the server started. */
extern uint64 LogLimitCount(LogKind kind);

#endif							/* DYNAMO_HTTP_LOG_LIMIT_H */
