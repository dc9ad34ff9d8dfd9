/*
 * count_rows.h
 *	  How many items a table or an index has, for descriptions of tables.
 *
 * PostgreSQL estimates it in ANALYZE, VACUUM and CREATE INDEX, and autovacuum analyzes
 * neither a table that few rows have been written to, nor a partitioned one.  Where there is
 * no estimate, or one of zero, rows are counted in the first pages, and those that follow are taken to be alike.
 */
#ifndef DYNAMO_COUNT_ROWS_H
#define DYNAMO_COUNT_ROWS_H

#include "exported.h"

typedef struct RelationSize
{
	int64		rows;
	int64		bytes;
} RelationSize;

/*
 * Returns the size of a table or of an index with its partitions; zeros if it does not exist.
 * The caller has checked that the user may read all rows.
 */
extern DYNAMO_EXPORT RelationSize CountRelation(Oid relid);

#endif							/* DYNAMO_COUNT_ROWS_H */
