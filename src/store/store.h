/*
 * store.h
 *	  Finding, locking and writing rows of dynamo tables.
 *
 * One interface, two paths behind it:
 *
 *	direct	the executor's own primitives: index scans with scan keys,
 *			in-place update, speculative insertion.  For plain heap tables
 *			without row security for this user, without rules, partitions or
 *			children.
 *	sql		kept SPI plans, for everything else, and for tests:
 *			dynamo.direct_access = off.
 *
 * Both give the same answers, fire the same triggers, check the same
 * privileges and raise the same errors.
 */
#ifndef DYNAMO_STORE_H
#define DYNAMO_STORE_H

#include "lib/stringinfo.h"
#include "nodes/parsenodes.h"
#include "storage/itemptr.h"
#include "utils/snapshot.h"

#include "catalog/table.h"

extern void StoreInit(void);

typedef struct StoreLookup StoreLookup;

typedef struct Store
{
	Relation	rel;
	TableDef   *def;
	AclMode		access;
	bool		direct;			/* which path this call takes */
	MemoryContext context;		/* current at StoreOpen */
	StoreLookup *lookup;		/* of get.c, kept between gets; NULL at first */
	bool		local;			/* rows are in this relation's own heap */
	Snapshot	newer;			/* than the active one, to read with; else NULL */
} Store;

/* ---- open.c ---- */

/*
 * Opens a table by its DynamoDB name for reading (ACL_SELECT) or writing (any
 * of ACL_INSERT, ACL_UPDATE, ACL_DELETE), checks the caller's privileges as
 * the executor would, refuses writes in read-only transactions and parallel
 * mode, and chooses the path.  Locks are held to the end of the transaction,
 * as those of the same SQL would be.
 *
 * Column privileges: SELECT and INSERT are needed on the key columns and on
 * item, UPDATE on item.
 */
extern void StoreOpen(Store *store, const char *table_name, AclMode access);

/* The same for a relation, as plain SQL would open it: with its indexes or not. */
extern void StoreOpenRelation(Store *store, Oid relid, AclMode access);
extern void StoreClose(Store *store);

/* Whether the rows of a table are in its own heap, here. */
extern bool RelationIsLocalHeap(Relation rel, const TableDef *def);

/* The snapshot to read with. */
extern Snapshot StoreSnapshot(const Store *store);

/* Whether a snapshot takes another transaction, which wrote something, for running. */
extern bool WriterIsNewer(TransactionId xid, Snapshot snapshot);

/* Whether such a transaction has made a relation, or written it anew. */
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
	ValueRef	attributes[2];	/* the same as encoded values */
} RowKey;

/*
 * From a map that has the key attributes (CheckKeyParameter was called).  The
 * attributes point into it.
 */
extern void RowKeyFromItem(const TableDef *def, ValueRef item, RowKey *key);

/* ---- get.c ---- */

/*
 * The item at a key under StoreSnapshot, or NULL.  Detoasted, palloc'd.
 */
extern struct varlena *StoreGet(Store *store, const RowKey *key);

/*
 * As much of it as these attributes need (sorted names, each once; none: all);
 * there may be more in it.
 */
extern struct varlena *StoreGetPart(Store *store, const RowKey *key,
									const Slice *names, int nnames);

/* StoreClose ends what gets have kept open. */
extern void StoreLookupEnd(StoreLookup *lookup);

/* ---- write.c ---- */

typedef enum WriteAction
{
	WRITE_NOTHING,
	WRITE_PUT,					/* insert or replace */
	WRITE_DELETE
} WriteAction;

/*
 * Decides what to write, given the current version of the row (MISSING_VALUE
 * if there is none), valid during the call.  May be called again when the row
 * that was decided on has changed or appeared; the last call counts.  Errors
 * (a failed condition) are raised from here.  *item is set for WRITE_PUT; its
 * size and keys have been checked, and it has the key that is written.
 */
typedef WriteAction (*WriteDecider) (void *arg, ValueRef old, struct varlena **item);

/*
 * Finds the row at key, or its absence, lets decide say what to do and does
 * it, all triggers and constraints included.  Atomic under concurrency: what
 * was decided on is what is replaced.  Waits for concurrent writers of the
 * same key; in REPEATABLE READ and above raises a serialization failure when
 * the row changed after the snapshot.
 *
 * need_old: decide looks at old.  When false the path may skip reading the
 * old row, and old may be MISSING_VALUE although there is one.
 *
 * Returns what was done: WRITE_NOTHING also when there was no row to delete,
 * or when a trigger suppressed the write.  *stored is set for WRITE_PUT: the
 * item as it was stored, which is *item unless a trigger made it another.
 */
extern WriteAction StoreWrite(Store *store, const RowKey *key, bool need_old,
							  WriteDecider decide, void *arg,
							  struct varlena **stored);

/*
 * Whether an item is stored as the direct path gets it, and so must have been
 * checked.  Else BEFORE triggers may change it, after which derive_keys checks
 * it in any case.
 */
extern bool StoreItemIsFinal(const Store *store);

/* ---- lock.c ---- */

/* What StoreLock has locked: a row, or the absence of one. */
typedef struct RowLock
{
	bool		direct;			/* the rest is known: locked without SQL */
	bool		present;
	ItemPointerData tid;		/* of the version that is locked */
	bool		shown;			/* the active snapshot shows that version; told
								 * by StoreLockPresent */
} RowLock;

/*
 * Locks the row at a key until the end of the transaction and returns its
 * current item (palloc'd), or NULL if there is none; then its absence is
 * locked: others who write that key wait.  For operations that decide on
 * several rows before they write any.  Fires no triggers.
 */
extern struct varlena *StoreLock(Store *store, const RowKey *key, RowLock *lock);

/* The same, but the absence of a row is only told, not locked. */
extern struct varlena *StoreLockPresent(Store *store, const RowKey *key, RowLock *lock);

/*
 * StoreWrite of a row locked by this transaction, with the decision taken.
 * What the lock tells spares the search, unless triggers of ours have changed
 * the row since.  Where a row is present, an item of another key moves it.
 */
extern WriteAction StoreWriteLocked(Store *store, const RowKey *key, const RowLock *lock,
									WriteAction action, struct varlena *item,
									struct varlena **stored);

/* ---- scan.c ---- */

/*
 * A range of the table's primary key, or of an index, in key order.
 *
 * tests: as KeyCondition gives them; NULL for the whole table or index.
 * start: map of the key attributes of the index and the table, exclusive;
 * MISSING_VALUE to begin at the beginning.  shard: of a sharded index, -1
 * for all.
 */
typedef struct ScanRange
{
	const IndexDef *index;		/* NULL: the table itself */
	const KeyCondition *condition;
	bool		forward;
	ValueRef	start;
	int			shard;
	const struct SegmentSlice *segment; /* NULL: all */
	const Slice *needed;		/* attributes, sorted, each once; none: all */
	int			nneeded;
} ScanRange;

/*
 * A segment of a parallel scan of a table or an index, as it is while this
 * session goes on reading segments of the table (segment.h); palloc'd.
 */
extern struct SegmentSlice *StoreSegment(Store *store, const IndexDef *index,
										 uint32 segment, uint32 total_segments);

/* Whether a map with the partition attributes of a key lies in a segment. */
extern bool KeyInSegment(const struct SegmentSlice *segment, const KeySchema *key, ValueRef item);

typedef struct StoreScan StoreScan;

/*
 * Allocates in the current memory context, which must outlive the scan.
 *
 * Rows come under StoreSnapshot, registered for the scan's life; or a
 * newer one if that is older than the index, which is a serialization failure
 * in REPEATABLE READ and above.  The scan must be ended, also by callers that
 * stop early (a set-returning function's shutdown callback); an error cleans up
 * by resource owner.
 */
extern StoreScan *StoreScanBegin(Store *store, const ScanRange *range);

/*
 * The next item: false at the end.  *item is the stored varlena, detoasted,
 * valid until the next call.  For an index with its own storage it is the
 * entry's projected item (index keys, table keys, projected attributes).
 */
extern bool StoreScanNext(StoreScan *scan, struct varlena **item);

/*
 * Of the item that came last, checked to be there and to be what they must, as
 * nothing else has: the key attribute i of the table or index that is read
 * (those of the table's key follow those of the index); where the scan has come to, as a
 * map of all of them, palloc'd; the table's key.  They point into the item.
 */
extern ValueRef StoreScanKey(const StoreScan *scan, int i);
extern struct varlena *StoreScanPosition(const StoreScan *scan);
extern void StoreScanRowKey(const StoreScan *scan, RowKey *key);
extern void StoreScanEnd(StoreScan *scan);

/* Appends, in lines of words, what the scan reads and how. */
extern void StoreScanDescribe(const StoreScan *scan, StringInfo out);

#endif							/* DYNAMO_STORE_H */
