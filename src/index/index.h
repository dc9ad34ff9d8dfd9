/*
 * index.h
 *	  Secondary indexes: creating and filling them, maintaining index tables,
 *	  finding and repairing differences.
 */
#ifndef DYNAMO_INDEX_H
#define DYNAMO_INDEX_H

#include "catalog/ddl.h"
#include "catalog/table.h"

/* ---- create.c ---- */

/* Creates an index and fills it, under an exclusive lock. */
extern void IndexCreate(const char *table_name, const CreateIndexSpec *spec);

/* Drops an index, and the columns that only it used. */
extern void IndexDrop(const char *table_name, const char *index_name);

/* ---- fill.c ---- */

/*
 * Sets the key columns of the rows of a table whose items have attributes
 * that are not in their columns yet, bypassing triggers.  The caller holds an
 * exclusive lock.  Returns the number of items that stay out of the named
 * index because a key attribute is unusable.
 */
extern int64 FillKeyColumns(Oid relid, const char *index_name);

#endif							/* DYNAMO_INDEX_H */
