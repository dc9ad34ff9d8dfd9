/*
 * note_key.h
 *	  Notes keys of operations: hashes for stat/slow.h, and accesses for who wants to count them.
 */
#ifndef DYNAMO_NOTE_KEY_H
#define DYNAMO_NOTE_KEY_H

#include "stat/slow.h"
#include "store/store.h"

/* Note the key of an item, and the partition key of a read (index: NULL for the table). */
extern void NoteRowKey(const TableDef *def, const RowKey *key);
extern void NotePartition(const TableDef *def, const IndexDef *index, const KeyCondition *condition);

/*
 * Called for each of these with the values of the partition key; NULL if nobody
 * has registered.
 */
typedef void (*KeyHook) (const TableDef *def, const IndexDef *index, const ValueRef *values, int n);
extern KeyHook key_hook;

/* The hash of a partition key on this server; of one attribute, it is that of dynamo.key_hash. */
extern uint64 HashOfPartition(const ValueRef *values, int n);

#endif							/* DYNAMO_NOTE_KEY_H */
