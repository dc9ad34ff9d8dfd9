/*
 * lag.c
 *	  Reports how far time to live and stream readers lag behind.
 *
 * Each table is examined on its own, so that an invalid or locked one does not
 * hide the others, and no lock is kept.  What is measured comes from rows, and
 * is only for those who may see them, or all statistics.
 */
#include "postgres.h"

#include <time.h>

#include "access/table.h"
#include "catalog/pg_authid_d.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

#include "compat.h"
#include "store/expired.h"
#include "stream/stream.h"
#include "table/distribution.h"
#include "subtransaction.h"
#include "extension_objects.h"
#include "security/owner.h"
#include "table/table_list.h"

/*
 * Whether the user may see statistics of a table: by the right to all its rows,
 * or as a member of pg_read_all_stats.
 */
static bool
MaySeeStatistics(Oid relid)
{
	return has_privs_of_role(GetUserId(), ROLE_PG_READ_ALL_STATS) || MaySeeAllRows(relid);
}

/* may_see_statistics(relation oid) returns boolean */
DYNAMO_FUNCTION(dynamo_may_see_statistics);

Datum
dynamo_may_see_statistics(PG_FUNCTION_ARGS)
{
	Oid			relid = PG_GETARG_OID(0);

	PG_RETURN_BOOL(get_rel_relkind(relid) != '\0' && MaySeeStatistics(relid));
}

/* Opens a relation unless somebody has a lock that would make us wait. */
static Relation
TryOpenNow(Oid relid)
{
	if (!ConditionalLockRelationOid(relid, AccessShareLock))
		return NULL;
	return try_table_open(relid, NoLock);
}

static double
SecondsSince(TimestampTz time)
{
	return TIMESTAMP_IS_NOEND(time) ? 0 :
		(double) Max(GetCurrentTimestamp() - time, 0) / USECS_PER_SEC;
}

/* ---- time to live ---- */

typedef struct ExpiryLag
{
	Oid			relid;
	bool		known;
	double		seconds;		/* since the time of the oldest item that is expired */
} ExpiryLag;

static void
MeasureExpiry(void *arg)
{
	ExpiryLag  *lag = arg;
	Relation	rel = TryOpenNow(lag->relid);
	int64		now = (int64) time(NULL);
	int64		oldest;
	OwnerScope	scope;
	TableDef   *def;

	if (rel == NULL)
		return;
	OwnerScopeEnter(&scope, rel->rd_rel->relowner);
	def = TableDefAcquire(rel);
	if (def->ttl.data != NULL && !def->distributed && ExpiredOldest(rel, def, now, &oldest))
	{
		lag->known = true;
		lag->seconds = (double) (now - oldest);
	}
	TableDefRelease(def);
	OwnerScopeLeave(&scope);
	table_close(rel, NoLock);
}

DYNAMO_FUNCTION(dynamo_stat_time_to_live);

Datum
dynamo_stat_time_to_live(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	ListCell   *lc;

	InitMaterializedSRF(fcinfo, 0);
	foreach(lc, TablesWithFeature(FEATURE_TIME_TO_LIVE))
	{
		ExpiryLag	lag = {.relid = lfirst_oid(lc)};
		Datum		values[2];
		bool		nulls[2] = {false};

		if (!MaySeeStatistics(lag.relid))
			continue;
		ReadInSubtransaction(MeasureExpiry, &lag);
		values[0] = ObjectIdGetDatum(lag.relid);
		values[1] = Float8GetDatum(lag.seconds);
		nulls[1] = !lag.known;
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
	return (Datum) 0;
}

/* ---- streams ---- */

typedef struct StreamLag
{
	Oid			relid;
	bool		known;
	double		pending;		/* seconds since the oldest record that cannot be read yet */
	double		kept;			/* seconds since the oldest record */
} StreamLag;

static void
MeasureStream(void *arg)
{
	StreamLag  *lag = arg;
	Relation	rel = TryOpenNow(lag->relid);
	OwnerScope	scope;
	Snapshot	snapshot;

	if (rel == NULL)
		return;
	OwnerScopeEnter(&scope, rel->rd_rel->relowner);
	if (IsStreamTable(rel) && !RelationIsDistributed(lag->relid))
	{
		snapshot = RegisterSnapshot(GetLatestSnapshot());
		lag->pending = SecondsSince(StreamOldestPending(rel, snapshot));
		lag->kept = SecondsSince(StreamOldestRecord(rel, snapshot));
		lag->known = true;
		UnregisterSnapshot(snapshot);
	}
	OwnerScopeLeave(&scope);
	table_close(rel, NoLock);
}

DYNAMO_FUNCTION(dynamo_stream_lag);

Datum
dynamo_stream_lag(PG_FUNCTION_ARGS)
{
	StreamLag	lag = {.relid = PG_GETARG_OID(0)};
	Datum		values[2];
	bool		nulls[2];
	TupleDesc	desc;

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	ReadInSubtransaction(MeasureStream, &lag);
	values[0] = Float8GetDatum(lag.pending);
	values[1] = Float8GetDatum(lag.kept);
	nulls[0] = nulls[1] = !lag.known;
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc), values, nulls)));
}
