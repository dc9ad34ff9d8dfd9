/*
 * archive_model.h
 *	  What a backup keeps of the model of its table: entities, copies and totals.
 *
 * They are lists of JSON in the table's triggers (entity.h, copy.h):
 *
 *	{"entities": [...], "copies": [...]}
 *
 * A restored table has them from the beginning.  While its items are restored
 * they are set aside, so that every item stays as it was: one that was stored
 * before its entity was declared may not fit it, and a total already counts the
 * items that follow.
 *
 * The definition of a table that is restored says so (table.h), until the transaction
 * that puts its items.  So nothing is written to it before them, whatever becomes of its
 * worker, and a job whose number of a relation has come from another server finds no table
 * that it could fill or drop.  Distributed tables, whose definitions are on all nodes, are
 * not marked.
 */
#ifndef DYNAMO_ARCHIVE_MODEL_H
#define DYNAMO_ARCHIVE_MODEL_H

#include "table/table.h"

/* Returns the model of an open table, palloc'd; NULL if it has no entities. */
extern char *ModelRead(Relation rel, TableDef *def);

/* Whether two models, each of which may be NULL, are the same. */
extern bool ModelsEqual(const char *a, const char *b);

/* Gives a table of the current user a model.  Raises errors of the model. */
extern void ModelWrite(const char *table_name, const char *model);

/* Marks a new table as one whose items are yet to be restored. */
extern void MarkRestoring(const char *table_name);

/* Whether a table is marked, or distributed. */
extern bool AwaitsRestore(const TableDef *def);

/*
 * Removes the mark, and this model (NULL: none) for a while, from a table that is locked
 * against writers.
 */
extern void ModelSetAside(const char *table_name, const char *model);

#endif							/* DYNAMO_ARCHIVE_MODEL_H */
