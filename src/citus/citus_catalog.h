/*
 * citus_catalog.h
 *	  Reads the catalogs of Citus.
 *
 * They are read as tables, by the names of their columns, so that nothing of
 * Citus is needed to build or to load the extension.  Without Citus, each search
 * costs one lookup in the cache of names.
 */
#ifndef DYNAMO_CITUS_CATALOG_H
#define DYNAMO_CITUS_CATALOG_H

#include "access/genam.h"
#include "access/htup.h"
#include "utils/relcache.h"

/* A search for rows of a catalog of Citus. */
typedef struct CitusRow
{
	Relation	catalog;		/* NULL if there is no such catalog */
	SysScanDesc scan;
	HeapTuple	tuple;			/* NULL if there is no such row */
} CitusRow;

/*
 * Finds the first row with a value in a column, or any row if column is NULL; by
 * an index, if it exists.
 */
extern void FindCitusRow(CitusRow *row, const char *name, const char *index, const char *column,
						 RegProcedure equal, Datum value);

/* Goes to the next such row; false if there is none. */
extern bool NextCitusRow(CitusRow *row);
extern void EndCitusRow(CitusRow *row);

/* A column of the row that was found; 0 if the row or the column does not exist, or is null. */
extern Datum CitusColumn(const CitusRow *row, const char *column);

#endif							/* DYNAMO_CITUS_CATALOG_H */
