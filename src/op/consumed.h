/*
 * consumed.h
 *	  Units of capacity by the service's rules, and their statistics.
 *
 * Capacity is not metered here.  Units are computed from the sizes of the items
 * that were read and written: for an answer that asks for them, and for the
 * statistics of the current request, if it is counted (stat/stat.h).
 */
#ifndef DYNAMO_CONSUMED_H
#define DYNAMO_CONSUMED_H

#include "exported.h"
#include "stat/stat.h"
#include "store/store.h"

/* An eventually consistent read takes half a unit for each 4 KB. */
#define HALVES_PER_UNIT			2
#define HALVES_OF_READ(consistent)	((consistent) ? HALVES_PER_UNIT : 1)

/* What an operation takes of its table in a transaction. */
#define TRANSACTION_FACTOR		2

/* Returns the units of 4 KB that a read of this size takes; at least one. */
extern DYNAMO_EXPORT uint64 ReadBlocks(uint64 size);
extern uint64 ReadBlocksOfItem(ValueRef item);

/*
 * Returns the units that a write takes on an index, or the bytes on a vector
 * index; 0 if the entry does not change.  An item may be missing.
 */
extern DYNAMO_EXPORT uint64 IndexWriteUnits(const TableDef *def, const IndexDef *index,
							  ValueRef old_item, ValueRef new_item);

/*
 * Units that a write takes on its table.  An item may be missing.
 */
extern DYNAMO_EXPORT uint64 TableWriteUnits(const TableDef *def, ValueRef old_item, ValueRef new_item);

/* Whether the capacity of operations is counted now. */
static inline bool
ConsumptionIsCounted(void)
{
	return stat_current != NULL;
}

/*
 * Counts a read of the table or, if index is not NULL, of the index: of so many
 * blocks, each for so many half units.
 */
extern void CountRead(const Store *store, const IndexDef *index, uint64 blocks, int halves);

/* The item after an action on one; missing if there is none. */
extern ValueRef ItemAfter(WriteAction action, ValueRef old_item, const struct varlena *new_item);

/* Units of a write, until it is done. */
typedef struct WriteConsumption
{
	uint64		table;
	uint64	   *indexes;		/* as in the definition */
} WriteConsumption;

/* Computes the units of a write, while both items can be read; items may be missing. */
extern void WriteConsumptionCompute(WriteConsumption *c, const TableDef *def,
									ValueRef old_item, ValueRef new_item);

/* Counts them; factor: of the table's. */
extern void WriteConsumptionCount(const WriteConsumption *c, const Store *store, int factor);

#endif							/* DYNAMO_CONSUMED_H */
