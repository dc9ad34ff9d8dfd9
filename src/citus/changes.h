/*
 * changes.h
 *	  Index tables of distributed tables, which follow their table.
 *
 * An index table of a table that Citus distributes is distributed itself, by its own
 * partition key, so that an item and its entries are on different nodes.  A write does not
 * wait for them.  It records the change in the table's change table, which is distributed
 * like the table: the shard with the records is on the same node as the shard with the items,
 * moves with it, and is written in the same transaction.
 *
 * A record has the key of the item, a number that grows with each change of the item, the
 * time, and what entries are computed from: the attributes with columns before the change,
 * and the item after it.  A writer of an item takes the next number while it has the lock of
 * the item's row, or of its absence, so that the records of an item are in the order of its
 * changes.  There is no order between items, and none is needed: the key of an entry contains
 * that of its item.
 *
 * The coordinator applies the changes in batches (apply.c).  One transaction deletes the
 * records and writes the entries, on all nodes or on none.
 */
#ifndef DYNAMO_CHANGES_H
#define DYNAMO_CHANGES_H

#include "lib/stringinfo.h"

#include "index/index.h"
#include "store/row_event.h"

/* The columns of a change table after the key of the item. */
enum
{
	CHANGE_NUMBER,
	CHANGE_TIME,
	CHANGE_OLD,
	CHANGE_NEW,
	CHANGE_NCOLUMNS
};

/* The number of a column, counted from 0, of a change table. */
static inline int
ChangeColumn(const TableDef *def, int column)
{
	return KeyCount(&def->key) + column;
}

#define MAX_CHANGE_COLUMNS	(2 + CHANGE_NCOLUMNS)

/* ---- change_table.c ---- */

/* Creates the change table of a table, which is empty.  SPI must be connected. */
extern Oid	ChangeTableCreate(Oid relid, const TableDef *def);

/*
 * Opens a shard of a change table, on this server.  It must have the owner, the columns, the
 * primary key and the guard of one; otherwise ERRCODE_DATA_CORRUPTED is raised.
 */
extern Relation ChangeShardOpen(Oid relid, const TableDef *def, Oid owner);

/* ---- record_change.c ---- */

/*
 * Whether changes of an open relation's rows are recorded: it is a shard of a distributed
 * table with index tables.
 */
extern bool RecordsChanges(Relation rel, const TableDef *def);

/* Records a change of such a relation's row; there may be no old or no new one. */
extern void RecordChangeOfRow(const TableDef *def, const RowEvent *event, BaseRow *old, BaseRow *new);

/*
 * Records each row of an open shard with an entry in an index as if it were written now; the
 * caller's transaction excludes writers.
 */
extern void RecordRows(Relation rel, const char *index_name);

/* ---- change_batch.c: what nodes tell each other ---- */

/*
 * A list of pairs of items in binary form, either of which may be missing: the state of an
 * item before and after its changes; or an entry to delete and an entry to write.
 */
extern void AppendPair(StringInfo out, ValueRef first, ValueRef second);

/* Reads a pair, palloc'd; false at the end. */
extern bool ReadPair(StringInfo in, struct varlena **first, struct varlena **second);

#endif							/* DYNAMO_CHANGES_H */
