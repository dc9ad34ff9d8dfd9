/*
 * expire_batch.c
 *	  Deletes a batch of expired items.
 *
 * Items are deleted by plain DELETE statements, so that indexes, triggers,
 * references and streams apply.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_type_d.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/hsearch.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/rls.h"
#include "utils/timestamp.h"

#include "op/expire.h"
#include "security/owner.h"
#include "stat/progress.h"
#include "stat/stat.h"
#include "store/plan.h"
#include "stream/stream.h"
#include "subtransaction.h"
#include "table/distribution.h"
#include "table/placement.h"

/*
 * After a failed transaction of its own, an item is skipped for this many
 * times the duration of that transaction: its trigger may run without end.
 */
#define REST_TIMES		10

/*
 * Number of failures remembered per table; further ones are reported again
 * each time.
 */
#define MAX_FAILURES	10000

static int64
UnixSeconds(void)
{
	return GetCurrentTimestamp() / USECS_PER_SEC +
		(POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * (int64) SECS_PER_DAY;
}

/* ---- what could not be deleted ---- */

typedef struct Failure
{
	uint64		id;				/* id of the item; hash key */
	uint32		pass;			/* the last pass that saw the item */
	TimestampTz retry_at;		/* when to try the item alone, or 0 */
} Failure;

void
ExpiryRemember(Expiry *e)
{
	const HASHCTL ctl = {
		.keysize = sizeof(uint64), .entrysize = sizeof(Failure), .hcxt = e->context
	};

	e->failures = hash_create("dynamo expiry failures", 16, &ctl,
							  HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
}

void
ExpiryForget(Expiry *e)
{
	MemoryContextDelete(e->context);
	memset(e, 0, sizeof(Expiry));
}

/* Returns the failure of an item; NULL if the item is not known to fail. */
static Failure *
FindFailure(const Expiry *e, uint64 id)
{
	return e->failures == NULL ? NULL : hash_search(e->failures, &id, HASH_FIND, NULL);
}

/*
 * Records a failed deletion; returns whether it is a new one.  A positive rest
 * is the time until the item is tried again, alone.
 */
static bool
RecordFailedDeletion(Expiry *e, uint64 id, int64 rest)
{
	Failure    *failure = FindFailure(e, id);
	bool		known = failure != NULL;

	if (e->failures != NULL && !known && hash_get_num_entries(e->failures) < MAX_FAILURES)
		failure = hash_search(e->failures, &id, HASH_ENTER, NULL);
	if (failure != NULL)
	{
		failure->pass = e->pass;
		failure->retry_at = rest > 0 ? GetCurrentTimestamp() + rest : 0;
	}
	return !known;
}

/*
 * At the end of a complete pass, forgets items that the pass did not see: they
 * are deleted, or have not expired any more.
 */
static void
ForgetOldFailures(Expiry *e)
{
	HASH_SEQ_STATUS status;
	Failure    *failure;

	if (e->failures == NULL)
		return;
	hash_seq_init(&status, e->failures);
	while ((failure = hash_seq_search(&status)) != NULL)
	{
		if (failure->pass != e->pass)
			hash_search(e->failures, &failure->id, HASH_REMOVE, NULL);
	}
}

/* ---- passes ---- */

void
ExpiryBeginPass(Expiry *e, bool whole)
{
	e->passing = true;
	e->whole = whole || !e->position.set;
	e->again = false;
	ExpiredPositionKeep(&e->start, &e->position, e->context);
	e->pass++;
}

/*
 * Ends a part of the pass in which nothing is left; returns whether another
 * part follows.
 */
static bool
BeginNextPart(Expiry *e)
{
	static const ExpiredPosition beginning;

	if (e->whole && !e->again && e->start.set)
	{
		e->again = true;
		ExpiredPositionKeep(&e->position, &beginning, e->context);
		return true;
	}
	if (e->whole)
	{
		ForgetOldFailures(e);
		ExpiredPositionKeep(&e->position, &beginning, e->context);
	}
	return false;
}

/* ---- deleting ---- */

typedef struct Deletion
{
	Expiry	   *e;
	const ExpiredSearch *search;
	const ExpiredRows *found;
	int			from;			/* first of the rows to delete now */
	int			n;
} Deletion;

/* Returns one column of the rows as an array. */
static Datum
ColumnArray(const Deletion *d, int column)
{
	Oid			type = d->found->types[column];
	Datum	   *elements = palloc(sizeof(Datum) * d->n);
	int16		length;
	bool		by_value;
	char		alignment;

	get_typlenbyvalalign(type, &length, &by_value, &alignment);
	for (int i = 0; i < d->n; i++)
		elements[i] = d->found->rows[d->from + i].columns[column];
	return PointerGetDatum(construct_array(elements, d->n, type, length, by_value, alignment));
}

/* Deletes the rows in one statement. */
static void
DeleteRows(void *arg)
{
	const Deletion *d = arg;
	Datum		values[2 + EXPIRED_KEYS] = {
		Int64GetDatum(d->search->oldest), Int64GetDatum(d->search->newest)
	};
	Oid			types[2 + EXPIRED_KEYS] = {INT8OID, INT8OID};
	SPIPlanPtr	plan;

	for (int i = 0; i < d->found->ncolumns; i++)
	{
		types[2 + i] = get_array_type(d->found->types[i]);
		values[2 + i] = ColumnArray(d, i);
	}
	plan = StorePlanAs(d->found->delete_sql, 2 + d->found->ncolumns, types, d->search->rights);
	if (SPI_execute_plan(plan, values, NULL, false, 0) != SPI_OK_DELETE)
		elog(ERROR, "could not delete expired items");
	d->e->deleted += (int64) SPI_processed;
}

/*
 * Whether an error is caused by the server or the transaction, not by an item.
 */
static bool
ConcernsAllItems(const ErrorData *error)
{
	int			category = ERRCODE_TO_CATEGORY(error->sqlerrcode);

	return category == ERRCODE_INSUFFICIENT_RESOURCES ||
		category == ERRCODE_SYSTEM_ERROR ||
		error->sqlerrcode == ERRCODE_READ_ONLY_SQL_TRANSACTION ||
		(error->sqlerrcode == ERRCODE_T_R_SERIALIZATION_FAILURE && IsolationUsesXactSnapshot());
}

static void
NoteFailure(Expiry *e, uint64 id, const ErrorData *error)
{
	if (!RecordFailedDeletion(e, id, 0))
		return;
	if (e->failed++ == 0)
		e->message = pstrdup(error->message);
}

/*
 * Deletes rows.  If this fails, it divides them, until only rows that cannot
 * be deleted remain.
 */
static void
DeleteInParts(Expiry *e, Deletion *d, int from, int n)
{
	int64		deleted = e->deleted;
	ErrorData  *error;

	CHECK_FOR_INTERRUPTS();
	if (n == 0)
		return;
	d->from = from;
	d->n = n;
	error = TryInSubtransaction(DeleteRows, d);
	if (error == NULL)
		return;
	e->deleted = deleted;
	if (ConcernsAllItems(error))
		ReThrowError(error);
	if (n == 1)
		NoteFailure(e, d->found->rows[from].id, error);
	FreeErrorData(error);
	if (n > 1)
	{
		DeleteInParts(e, d, from, n / 2);
		DeleteInParts(e, d, from + n / 2, n - n / 2);
	}
}

/*
 * Deletes the found rows.  Items that failed before come last, one by one, so
 * that they do not make the others fail.
 */
static void
DeleteFound(Expiry *e, const ExpiredSearch *search, ExpiredRows *found)
{
	ExpiredRow *failed = palloc(sizeof(ExpiredRow) * found->n);
	Deletion	d = {e, search, found};
	int			nfailed = 0;
	int			n = 0;

	for (int i = 0; i < found->n; i++)
	{
		if (FindFailure(e, found->rows[i].id) != NULL)
			failed[nfailed++] = found->rows[i];
		else
			found->rows[n++] = found->rows[i];
	}
	memcpy(&found->rows[n], failed, sizeof(ExpiredRow) * nfailed);
	DeleteInParts(e, &d, 0, n);
	for (int i = 0; i < nfailed; i++)
		DeleteInParts(e, &d, n + i, 1);
}

/*
 * Deletes the found rows as expired items, which is what their stream records
 * then show.  The mark that says so is static: it must be taken back after an
 * error, too.
 */
static void
DeleteAsExpired(Expiry *e, const ExpiredSearch *search, ExpiredRows *found)
{
	Oid			outer = StreamGetExpiring();

	StreamSetExpiring(e->relid);
	PG_TRY();
	{
		DeleteFound(e, search, found);
	}
	PG_FINALLY();
	{
		StreamSetExpiring(outer);
	}
	PG_END_TRY();
}

/* ---- batches ---- */

/*
 * The caller has checked the DELETE privilege, which suffices, and that row
 * security hides no rows from others than the owner.  The owner needs all rights
 * of the statements, and may be subject to row security.
 */
static Oid
RightsToDelete(Relation rel)
{
	return rel->rd_rel->relowner == GetUserId() ||
		check_enable_rls(RelationGetRelid(rel), InvalidOid, true) == RLS_ENABLED ? InvalidOid : PLAN_ALL_ROWS;
}

/*
 * Takes the items to delete together from those that were found, and moves the
 * position past them.  Returns whether some are left for the next batch.
 */
static bool
TakeBatch(Expiry *e, ExpiredRows *found)
{
	TimestampTz now = GetCurrentTimestamp();
	ExpiredPosition last = e->position;
	bool		cut = false;
	int			n = 0;

	for (int i = 0; i < found->n && !cut && !e->alone; i++)
	{
		ExpiredRow	row = found->rows[i];
		Failure    *failure = FindFailure(e, row.id);
		bool		alone = e->careful > 0 || (failure != NULL && failure->retry_at != 0);

		if (failure != NULL && failure->retry_at > now)
			failure->pass = e->pass;
		else if (alone && n > 0)
		{
			cut = true;
			break;
		}
		else
		{
			found->rows[n++] = row;
			e->alone = alone;
			e->id = row.id;
			cut = alone && i + 1 < found->n;
		}
		last = row.position;
	}
	e->careful -= e->alone && e->careful > 0 ? 1 : 0;
	found->n = n;
	ExpiredPositionKeep(&e->position, &last, e->context);
	return cut;
}

/* Finds and deletes one batch. */
static bool
ExpireRows(Expiry *e, Relation rel, const TableDef *def, int limit)
{
	int64		now = UnixSeconds();
	ExpiredSearch search = {
		.rel = rel, .def = def, .oldest = now - OLDEST_SECONDS, .newest = now,
		.after = e->position, .limit = limit, .rights = RightsToDelete(rel),
	};
	ExpiredRows found;
	bool		more;

	if (e->again)
		search.upto = e->start;
	ExpiredFind(&search, &found);
	more = found.n == limit;
	ExpiredPositionKeep(&e->before, &e->position, e->context);
	if (TakeBatch(e, &found))
		more = true;
	if (found.n > 0)
	{
		e->deleting = true;
		DeleteAsExpired(e, &search, &found);
	}
	return more || BeginNextPart(e);
}

/*
 * Whether rows may be deleted from the relation itself: it is no distributed table, whose
 * shards are tables of their own, and no shard that has been moved away.
 */
static bool
HasOwnRows(Relation rel, const TableDef *def)
{
	return !def->distributed && (!OidIsValid(DistributedTableOf(rel)) || placement->lock_own_shard(rel));
}

/*
 * This is the user's own DELETE.  A superuser, as whom background workers run,
 * deletes as the table's owner.
 */
static bool
ExpireTable(Expiry *e, Relation rel, int limit)
{
	OwnerScope	scope;
	TableDef   *def;
	bool		more = false;

	OwnerScopeEnterForMaintenance(&scope, rel->rd_rel->relowner);
	def = TableDefAcquire(rel);
	if (def->ttl.data != NULL && HasOwnRows(rel, def))
		more = ExpireRows(e, rel, def, limit);
	TableDefRelease(def);
	OwnerScopeLeave(&scope);
	return more;
}

bool
ExpireBatch(Expiry *e, int limit)
{
	Relation	rel;
	bool		more = false;

	e->began = GetCurrentTimestamp();
	e->deleting = e->alone = false;
	e->deleted = e->failed = 0;
	rel = try_table_open(e->relid, RowExclusiveLock);
	if (rel != NULL)
	{
		ProgressBegin(PROGRESS_EXPIRE, e->relid, 0);
		more = ExpireTable(e, rel, limit);
		ProgressEnd();
		table_close(rel, NoLock);
	}
	StatExpired(e->relid, (uint64) e->deleted);
	e->passing = more;
	return more;
}

void
ExpiryReportFailures(const Expiry *e)
{
	char	   *schema = get_namespace_name(get_rel_namespace(e->relid));

	if (e->failed > 0 && schema != NULL)
		ereport(WARNING,
				(errmsg_plural("%lld expired item of table \"%s.%s\" could not be deleted",
							   "%lld expired items of table \"%s.%s\" could not be deleted",
							   e->failed, (long long) e->failed, schema, get_rel_name(e->relid)),
				 errdetail_internal("%s", e->message)));
}

bool
ExpiryAborted(Expiry *e, bool cancelled)
{
	if (cancelled || !e->deleting)
	{
		ExpiredPositionKeep(&e->position, &e->before, e->context);
		return true;
	}
	if (e->alone)
		return RecordFailedDeletion(e, e->id, REST_TIMES * (GetCurrentTimestamp() - e->began + 1));
	ExpiredPositionKeep(&e->position, &e->before, e->context);
	e->careful = EXPIRE_BATCH;
	return true;
}
