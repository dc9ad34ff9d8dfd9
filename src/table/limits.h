/*
 * limits.h
 *	  Decides which stored items an index contains: entries must be within the
 *	  service's limits of keys and within the limit of a btree (limits.c).
 */
#ifndef DYNAMO_TABLE_LIMITS_H
#define DYNAMO_TABLE_LIMITS_H

#include "lib/stringinfo.h"

#include "exported.h"
#include "table/table.h"

/*
 * Whether an entry with these values of key columns, in the order of
 * IndexDef.entry, is within the limits of an index.  A null takes no space;
 * nulls may be NULL if there are none.
 */
extern DYNAMO_EXPORT bool IndexAdmits(const TableDef *def, const IndexDef *index,
									  const Datum *keys, const bool *nulls);

/* The same test for a row's values and nulls, by attnum - 1. */
extern bool IndexAdmitsRow(const TableDef *def, const IndexDef *index,
						   const Datum *values, const bool *nulls);

/*
 * Whether a row within the limits would have an entry: in a btree, if it has
 * all partition attributes; in an index table, if it has all key attributes.
 */
extern bool RowHasEntry(const TableDef *def, const IndexDef *index, const bool *nulls);

/*
 * Whether the entry of a row to be written would exceed the limit of a btree;
 * false if the row has no entry.  values and nulls are by attnum - 1.
 */
extern bool EntryIsTooLong(const TableDef *def, const IndexDef *index,
						   const Datum *values, const bool *nulls);
extern bool PrimaryKeyIsTooLong(const TableDef *def, const Datum *values, const bool *nulls);

/* Raises the error of such a row; index is NULL for the primary key. */
extern void EntryTooLongError(const IndexDef *index) pg_attribute_noreturn();

/* Appends the test of an index's limits as a condition on its columns. */
extern void AppendLimits(StringInfo out, const TableDef *def, const IndexDef *index);

/* Whether a btree of a table has a predicate that an inline index could have. */
extern bool HasIndexPredicate(Oid btree, Oid table, const TableDef *def, const IndexDef *index);

/*
 * Whether a clause of a predicate tests limits; whether the btree of an inline
 * index has such a clause.
 */
extern bool ClauseTestsLimits(const Node *clause);
extern bool InlineIndexIsLimited(Oid btree);

#endif							/* DYNAMO_TABLE_LIMITS_H */
