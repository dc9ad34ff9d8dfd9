/*
 * node_row.h
 *	  Rows on other nodes of Citus: the third path behind the interface of store.h.
 *
 * A row whose shard is on another node is read and written there directly, by the
 * function dynamo.row_on_shard, which knows the following actions.  Its result is a
 * status, followed by an item in binary form if there is one.
 */
#ifndef DYNAMO_STORE_NODE_ROW_H
#define DYNAMO_STORE_NODE_ROW_H

#include "store/write_paths.h"

typedef enum NodeAction
{
	NODE_GET,					/* returns the item */
	NODE_FIND,					/* locks the row and returns its item */
	NODE_LOCK,					/* the same, or locks the absence of the row */
	NODE_SHARE,					/* the same, only against changes */
	NODE_INSERT,				/* stores an item if there is no row with its key */
	NODE_PUT,					/* stores an item; returns it if a trigger has changed it */
	NODE_DELETE,				/* deletes the row */
	NODE_ACTIONS
} NodeAction;

typedef enum NodeStatus
{
	NODE_DONE = 'd',
	NODE_NOTHING = 'n',			/* no row, or a trigger has suppressed the write */
	NODE_EXISTS = 'e',			/* a row exists: nothing was inserted */
	NODE_ELSEWHERE = 'm'		/* the shard has moved, or only SQL can access it */
} NodeStatus;

/*
 * The following return false if the row is not to be accessed in this way, before
 * they have done anything.
 */

/* As StoreGetPart, for the whole item. */
extern bool NodeGet(Store *store, const RowKey *key, struct varlena **item);

/* As StoreWriteSql. */
extern bool NodeWrite(WriteRequest *request, WriteAction *action);

/* Locks the row with a key; absence: or its absence.  *item is its item, or NULL. */
extern bool NodeLock(WriteRequest *request, bool absence, struct varlena **item);

#endif							/* DYNAMO_STORE_NODE_ROW_H */
