/*
 * index_relation.h
 *	  The relations that hold secondary indexes: finding and opening them.
 *
 * An index table is the relation that belongs to the table (link.h) by the
 * name that the definition has for it.  A btree is found among those of the
 * table: the one of that name, or, once it has been renamed, one that has the
 * columns and the predicate of the index.  So both may be renamed, and copies of
 * a table under other names, such as shards of Citus, find their own btrees.
 *
 * A cached definition remembers what was found, until the table or one of its
 * index tables changes.
 */
#ifndef DYNAMO_TABLE_INDEX_RELATION_H
#define DYNAMO_TABLE_INDEX_RELATION_H

#include "table/table.h"

/*
 * The relation of an index, InvalidOid if there is none.  An index table has
 * its table's owner; who opens it otherwise than by IndexTableOpen checks the
 * rest.
 */
extern Oid	FindIndexRelation(const TableDef *def, const IndexDef *index);

/* The same; raises ERRCODE_DATA_CORRUPTED, with a hint at dynamo.reindex, if there is none. */
extern Oid	IndexDefRelation(const TableDef *def, const IndexDef *index);

/*
 * Opens the relation of an index, a btree or a table, and locks it; NULL if there
 * is none.  It is not verified.
 */
extern Relation IndexRelationTryOpen(const TableDef *def, const IndexDef *index,
									 LOCKMODE lockmode);

/*
 * Opens the index table of an index, or one shard of an open one, verified: it belongs
 * to the table and its owner, and has the columns, the primary key and the
 * guard that an index table must have.  Raises ERRCODE_DATA_CORRUPTED if not.
 * Rows of it can be read and written past privileges, triggers and row security.
 * This is the one place that looks at these things; what it found is kept with
 * a cached definition, so that it costs nothing for the next row.
 */
extern Relation IndexTableOpen(const TableDef *def, const IndexDef *index, LOCKMODE lockmode);
extern Relation IndexShardOpen(Relation index_table, const TableDef *def, const IndexDef *index,
							   int shard, LOCKMODE lockmode);

/* Whether an open relation of FindIndexRelation has all of this. */
extern bool IsIndexTable(Relation rel, const TableDef *def, const IndexDef *index);

/*
 * Whether a btree of the table has the columns of an entry of an inline index.
 * The definition may be one without column numbers.
 */
extern bool InlineIndexFits(const TableDef *def, const IndexDef *index, Oid btree);

#endif							/* DYNAMO_TABLE_INDEX_RELATION_H */
