/*
 * parse_cache.h
 *	  Caches of parse trees.
 */
#ifndef DYNAMO_EXPR_PARSE_CACHE_H
#define DYNAMO_EXPR_PARSE_CACHE_H

#include "exported.h"
#include "expr/cache.h"
#include "item/item.h"
#include "problem.h"

#define PARSE_CACHE_ENTRIES	128
#define PARSE_CACHE_BYTES	(8 * 1024 * 1024)	/* of all trees, unless one alone is larger */

typedef struct CacheEntry CacheEntry;

/*
 * Parses a text, which lives as long as the tree, into the current memory
 * context.  Returns NULL if it notes a problem of the text; raises the problem
 * if problem is NULL.
 */
typedef const void *(*TextParser) (int kind, Slice text, Problem *problem);

/* A cache: a static variable, zeroed except for its first two members. */
typedef struct ParseCache
{
	TextParser	parse;
	uint32		max_size;		/* the parser or the caller must refuse longer
								 * texts */
	ExprCacheStats stats;
	Size		bytes;
	CacheEntry *entries[PARSE_CACHE_ENTRIES];	/* most recently used first */
} ParseCache;

/*
 * Returns the parse tree of a text, from the cache or newly parsed; NULL if a
 * problem is noted.  The tree is immutable and valid as long as the current
 * memory context.
 */
extern DYNAMO_EXPORT const void *ParseCacheGet(ParseCache *cache, int kind, Slice text, Problem *problem);

#endif							/* DYNAMO_EXPR_PARSE_CACHE_H */
