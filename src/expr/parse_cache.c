/*
 * parse_cache.c
 *	  Caches of parse trees by kind and text: one for expressions, one for
 *	  PartiQL statements.
 *
 * A cache is a bounded array of entries, the most recently used one first.
 * Each parse tree has its own memory context, so that an entry is freed as a
 * whole.
 *
 * A returned tree must outlive the eviction of its entry.  Every caller
 * therefore holds a pin, which a reset callback of the caller's memory context
 * releases.  Eviction removes an entry from the array; the release of the last
 * pin frees it.  Memory is bounded by the array, by the bytes of its trees, and
 * by the trees that callers hold: a tree can be a hundred times as large as its
 * text, which a client chooses.
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "utils/memutils.h"

#include "expr/parse_cache.h"

/* Number of callbacks of a context that are searched for an existing pin. */
#define PIN_LOOKBACK	8

struct CacheEntry
{
	uint32		hash;
	int			pins;
	bool		evicted;		/* no longer in the array */
	MemoryContext context;		/* also holds the entry itself */
	Size		size;			/* of the context */
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
PinEntry(CacheEntry *entry)
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

/* Evicts the least recently used entry. */
static void
EvictEntry(ParseCache *cache)
{
	CacheEntry *entry = cache->entries[--cache->stats.entries];

	cache->stats.evictions++;
	cache->bytes -= entry->size;
	entry->evicted = true;
	if (entry->pins == 0)
		MemoryContextDelete(entry->context);
}

/* The position of a text in the array, or -1. */
static int
FindParsed(const ParseCache *cache, int kind, Slice text, uint32 hash)
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
 * Parses into a child of the caller's context, which cleans up after an error.
 * Returns NULL if a problem is noted.
 */
static CacheEntry *
ParseForCache(const ParseCache *cache, int kind, Slice text, uint32 hash, Problem *problem)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "dynamo parse tree",
												  ALLOCSET_SMALL_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	CacheEntry *entry = palloc0(sizeof(CacheEntry));

	/* A text above the limit is refused anyway; do not copy it. */
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
	entry->tree = cache->parse(kind, text, problem);
	MemoryContextSwitchTo(old);
	if (entry->tree == NULL)
		return NULL;
	if (text.len > cache->max_size)
		elog(ERROR, "a text of %u bytes was not refused", text.len);
	return entry;
}

/* Inserts a new entry at the front, and evicts those that it leaves no room for. */
static void
InsertParsed(ParseCache *cache, CacheEntry *entry)
{
	entry->size = MemoryContextMemAllocated(entry->context, true);
	cache->bytes += entry->size;
	while (cache->stats.entries > 0 &&
		   (cache->stats.entries == PARSE_CACHE_ENTRIES || cache->bytes > PARSE_CACHE_BYTES))
		EvictEntry(cache);
	cache->entries[cache->stats.entries] = entry;
	MemoryContextSetParent(entry->context, TopMemoryContext);
	MoveToFront(cache, cache->stats.entries++);
}

const void *
ParseCacheGet(ParseCache *cache, int kind, Slice text, Problem *problem)
{
	CacheEntry *entry;
	uint32		hash = TextHash(kind, text.data, Min(text.len, cache->max_size));
	int			i = FindParsed(cache, kind, text, hash);

	if (i >= 0)
	{
		cache->stats.hits++;
		MoveToFront(cache, i);
	}
	else
	{
		cache->stats.misses++;
		entry = ParseForCache(cache, kind, text, hash, problem);
		if (entry == NULL)
			return NULL;
		InsertParsed(cache, entry);
	}
	PinEntry(cache->entries[0]);
	return cache->entries[0]->tree;
}
