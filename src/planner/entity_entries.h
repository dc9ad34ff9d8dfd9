/*
 * entity_entries.h
 *	  Index tables in queries on entity views.
 *
 * A view reads the table.  Where the comparisons of a query give a key of an
 * index that is kept in an index table, the index table is joined to the table
 * by the table's key: the query reads a range of entries, and the row of each.
 */
#ifndef DYNAMO_PLANNER_ENTITY_ENTRIES_H
#define DYNAMO_PLANNER_ENTITY_ENTRIES_H

#include "nodes/pathnodes.h"

#include "table/table.h"

/*
 * Whether a query that is planned now can read the entries of an index.  Raises
 * an error if its index table is damaged.
 */
extern bool EntriesAreReadable(PlannerInfo *root, const TableDef *def, const IndexDef *index);

/*
 * Returns the column of an attribute of the entries, as the column of a table
 * that is added to the query next; table is a column of the base table.
 */
extern Var *EntryColumn(const PlannerInfo *root, const TableDef *def, const IndexDef *index,
						int attribute, const Var *table);

/*
 * Adds the index table to the query, beside the base table in its FROM; returns
 * the join conditions.
 */
extern List *EntriesJoin(PlannerInfo *root, FromExpr *from, const TableDef *def, const IndexDef *index,
						 const Var *table);

#endif							/* DYNAMO_PLANNER_ENTITY_ENTRIES_H */
