/*
 * table_slot.h
 *	  What higher floors keep with a definition in the cache.
 *
 * A module has one slot, a static TableSlot with the size of its structure.  The structure
 * belongs to one definition: it is zero when the module first asks for it, lives in the
 * definition's context, and is gone with the definition.
 */
#ifndef DYNAMO_TABLE_SLOT_H
#define DYNAMO_TABLE_SLOT_H

#include "exported.h"
#include "table/table.h"

typedef struct TableSlot
{
	Size		size;			/* of the structure */
	int			number;			/* 0 until the slot is used */
} TableSlot;

/* Returns the structure of a slot, and makes it if there is none. */
extern DYNAMO_EXPORT void *TableSlotMake(TableDef *def, TableSlot *slot);

/* Returns the structure of a slot, also of a definition that the caller may not change. */
static inline void *
TableSlotGet(const TableDef *def, TableSlot *slot)
{
	void	   *kept = def->slots[slot->number];

	/* no module has number 0 */
	return likely(kept != NULL) ? kept : TableSlotMake(unconstify(TableDef *, def), slot);
}

#endif							/* DYNAMO_TABLE_SLOT_H */
