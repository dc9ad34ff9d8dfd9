/*
 * table_slot.c
 *	  What higher floors keep with a definition in the cache.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "table/table_slot.h"

static int	last_slot;

void *
TableSlotMake(TableDef *def, TableSlot *slot)
{
	if (slot->number == 0)
	{
		if (last_slot == TABLE_MAX_SLOTS)
			elog(ERROR, "too many slots of tables");
		slot->number = ++last_slot;
	}
	if (def->slots[slot->number] == NULL)
		def->slots[slot->number] = MemoryContextAllocZero(def->context, slot->size);
	return def->slots[slot->number];
}
