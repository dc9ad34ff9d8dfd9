/*
 * stored.h
 *	  Rows that are stored already, and may hold anything.
 *
 * The derive_keys trigger checks every item that is written.  A row may be
 * older than the trigger, or have been written while it was disabled or said
 * something else: then nothing holds but the types of the columns.  Whoever
 * takes a key from such a row (a column value, a key as an item, a start key,
 * a position, a stream record) checks it by a function from here.  What is
 * wrong is ERRCODE_DATA_CORRUPTED and names table and row; verify_index, which
 * lists such rows, asks for the problem instead.
 */
#ifndef DYNAMO_STORED_H
#define DYNAMO_STORED_H

#include "access/htup.h"
#include "executor/tuptable.h"
#include "storage/itemptr.h"

#include "catalog/table.h"

/* Where a row is, for errors. */
typedef struct RowPlace
{
	Oid			relid;
	ItemPointerData tid;		/* invalid: not known */
	const char *key;			/* then its key columns (KeyColumnsText) */
} RowPlace;

/*
 * Raises ERRCODE_DATA_CORRUPTED: the row is invalid.  problem: a sentence for
 * the detail.
 */
extern void InvalidRowError(const RowPlace *place, const char *problem)
			pg_attribute_noreturn();

/* The same by the place of a tuple of this relation. */
extern void InvalidTupleError(Oid relid, HeapTuple tuple, const char *problem)
			pg_attribute_noreturn();

/* The item of a row is null. */
extern void NullItemError(Oid relid, ItemPointer tid) pg_attribute_noreturn();

/* The item in a slot of a heap's row, as it is stored. */
static inline Datum
SlotItem(TupleTableSlot *slot, AttrNumber attnum)
{
	bool		isnull;
	Datum		item = slot_getattr(slot, attnum, &isnull);

	if (unlikely(isnull))
		NullItemError(slot->tts_tableOid, &slot->tts_tid);
	return item;
}

/* The item of a row of def's relation, as it is stored. */
extern Datum TupleItem(const TableDef *def, HeapTuple tuple, TupleDesc desc);

/*
 * What is wrong with a value, or its absence, as that of a key attribute:
 * a sentence, or NULL.  max: the bytes it may have, of S and B.
 */
extern const char *KeyAttributeProblem(const AttributeDef *attr, ValueRef v, uint32 max);

/*
 * The key of a row as an item, from its columns, whatever its item is.  NULL
 * if a column holds what no item can; *problem is set.
 */
extern struct varlena *KeyOfTuple(const TableDef *def, HeapTuple tuple, TupleDesc desc,
								  const char **problem);

/* What KeyOfTuple says of such a column; palloc'd. */
extern char *ColumnProblem(const AttributeDef *attr, Datum value, bool isnull);

/* "(a, 1, \x00)": values of key columns as text; palloc'd. */
extern char *KeyColumnsText(const AttributeDef *const *attributes, int n,
							const Datum *values, const bool *nulls);

#endif							/* DYNAMO_STORED_H */
