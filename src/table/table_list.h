/*
 * table_list.h
 *	  Finds dynamo tables without parsing definitions.
 *
 * The views parse all definitions.  Functions that search for some tables
 * among thousands instead search the text of definitions, or use names.
 */
#ifndef DYNAMO_TABLE_TABLE_LIST_H
#define DYNAMO_TABLE_TABLE_LIST_H

#include "nodes/pg_list.h"

#include "exported.h"

/* What to search for in the text of definitions. */
typedef enum TableFeature
{
	FEATURE_NONE,				/* all tables have it */
	FEATURE_TIME_TO_LIVE,		/* has a time to live */
	FEATURE_PENDING_BUILD,		/* has an index that is not ACTIVE */
	FEATURE_MOVES				/* has an entity whose items get other keys */
} TableFeature;

/* Whether a relation is a temporary one of another session: nobody else can read its rows. */
extern bool RelationIsOfOtherSession(Oid relid);

/*
 * Returns the OIDs of the tables with a feature, in order, without partitions and temporary
 * tables of other sessions.
 * A definition that was written by hand can hide a feature, or show one that
 * the table does not have.
 */
extern DYNAMO_EXPORT List *TablesWithFeature(TableFeature feature);

/*
 * Returns the text of a table's definition, without a lock on the table; NULL
 * if the table does not exist or has no definition.
 */
extern char *TableDefinitionText(Oid relid);

/* Whether one table has a feature, by the same test. */
extern bool TableHasFeature(Oid relid, TableFeature feature);

/*
 * Returns up to limit names of tables visible in search_path, as palloc'd C
 * strings in byte order, starting after the given name.
 */
extern DYNAMO_EXPORT List *VisibleTableNames(const char *after, int64 limit);

/*
 * Returns the name of a table in search_path that differs only in case; NULL
 * if there is none.  Reads all tables.
 */
extern char *TableNameInOtherCase(const char *name);

#endif							/* DYNAMO_TABLE_TABLE_LIST_H */
