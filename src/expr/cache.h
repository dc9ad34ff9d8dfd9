/*
 * cache.h
 *	  Counters of the cache of parsed expressions.
 */
#ifndef DYNAMO_EXPR_CACHE_H
#define DYNAMO_EXPR_CACHE_H

typedef struct ExprCacheStats
{
	int64		hits;
	int64		misses;			/* includes texts with errors */
	int64		evictions;
	int			entries;
	int			capacity;
} ExprCacheStats;

extern void ExprCacheGetStats(ExprCacheStats *result);

#endif							/* DYNAMO_EXPR_CACHE_H */
