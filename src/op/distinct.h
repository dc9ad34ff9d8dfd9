/*
 * distinct.h
 *	  Checks that the elements of a list are distinct.
 */
#ifndef DYNAMO_DISTINCT_H
#define DYNAMO_DISTINCT_H

#include "exported.h"

typedef uint64 (*ElementHash) (const void *list, int i);
typedef bool (*ElementsEqual) (const void *list, int i, int j);

/* The two functions identify the n elements by their positions. */
extern DYNAMO_EXPORT bool AllDistinct(const void *list, int n, ElementHash hash, ElementsEqual equal);

#endif							/* DYNAMO_DISTINCT_H */
