/*
 * apply.h
 *	  Applies the changes of distributed tables to their index tables.
 *
 *	take_changes.c	on a node with changes: returns and deletes them
 *	apply.c			on the coordinator: computes what becomes of the entries
 *	put_entries.c	on a node with entries: deletes and writes them
 */
#ifndef DYNAMO_APPLY_H
#define DYNAMO_APPLY_H

#include "citus/changes.h"

struct Verification;

/* Locks a shard of this node against other appliers until the end of the transaction. */
extern void LockShardForApplier(Oid shard);

/* Opens a table by its names.  Only Citus may ask for it, for the owner of the table. */
extern Relation OpenOwnedTable(text *schema, text *name);

/*
 * The key of the entry of an item in an index; an item of an entry has the same.
 */
extern void EntryKeyOfItem(const TableDef *def, const IndexDef *index, ValueRef item, EntryKey *key);

/*
 * What the functions of the nodes do, on this node.  Takes at most limit changes of an open
 * table; with 0, returns a byte if there are any.
 */
extern bytea *TakeIndexChanges(Relation rel, int limit);

/* Deletes and writes entries of an index of an open table; returns their number. */
extern int64 PutIndexEntries(Relation rel, const char *name, Slice entries);

/* ---- apply.c ---- */

/*
 * Applies some changes of an open table, at most limit from each node, in this transaction.
 * Returns the number of changed items.  *full is set to whether many more may be left.
 */
extern int64 ApplyIndexChanges(Relation rel, int limit, bool *full);

/* Applies all changes of a distributed table in this transaction, which excludes writers. */
extern void ApplyAllChanges(Oid table);

/* ---- verify_distributed.c: as ElsewhereMethods has it ---- */

extern void VerifyDistributed(struct Verification *v);

#endif							/* DYNAMO_APPLY_H */
