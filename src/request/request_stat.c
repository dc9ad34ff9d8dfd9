/*
 * request_stat.c
 *	  Statistics of requests as SQL functions: see stat/stat.h.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "funcapi.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

#include "compat.h"
#include "request/operation.h"
#include "stat/stat.h"

#define MICROSECONDS_PER_MS 1000.0

/* relation, index, operation, counters, the units of capacity, total_time, durations, stats_reset */
#define COLUMNS (3 + STAT_READ_HALVES + 2 + 3)

#define HALVES_PER_UNIT		2.0

static Datum
BucketsArray(const StatRow *row)
{
	Datum		values[STAT_BOUNDS + 1];

	for (int i = 0; i <= STAT_BOUNDS; i++)
		values[i] = Int64GetDatum((int64) row->buckets[i]);
	return PointerGetDatum(construct_array(values, STAT_BOUNDS + 1, INT8OID, sizeof(int64),
										   FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

static void
PutStatRow(ReturnSetInfo *result, const StatRow *row)
{
	Datum		values[COLUMNS];
	bool		nulls[COLUMNS] = {false};
	int			n = 0;

	nulls[n] = !OidIsValid(row->relation);
	values[n++] = ObjectIdGetDatum(row->relation);
	nulls[n] = !OidIsValid(row->index);
	values[n++] = ObjectIdGetDatum(row->index);
	nulls[n] = row->operation == STAT_NO_OPERATION;
	values[n] = nulls[n] ? (Datum) 0 : CStringGetTextDatum(OperationName(row->operation));
	n++;
	for (int i = 0; i < STAT_READ_HALVES; i++)
		values[n++] = Int64GetDatum((int64) row->counters[i]);
	values[n++] = Float8GetDatum((double) row->counters[STAT_READ_HALVES] / HALVES_PER_UNIT);
	values[n++] = Float8GetDatum((double) row->counters[STAT_WRITE_UNITS]);
	values[n++] = Float8GetDatum((double) row->counters[STAT_MICROSECONDS] / MICROSECONDS_PER_MS);
	values[n++] = BucketsArray(row);
	values[n++] = TimestampTzGetDatum(StatResetTime());
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

DYNAMO_FUNCTION(dynamo_stat_requests);
Datum
dynamo_stat_requests(PG_FUNCTION_ARGS)
{
	StatRow    *rows;
	int			n;

	InitMaterializedSRF(fcinfo, 0);
	rows = StatRows(&n);
	for (int i = 0; i < n; i++)
		PutStatRow((ReturnSetInfo *) fcinfo->resultinfo, &rows[i]);
	return (Datum) 0;
}

DYNAMO_FUNCTION(dynamo_stat_reset);
Datum
dynamo_stat_reset(PG_FUNCTION_ARGS)
{
	StatReset();
	PG_RETURN_VOID();
}
