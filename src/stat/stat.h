/*
 * stat.h
 *	  Statistics of requests, in shared memory.
 *
 * There is an entry for each operation of each table, with counters and a
 * histogram of durations, and one for each operation of each index, with the
 * capacity consumed.  The capacity of a request on several tables is counted
 * for each of them; the rest of it is counted for none.
 * Counters are not written to disk: they begin at zero
 * when the server starts.  They count what was executed, whether its
 * transaction was committed or not.
 *
 * A request is counted by who executes it, with StatBegin and StatEnd; what is
 * called meanwhile adds what it knows.  Outside a request, and without the shared
 * memory (dynamo is not in shared_preload_libraries), all of this does nothing.
 */
#ifndef DYNAMO_STAT_H
#define DYNAMO_STAT_H

#include "datatype/timestamp.h"
#include "exported.h"

typedef enum StatCounter
{
	STAT_REQUESTS,
	STAT_USER_ERRORS,			/* errors of clients, except for those below */
	STAT_CONDITION_FAILURES,	/* ConditionalCheckFailedException */
	STAT_CANCELED,				/* TransactionCanceledException */
	STAT_CONFLICTS,				/* TransactionConflictException */
	STAT_SYSTEM_ERRORS,			/* errors of the server */
	STAT_ITEMS_RETURNED,
	STAT_ITEMS_READ,			/* items read, before filters */
	STAT_READ_BYTES,			/* bytes of the items read */
	STAT_REQUEST_BYTES,
	STAT_RESPONSE_BYTES,
	STAT_EXPIRED_ITEMS,			/* deleted by time to live; not by requests */
	STAT_READ_HALVES,			/* consumed capacity, in half units */
	STAT_WRITE_UNITS,			/* consumed capacity */
	STAT_MICROSECONDS,
	STAT_COUNTERS
} StatCounter;

/* Durations are counted in buckets with these upper bounds, and one more. */
#define STAT_BOUNDS		15
extern DYNAMO_EXPORT const int64 stat_bounds[STAT_BOUNDS];	/* in microseconds */

/* An entry. */
typedef struct StatRow
{
	Oid			relation;		/* InvalidOid: no table, or several */
	Oid			index;			/* InvalidOid: the table itself */
	int			operation;		/* as given to StatEnd, or STAT_NO_OPERATION */
	uint64		counters[STAT_COUNTERS];
	uint64		buckets[STAT_BOUNDS + 1];
} StatRow;

/* The capacity of a table or an index that a request has consumed. */
typedef struct StatUnits
{
	Oid			relation;
	Oid			index;			/* InvalidOid: of the table */
	uint64		read_halves;
	uint64		write_units;
} StatUnits;

/*
 * The maximum number of tables and indexes whose capacity is counted
 * separately within one request.
 */
#define STAT_UNITS		32

/* The maximum number of attributes of a key. */
#define STAT_HASHES		2

/* A request that is being executed.  The members are private to stat/. */
typedef struct StatRequest
{
	struct StatRequest *outer;
	TimestampTz start;
	Oid			relation;
	bool		several;		/* the request uses several tables */
	bool		elsewhere;		/* another server executes and counts it */
	uint64		counters[STAT_COUNTERS];
	int			nunits;
	int			nkeys;			/* for slow.h, as the next */
	int			nhashes;
	uint64		hashes[STAT_HASHES];	/* of the first key */
	char		table[2 * NAMEDATALEN];
	StatUnits	units[STAT_UNITS];	/* the rest begins as zeros */
} StatRequest;

extern DYNAMO_EXPORT PGDLLIMPORT StatRequest *stat_current;

/*
 * Defines the settings and requests shared memory; called when the library is
 * loaded.
 */
extern void StatInit(void);

/*
 * Begins a request that started at this time.  *r must be valid until StatEnd,
 * StatLeave, or the abort of the transaction.  Requests can be nested.
 */
extern DYNAMO_EXPORT void StatBegin(StatRequest *r, TimestampTz start);

/*
 * Ends and counts a request.  sqlstate is that of its error; 0 if it
 * succeeded.
 */
extern DYNAMO_EXPORT void StatEnd(StatRequest *r, int operation, int sqlstate);

/* Ends a request without counting it; StatEnd may still be called. */
extern DYNAMO_EXPORT void StatLeave(const StatRequest *r);

/* Adds to a counter of the current request. */
static inline void
StatAdd(StatCounter counter, uint64 n)
{
	if (stat_current != NULL)
		stat_current->counters[counter] += n;
}

/*
 * Notes that the current request has consumed capacity of a table, or of one
 * of its indexes.  If a request uses too many of them, the last ones are
 * counted under no table.
 */
extern void StatConsumed(Oid relation, Oid index, uint64 read_halves, uint64 write_units);

/* Notes that the current request uses a table. */
static inline void
StatTable(Oid relation)
{
	StatRequest *r = stat_current;

	if (r == NULL)
		return;
	r->several |= OidIsValid(r->relation) && r->relation != relation;
	r->relation = relation;
}

/* Notes whether another server executes the current request, and counts it. */
static inline void
StatElsewhere(bool elsewhere)
{
	if (stat_current != NULL)
		stat_current->elsewhere = elsewhere;
}

/* The operation of entries that count changes without a request. */
#define STAT_NO_OPERATION	(-1)

/* Notes that expired items of a table were deleted. */
extern void StatExpired(Oid relation, uint64 n);

/* Returns the entries of this database whose relations exist, palloc'd. */
extern DYNAMO_EXPORT StatRow *StatRows(int *n);

/*
 * Returns the time of the last reset, or of the server's start; 0 without
 * shared memory.
 */
extern DYNAMO_EXPORT TimestampTz StatResetTime(void);

/* Removes the entries of this database. */
extern DYNAMO_EXPORT void StatReset(void);

/* Removes the entries of a dropped table. */
extern void StatForget(Oid relation);

#endif							/* DYNAMO_STAT_H */
