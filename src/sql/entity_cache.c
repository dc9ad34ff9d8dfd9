/*
 * entity_cache.c
 *	  Definitions of entity views that this backend has read, by their text.
 *
 *	  The text is all there is to a definition, so that nothing has to be
 *	  invalidated: a view that is made anew brings another text.  The cache is
 *	  bounded; a definition that this transaction has used stays, since a
 *	  statement under way may point to it.
 */
#include "postgres.h"

#include "access/xact.h"
#include "common/hashfn.h"
#include "utils/memutils.h"

#include "sql/entity.h"

#define CACHE_SIZE	32

typedef struct CachedDef
{
	uint32		hash;
	char	   *text;
	EntityDef  *def;
	MemoryContext context;		/* of all of it; NULL: the place is free */
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

/* A place that is free, or that of a definition not used for long; or NULL. */
static CachedDef *
FindPlace(TimestampTz now)
{
	CachedDef  *place = &cache[0];

	for (int i = 0; i < CACHE_SIZE && place->context != NULL; i++)
	{
		if (cache[i].context == NULL || cache[i].used < place->used)
			place = &cache[i];
	}
	return place->context == NULL || place->used != now ? place : NULL;
}

/* Reads into a context of its own, which an error leaves to the caller's. */
static void
Fill(CachedDef *place, const char *text, uint32 hash, TimestampTz now)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "dynamo entity view",
												  ALLOCSET_SMALL_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(context);
	CachedDef	read = {hash, pstrdup(text), EntityDefRead(text), context, now};

	MemoryContextSwitchTo(caller);
	MemoryContextSetParent(context, TopMemoryContext);
	if (place->context != NULL)
		MemoryContextDelete(place->context);
	*place = read;
}

const EntityDef *
EntityDefRecall(const char *text)
{
	uint32		hash = hash_bytes((const unsigned char *) text, (int) strlen(text));
	TimestampTz now = GetCurrentTransactionStartTimestamp();
	CachedDef  *found = FindCached(text, hash);

	if (found == NULL)
	{
		found = FindPlace(now);
		if (found == NULL)
			return EntityDefRead(text);
		Fill(found, text, hash, now);
	}
	found->used = now;
	return found->def;
}
