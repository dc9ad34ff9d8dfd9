/*
 * node_row.h
 *	  Rows on other nodes of Citus: the third path behind the interface of store.h.
 *
 * A row whose shard is on another node is read and written there directly, by the
 * function dynamo_system.row_on_shard, which knows the following actions.  Its result is a
 * status, followed by an item in binary form if there is one.
 */
#ifndef DYNAMO_CITUS_NODE_ROW_H
#define DYNAMO_CITUS_NODE_ROW_H

#include "citus/node_call.h"
#include "citus/shards.h"
#include "store/scan.h"
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
	NODE_HOLD,					/* locks the row or its absence, also if row security hides it */
	NODE_HOLD_SHARED,			/* the same, only against changes */
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
 * Rows of a range are read by the function dynamo_system.rows_on_shard: of one partition key of
 * the table or of an index table, of a whole shard of the table, or of several keys.  The
 * range is an item with these members; all but one of the first three may be absent.  A
 * comparison applies to the last one of the key attributes, unless that belongs to the
 * partition key; the others are equal.  Further members are the values of the filter's
 * placeholders.
 *
 * The result is a set of parts.  A part is a status; if it is NODE_DONE, a byte that is not 0
 * if there may be more rows; and for each row the length of its item in its binary form, at a
 * multiple of 4 bytes, and the item.
 */
#define LARGEST_BATCH_BYTES (1024 * 1024)

#define RANGE_KEY		"key"	/* a map of the key attributes to compare */
#define RANGE_SHARD		"shard" /* the number of the shard to read, as a string */
#define RANGE_KEYS		"keys"	/* a list of keys of the table; each has a row, empty if there is no item */
#define RANGE_INDEX		"index" /* the name of the index */
#define RANGE_UPPER		"upper" /* a map of the upper ends of BETWEEN */
#define RANGE_START		"start" /* a map of the exclusive start */
#define RANGE_FILTER	"filter"	/* an expression; rows that do not match are left out */
#define RANGE_NAMES		"names" /* a map of the filter's placeholders of names */
#define RANGE_NEEDED	"needed"	/* a list of the attributes to return; empty: all */

/*
 * Takes the next part of such a result, up to its rows; false if there is none, or its status is
 * not NODE_DONE.
 */
extern bool NodeReceivePart(NodeValues *parts, StringInfo part, bool *more);

/* Reads the item of a row of a part, palloc'd; NULL for an empty row. */
extern struct varlena *NodeReceiveRow(StringInfo in);

/*
 * Whether a shard of the table or of an index table is on another node that can access it
 * directly; a call of that node then goes there.
 */
extern bool FindOtherNode(const Store *store, const ShardMap *map, int position, NodeCall *call);

/* The same for the shard with a key of the table. */
extern bool FindNodeOfKey(const Store *store, const RowKey *key, NodeCall *call);

/*
 * The following return false if the row is not to be accessed in this way, before
 * they have done anything.
 */

/* As StoreGetPart, for the whole item. */
extern bool NodeGet(Store *store, const RowKey *key, struct varlena **item);

/* The same for a row that NodeReadAhead has read. */
extern bool NodeGetAhead(const Store *store, const RowKey *key, struct varlena **item);

/* As StoreWriteSql. */
extern bool NodeWrite(WriteRequest *request, WriteAction *action);

/* Locks the row with a key; absence: or its absence.  *item is its item, or NULL. */
extern bool NodeLock(WriteRequest *request, bool absence, struct varlena **item);

/*
 * Locks the row with a key, or its absence, for a statement of Citus that reads it.  This server
 * may also be the other node, if Citus accesses it over a connection in this transaction.
 */
extern bool NodeHold(WriteRequest *request);

/* ---- several rows: as ElsewhereMethods has it ---- */

extern void NodeReadAhead(Store *store, const RowKey *keys, int n);
extern ScanSource *NodeScanBegin(const Store *store, const ScanShard *shard, const ScanRange *range,
								 const ScanKeys *keys, Snapshot snapshot);

#endif							/* DYNAMO_CITUS_NODE_ROW_H */
