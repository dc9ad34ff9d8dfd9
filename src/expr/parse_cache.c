/*
 * parse_cache.c
 *	  Caches of parse trees, keyed by kind and text: one of expressions, one of
 *	  PartiQL statements.
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

#include "expr/parse_cache.h"

/* How many of a context's callbacks to look at for a pin it has already. */
#define PIN_LOOKBACK	8

struct CacheEntry
{
	uint32		hash;
	int			pins;
	bool		evicted;		/* not in the array any more */
	MemoryContext context;		/* holds the entry itself, too */
	int			kind;
	Slice		text;
	const void *tree;
};

static uint32
TextHash(int kind, const char *text, uint32 len)
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
Evict(ParseCache *cache, CacheEntry *entry)
{
	cache->stats.evictions++;
	cache->stats.entries--;
	entry->evicted = true;
	if (entry->pins == 0)
		MemoryContextDelete(entry->context);
}

/* The position of a text in the array, or -1. */
static int
Find(const ParseCache *cache, int kind, Slice text, uint32 hash)
{
	for (int i = 0; i < cache->stats.entries; i++)
	{
		const CacheEntry *e = cache->entries[i];

		if (e->hash == hash && e->kind == kind && SliceEqual(e->text, text))
			return i;
	}
	return -1;
}

/* Moves entry i to the front. */
static void
MoveToFront(ParseCache *cache, int i)
{
	CacheEntry *entry = cache->entries[i];

	if (i > 0)
		memmove(&cache->entries[1], &cache->entries[0], i * sizeof(CacheEntry *));
	cache->entries[0] = entry;
}

/*
 * Parses into a context below the caller's, where an error leaves it to be
 * cleaned up.
 */
static CacheEntry *
Parse(const ParseCache *cache, int kind, Slice text, uint32 hash)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "dynamo parse tree",
												  ALLOCSET_SMALL_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	CacheEntry *entry = palloc0(sizeof(CacheEntry));

	/* What is too long is refused anyway; do not copy it whole. */
	if (text.len <= cache->max_size)
	{
		char	   *copy = palloc(text.len + 1);

		memcpy(copy, text.data, text.len);
		text.data = copy;
	}
	entry->hash = hash;
	entry->context = context;
	entry->kind = kind;
	entry->text = text;
	entry->tree = cache->parse(kind, text);
	if (text.len > cache->max_size)
		elog(ERROR, "a text of %u bytes was not refused", text.len);
	MemoryContextSwitchTo(old);
	return entry;
}

/* Puts a new entry in front, the least recently used one out. */
static void
Insert(ParseCache *cache, CacheEntry *entry)
{
	if (cache->stats.entries == PARSE_CACHE_ENTRIES)
		Evict(cache, cache->entries[PARSE_CACHE_ENTRIES - 1]);
	cache->entries[cache->stats.entries] = entry;
	MemoryContextSetParent(entry->context, TopMemoryContext);
	MoveToFront(cache, cache->stats.entries++);
}

const void *
ParseCacheGet(ParseCache *cache, int kind, Slice text)
{
	uint32		hash = TextHash(kind, text.data, Min(text.len, cache->max_size));
	int			i = Find(cache, kind, text, hash);

	if (i >= 0)
	{
		cache->stats.hits++;
		MoveToFront(cache, i);
	}
	else
	{
		cache->stats.misses++;
		Insert(cache, Parse(cache, kind, text, hash));
	}
	Pin(cache->entries[0]);
	return cache->entries[0]->tree;
}
