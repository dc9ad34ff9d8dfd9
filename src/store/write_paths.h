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
	struct varlena *stored;		/* result */
} WriteRequest;

extern WriteAction StoreWriteDirect(WriteRequest *request);
extern WriteAction StoreWriteSql(WriteRequest *request);

#endif							/* DYNAMO_WRITE_PATHS_H */
