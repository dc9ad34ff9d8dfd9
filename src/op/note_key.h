/*
 * note_key.h
 *	  Notes hashes of the key of a request, for stat/slow.h.
 */
#ifndef DYNAMO_NOTE_KEY_H
#define DYNAMO_NOTE_KEY_H

#include "stat/slow.h"
#include "store/store.h"

/* Notes the key of an item, and the partition key of a read. */
extern void NoteRowKey(const TableDef *def, const RowKey *key);
extern void NotePartition(const KeySchema *schema, const KeyCondition *condition);

#endif							/* DYNAMO_NOTE_KEY_H */
