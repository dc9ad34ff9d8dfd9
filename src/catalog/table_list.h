/*
 * table_list.h
 *	  Finding dynamo tables, and triggers of ours, without reading definitions.
 *
 * The views over definitions parse all of them.  What has to find some tables
 * among thousands looks into the text of the definitions, or goes by names.
 */
#ifndef DYNAMO_TABLE_LIST_H
#define DYNAMO_TABLE_LIST_H

#include "nodes/pg_list.h"

/* What the text of a definition is searched for. */
typedef enum TableFeature
{
	FEATURE_TIME_TO_LIVE,		/* has a time to live */
	FEATURE_PENDING_BUILD		/* has an index that is not ACTIVE */
} TableFeature;

/*
 * The OIDs of the tables with a feature, in their order; partitions are left
 * out.  A definition that was written by hand may hide a feature, or show one
 * that the table does not have.
 */
extern List *TablesWithFeature(TableFeature feature);

/* Whether one table has it, by the same test. */
extern bool TableHasFeature(Oid relid, TableFeature feature);

/*
 * Up to so many names of the tables that a name without a schema finds, as
 * palloc'd C strings in the order of their bytes, beginning after the name given.
 */
extern List *VisibleTableNames(const char *after, int64 limit);

/* A trigger as the catalogs have it. */
typedef struct TriggerText
{
	Oid			relid;
	bool		for_row;		/* or for the statement */
	char	   *argument;		/* the first */
} TriggerText;

/* The triggers that call a function of ours with so many arguments, of TriggerText *. */
extern List *TriggersOf(const char *function, int nargs);

#endif							/* DYNAMO_TABLE_LIST_H */
