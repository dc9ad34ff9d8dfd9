/*
 * stat.c
 *	  Statistics of requests, in shared memory.
 *
 * Counters of an entry are added to under a shared lock; entries are made and
 * removed under an exclusive one.  When there is no room for another table, its
 * requests are counted under no table.
 */
#include "postgres.h"

#include "access/xact.h"
#include "miscadmin.h"
#include "port/atomics.h"
#include "storage/ipc.h"
#include "storage/lwlock.h"
#include "storage/shmem.h"
#include "utils/guc.h"
#include "utils/hsearch.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"

#include "errors.h"
#include "stat/key_sketch.h"
#include "stat/slow.h"
#include "shared_memory.h"

/* Entries for every operation without a table, in a few databases. */
#define MIN_ENTRIES		1000

/* How often room is looked for, in milliseconds: it takes a look at every entry. */
#define LOOK_MILLISECONDS	60000

const int64 stat_bounds[STAT_BOUNDS] = {
	100, 250, 500, 1000, 2500, 5000, 10000, 25000, 50000, 100000, 250000, 500000,
	1000000, 2500000, 10000000
};

typedef struct EntryKey
{
	Oid			database;
	Oid			relation;
	Oid			index;
	int32		operation;
} EntryKey;

typedef struct Entry
{
	EntryKey	key;
	pg_atomic_uint64 counters[STAT_COUNTERS];
	pg_atomic_uint64 buckets[STAT_BOUNDS + 1];
} Entry;

typedef struct Shared
{
	LWLock	   *lock;
	pg_atomic_uint64 reset;		/* a TimestampTz */
	pg_atomic_uint64 looked;	/* for room; a TimestampTz */
} Shared;

StatRequest *stat_current;

static void LeaveAll(XactEvent event, void *arg);

static int	max_entries;
static Shared *shared;
static HTAB *entries;
static bool is_full;			/* there was no room for an entry */

static void FindRoom(void);

/* ---- shared memory ---- */

static void
RequestStat(void)
{
	RequestAddinShmemSpace(MAXALIGN(sizeof(Shared)) +
						   hash_estimate_size(max_entries, sizeof(Entry)));
	RequestNamedLWLockTranche("dynamo statistics", 1);
}

static void
StartStat(void)
{
	HASHCTL		ctl = {.keysize = sizeof(EntryKey), .entrysize = sizeof(Entry)};
	bool		found;

	shared = ShmemInitStruct("dynamo statistics", sizeof(Shared), &found);
	if (!found)
	{
		shared->lock = &GetNamedLWLockTranche("dynamo statistics")->lock;
		pg_atomic_init_u64(&shared->reset, (uint64) GetCurrentTimestamp());
		pg_atomic_init_u64(&shared->looked, 0);
	}
	entries = InitSharedHash("dynamo statistics of requests", max_entries, &ctl, HASH_ELEM | HASH_BLOBS);
}

void
StatInit(void)
{
	GucContext	context = process_shared_preload_libraries_in_progress ? PGC_POSTMASTER : PGC_SIGHUP;

	DefineCustomIntVariable("dynamo.stat_max",
							"Maximum number of operations and tables for which requests are counted; 0 turns it off.",
							"Statistics require dynamo in shared_preload_libraries.",
							&max_entries, 5000, 0, 1000000, context, 0, NULL, NULL, NULL);
	SlowInit();
	KeySketchInit();
	RegisterXactCallback(LeaveAll, NULL);
	if (!process_shared_preload_libraries_in_progress || max_entries == 0)
		return;
	max_entries = Max(max_entries, MIN_ENTRIES);
	SharedMemoryRegister(RequestStat, StartStat);
}

/* Whether requests are counted. */
static bool
IsActive(void)
{
	return entries != NULL;
}

TimestampTz
StatResetTime(void)
{
	return IsActive() ? (TimestampTz) pg_atomic_read_u64(&shared->reset) : 0;
}

/* ---- counting ---- */

void
StatBegin(StatRequest *r, TimestampTz start)
{
	memset(r, 0, offsetof(StatRequest, units));
	if (!IsActive() && log_min_request_duration < 0)
		return;
	r->outer = stat_current;
	r->start = start;
	stat_current = r;
}

void
StatConsumed(Oid relation, Oid index, uint64 read_halves, uint64 write_units)
{
	StatRequest *r = stat_current;
	int			i = 0;

	if (r == NULL)
		return;
	if (unlikely(is_full))
		FindRoom();
	while (i < Min(r->nunits, STAT_UNITS - 1) &&
		   (r->units[i].relation != relation || r->units[i].index != index))
		i++;
	if (i == STAT_UNITS - 1)
		relation = index = InvalidOid;
	if (i >= r->nunits)
	{
		r->units[i] = (StatUnits) {relation, index};
		r->nunits = i + 1;
	}
	r->units[i].read_halves += read_halves;
	r->units[i].write_units += write_units;
}

void
StatLeave(const StatRequest *r)
{
	stat_current = r->outer;
}

/*
 * Discards the requests of an aborted transaction, which an error may have
 * left.
 */
static void
LeaveAll(XactEvent event, void *arg)
{
	if (event == XACT_EVENT_ABORT)
		stat_current = NULL;
}

/* Returns the counter that an error increments besides STAT_REQUESTS. */
static StatCounter
CounterOfError(int sqlstate)
{
	const DynamoException *exception = DynamoExceptionForSqlstate(sqlstate);

	switch (exception->sqlstate)
	{
		case ERRCODE_DYNAMO_CONDITION_FAILED:
			return STAT_CONDITION_FAILURES;
		case ERRCODE_DYNAMO_TRANSACTION_CANCELED:
			return STAT_CANCELED;
		case ERRCODE_DYNAMO_TRANSACTION_CONFLICT:
			return STAT_CONFLICTS;
		default:
			return exception->http_status >= 500 ? STAT_SYSTEM_ERRORS : STAT_USER_ERRORS;
	}
}

static int
BucketOf(int64 microseconds)
{
	int			i = 0;

	while (i < STAT_BOUNDS && microseconds > stat_bounds[i])
		i++;
	return i;
}

/* Creates an entry if there is room; the lock is held exclusively. */
static Entry *
MakeStatEntry(const EntryKey *key)
{
	bool		found;
	Entry	   *entry;

	if (hash_get_num_entries(entries) >= max_entries)
	{
		is_full = true;
		return NULL;
	}
	entry = hash_search(entries, key, HASH_ENTER_NULL, &found);
	if (entry == NULL || found)
		return entry;
	for (int i = 0; i < STAT_COUNTERS; i++)
		pg_atomic_init_u64(&entry->counters[i], 0);
	for (int i = 0; i <= STAT_BOUNDS; i++)
		pg_atomic_init_u64(&entry->buckets[i], 0);
	return entry;
}

/*
 * Finds or creates an entry; the lock is held.  Returns NULL if there is no
 * room.
 */
static Entry *
LockedEntry(EntryKey *key)
{
	Entry	   *entry;

	LWLockAcquire(shared->lock, LW_SHARED);
	entry = hash_search(entries, key, HASH_FIND, NULL);
	if (entry != NULL)
		return entry;
	LWLockRelease(shared->lock);
	LWLockAcquire(shared->lock, LW_EXCLUSIVE);
	entry = hash_search(entries, key, HASH_FIND, NULL);
	if (entry == NULL)
		entry = MakeStatEntry(key);
	if (entry != NULL || !OidIsValid(key->relation))
		return entry;
	key->relation = key->index = InvalidOid;
	entry = hash_search(entries, key, HASH_FIND, NULL);
	return entry != NULL ? entry : MakeStatEntry(key);
}

static void
AddToCounter(Entry *entry, StatCounter counter, uint64 n)
{
	if (n > 0)
		pg_atomic_fetch_add_u64(&entry->counters[counter], (int64) n);
}

static void
CountUnits(const StatUnits *units, int operation)
{
	EntryKey	key = {MyDatabaseId, units->relation, units->index, operation};
	Entry	   *entry = LockedEntry(&key);

	if (entry != NULL)
	{
		AddToCounter(entry, STAT_READ_HALVES, units->read_halves);
		AddToCounter(entry, STAT_WRITE_UNITS, units->write_units);
	}
	LWLockRelease(shared->lock);
}

/* Counts the capacity of each table and index; that of the request's own table with it. */
static void
CountConsumed(StatRequest *r, const EntryKey *key)
{
	for (int i = 0; i < r->nunits; i++)
	{
		const StatUnits *units = &r->units[i];

		if (units->relation == key->relation && units->index == key->index)
		{
			r->counters[STAT_READ_HALVES] += units->read_halves;
			r->counters[STAT_WRITE_UNITS] += units->write_units;
		}
		else
			CountUnits(units, key->operation);
	}
}

static void
CountRequest(StatRequest *r, int operation)
{
	EntryKey	key = {MyDatabaseId, r->several ? InvalidOid : r->relation, InvalidOid, operation};
	Entry	   *entry;

	CountConsumed(r, &key);
	entry = LockedEntry(&key);
	if (entry != NULL)
	{
		for (int i = 0; i < STAT_COUNTERS; i++)
			AddToCounter(entry, (StatCounter) i, r->counters[i]);
		pg_atomic_fetch_add_u64(&entry->buckets[BucketOf((int64) r->counters[STAT_MICROSECONDS])], 1);
	}
	LWLockRelease(shared->lock);
}

void
StatEnd(StatRequest *r, int operation, int sqlstate)
{
	if (r->start == 0)
		return;
	StatLeave(r);
	if (r->elsewhere)
		return;
	r->counters[STAT_REQUESTS] = 1;
	r->counters[STAT_MICROSECONDS] = (uint64) Max(GetCurrentTimestamp() - r->start, 0);
	if (sqlstate != 0)
		r->counters[CounterOfError(sqlstate)] = 1;
	if (IsActive())
		CountRequest(r, operation);
}

void
StatExpired(Oid relation, uint64 n)
{
	EntryKey	key = {MyDatabaseId, relation, InvalidOid, STAT_NO_OPERATION};
	Entry	   *entry;

	if (!IsActive() || n == 0)
		return;
	entry = LockedEntry(&key);
	if (entry != NULL)
		AddToCounter(entry, STAT_EXPIRED_ITEMS, n);
	LWLockRelease(shared->lock);
}

/* ---- reading and removing ---- */

static void
CopyStatEntry(StatRow *row, Entry *entry)
{
	row->relation = entry->key.relation;
	row->index = entry->key.index;
	row->operation = entry->key.operation;
	for (int i = 0; i < STAT_COUNTERS; i++)
		row->counters[i] = pg_atomic_read_u64(&entry->counters[i]);
	for (int i = 0; i <= STAT_BOUNDS; i++)
		row->buckets[i] = pg_atomic_read_u64(&entry->buckets[i]);
}

/*
 * Whether the table and index of an entry may still exist, or, in another database, that
 * database.
 */
static bool
IsOfExisting(const EntryKey *key)
{
	if (key->database != MyDatabaseId)
		return SearchSysCacheExists1(DATABASEOID, ObjectIdGetDatum(key->database));
	return (!OidIsValid(key->relation) || SearchSysCacheExists1(RELOID, ObjectIdGetDatum(key->relation))) &&
		(!OidIsValid(key->index) || SearchSysCacheExists1(RELOID, ObjectIdGetDatum(key->index)));
}

/* Those of relations that are gone are left out.  Catalogs are read without the lock. */
static int
KeepExistingRows(StatRow *rows, int n)
{
	int			kept = 0;

	for (int i = 0; i < n; i++)
	{
		EntryKey	key = {MyDatabaseId, rows[i].relation, rows[i].index, rows[i].operation};

		if (IsOfExisting(&key))
			rows[kept++] = rows[i];
	}
	return kept;
}

StatRow *
StatRows(int *n)
{
	HASH_SEQ_STATUS status;
	Entry	   *entry;
	StatRow    *rows;

	*n = 0;
	if (!IsActive())
		return NULL;
	LWLockAcquire(shared->lock, LW_SHARED);
	rows = palloc_extended(sizeof(StatRow) * (Size) (hash_get_num_entries(entries) + 1),
						   MCXT_ALLOC_HUGE);
	hash_seq_init(&status, entries);
	while ((entry = hash_seq_search(&status)) != NULL)
	{
		if (entry->key.database == MyDatabaseId)
			CopyStatEntry(&rows[(*n)++], entry);
	}
	LWLockRelease(shared->lock);
	*n = KeepExistingRows(rows, *n);
	return rows;
}

/* Copies the keys of all entries. */
static EntryKey *
EntryKeys(int *n)
{
	HASH_SEQ_STATUS status;
	Entry	   *entry;
	EntryKey   *keys;

	*n = 0;
	LWLockAcquire(shared->lock, LW_SHARED);
	keys = palloc_extended(sizeof(EntryKey) * (Size) (hash_get_num_entries(entries) + 1),
						   MCXT_ALLOC_HUGE);
	hash_seq_init(&status, entries);
	while ((entry = hash_seq_search(&status)) != NULL)
		keys[(*n)++] = entry->key;
	LWLockRelease(shared->lock);
	return keys;
}

/*
 * Removes the entries of databases that are dropped, of dropped indexes, and of tables whose
 * creation was rolled back, or that were dropped while a request used them.
 */
static void
RemoveLostEntries(void)
{
	int			n;
	EntryKey   *keys = EntryKeys(&n);

	for (int i = 0; i < n; i++)
	{
		if (IsOfExisting(&keys[i]))
			continue;
		LWLockAcquire(shared->lock, LW_EXCLUSIVE);
		hash_search(entries, &keys[i], HASH_REMOVE, NULL);
		LWLockRelease(shared->lock);
	}
	pfree(keys);
}

/* Makes room within a request: its end can be outside transactions. */
static void
FindRoom(void)
{
	TimestampTz now = GetCurrentTimestamp();
	uint64		last = pg_atomic_read_u64(&shared->looked);

	is_full = false;
	if (TimestampDifferenceExceeds((TimestampTz) last, now, LOOK_MILLISECONDS) &&
		pg_atomic_compare_exchange_u64(&shared->looked, &last, (uint64) now))
		RemoveLostEntries();
}

/*
 * Removes the entries of a table, or of the whole database if the table is
 * invalid.
 */
static void
RemoveEntries(Oid relation)
{
	HASH_SEQ_STATUS status;
	Entry	   *entry;

	LWLockAcquire(shared->lock, LW_EXCLUSIVE);
	hash_seq_init(&status, entries);
	while ((entry = hash_seq_search(&status)) != NULL)
	{
		if (entry->key.database == MyDatabaseId &&
			(!OidIsValid(relation) || entry->key.relation == relation))
			hash_search(entries, &entry->key, HASH_REMOVE, NULL);
	}
	LWLockRelease(shared->lock);
}

void
StatReset(void)
{
	KeySketchForget(InvalidOid, NULL);
	if (!IsActive())
		return;
	RemoveEntries(InvalidOid);
	pg_atomic_write_u64(&shared->reset, (uint64) GetCurrentTimestamp());
}

void
StatForget(Oid relation)
{
	if (OidIsValid(relation))
		KeySketchForget(relation, NULL);
	if (IsActive() && OidIsValid(relation))
		RemoveEntries(relation);
}
