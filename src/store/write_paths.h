/*
 * write_paths.h
 *	  The two paths behind StoreWrite.
 */
#ifndef DYNAMO_WRITE_PATHS_H
#define DYNAMO_WRITE_PATHS_H

#include "store/store.h"

/* One call of StoreWrite. */
typedef struct WriteRequest
{
	Store	   *store;
	const RowKey *key;
	bool		need_old;
	WriteDecider decide;
	void	   *arg;
	const RowLock *lock;		/* what is locked already; NULL: nothing */
	struct varlena *stored;		/* result */
} WriteRequest;

/* One write, as StoreWrite says. */
extern WriteAction StoreWriteDirect(WriteRequest *request);
extern WriteAction StoreWriteSql(WriteRequest *request);

/*
 * The item at a key, or NULL; with SQL.  lock: lock it, or its absence;
 * otherwise that is done already.
 */
extern struct varlena *StoreLockSql(WriteRequest *request, bool lock);

/*
 * Locks a key of a table whose rows are elsewhere (partitions, other nodes),
 * where absence cannot be locked in the heap: all writers of such tables that
 * come through here take this lock before they insert.
 */
extern void LockKeyByName(const Store *store, const RowKey *key);

#endif							/* DYNAMO_WRITE_PATHS_H */
