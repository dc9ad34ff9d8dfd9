/*
 * index.h
 *	  Secondary indexes: creating and filling them, maintaining index tables,
 *	  finding and repairing differences.
 */
#ifndef DYNAMO_INDEX_H
#define DYNAMO_INDEX_H

#include "access/htup.h"
#include "access/skey.h"
#include "storage/itemptr.h"
#include "utils/snapshot.h"

#include "catalog/ddl.h"
#include "catalog/table.h"

/* ---- create.c ---- */

/*
 * Creates an index.  On a small table it is filled at once, under an exclusive
 * lock; on one larger than dynamo.in_place_build_limit it is CREATING until a
 * worker that starts when the transaction commits has built it.
 */
extern void IndexCreate(const char *table_name, const CreateIndexSpec *spec);

/* Drops an index, and the columns that only it used. */
extern void IndexDrop(const char *table_name, const char *index_name);

/*
 * Opens, locks and closes a table for DDL on its indexes; returns a copy of
 * its definition that may be changed.
 */
extern TableDef *LockForIndexDdl(const char *table_name, Oid *relid);

/*
 * Takes an index, its relation and the columns that only it used out of a
 * locked table; SPI is connected.
 */
extern void IndexRemove(Oid relid, TableDef *def, const IndexDef *index);

/*
 * Stores a definition to which an index has just been added or in which it was
 * changed, and makes and fills the relation of that: in place, or by a worker if
 * it is CREATING.  new_columns: it has key attributes that had no column before.
 * SPI is connected.
 */
extern void IndexStore(Oid relid, const TableDef *def, const IndexDef *index,
					   bool new_columns);

/* Whether a table is to be filled in place. */
extern bool BuildsInPlace(Oid relid);

/*
 * Stops the builder of a table, which holds locks for as long as a concurrent
 * build takes; it goes on after this transaction, with what is left to build.
 */
extern void InterruptBuild(const char *table_name);
extern void InterruptBuilder(Oid relid);

/* Refuses to begin while another index of the table is being built. */
extern void CheckNoPendingBuild(const TableDef *def);
extern void RefuseDuringBuild(const char *table_name);

/* ---- left_out.c ---- */

/* What the key columns of rows are worth. */
typedef enum ColumnsState
{
	COLUMNS_FILLED,				/* they are what the items say */
	COLUMNS_MISSING,			/* null where there was no index */
	COLUMNS_STALE				/* anything */
} ColumnsState;

typedef struct LeftOut
{
	int64		items;			/* have an unusable key attribute */
	bool		by_limits;		/* a btree must be limited to leave some out */
} LeftOut;

/* Looks for the items that an index of a locked table leaves out. */
extern LeftOut FindLeftOut(Oid relid, const char *index_name, ColumnsState columns);

/* Tells the user of them. */
extern void ReportLeftOut(const char *index_name, const LeftOut *found);

/*
 * Why an index leaves out an item, as a clause; NULL if it does not.  values and
 * nulls are the columns as the item gives them, by attnum - 1.
 */
extern const char *LeftOutReason(const TableDef *def, const IndexDef *index, ValueRef item,
								 const Datum *values, const bool *nulls);

/* ---- fill.c ---- */

/*
 * Sets the key columns of the rows of a table whose items have attributes
 * that are not in their columns yet, bypassing triggers.  The caller holds an
 * exclusive lock.  index_name is for reports of progress.
 */
extern void FillKeyColumns(Oid relid, const char *index_name);

/*
 * The same, and columns that differ from the item are set right (reindex).
 */
extern void RepairKeyColumns(Oid relid, const char *index_name);

/* Makes such columns null; whether there were any.  By attnum - 1. */
extern bool ForgetStaleColumns(const TableDef *def, ValueRef item, Datum *values, bool *nulls);

/* Sets the column of expiry times in the same way. */
extern void FillExpiry(Oid relid);

/* Says from time to time how far a build is; rows counts from 1. */
extern void ReportBuildProgress(const IndexDef *index, int64 rows);

/* ---- fill_table.c ---- */

/*
 * Inserts the entries of all rows into an empty index table, from the key
 * columns of the rows; returns their number.  Locked as FillKeyColumns.
 */
extern int64 FillIndexTable(Oid relid, const char *index_name);

/* ---- rebuild.c ---- */

/*
 * Makes an index what its table says: triggers, key columns, entries.  The
 * lock is exclusive.
 */
extern void IndexRebuild(const char *table_name, const char *index_name);

/* ---- maintain.c ---- */

/* Empties an index table, guards or not. */
extern void TruncateIndexTable(const TableDef *def, const IndexDef *index);

/* ---- entry_table.c: entries of index tables ---- */

/* A row of a base table, as index maintenance looks at it. */
typedef struct BaseRow
{
	HeapTuple	tuple;			/* NULL: no such row */
	TupleDesc	desc;
	struct varlena *item;		/* detoasted when first asked for */
} BaseRow;

/* The item of a row; the row must be there. */
extern ValueRef BaseRowItem(const TableDef *def, BaseRow *row);

/* Its key, by its columns; NULL if they hold what no item can. */
extern struct varlena *BaseRowKey(const TableDef *def, const BaseRow *row);

/* Where an item's entry is, if it has one. */
typedef struct EntryKey
{
	bool		present;
	int			shard;
	Datum		keys[KEY_MAX_ATTRIBUTES + 2];	/* as IndexDef.entry */
} EntryKey;

/* Where the entry of a row is, by its columns; whether two are the same place. */
extern void EntryKeyOfRow(const TableDef *def, const IndexDef *index,
						  BaseRow *row, EntryKey *key);
extern bool EntryKeysEqual(const TableDef *def, const IndexDef *index,
						   const EntryKey *a, const EntryKey *b);

/* One index table, or one shard of it, open for writing. */
typedef struct EntryTable
{
	const TableDef *def;
	const IndexDef *index;
	Relation	parent;			/* the index table; same as rel unless sharded */
	Relation	rel;
	Snapshot	snapshot;		/* what EntryFind sees; SnapshotSelf at first */
	Relation	pkey;
	struct IndexInfo *info;
	struct TupleTableSlot *slot;	/* the entry found or written last */
	ItemPointerData tid;		/* of the entry found */
	struct EState *estate;		/* NULL: pkey is the only index */
	struct ResultRelInfo *result;
} EntryTable;

/* Whether a relation is what EntryTableOpen wants. */
extern bool IsIndexTable(Relation rel, const TableDef *def, const IndexDef *index);

/*
 * Opens the index table of a base table, or the shard given, after checking
 * that it is one: anyone may write a definition that names any relation.
 * Writes through it bypass triggers, privileges and row security.
 */
extern void EntryTableOpen(EntryTable *t, const TableDef *def,
						   const IndexDef *index, int shard, LOCKMODE lockmode);
extern void EntryTableClose(EntryTable *t);

/* An equality test on a column of a btree over key columns. */
extern void KeyScanKey(ScanKey scan_key, Relation btree, int column,
					   ValueType type, Datum value);

/* Whether there is an entry with this key; it is then in t->slot. */
extern bool EntryFind(EntryTable *t, const EntryKey *key);
extern void EntryInsert(EntryTable *t, const EntryKey *key, struct varlena *item);

/* Both work on the entry that EntryFind found. */
extern void EntryUpdate(EntryTable *t, const EntryKey *key, struct varlena *item);
extern void EntryDelete(EntryTable *t);

/* The projected item of the entry that EntryFind found; NULL if it is null. */
extern struct varlena *EntryItem(EntryTable *t);

#endif							/* DYNAMO_INDEX_H */
