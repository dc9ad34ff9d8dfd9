/*
 * shuffle.h
 *	  Puts the elements of an array into a random order before they are sorted.
 *
 * PostgreSQL's qsort takes a time that grows with the square of the number of
 * elements if these have an order made for it.  What clients send may have any:
 * hundreds of thousands of elements would take minutes, in which nothing
 * interrupts the sort.  No order is made for a random one.
 */
#ifndef DYNAMO_SHUFFLE_H
#define DYNAMO_SHUFFLE_H

#include "common/pg_prng.h"

/* Fewer elements take no long time in any order. */
#define SHUFFLE_FROM		1000
#define SHUFFLE_MAX_SIZE	64

static inline void
Shuffle(void *elements, size_t n, size_t size)
{
	char	   *bytes = elements;
	char		moved[SHUFFLE_MAX_SIZE];

	Assert(size <= SHUFFLE_MAX_SIZE);
	if (n < SHUFFLE_FROM)
		return;
	for (size_t i = n - 1; i > 0; i--)
	{
		char	   *last = bytes + i * size;
		char	   *other = bytes + size * (size_t) pg_prng_uint64_range(&pg_global_prng_state, 0, i);

		memcpy(moved, last, size);
		memmove(last, other, size);
		memcpy(other, moved, size);
	}
}

#endif							/* DYNAMO_SHUFFLE_H */
