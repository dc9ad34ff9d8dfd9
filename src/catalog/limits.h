/*
 * limits.h
 *	  What an index admits, of items that are stored already: entries within the
 *	  service's limits of keys and within that of a btree (limits.c).
 */
#ifndef DYNAMO_LIMITS_H
#define DYNAMO_LIMITS_H

#include "lib/stringinfo.h"

#include "catalog/table.h"

/*
 * Whether the limits of an index admit an entry with these values of key columns,
 * in the order of IndexDef.entry.  A null takes no room; nulls may be NULL: there
 * are none.
 */
extern bool IndexAdmits(const TableDef *def, const IndexDef *index,
						const Datum *keys, const bool *nulls);

/* The same for a row's values and nulls, by attnum - 1. */
extern bool IndexAdmitsRow(const TableDef *def, const IndexDef *index,
						   const Datum *values, const bool *nulls);

/*
 * Whether a row would have an entry if the limits admit it: a btree has those with
 * all partition attributes, an index table those with all key attributes.
 */
extern bool RowHasEntry(const TableDef *def, const IndexDef *index, const bool *nulls);

/*
 * Whether the entry of a row to be written would exceed what a btree takes;
 * false if the row has none.  values and nulls are by attnum - 1.
 */
extern bool EntryIsTooLong(const TableDef *def, const IndexDef *index,
						   const Datum *values, const bool *nulls);
extern bool PrimaryKeyIsTooLong(const TableDef *def, const Datum *values, const bool *nulls);

/* Raises the error of such a row; index NULL: of the primary key. */
extern void EntryTooLongError(const IndexDef *index) pg_attribute_noreturn();

/* Appends the test of an index's limits, as a condition on its columns. */
extern void AppendLimits(StringInfo out, const TableDef *def, const IndexDef *index);

/* Whether the predicate of an inline index's btree has it. */
extern bool InlineIndexIsLimited(Oid btree);

#endif							/* DYNAMO_LIMITS_H */
