/*
 * write_direct_indexes.c
 *	  Index entries of the rows that direct writes make.
 *
 * Entries of btrees are inserted as the executor does.  If maintain_indexes is
 * the only AFTER trigger, its function is called without the event of a
 * trigger.
 */
#include "postgres.h"

#include "access/genam.h"
#include "executor/executor.h"
#include "utils/rel.h"

#include "store/raw_table.h"
#include "store/write_direct.h"

/* ---- index tables ---- */

static StoreMaintenance maintenance = NULL;

void
StoreSetMaintenance(StoreMaintenance function)
{
	maintenance = function;
}

static HeapTuple
SlotTuple(TupleTableSlot *slot)
{
	bool		should_free;

	return ExecFetchSlotHeapTuple(slot, false, &should_free);
}

void
DirectMaintainTables(DirectWrite *d, TupleTableSlot *old, TupleTableSlot *new)
{
	if (d->maintain)
		maintenance(d->rel, d->request->store->def, old != NULL ? SlotTuple(old) : NULL,
					new != NULL ? SlotTuple(new) : NULL, d->cid);
}

/* ---- indexes ---- */

/*
 * If the primary key is the only index, the executor is not needed.  Otherwise
 * predicates come simplified from the relation cache; the executor would
 * call the planner to simplify them again.
 */
void
DirectOpenIndexes(DirectWrite *d)
{
	if (d->indexes_open)
		return;
	d->indexes_open = true;
	d->primary_only = HasPrimaryKeyOnly(d->rel, &d->primary_info);
	if (d->primary_only)
		return;
	ExecOpenIndices(d->rri, false);
	for (int i = 0; i < d->rri->ri_NumIndices; i++)
	{
		IndexInfo  *info = d->rri->ri_IndexRelationInfo[i];

		if (info->ii_Predicate != NIL)
			info->ii_PredicateState = ExecInitQual(info->ii_Predicate, NULL);
	}
}

/*
 * Closes the indexes but keeps their locks, like that of the table, because
 * the next write needs them again.
 */
void
DirectCloseIndexes(DirectWrite *d)
{
	for (int i = 0; i < d->rri->ri_NumIndices; i++)
		CloseUpdatedIndex(d->rri->ri_IndexRelationDescs[i],
						  d->rri->ri_IndexRelationInfo[i]);
	d->rri->ri_NumIndices = 0;
}

/*
 * Inserts an entry for the new row into the only index.  Returns false if check
 * is UNIQUE_CHECK_PARTIAL and there may be a conflict.
 */
static bool
InsertPrimaryEntry(DirectWrite *d, IndexUniqueCheck check, bool unchanged)
{
	Datum		values[INDEX_MAX_KEYS];
	bool		nulls[INDEX_MAX_KEYS];

	for (int i = 0; i < d->primary_info.ii_NumIndexAttrs; i++)
		values[i] = slot_getattr(d->new, d->primary_info.ii_IndexAttrNumbers[i], &nulls[i]);
	return index_insert(d->primary, values, nulls, &d->new->tts_tid, d->rel, check, unchanged,
						&d->primary_info);
}

List *
DirectInsertEntries(DirectWrite *d)
{
	if (!d->primary_only)
		return InsertIndexTuples(d->rri, d->new, d->estate);
	(void) InsertPrimaryEntry(d, UNIQUE_CHECK_YES, false);
	return NIL;
}

List *
DirectInsertUpdatedEntries(DirectWrite *d, UpdatedIndexes updated)
{
	DirectOpenIndexes(d);
	if (!d->primary_only)
		return InsertUpdatedIndexTuples(d->rri, d->new, d->estate, updated);
	(void) InsertPrimaryEntry(d, UNIQUE_CHECK_YES, true);
	return NIL;
}

List *
DirectInsertSpeculativeEntries(DirectWrite *d, bool *conflict)
{
	if (!d->primary_only)
		return InsertSpeculativeIndexTuples(d->rri, d->new, d->estate, conflict,
											list_make1_oid(d->def->primary_key));
	*conflict = !InsertPrimaryEntry(d, UNIQUE_CHECK_PARTIAL, false);
	return NIL;
}
