/*
 * index_relation.h
 *	  Finds and opens the relations of secondary indexes.
 *
 * An index table is linked to its table (link.h) with the relation's name in
 * the definition as label.  The btree of an inline index is the index of the
 * table with that name; if it has been renamed, it is one with the columns and
 * the predicate of the index.  Both can therefore be renamed, and copies of a
 * table with other names, such as shards, find their own btrees.
 *
 * A cached definition contains the OIDs found, until the table or one of its
 * index tables changes.
 */
#ifndef DYNAMO_TABLE_INDEX_RELATION_H
#define DYNAMO_TABLE_INDEX_RELATION_H

#include "table/table.h"
#include "exported.h"

/*
 * Returns the relation of an index; InvalidOid if it does not exist.  An index
 * table has the owner of its table.  Callers that do not use IndexTableOpen
 * must check everything else.
 */
extern DYNAMO_EXPORT Oid	FindIndexRelation(const TableDef *def, const IndexDef *index);

/* How the kinds of indexes find it (IndexKind.find): a btree, or an index table. */
extern Oid	FindInlineBtree(Oid table, const TableDef *def, const IndexDef *index);
extern Oid	FindIndexTable(Oid table, const TableDef *def, const IndexDef *index);

/*
 * Returns the relation of an index; raises ERRCODE_DATA_CORRUPTED, with a hint
 * at dynamo.reindex, if it does not exist.
 */
extern DYNAMO_EXPORT Oid	IndexDefRelation(const TableDef *def, const IndexDef *index);

/*
 * Opens and locks the relation of an index, a btree or an index table; NULL if
 * it does not exist.  It is not verified.
 */
extern Relation IndexRelationTryOpen(const TableDef *def, const IndexDef *index,
									 LOCKMODE lockmode);

/*
 * Opens and verifies the index table of an index, or one shard of an open
 * index table.  It must belong to the table and its owner, and have the
 * columns, the primary key and the guard of an index table; otherwise
 * ERRCODE_DATA_CORRUPTED is raised.  Its rows can then be read and written
 * without privileges, triggers and row security.
 *
 * No other function verifies index tables.  The result is cached with the
 * definition, so that the next row costs nothing.
 */
extern DYNAMO_EXPORT Relation IndexTableOpen(const TableDef *def, const IndexDef *index, LOCKMODE lockmode);
extern Relation IndexShardOpen(Relation index_table, const TableDef *def, const IndexDef *index,
							   int shard, LOCKMODE lockmode);

/*
 * Whether an open relation, found by FindIndexRelation, meets these
 * requirements.
 */
extern DYNAMO_EXPORT bool IsIndexTable(Relation rel, const TableDef *def, const IndexDef *index);

/*
 * Whether a btree of the table has the columns of an entry of an inline index.
 * The definition need not contain column numbers.
 */
extern bool InlineIndexFits(const TableDef *def, const IndexDef *index, Oid btree);

#endif							/* DYNAMO_TABLE_INDEX_RELATION_H */
