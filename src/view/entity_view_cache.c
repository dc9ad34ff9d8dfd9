/*
 * entity_view_cache.c
 *	  Caches the definitions of entity views by their text.
 *
 * A definition depends on its text only, so nothing must be invalidated: a
 * recreated view has another text.  The cache is bounded.  Definitions that
 * this transaction has used are kept, since a running statement may point to
 * them.
 */
#include "postgres.h"

#include "access/xact.h"
#include "common/hashfn.h"
#include "utils/memutils.h"

#include "view/entity_view.h"

#define CACHE_SIZE	32

typedef struct CachedDef
{
	uint32		hash;
	char	   *text;
	EntityViewDef *def;
	MemoryContext context;		/* holds all of it; NULL if free */
	TimestampTz used;			/* start of the last transaction that used it */
} CachedDef;

static CachedDef cache[CACHE_SIZE];

static CachedDef *
FindCached(const char *text, uint32 hash)
{
	for (int i = 0; i < CACHE_SIZE; i++)
	{
		if (cache[i].context != NULL && cache[i].hash == hash &&
			strcmp(cache[i].text, text) == 0)
			return &cache[i];
	}
	return NULL;
}

/*
 * Returns a free entry, or the least recently used one.  NULL if this
 * transaction has used all of them.
 */
static CachedDef *
FindCachePlace(TimestampTz now)
{
	CachedDef  *place = &cache[0];

	for (int i = 0; i < CACHE_SIZE && place->context != NULL; i++)
	{
		if (cache[i].context == NULL || cache[i].used < place->used)
			place = &cache[i];
	}
	return place->context == NULL || place->used != now ? place : NULL;
}

/*
 * Reads a definition into its own context, which is a child of the caller's
 * until reading has succeeded.
 */
static void
FillPlace(CachedDef *place, const char *text, uint32 hash, TimestampTz now)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "dynamo entity view",
												  ALLOCSET_SMALL_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(context);
	CachedDef	read = {hash, pstrdup(text), EntityViewDefRead(text), context, now};

	MemoryContextSwitchTo(caller);
	MemoryContextSetParent(context, TopMemoryContext);
	if (place->context != NULL)
		MemoryContextDelete(place->context);
	*place = read;
}

const EntityViewDef *
EntityViewDefRecall(const char *text)
{
	uint32		hash = hash_bytes((const unsigned char *) text, (int) strlen(text));
	TimestampTz now = GetCurrentTransactionStartTimestamp();
	CachedDef  *found = FindCached(text, hash);

	if (found == NULL)
	{
		found = FindCachePlace(now);
		if (found == NULL)
			return EntityViewDefRead(text);
		FillPlace(found, text, hash, now);
	}
	found->used = now;
	return found->def;
}
