/*
 * store.h
 *	  Finds, locks and writes rows of dynamo tables.
 *
 * One interface has two implementations:
 *
 *	direct	uses the executor's primitives: index scans with scan keys,
 *			in-place update, speculative insertion.  For plain heap tables
 *			without row security for this user, without rules or children, and
 *			for the partitions of a table that is partitioned by hash of its
 *			key (partition.h).
 *	sql		uses cached SPI plans, for all other tables, and for tests:
 *			dynamo.direct_access = off.
 *
 * Both return the same results, fire the same triggers, check the same
 * privileges and raise the same errors.
 */
#ifndef DYNAMO_STORE_H
#define DYNAMO_STORE_H

#include "lib/stringinfo.h"
#include "nodes/parsenodes.h"
#include "storage/itemptr.h"
#include "utils/snapshot.h"

#include "exported.h"
#include "table/table.h"

extern void StoreInit(void);

/* Whether segments are ranges, or hashes only (store/segment.h): dynamo.segment_ranges. */
extern bool StoreSegmentsAreRanges(void);

/* Whether rows may be accessed directly: dynamo.direct_access. */
extern DYNAMO_EXPORT bool StoreAccessIsDirect(void);

typedef struct StoreLookup StoreLookup;

typedef struct Store
{
	Relation	rel;
	TableDef   *def;
	AclMode		access;
	Oid			role;			/* whose rights are checked; InvalidOid for the current user */
	bool		all_rows;		/* row security hides no rows */
	bool		direct;			/* whether this call uses the direct path */
	MemoryContext context;		/* memory context current at StoreOpen */
	StoreLookup *lookup;		/* state of get_row.c between gets; NULL at first */
	bool		local;			/* rows are in this relation's heap */
	bool		partitioned;	/* a key determines the partition, see partition.h */
	bool		direct_partitions;	/* this call may access partitions directly */
	bool		of_node;		/* for another node: see StoreServeNode */
	bool		at_once;		/* writes do not wait while a shard is moved */
	List	   *partitions;		/* open ones, of Store */
	Snapshot	newer;			/* newer snapshot than the active one for reads, or NULL */
	struct ReadAhead *ahead;	/* of StoreReadAhead; or NULL */
} Store;

/* ---- open.c ---- */

/*
 * Opens a table by its DynamoDB name for reading (ACL_SELECT) or writing (any
 * of ACL_INSERT, ACL_UPDATE, ACL_DELETE).  Checks the caller's privileges like
 * the executor, refuses writes in read-only transactions and parallel mode,
 * and chooses the path.  Like those of SQL statements, locks are held until
 * the end of the transaction.
 *
 * Column privileges: SELECT and INSERT are needed on the key columns and on
 * item, UPDATE on item.
 */
extern DYNAMO_EXPORT void StoreOpen(Store *store, const char *table_name, AclMode access);

/*
 * Makes operations on an open table fail unless they access a shard on this server
 * directly: with ERRCODE_DYNAMO_OTHER_NODE, before they do anything.
 */
extern void StoreServeNode(Store *store);

/* Raises that error. */
extern void StoreNotForNode(const Store *store) pg_attribute_noreturn();

/* Whether an open table has shards that can be accessed directly. */
extern DYNAMO_EXPORT bool StoreIsForNode(const Store *store);

/* Opens a relation as plain SQL would, with or without its indexes. */
extern DYNAMO_EXPORT void StoreOpenRelation(Store *store, Oid relid, AclMode access);

/*
 * The same with the rights of another role: its privileges are checked, and its
 * row security applies, or none with all_rows.  All code that operations run
 * (triggers, defaults, checks, index expressions) runs as the current user.
 */
extern void StoreOpenAs(Store *store, Oid relid, AclMode access, Oid role, bool all_rows);

/* Returns the role with whose rights statements on the store run, as of StorePlanAs. */
extern Oid	StoreRights(const Store *store);

/* Whether row security may hide rows of the store's relation. */
extern bool StoreHidesRows(const Store *store);
extern DYNAMO_EXPORT void StoreClose(Store *store);

/*
 * Closes the partitions of the table that were opened.  A subtransaction closes
 * relations that were opened in it: if a store lives longer, call the first
 * before the subtransaction commits, and the second after its rollback.
 */
extern DYNAMO_EXPORT void StoreClosePartitions(Store *store);
extern DYNAMO_EXPORT void StoreForgetPartitions(Store *store);

/*
 * Sets the function that knows what else a user could use who has no right to
 * a table; it returns a palloc'd sentence, or NULL.
 */
typedef char *(*StoreHint) (Oid relid);

extern void StoreSetDeniedHint(StoreHint hint);

/*
 * Sets the function that maintains index tables after a row was written.  It is
 * called in place of the trigger maintain_indexes if no other trigger fires
 * after the write, and saves PostgreSQL's queue of events.  old and new are NULL
 * if there is no such row; command made the change.
 */
typedef void (*StoreMaintenance) (Relation rel, TableDef *def, HeapTuple old, HeapTuple new,
								  CommandId command);

extern void StoreSetMaintenance(StoreMaintenance maintenance);

/* Whether the rows of a table are in its own heap on this server. */
extern bool RelationIsLocalHeap(Relation rel, const TableDef *def);

/* The snapshot for reads. */
extern DYNAMO_EXPORT Snapshot StoreSnapshot(const Store *store);

/*
 * Has all rows of an open table read with a snapshot that is newer than its last rewrite
 * and those of its partitions: to an older one they are empty.
 */
extern DYNAMO_EXPORT void StoreAwaitRewrites(Store *store);

/* Whether another transaction is running according to a snapshot. */
extern bool WriterIsNewer(TransactionId xid, Snapshot snapshot);

/* Whether such a transaction has created or rewritten a relation. */
extern bool FileIsNewer(Oid relid, Snapshot snapshot);

static inline bool
StoreForWriting(const Store *store)
{
	return (store->access & (ACL_INSERT | ACL_UPDATE | ACL_DELETE)) != 0;
}

/* ---- keys ---- */

/* The column values of one primary key. */
typedef struct RowKey
{
	Datum		values[2];		/* partition, sort */
	ValueRef	attributes[2];	/* the encoded values */
} RowKey;

/*
 * Creates a RowKey from a map with the key attributes, after
 * CheckKeyParameter.  The attributes point into the map.  Returns false if it
 * notes the problem of U+0000; raises it if problem is NULL.
 */
extern DYNAMO_EXPORT bool RowKeyFromItem(const TableDef *def, ValueRef item, RowKey *key, Problem *problem);

/* Returns an item with no attributes but those of the key, palloc'd. */
extern DYNAMO_EXPORT struct varlena *ItemOfKey(const TableDef *def, const RowKey *key);

/* ---- get_row.c ---- */

/*
 * Returns the item with a key for StoreSnapshot, or NULL.  Detoasted,
 * palloc'd.
 */
extern DYNAMO_EXPORT struct varlena *StoreGet(Store *store, const RowKey *key);

/*
 * Returns the part of the item with these attributes (sorted, distinct names;
 * none for all); it may contain more.  *size is the length of the whole
 * encoded item, 0 if there is none.
 */
extern struct varlena *StoreGetPart(Store *store, const RowKey *key,
									const Slice *names, int nnames, Size *size);

/*
 * Prepares gets of the keys of a batch, which must stay where they are: reads rows of
 * other nodes ahead.
 */
extern void StoreReadAhead(Store *store, const RowKey *keys, int n);

/* Frees what gets have kept open; called by StoreClose. */
extern void StoreLookupEnd(StoreLookup *lookup);

/* ---- write_paths.c ---- */

typedef enum WriteAction
{
	WRITE_NOTHING,
	WRITE_PUT,					/* insert or replace */
	WRITE_DELETE
} WriteAction;

/*
 * Decides what to write, given the current version of the row (MISSING_VALUE
 * if there is none), which is valid during the call.  It may be called again
 * if the row has changed or appeared since; the last call counts.  It may
 * raise errors (a failed condition).  *item is set for WRITE_PUT; its size and
 * keys have been checked, and it has the key being written.
 */
typedef WriteAction (*WriteDecider) (void *arg, ValueRef old, struct varlena **item);

/*
 * Finds the row with a key, or its absence, calls decide and executes the
 * decision, with all triggers and constraints.  The operation is atomic: the
 * row that was decided on is the row that is replaced.  Waits for concurrent
 * writers of the same key.  In REPEATABLE READ and above, raises a
 * serialization failure if the row was changed after the snapshot.
 *
 * need_old: decide reads old.  If false, reading the old row may be skipped,
 * and old may be MISSING_VALUE for an existing row.
 *
 * Returns what was done.  This is WRITE_NOTHING also if there was no row to
 * delete, or if a trigger suppressed the write.  *stored is set for WRITE_PUT
 * to the stored item, which is *item unless a trigger changed it.
 */
extern DYNAMO_EXPORT WriteAction StoreWrite(Store *store, const RowKey *key, bool need_old,
											WriteDecider decide, void *arg,
											struct varlena **stored);

/*
 * Like StoreWrite for a decision to store an item whether or not there is a row.
 * decide may be called as if there was none, and again with the row if there
 * is one.
 */
extern DYNAMO_EXPORT WriteAction StorePut(Store *store, const RowKey *key, bool need_old,
							WriteDecider decide, void *arg,
							struct varlena **stored);

/*
 * Like StoreWrite for a new row: an existing one is an error, which
 * DuplicateItemError raises.  Only if StoreCanInsert.
 */
extern WriteAction StoreInsert(Store *store, const RowKey *key,
							   WriteDecider decide, void *arg, struct varlena **stored);

/*
 * Whether StoreInsert is possible: no trigger interferes, and the isolation
 * level gives no other meaning to a row that the snapshot does not show.
 */
extern bool StoreCanInsert(const Store *store);

#define DUPLICATE_ITEM_MESSAGE "Duplicate primary key exists in table"
extern void DuplicateItemError(void) pg_attribute_noreturn();

/*
 * Whether the direct path stores an item unchanged, so that it must have been
 * checked.  Otherwise BEFORE triggers may change it, and derive_keys checks it
 * afterwards.
 */
extern DYNAMO_EXPORT bool StoreItemIsFinal(const Store *store);

/*
 * Whether writing a row executes no triggers and constraints, which could read
 * or write other rows.
 */
extern bool StoreWritesRowOnly(const Store *store);

/* The same, however the row is written. */
extern bool StoreHasOurTriggersOnly(const Store *store);

/* ---- lock.c ---- */

/* The result of StoreLock: a locked row, or a locked absence. */
typedef struct RowLock
{
	bool		direct;			/* locked without SQL; the other members are set */
	bool		present;
	ItemPointerData tid;		/* position of the locked version */
	bool		shown;			/* the active snapshot sees that version; set by
								 * StoreLockPresent */
} RowLock;

/*
 * Locks the row with a key until the end of the transaction and returns its
 * current item (palloc'd).  If there is none, returns NULL and locks its
 * absence: other writers of the key wait.  For operations that decide on
 * several rows before they write any.  Fires no triggers.
 */
extern DYNAMO_EXPORT struct varlena *StoreLock(Store *store, const RowKey *key, RowLock *lock);

/*
 * The same with a lock of the row that several transactions can have, against
 * changes by others.  Absence is locked for one.
 */
extern DYNAMO_EXPORT struct varlena *StoreLockShared(Store *store, const RowKey *key, RowLock *lock);

/*
 * Whether there is a row with a key that row security lets the user see and
 * update; it is then locked.
 */
extern bool StoreMayUpdate(Store *store, const RowKey *key);

/* Locks the row with a key, but does not lock its absence. */
extern DYNAMO_EXPORT struct varlena *StoreLockPresent(Store *store, const RowKey *key, RowLock *lock);

/*
 * Executes a decision on a row locked by this transaction.  Uses the lock
 * instead of searching again, unless triggers have changed the row since.  If
 * the row exists and item has another key, the row is moved.
 */
extern WriteAction StoreWriteLocked(Store *store, const RowKey *key, const RowLock *lock,
									WriteAction action, struct varlena *item,
									struct varlena **stored);

/*
 * Like StoreWrite for a row that was locked and may have changed since: it is
 * tried first where it was.  Another row may be there if the lock is lost, so
 * decide must make sure that old has the key.
 */
extern WriteAction StoreChangeLocked(Store *store, const RowKey *key, const RowLock *lock,
									 WriteDecider decide, void *arg, struct varlena **stored);

/* ---- scan.c ---- */

/*
 * A range of the table's primary key, or of an index, in key order.
 *
 * condition: from KeyCondition; NULL for the whole table or index.  start: an
 * exclusive start, a map of the key attributes of the index and the table;
 * MISSING_VALUE to read from the start.  shard: of a sharded index; -1 for
 * all.
 */
typedef struct ScanRange
{
	const IndexDef *index;		/* NULL for the table */
	const KeyCondition *condition;
	bool		forward;
	ValueRef	start;
	int			shard;
	const struct SegmentSlice *segment; /* NULL for all */
	const Slice *needed;		/* sorted, distinct attributes; none for all */
	int			nneeded;
	int64		rows;			/* expected to be read; 0: not known */
	ValueRef	filter;			/* another node need not return rows that do not match:
								 * members of a range of node_row.h; or MISSING_VALUE */
} ScanRange;

/*
 * Returns a segment of a parallel scan of a table or an index, which stays the
 * same while this session continues to read segments of the table (segment.h);
 * palloc'd.
 */
extern struct SegmentSlice *StoreSegment(Store *store, const IndexDef *index,
										 uint32 segment, uint32 total_segments);

/* Whether a map with the partition attributes of a key is in a segment. */
extern bool KeyInSegment(const struct SegmentSlice *segment, const KeySchema *key, ValueRef item);

typedef struct StoreScan StoreScan;

/*
 * Starts a scan.  Allocates in the current memory context, which must outlive
 * the scan.
 *
 * Rows are read with StoreSnapshot, which is registered during the scan, or
 * with a newer snapshot if that one is older than the index; the latter is a
 * serialization failure in REPEATABLE READ and above.  The scan must be ended,
 * also by callers that stop early (in a set-returning function's shutdown
 * callback); after an error, the resource owner cleans up.
 */
extern DYNAMO_EXPORT StoreScan *StoreScanBegin(Store *store, const ScanRange *range);

/*
 * Returns the next item; false at the end.  *item is the stored varlena,
 * detoasted, valid until the next call.  For an index table it is the entry's
 * projected item (index keys, table keys, projected attributes).
 */
extern DYNAMO_EXPORT bool StoreScanNext(StoreScan *scan, struct varlena **item);

/*
 * Return parts of the last item, after checking it: key attribute i of the
 * table or index read (an index's attributes are followed by the table's); the
 * position of the scan as a palloc'd map of all key attributes; and the
 * table's key.  They point into the item.
 */
extern ValueRef StoreScanKey(const StoreScan *scan, int i);
extern struct varlena *StoreScanPosition(const StoreScan *scan);
extern void StoreScanRowKey(const StoreScan *scan, RowKey *key);

/* Checks that the key columns of the last item have its values. */
extern DYNAMO_EXPORT void StoreScanCheck(const StoreScan *scan);

/* Whether a scan reads without SQL. */
extern DYNAMO_EXPORT bool StoreScanIsDirect(const StoreScan *scan);
extern DYNAMO_EXPORT void StoreScanEnd(StoreScan *scan);

/*
 * Whether an index was filled after a snapshot, which then does not see all
 * its entries or columns.  This can happen if the transaction began earlier,
 * or if the statement has waited for the session that filled the index.
 */
extern bool StoreIndexIsNewer(const TableDef *def, const IndexDef *index, Snapshot snapshot);

/*
 * Returns the snapshot for reading an index, or the table for NULL: that of the
 * store, or a newer one if the index was filled after it.
 */
extern Snapshot StoreIndexSnapshot(const Store *store, const IndexDef *index);

/* Appends a readable description of what the scan reads and how. */
extern void StoreScanDescribe(const StoreScan *scan, StringInfo out);

#endif							/* DYNAMO_STORE_H */
