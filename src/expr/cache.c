/*
 * cache.c
 *	  The backend's cache of parsed expressions, keyed by kind and text.
 *
 * A bounded array of entries, the one used last in front.  Each parse tree
 * has a memory context of its own, so that an entry can be dropped as a whole.
 *
 * A tree that was handed out must outlive its eviction: every caller holds a
 * pin, released by a reset callback of the memory context that was current
 * when it asked.  Eviction takes an entry out of the array; whoever releases
 * the last pin frees it.  Memory is therefore bounded by the array and by
 * what callers hold.
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "utils/memutils.h"

#include "expr/cache.h"
#include "expr/tree.h"

#define CACHE_ENTRIES	128

/* How many of a context's callbacks to look at for a pin it has already. */
#define PIN_LOOKBACK	8

typedef struct CacheEntry
{
	uint32		hash;
	int			pins;
	bool		evicted;		/* not in the array any more */
	MemoryContext context;		/* holds the entry itself, too */
	Expr	   *expr;
} CacheEntry;

static CacheEntry *entries[CACHE_ENTRIES];
static ExprCacheStats stats;

static uint32
TextHash(ExprKind kind, const char *text, uint32 len)
{
	return hash_bytes((const unsigned char *) text, len) ^
		((uint32) kind * 0x9E3779B9);
}

static void
ReleasePin(void *arg)
{
	CacheEntry *entry = arg;

	if (--entry->pins == 0 && entry->evicted)
		MemoryContextDelete(entry->context);
}

/* Whether the current context holds a pin on the entry. */
static bool
IsPinned(CacheEntry *entry)
{
	MemoryContextCallback *cb = CurrentMemoryContext->reset_cbs;

	for (int i = 0; cb && i < PIN_LOOKBACK; i++, cb = cb->next)
	{
		if (cb->func == ReleasePin && cb->arg == entry)
			return true;
	}
	return false;
}

static void
Pin(CacheEntry *entry)
{
	MemoryContextCallback *cb;

	if (IsPinned(entry))
		return;
	cb = palloc(sizeof(MemoryContextCallback));
	cb->func = ReleasePin;
	cb->arg = entry;
	MemoryContextRegisterResetCallback(CurrentMemoryContext, cb);
	entry->pins++;
}

static void
Evict(CacheEntry *entry)
{
	stats.evictions++;
	stats.entries--;
	entry->evicted = true;
	if (entry->pins == 0)
		MemoryContextDelete(entry->context);
}

/* The position of a text in the array, or -1. */
static int
Find(ExprKind kind, const char *text, uint32 len, uint32 hash)
{
	for (int i = 0; i < stats.entries; i++)
	{
		const CacheEntry *e = entries[i];

		if (e->hash == hash && e->expr->kind == kind &&
			e->expr->text.len == len &&
			memcmp(e->expr->text.data, text, len) == 0)
			return i;
	}
	return -1;
}

/* Moves entry i to the front. */
static void
MoveToFront(int i)
{
	CacheEntry *entry = entries[i];

	if (i > 0)
		memmove(&entries[1], &entries[0], i * sizeof(entries[0]));
	entries[0] = entry;
}

/*
 * Parses into a context below the caller's, where an error leaves it to be
 * cleaned up.
 */
static CacheEntry *
Parse(ExprKind kind, const char *text, uint32 len, uint32 hash)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "dynamo expression",
												  ALLOCSET_SMALL_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	CacheEntry *entry = palloc0(sizeof(CacheEntry));
	/* What is too long is refused anyway; do not copy it whole. */
	char	   *copy = len <= EXPR_MAX_SIZE ? pnstrdup(text, len) : NULL;

	entry->hash = hash;
	entry->context = context;
	entry->expr = ExprParseText(kind, (Slice) {copy ? copy : text, len});
	MemoryContextSwitchTo(old);
	return entry;
}

/* Puts a new entry in front, the least recently used one out. */
static void
Insert(CacheEntry *entry)
{
	if (stats.entries == CACHE_ENTRIES)
		Evict(entries[CACHE_ENTRIES - 1]);
	entries[stats.entries] = entry;
	MemoryContextSetParent(entry->context, TopMemoryContext);
	MoveToFront(stats.entries++);
}

const Expr *
ExprParse(ExprKind kind, const char *text, uint32 len)
{
	uint32		hash = TextHash(kind, text, Min(len, EXPR_MAX_SIZE));
	int			i = Find(kind, text, len, hash);

	if (i >= 0)
	{
		stats.hits++;
		MoveToFront(i);
	}
	else
	{
		stats.misses++;
		Insert(Parse(kind, text, len, hash));
	}
	Pin(entries[0]);
	return entries[0]->expr;
}

void
ExprCacheGetStats(ExprCacheStats *result)
{
	*result = stats;
	result->capacity = CACHE_ENTRIES;
}
