/*
 * stored.h
 *	  Checks stored rows, which may contain anything.
 *
 * The derive_keys trigger checks every item that is written.  A row may be
 * older than the trigger, or may have been written while the trigger was
 * disabled or had another definition; only the types of its columns are then
 * certain.  Code that takes a key from such a row (a column value, a key as an
 * item, a start key, a position, a stream record) checks it with a function of
 * this file.  Errors are ERRCODE_DATA_CORRUPTED and name table and row;
 * verify_index, which lists such rows, asks for the problem instead.
 */
#ifndef DYNAMO_TABLE_STORED_H
#define DYNAMO_TABLE_STORED_H

#include "access/htup.h"
#include "executor/tuptable.h"
#include "storage/itemptr.h"

#include "exported.h"
#include "table/table.h"

/* The place of a row, for errors. */
typedef struct RowPlace
{
	Oid			relid;
	ItemPointerData tid;		/* invalid if not known */
	const char *key;			/* if tid is invalid: the key columns (KeyColumnsText) */
} RowPlace;

/*
 * Raises ERRCODE_DATA_CORRUPTED for an invalid row.  problem is a sentence for
 * the detail.
 */
extern DYNAMO_EXPORT void InvalidRowError(const RowPlace *place, const char *problem)
						  pg_attribute_noreturn();

/* Raises the error for a tuple of this relation. */
extern void InvalidTupleError(Oid relid, HeapTuple tuple, const char *problem)
			pg_attribute_noreturn();

/* Raises the error of a null item. */
extern void NullItemError(Oid relid, ItemPointer tid) pg_attribute_noreturn();

/* Returns the stored item in a slot of a heap's row. */
static inline Datum
SlotItem(TupleTableSlot *slot, AttrNumber attnum)
{
	bool		isnull;
	Datum		item = slot_getattr(slot, attnum, &isnull);

	if (unlikely(isnull))
		NullItemError(slot->tts_tableOid, &slot->tts_tid);
	return item;
}

/* Returns the stored item of a row of def's relation. */
extern Datum TupleItem(const TableDef *def, HeapTuple tuple, TupleDesc desc);

/*
 * Returns what is wrong with a value, or a missing value, of a key attribute:
 * a sentence, or NULL.  max is the maximum number of bytes of S and B.
 */
extern const char *KeyAttributeProblem(const AttributeDef *attr, ValueRef v, uint32 max);

/*
 * Returns the key of a row as an item, from its columns, independent of its
 * item.  There is none if a column contains a value that no item can contain;
 * *problem says so.
 */
extern MaybeItem KeyOfTuple(const TableDef *def, HeapTuple tuple, TupleDesc desc, const char **problem);

/* Returns the problem of such a column for KeyOfTuple; palloc'd. */
extern DYNAMO_EXPORT char *ColumnProblem(const AttributeDef *attr, Datum value, bool isnull);

/* Returns values of key columns as text, "(a, 1, \x00)"; palloc'd. */
extern DYNAMO_EXPORT char *KeyColumnsText(const AttributeDef *const *attributes, int n,
										  const Datum *values, const bool *nulls);

#endif							/* DYNAMO_TABLE_STORED_H */
