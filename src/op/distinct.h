/*
 * distinct.h
 *	  Whether the elements of a list are all different.
 */
#ifndef DYNAMO_DISTINCT_H
#define DYNAMO_DISTINCT_H

typedef uint64 (*ElementHash) (const void *list, int i);
typedef bool (*ElementsEqual) (const void *list, int i, int j);

/* Of n elements, which the two functions know by their positions. */
extern bool AllDistinct(const void *list, int n, ElementHash hash, ElementsEqual equal);

#endif							/* DYNAMO_DISTINCT_H */
