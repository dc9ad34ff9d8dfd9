/*
 * write_paths.h
 *	  The two paths behind StoreWrite.
 */
#ifndef DYNAMO_WRITE_PATHS_H
#define DYNAMO_WRITE_PATHS_H

#include "exported.h"
#include "store/store.h"

/* One call of StoreWrite. */
typedef struct WriteRequest
{
	Store	   *store;
	const RowKey *key;
	bool		need_old;
	WriteDecider decide;
	void	   *arg;
	const RowLock *lock;		/* existing lock; NULL if none */
	bool		insert;			/* the direct path does not search for the row */
	bool		put;			/* it need not, if the row is probably new; see StorePut */
	struct varlena *stored;		/* result */
	bool		share;			/* locks only against changes */
} WriteRequest;

/* Execute one write as described for StoreWrite. */
extern WriteAction StoreWriteDirect(WriteRequest *request);
extern WriteAction StoreWriteSql(WriteRequest *request);

/* What StoreLockSql locks. */
typedef enum SqlLock
{
	SQL_LOCK_NOTHING,			/* the row is locked already */
	SQL_LOCK_ROW,
	SQL_LOCK_ROW_OR_ABSENCE
} SqlLock;

/* Returns the item at a key, or NULL, through SQL, and locks it or its absence. */
extern struct varlena *StoreLockSql(WriteRequest *request, SqlLock lock);

/*
 * Locks the row with a key, or its absence, on a shard on this server, whether or not row
 * security shows it.  Returns false if there is no such shard.
 */
extern DYNAMO_EXPORT bool StoreHold(Store *store, const RowKey *key, bool share);

/*
 * Locks a key of a table whose rows are stored elsewhere (in partitions, on
 * other nodes), where the heap cannot lock absence.  All writers of such
 * tables through these functions take this lock before they insert.
 */
extern void LockKeyByName(const Store *store, const RowKey *key);

#endif							/* DYNAMO_WRITE_PATHS_H */
