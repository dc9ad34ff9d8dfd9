/*
 * write_direct.h
 *	  The parts of the direct write path.
 *
 *		write_direct.c			attempts at a row, until one succeeds
 *		find_row.c				the current row
 *		write_direct_row.c		update, insert and delete
 *		write_direct_indexes.c	entries of indexes and index tables
 */
#ifndef DYNAMO_WRITE_DIRECT_H
#define DYNAMO_WRITE_DIRECT_H

#include "access/skey.h"
#include "nodes/execnodes.h"

#include "compat.h"
#include "store/write_paths.h"

/* A write in progress. */
typedef struct DirectWrite
{
	WriteRequest *request;
	Relation	rel;
	const TableDef *def;
	Relation	primary;		/* the primary key's index */
	MemoryContext caller;		/* memory context of the caller and of results */
	EState	   *estate;
	ResultRelInfo *rri;
	EPQState	epq;			/* required by triggers; never used to recheck */
	TupleTableSlot *old;		/* the current row */
	TupleTableSlot *new;		/* the new row; NULL until needed */
	CommandId	cid;
	bool		fire_before;	/* has BEFORE ROW triggers besides derive_keys */
	bool		fire_after;		/* has AFTER ROW triggers besides maintain_indexes */
	bool		maintain;		/* calls the function of maintain_indexes instead */
	bool		own_snapshot;	/* each attempt has a new snapshot; locking uses the caller's */
	bool		indexes_open;
	bool		primary_only;	/* there is no other index; known when they are open */
	IndexInfo	primary_info;	/* description of primary, if there is no other */
} DirectWrite;

/* ---- write_direct.c ---- */

/*
 * Opens the primary key's index for writing; NULL if it cannot report
 * conflicts immediately (deferrable) or is invalid.
 */
extern Relation OpenPrimaryKey(const TableDef *def);

/*
 * Prepares one or more attempts at one row in a memory context that DirectEnd
 * deletes.  Without fire_triggers only for locking.
 */
extern void DirectBegin(DirectWrite *d, WriteRequest *request, Relation primary,
						bool fire_triggers);
extern void DirectEnd(DirectWrite *d);

/* ---- find_row.c ---- */

typedef enum FoundState
{
	ROW_ABSENT,
	ROW_FOUND,					/* in d->old */
	ROW_CHANGED					/* changed while waiting: start again */
} FoundState;

/*
 * Finds the current version of the row that a write would replace, whether or
 * not the snapshot sees it.  Waits for transactions that are about to insert,
 * update or delete it.  lock: also locks it.
 *
 * Raises a serialization failure in REPEATABLE READ and above if the current
 * version is not the one that the snapshot sees, unless this transaction
 * changed it.
 */
extern FoundState FindCurrentRow(DirectWrite *d, bool lock);

/*
 * Fetches a version of the row that this transaction has locked, so that no
 * other can have changed or removed it.  Returns false if this transaction
 * has.
 */
extern bool FindLockedRow(DirectWrite *d, ItemPointerData tid);

/* Whether the row exists or is about to be inserted; does not wait. */
extern bool RowIsThere(DirectWrite *d);

/*
 * For a row that a committed transaction updated or deleted: raises a
 * serialization failure in REPEATABLE READ and above, with the message of the
 * SQL path.
 */
extern void RowWasChanged(const DirectWrite *d, TM_Result how);

/* ---- write_direct_row.c ---- */

/* Returns d->new, emptied. */
extern TupleTableSlot *EmptyNewRow(DirectWrite *d);

/*
 * Replace d->old by a row with this item, insert one, or delete d->old; false
 * to start again.  *action becomes WRITE_NOTHING if a trigger prevents it.
 */
extern bool DirectUpdateRow(DirectWrite *d, struct varlena *item, WriteAction *action);
extern bool DirectInsertRow(DirectWrite *d, struct varlena *item, WriteAction *action);
extern bool DirectDeleteRow(DirectWrite *d, WriteAction *action);

/* ---- write_direct_indexes.c ---- */

/*
 * Open the indexes when the first entry is needed (a HOT update needs none), and
 * close them.  Sets d->primary_only.
 */
extern void DirectOpenIndexes(DirectWrite *d);
extern void DirectCloseIndexes(DirectWrite *d);

/*
 * Insert entries for the new row; return the indexes to check again after it.
 * The last one does not wait for a conflict, but sets *conflict.
 */
extern List *DirectInsertEntries(DirectWrite *d);
extern List *DirectInsertUpdatedEntries(DirectWrite *d, UpdatedIndexes updated);
extern List *DirectInsertSpeculativeEntries(DirectWrite *d, bool *conflict);

/* Updates the index tables after a write; old and new are NULL if there is no such row. */
extern void DirectMaintainTables(DirectWrite *d, TupleTableSlot *old, TupleTableSlot *new);

#endif							/* DYNAMO_WRITE_DIRECT_H */
