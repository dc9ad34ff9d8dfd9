/*
 * key_sketch.c
 *	  The most frequent partition keys of tables and indexes, in shared memory.
 */
#include "postgres.h"

#include "commands/dbcommands.h"
#include "miscadmin.h"
#include "storage/ipc.h"
#include "storage/lwlock.h"
#include "storage/shmem.h"
#include "storage/spin.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "shared_memory.h"
#include "stat/key_sketch.h"

typedef struct KeySet
{
	slock_t		lock;			/* of the members below */
	uint64		generation;		/* of the sketch */
	uint64		accesses;
	KeyCounter	counters[KEY_SKETCH_WAYS];
} KeySet;

/* The lock of all sketches protects the members before the sets. */
struct KeySketch
{
	Oid			database;		/* InvalidOid: the sketch is free */
	Oid			relation;
	char		index[KEY_SKETCH_NAME];
	uint64		generation;
	KeySet		sets[KEY_SKETCH_SETS];
};

typedef struct SharedSketches
{
	LWLock	   *lock;
	KeySketch	sketches[FLEXIBLE_ARRAY_MEMBER];
} SharedSketches;

static int	max_sketches;
static SharedSketches *all;

/* ---- shared memory ---- */

static Size
SketchesSize(void)
{
	return add_size(offsetof(SharedSketches, sketches), mul_size(max_sketches, sizeof(KeySketch)));
}

static void
RequestSketches(void)
{
	RequestAddinShmemSpace(MAXALIGN(SketchesSize()));
	RequestNamedLWLockTranche("dynamo hot keys", 1);
}

static void
StartSketches(void)
{
	bool		found;

	all = ShmemInitStruct("dynamo hot keys", SketchesSize(), &found);
	if (found)
		return;
	memset(all, 0, SketchesSize());
	all->lock = &GetNamedLWLockTranche("dynamo hot keys")->lock;
	for (int i = 0; i < max_sketches; i++)
	{
		for (int j = 0; j < KEY_SKETCH_SETS; j++)
			SpinLockInit(&all->sketches[i].sets[j].lock);
	}
}

void
KeySketchInit(void)
{
	GucContext	context = process_shared_preload_libraries_in_progress ? PGC_POSTMASTER : PGC_SIGHUP;

	DefineCustomIntVariable("dynamo.hot_keys_max",
							"Maximum number of tables and indexes whose hottest keys are counted; 0 turns it off.",
							"Each takes 18 kB of shared memory.  Requires dynamo in shared_preload_libraries.",
							&max_sketches, 50, 0, 10000, context, 0, NULL, NULL, NULL);
	if (process_shared_preload_libraries_in_progress && max_sketches > 0)
		SharedMemoryRegister(RequestSketches, StartSketches);
}

bool
KeySketchIsActive(void)
{
	return all != NULL;
}

/* ---- sketches ---- */

/* Empties a sketch, so that nobody counts in it who knows it by the old generation. */
static void
ClearSketch(KeySketch *sketch)
{
	sketch->generation++;
	for (int i = 0; i < KEY_SKETCH_SETS; i++)
	{
		KeySet	   *set = &sketch->sets[i];

		SpinLockAcquire(&set->lock);
		set->generation = sketch->generation;
		set->accesses = 0;
		memset(set->counters, 0, sizeof(set->counters));
		SpinLockRelease(&set->lock);
	}
}

static bool
SketchIs(const KeySketch *sketch, Oid relation, const char *index)
{
	return sketch->database == MyDatabaseId && sketch->relation == relation && strcmp(sketch->index, index) == 0;
}

/* Returns the sketch, or a free one, or NULL. */
static KeySketch *
FindSketch(Oid relation, const char *index)
{
	KeySketch  *unused = NULL;

	for (int i = 0; i < max_sketches; i++)
	{
		KeySketch  *sketch = &all->sketches[i];

		if (SketchIs(sketch, relation, index))
			return sketch;
		if (unused == NULL && !OidIsValid(sketch->database))
			unused = sketch;
	}
	return unused;
}

static void
FreeSketch(KeySketch *sketch)
{
	ClearSketch(sketch);
	sketch->database = InvalidOid;
}

/* Whether the table of a sketch may still exist, or, in another database, that database. */
static bool
OwnerExists(Oid database, Oid relation)
{
	char	   *name = database == MyDatabaseId ? get_rel_name(relation) : get_database_name(database);

	if (name == NULL)
		return false;
	pfree(name);
	return true;
}

/*
 * Frees the sketches of databases that are dropped, and of tables whose creation was
 * rolled back.  Catalogs are read without the lock.
 */
static void
FreeLostSketches(void)
{
	for (int i = 0; i < max_sketches; i++)
	{
		KeySketch  *sketch = &all->sketches[i];
		Oid			database;
		Oid			relation;
		uint64		generation;

		LWLockAcquire(all->lock, LW_SHARED);
		database = sketch->database;
		relation = sketch->relation;
		generation = sketch->generation;
		LWLockRelease(all->lock);
		if (!OidIsValid(database) || OwnerExists(database, relation))
			continue;
		LWLockAcquire(all->lock, LW_EXCLUSIVE);
		if (sketch->generation == generation)
			FreeSketch(sketch);
		LWLockRelease(all->lock);
	}
}

/* Returns the sketch, made if there is room for it, or NULL. */
static KeySketch *
TakeSketch(Oid relation, const char *name, uint64 *generation)
{
	KeySketch  *sketch;

	LWLockAcquire(all->lock, LW_EXCLUSIVE);
	sketch = FindSketch(relation, name);
	if (sketch != NULL && !OidIsValid(sketch->database))
	{
		ClearSketch(sketch);
		sketch->database = MyDatabaseId;
		sketch->relation = relation;
		strlcpy(sketch->index, name, KEY_SKETCH_NAME);
	}
	if (sketch != NULL)
		*generation = sketch->generation;
	LWLockRelease(all->lock);
	return sketch;
}

KeySketch *
KeySketchMake(Oid relation, const char *index, uint64 *generation)
{
	const char *name = index != NULL ? index : "";
	KeySketch  *sketch;

	if (all == NULL || strlen(name) >= KEY_SKETCH_NAME)
		return NULL;
	sketch = TakeSketch(relation, name, generation);
	if (sketch == NULL)
	{
		FreeLostSketches();
		sketch = TakeSketch(relation, name, generation);
	}
	return sketch;
}

void
KeySketchForget(Oid relation, const char *index)
{
	if (all == NULL)
		return;
	LWLockAcquire(all->lock, LW_EXCLUSIVE);
	for (int i = 0; i < max_sketches; i++)
	{
		KeySketch  *sketch = &all->sketches[i];

		if (sketch->database != MyDatabaseId || (OidIsValid(relation) && sketch->relation != relation) ||
			(index != NULL && strcmp(sketch->index, index) != 0))
			continue;
		FreeSketch(sketch);
	}
	LWLockRelease(all->lock);
}

/* ---- counting ---- */

/* Copies the parts of a key, if they fit. */
static void
KeepKeyBytes(KeyCounter *counter, const KeyPart *parts, int nparts)
{
	Size		needed = 0;
	char	   *to = counter->bytes;

	for (int i = 0; i < nparts; i++)
		needed += sizeof(uint16) + parts[i].len;
	counter->nbytes = 0;
	if (needed > KEY_SKETCH_BYTES)
		return;
	for (int i = 0; i < nparts; i++)
	{
		uint16		len = (uint16) parts[i].len;

		memcpy(to, &len, sizeof(len));
		memcpy(to + sizeof(len), parts[i].data, len);
		to += sizeof(len) + len;
	}
	counter->nbytes = (uint16) needed;
}

/* Returns the counter of a key, or the lowest one. */
static KeyCounter *
FindCounter(KeySet *set, uint64 hash)
{
	KeyCounter *lowest = &set->counters[0];

	for (int i = 0; i < KEY_SKETCH_WAYS; i++)
	{
		KeyCounter *counter = &set->counters[i];

		if (counter->hash == hash && counter->count > 0)
			return counter;
		if (counter->count < lowest->count)
			lowest = counter;
	}
	return lowest;
}

bool
KeySketchAdd(KeySketch *sketch, uint64 generation, uint64 hash, const KeyPart *parts, int nparts)
{
	KeySet	   *set = &sketch->sets[hash % KEY_SKETCH_SETS];
	KeyCounter *counter;
	bool		valid;

	SpinLockAcquire(&set->lock);
	valid = set->generation == generation;
	if (valid)
	{
		counter = FindCounter(set, hash);
		if (counter->hash != hash || counter->count == 0)
		{
			counter->hash = hash;
			counter->max_error = counter->count;
			KeepKeyBytes(counter, parts, nparts);
		}
		counter->count++;
		set->accesses++;
	}
	SpinLockRelease(&set->lock);
	return valid;
}

/* ---- reading ---- */

static void
CopySketch(KeySketch *sketch, KeySketchRow *row)
{
	row->relation = sketch->relation;
	memcpy(row->index, sketch->index, KEY_SKETCH_NAME);
	row->accesses = 0;
	for (int i = 0; i < KEY_SKETCH_SETS; i++)
	{
		KeySet	   *set = &sketch->sets[i];

		SpinLockAcquire(&set->lock);
		row->accesses += set->accesses;
		memcpy(&row->counters[i * KEY_SKETCH_WAYS], set->counters, sizeof(set->counters));
		SpinLockRelease(&set->lock);
	}
}

KeySketchRow *
KeySketchRows(int *n)
{
	KeySketchRow *rows;

	*n = 0;
	if (all == NULL)
		return NULL;
	rows = palloc_extended(mul_size(max_sketches, sizeof(KeySketchRow)), MCXT_ALLOC_HUGE);
	LWLockAcquire(all->lock, LW_SHARED);
	for (int i = 0; i < max_sketches; i++)
	{
		if (all->sketches[i].database == MyDatabaseId)
			CopySketch(&all->sketches[i], &rows[(*n)++]);
	}
	LWLockRelease(all->lock);
	return rows;
}
