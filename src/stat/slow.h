/*
 * slow.h
 *	  Slow requests in the server log.
 *
 * A request that takes dynamo.log_min_request_duration or longer is logged with
 * its operation, table and request id, and hashes of its key: enough to see
 * that requests for one key are slow, and to find the key among known ones,
 * without the key itself in the log.
 */
#ifndef DYNAMO_STAT_SLOW_H
#define DYNAMO_STAT_SLOW_H

#include "stat/stat.h"
#include "exported.h"

/* In milliseconds; -1: off. */
extern int	log_min_request_duration;

/* Defines the setting; called at load. */
extern void SlowInit(void);

/* Whether the current request may be logged, so that the functions below have an effect. */
static inline bool
SlowIsLogged(void)
{
	return stat_current != NULL && log_min_request_duration >= 0;
}

/* Notes a table of the current request; if there are several, the first is logged. */
extern void SlowNoteTable(const char *schema, const char *table);

/* Notes the hashes of a key of the current request; if there are several keys, the first is logged. */
extern void SlowNoteKey(const uint64 *hashes, int n);

/*
 * Logs a request that has ended, if it was slow.  request_id may be NULL.
 * sqlstate is that of the error; 0 if there was none.
 */
extern DYNAMO_EXPORT void SlowLog(const StatRequest *r, const char *operation, const char *request_id,
					int sqlstate);

#endif							/* DYNAMO_STAT_SLOW_H */
