/*
 * key_estimate.h
 *	  How many rows have the partition key that a key condition names.
 */
#ifndef DYNAMO_SQL_KEY_ESTIMATE_H
#define DYNAMO_SQL_KEY_ESTIMATE_H

#include "nodes/pathnodes.h"
#include "utils/rel.h"

#include "catalog/table.h"

/* What a call says of its key, as nodes; condition may be NULL. */
typedef struct KeyArguments
{
	PlannerInfo *root;
	const char *condition;
	Node	   *values;
	Node	   *names;
} KeyArguments;

/*
 * What is known of a column, of a partitioned table that of all partitions;
 * not valid if nothing is.  The caller releases it.
 */
extern HeapTuple SearchColumnStatistics(Relation rel, AttrNumber attnum);

/*
 * The fraction of a table's rows whose first n of these attributes are what
 * the condition compares them with; negative if not all values are known when
 * the call is planned.  The caller may see all rows.
 */
extern double KeyFraction(const KeyArguments *key, Relation rel, const TableDef *def,
						  const int *attributes, int n, double tuples);

#endif							/* DYNAMO_SQL_KEY_ESTIMATE_H */
