/*
 * distinct.c
 *	  Checks that the elements of a list are distinct.
 *
 * Uses a hash table of positions; sorting would compare each element several
 * times.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "port/pg_bitutils.h"

#include "op/distinct.h"

bool
AllDistinct(const void *list, int n, ElementHash hash, ElementsEqual equal)
{
	uint32		size = pg_nextpower2_32(2 * Max(n, 1));	/* at most half full */
	int		   *slots = palloc0(size * sizeof(int));	/* positions, from 1 */
	bool		distinct = true;

	for (int i = 0; i < n && distinct; i++)
	{
		uint32		at = hash(list, i) & (size - 1);

		CHECK_FOR_INTERRUPTS();
		for (; slots[at] != 0 && distinct; at = (at + 1) & (size - 1))
			distinct = !equal(list, slots[at] - 1, i);
		slots[at] = i + 1;
	}
	pfree(slots);
	return distinct;
}
