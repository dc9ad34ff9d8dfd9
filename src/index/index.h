/*
 * index.h
 *	  Secondary indexes: creating and filling them, maintaining index tables,
 *	  finding and repairing differences.
 */
#ifndef DYNAMO_INDEX_H
#define DYNAMO_INDEX_H

#include "access/htup.h"
#include "storage/itemptr.h"
#include "utils/snapshot.h"

#include "ddl/ddl.h"
#include "store/raw_table.h"
#include "exported.h"
#include "table/table.h"

/* ---- create.c ---- */

/*
 * Creates an index; returns whether it is ready.  On a small table it is
 * filled immediately, under an exclusive lock.  On a table larger than
 * dynamo.in_place_build_limit it is CREATING until a worker, which starts when
 * the transaction commits, has built it.
 */
extern DYNAMO_EXPORT bool IndexCreate(const char *table_name, const CreateIndexSpec *spec);

/* Drops an index and the columns that only it used. */
extern DYNAMO_EXPORT void IndexDrop(const char *table_name, const char *index_name);

/*
 * Opens, locks and closes a table for DDL on its indexes; returns a copy of
 * its definition that may be changed.
 */
extern TableDef *LockForIndexDdl(const char *table_name, Oid *relid);

/*
 * Removes an index, its relation and the columns that only it used from a
 * locked table; SPI must be connected.
 */
extern void IndexRemove(Oid relid, TableDef *def, const IndexDef *index);

/*
 * Stores a definition in which an index has been added or changed, and creates
 * and fills the index's relation: immediately, or by a worker if the index is
 * CREATING.  new_columns: the index has key attributes that had no column
 * before.  SPI must be connected.
 */
extern void IndexStore(Oid relid, const TableDef *def, const IndexDef *index,
					   bool new_columns);

/* Creates the relation of an index table, and distributes it if its table is distributed. */
extern void CreateRelationOfIndexTable(Oid relid, const TableDef *def, const IndexDef *index);

/*
 * Fills an empty index table.  Rows of a distributed table are recorded as changes, which are
 * then applied, in this transaction.
 */
extern void FillIndexTableEverywhere(Oid relid, const char *index_name);

/* Whether an index of a table is built immediately. */
extern bool BuildsInPlace(Oid relid);

/*
 * Stops the builder of a table, which holds locks for the duration of a
 * concurrent build.  It continues after this transaction with the remaining
 * builds.
 */
extern DYNAMO_EXPORT void InterruptBuild(const char *table_name);

/* Raises an error if another index of the table is being built. */
extern void CheckNoPendingBuild(const TableDef *def);
extern void RefuseDuringBuild(const char *table_name);

/* ---- index_sql.c ---- */

/* Tells the user that an index is CREATING, and how to wait. */
extern void ReportBackgroundBuild(const char *table_name, const char *index_name);

/* ---- items_left_out.c ---- */

/* The state of the key columns of rows. */
typedef enum ColumnsState
{
	COLUMNS_FILLED,				/* the same as in the items */
	COLUMNS_MISSING,			/* null without an earlier index */
	COLUMNS_STALE				/* anything */
} ColumnsState;

typedef struct LeftOut
{
	int64		items;			/* number of items with an invalid key attribute */
	bool		by_limits;		/* the btree's predicate must exclude some */
	char		example[320];	/* why one of them is omitted, as a clause */
} LeftOut;

/* Finds the items that an index of a locked table omits. */
extern DYNAMO_EXPORT LeftOut FindLeftOut(Oid relid, const char *index_name, ColumnsState columns);

/* Reports these items to the user. */
extern void ReportLeftOut(const char *index_name, const LeftOut *found);

/*
 * Returns why an index omits an item, as a clause; NULL if it does not.
 * values and nulls are the columns derived from the item, by attnum - 1.
 */
extern const char *LeftOutReason(const TableDef *def, const IndexDef *index, ValueRef item,
								 const Datum *values, const bool *nulls);

/* ---- fill_columns.c ---- */

/* Work on the rows of a distributed table whose definition changes, on each shard. */
typedef enum ShardWork
{
	SHARD_FILL,
	SHARD_REPAIR,
	SHARD_FILL_EXPIRY,
	SHARD_RECORD,				/* its rows as changes of an index table */
	SHARD_SEARCH				/* plus a ColumnsState */
} ShardWork;

/* Does work, which is not SHARD_SEARCH; false if the table is not distributed. */
extern bool DoOnShards(Oid relid, ShardWork work, const char *index_name);

/*
 * Sets null key columns of a table's rows from their items, without firing
 * triggers.  The caller holds an exclusive lock.  index_name is used in
 * progress reports.
 */
extern DYNAMO_EXPORT void FillKeyColumns(Oid relid, const char *index_name);

/* Sets null and wrong key columns from the items (reindex). */
extern DYNAMO_EXPORT void RepairKeyColumns(Oid relid, const char *index_name);

/* Copies the columns of the row in a slot, by attnum - 1; returns its item. */
extern ValueRef CopyColumns(const TableDef *def, TupleTableSlot *slot,
							Datum **values, bool **nulls);

/* Sets columns that differ from the item to null; whether there were any. */
extern bool ForgetStaleColumns(const TableDef *def, ValueRef item, Datum *values, bool *nulls);

/* Sets the column of expiry times in the same way. */
extern DYNAMO_EXPORT void FillExpiry(Oid relid);

/* Reports the progress of a build from time to time; rows counts from 1. */
extern void ReportBuildProgress(const IndexDef *index, int64 rows);

/* ---- fill_index_table.c ---- */

/*
 * Inserts the entries of all rows into an empty index table, from the rows'
 * key columns; returns their number.  Needs the lock of FillKeyColumns.
 */
extern int64 FillIndexTable(Oid relid, const char *index_name);

/* ---- rebuild.c ---- */

/*
 * Repairs an index from its table: triggers, key columns, entries.  Takes an
 * exclusive lock.  alone: the caller does not repair the other indexes, which may need it.
 */
extern DYNAMO_EXPORT void IndexRebuild(const char *table_name, const char *index_name, bool alone);

/* ---- maintain.c ---- */

extern void MaintenanceInit(void);

/* Whether writes maintain an index table. */
extern DYNAMO_EXPORT bool IsMaintainedIndex(const IndexDef *index);

/* Empties an index table despite its guards. */
extern void TruncateIndexTable(const TableDef *def, const IndexDef *index);

/* ---- entry_table.c: entries of index tables ---- */

/* A row of a table for index maintenance. */
typedef struct BaseRow
{
	HeapTuple	tuple;			/* NULL if there is no row */
	TupleDesc	desc;
	Datum	   *values;			/* of its columns, computed on first use */
	bool	   *nulls;
	struct varlena *item;		/* detoasted on first use */
} BaseRow;

/*
 * Returns a column of a row.  This and the following functions require that
 * there is a row.
 */
extern DYNAMO_EXPORT Datum BaseRowColumn(BaseRow *row, AttrNumber attnum, bool *isnull);

/* Returns the item of a row: as stored, and detoasted. */
extern DYNAMO_EXPORT Datum BaseRowStoredItem(const TableDef *def, BaseRow *row);
extern DYNAMO_EXPORT ValueRef BaseRowItem(const TableDef *def, BaseRow *row);

/* Returns the key of a row from its columns, unless they contain invalid values. */
extern MaybeItem BaseRowKey(const TableDef *def, const BaseRow *row);

/* The key of an item's entry, if it has one. */
typedef struct EntryKey
{
	bool		present;
	int			shard;
	Datum		keys[KEY_MAX_ATTRIBUTES + 2];	/* in the order of IndexDef.entry */
	const float *vector;		/* of a vector index; not compared */
} EntryKey;

/*
 * Computes the key of a row's entry from its columns; and compares two keys.
 */
extern DYNAMO_EXPORT void EntryKeyOfRow(const TableDef *def, const IndexDef *index,
										BaseRow *row, EntryKey *key);
extern DYNAMO_EXPORT bool EntryKeysEqual(const TableDef *def, const IndexDef *index,
										 const EntryKey *a, const EntryKey *b);

/*
 * Determines whether an entry with these columns is in the index, and what else its kind
 * computes from the item.
 */
extern void EntryKeyComplete(const TableDef *def, const IndexDef *index, BaseRow *row, EntryKey *key);

/* Whether a change of a row changes its entry in an index table (maintain.c). */
extern DYNAMO_EXPORT bool ChangesEntry(const TableDef *def, const IndexDef *index, BaseRow *old, BaseRow *new);

/* An index table, or one shard of it, open for writing. */
typedef struct EntryTable
{
	const TableDef *def;
	const IndexDef *index;
	Relation	parent;			/* the index table; equal to own.rel unless sharded */
	RawTable	own;			/* its slot contains the last entry found or written */
	Snapshot	snapshot;		/* snapshot of EntryFind; SnapshotSelf at first */
	ItemPointerData tid;		/* position of the entry found */
} EntryTable;

/* Opens an index table (IndexTableOpen), or the shard given, to find and write entries. */
extern void EntryTableOpen(EntryTable *t, const TableDef *def,
						   const IndexDef *index, int shard, LOCKMODE lockmode);
extern DYNAMO_EXPORT void EntryTableClose(EntryTable *t);

/* The same for a shard of a distributed index table that the caller has opened and verified. */
extern DYNAMO_EXPORT void EntryTableOpenShard(EntryTable *t, const TableDef *def, const IndexDef *index,
											  Relation shard);

/*
 * The shards of an index table, or the unsharded table, opened on first use.
 */
typedef struct EntryShards
{
	const TableDef *def;
	const IndexDef *index;
	LOCKMODE	lockmode;
	MemoryContext context;		/* memory context current at EntryShardsBegin */
	int			n;
	EntryTable **tables;		/* elements are NULL until opened */
} EntryShards;

extern void EntryShardsBegin(EntryShards *shards, const TableDef *def,
							 const IndexDef *index, LOCKMODE lockmode);
extern EntryTable *EntryShardsGet(EntryShards *shards, int shard);
extern void EntryShardsEnd(EntryShards *shards);

/* Whether an entry with this key exists; it is then in t->own.slot. */
extern DYNAMO_EXPORT bool EntryFind(EntryTable *t, const EntryKey *key);

/* Inserts an entry, and deletes others with its key. */
extern DYNAMO_EXPORT void EntryInsert(EntryTable *t, const EntryKey *key, struct varlena *item);

/*
 * Give the entry that EntryFind found another key, update it with the same key,
 * or delete it.  EntryMove deletes others with the new key.
 */
extern void EntryMove(EntryTable *t, const EntryKey *key, struct varlena *item);
extern DYNAMO_EXPORT void EntryUpdate(EntryTable *t, const EntryKey *key, struct varlena *item);
extern DYNAMO_EXPORT void EntryDelete(EntryTable *t);

/*
 * Returns the projected item of the entry that EntryFind found; NULL if it is
 * null.
 */
extern struct varlena *EntryItem(EntryTable *t);

#endif							/* DYNAMO_INDEX_H */
