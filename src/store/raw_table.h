/*
 * raw_table.h
 *	  Writes rows of the extension's own tables: index tables and streams, and
 *	  columns of dynamo tables that maintenance sets.
 *
 * Rows are written with the access method's functions, without triggers,
 * privileges and row security.  The caller must have locked the table and
 * checked that it is the expected one.
 *
 * If the primary key is the only index, it is written without an executor
 * state.  Other indexes, which only the table's owner can have added, are
 * written by the executor as that owner, because they may have expressions and
 * predicates.
 */
#ifndef DYNAMO_STORE_RAW_TABLE_H
#define DYNAMO_STORE_RAW_TABLE_H

#include "access/skey.h"
#include "access/tableam.h"
#include "executor/tuptable.h"
#include "nodes/execnodes.h"
#include "nodes/lockoptions.h"
#include "exported.h"

extern void RawTableInit(void);

/*
 * Whether a locked relation has a primary key, which is a btree, and no other
 * index.  *info becomes its description; it refers to no other memory.
 */
extern bool HasPrimaryKeyOnly(Relation rel, IndexInfo *info);

/* ---- a table open for writing ---- */

typedef struct RawTable
{
	Relation	rel;
	Relation	pkey;			/* NULL if the table has no primary key */
	TupleTableSlot *slot;		/* the row that was found, or will be written */
	IndexInfo	info;			/* description of pkey */
	EState	   *estate;			/* NULL if pkey is the only index */
	ResultRelInfo *result;
} RawTable;

/*
 * Prepares writes to a relation, which the caller must close.  No privileges
 * are checked.  Index expressions run as the current user, as in any statement
 * that writes to the table.
 */
extern DYNAMO_EXPORT void RawTableBegin(RawTable *t, Relation rel);
extern DYNAMO_EXPORT void RawTableEnd(RawTable *t);

/* Whether a row with this primary key exists; it is then in t->slot. */
extern bool RawTableFind(RawTable *t, ScanKey keys, int nkeys, Snapshot snapshot);

/* The last row, in the order of the primary key, whose first columns have these values. */
extern DYNAMO_EXPORT bool RawTableFindLast(RawTable *t, ScanKey keys, int nkeys, Snapshot snapshot);

/*
 * Locks the last version of a row against changes, and fetches it into a slot.
 * Returns TM_WouldBlock if another transaction has locked it and policy is not
 * to wait; other values than TM_Ok if it was deleted.
 */
extern DYNAMO_EXPORT TM_Result RawTableLock(RawTable *t, ItemPointer tid, Snapshot snapshot,
							  TupleTableSlot *locked, LockWaitPolicy policy);

/* Fetches the row version at a position, if a snapshot sees it. */
extern bool RawTableFetch(RawTable *t, ItemPointer tid, Snapshot snapshot,
						  TupleTableSlot *fetched);

/* Forms a row of these columns in t->slot, without copying them. */
extern DYNAMO_EXPORT void RawTableForm(RawTable *t, const Datum *values, const bool *nulls);

/* Inserts the row in t->slot, which may be a virtual one. */
extern DYNAMO_EXPORT void RawTableInsert(RawTable *t);

/* Inserts the row and deletes all other rows with its primary key. */
extern void RawTableReplace(RawTable *t);

/*
 * Updates a row that no other session can change to the contents of t->slot,
 * with the same primary key.
 */
extern DYNAMO_EXPORT void RawTableUpdate(RawTable *t, ItemPointer tid, Snapshot snapshot);

/*
 * Updates it to the contents of t->slot with another primary key, and deletes
 * all other rows with that.
 */
extern void RawTableMove(RawTable *t, ItemPointer tid, Snapshot snapshot);

/* Deletes a row that no other session can change. */
extern void RawTableDelete(RawTable *t, ItemPointer tid, Snapshot snapshot);

/* Whether a snapshot sees the row in a slot of an open relation. */
extern bool RowIsSeen(Relation rel, TupleTableSlot *slot, Snapshot snapshot);

/*
 * Deletes a row of an open relation.  Returns false if another transaction has
 * deleted it, or is about to and wait is false.
 */
extern DYNAMO_EXPORT bool TryDeleteRow(Relation rel, ItemPointer tid, Snapshot snapshot, bool wait);

#endif							/* DYNAMO_STORE_RAW_TABLE_H */
