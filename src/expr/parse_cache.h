/*
 * parse_cache.h
 *	  Caches of parse trees.
 */
#ifndef DYNAMO_EXPR_PARSE_CACHE_H
#define DYNAMO_EXPR_PARSE_CACHE_H

#include "expr/cache.h"
#include "item/item.h"

#define PARSE_CACHE_ENTRIES	128

typedef struct CacheEntry CacheEntry;

/*
 * Parses text, which lives as long as the tree, into the current memory
 * context; raises what is wrong with it.
 */
typedef const void *(*TextParser) (int kind, Slice text);

/* One cache: a static variable, zeroed but for its first two members. */
typedef struct ParseCache
{
	TextParser	parse;
	uint32		max_size;		/* longer texts must be refused: by the parser,
								 * or before they come here */
	ExprCacheStats stats;
	CacheEntry *entries[PARSE_CACHE_ENTRIES];	/* the one used last in front */
} ParseCache;

/*
 * The parse tree of a text, from the cache or parsed now; raises what the
 * parser raises.  It is immutable and stays valid as long as the current
 * memory context.
 */
extern const void *ParseCacheGet(ParseCache *cache, int kind, Slice text);

#endif							/* DYNAMO_EXPR_PARSE_CACHE_H */
