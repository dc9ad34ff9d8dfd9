/*
 * write_direct.h
 *	  The parts of the direct write path.
 */
#ifndef DYNAMO_WRITE_DIRECT_H
#define DYNAMO_WRITE_DIRECT_H

#include "access/skey.h"
#include "nodes/execnodes.h"

#include "store/write_paths.h"

/* A write under way. */
typedef struct DirectWrite
{
	WriteRequest *request;
	Relation	rel;
	const TableDef *def;
	Relation	primary;		/* the primary key's index */
	MemoryContext caller;		/* context of the caller and of results */
	EState	   *estate;
	ResultRelInfo *rri;
	EPQState	epq;			/* wanted by triggers; never used to recheck */
	TupleTableSlot *old;		/* the current row */
	TupleTableSlot *new;		/* what becomes of it; NULL until needed */
	CommandId	cid;
	bool		fire_before;	/* BEFORE ROW triggers besides derive_keys */
	bool		fire_after;		/* AFTER ROW triggers */
	bool		own_snapshot;	/* each attempt has one; locking has its caller's */
	bool		indexes_open;
} DirectWrite;

/* ---- write_direct.c ---- */

/*
 * The primary key's index, opened for writing; NULL if it cannot tell
 * conflicts at once (deferrable) or is not valid.
 */
extern Relation OpenPrimaryKey(const TableDef *def);

/*
 * Sets up for one or more attempts at one row; switches to a memory context
 * that DirectEnd deletes, and back.  Without fire_triggers only for locking.
 */
extern void DirectBegin(DirectWrite *d, WriteRequest *request, Relation primary,
						bool fire_triggers);
extern void DirectEnd(DirectWrite *d);

/* d->new, empty. */
extern TupleTableSlot *EmptyNewRow(DirectWrite *d);

/* ---- find_row.c ---- */

typedef enum FoundState
{
	ROW_ABSENT,
	ROW_FOUND,					/* in d->old */
	ROW_CHANGED					/* while we waited for it: start again */
} FoundState;

/*
 * Finds the current version of the row: the one a write would replace,
 * whether or not the snapshot sees it.  Waits for transactions that are about
 * to insert, update or delete it.  lock: also lock it.
 *
 * Raises a serialization failure in REPEATABLE READ and above if the current
 * state is not the one that the snapshot shows, unless we changed it.
 */
extern FoundState FindCurrentRow(DirectWrite *d, bool lock);

/*
 * Fetches a version of the row that this transaction has locked: nobody else
 * can have changed or removed it.  False if we have.
 */
extern bool FindLockedRow(DirectWrite *d, ItemPointerData tid);

/* Whether the row is there now, or about to be; waits for nobody. */
extern bool RowIsThere(DirectWrite *d);

/*
 * The row was updated or deleted by a transaction that has committed: raises
 * a serialization failure in REPEATABLE READ and above, in the words of the
 * statements of the SQL path.
 */
extern void RowWasChanged(const DirectWrite *d, TM_Result how);

#endif							/* DYNAMO_WRITE_DIRECT_H */
