/*
 * key_estimate.h
 *	  Estimates how many rows have the partition key of a key condition.
 */
#ifndef DYNAMO_PLANNER_KEY_ESTIMATE_H
#define DYNAMO_PLANNER_KEY_ESTIMATE_H

#include "nodes/pathnodes.h"
#include "utils/rel.h"

#include "table/table.h"

/*
 * The arguments of a call that determine its key, as nodes; condition may be
 * NULL.
 */
typedef struct KeyArguments
{
	PlannerInfo *root;
	const char *condition;
	Node	   *values;
	Node	   *names;
} KeyArguments;

/*
 * Returns the statistics of a column; for a partitioned table, those over all
 * partitions.  The tuple is invalid if there are none.  The caller releases
 * it.
 */
extern HeapTuple SearchColumnStatistics(Relation rel, AttrNumber attnum);

/*
 * The fraction of a table's rows whose first n of these attributes have the
 * values in the condition; negative if a value is not known when the call is
 * planned.  The caller must be allowed to see all rows.
 */
extern double KeyFraction(const KeyArguments *key, Relation rel, const TableDef *def,
						  const int *attributes, int n, double tuples);

#endif							/* DYNAMO_PLANNER_KEY_ESTIMATE_H */
