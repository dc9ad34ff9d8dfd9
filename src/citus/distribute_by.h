/*
 * distribute_by.h
 *	  Statements that have Citus distribute tables.  SPI must be connected.
 */
#ifndef DYNAMO_CITUS_DISTRIBUTE_BY_H
#define DYNAMO_CITUS_DISTRIBUTE_BY_H

/* Runs a statement whose first parameter is a table; the others are the rest of the arrays. */
extern void RunOnTable(const char *sql, Oid relid, int nargs, Oid *types, Datum *values, const char *nulls);

/*
 * Distributes a table by the hash of a column.  If shards is 0, Citus chooses their number.
 * colocate: a table whose shards have the new ones beside them, or what Citus knows by a name.
 */
extern void DistributeByColumn(Oid relid, const char *column, int shards, const char *colocate);

/* Distributes a table so that its shards move with those of another. */
extern void DistributeBeside(Oid relid, const char *column, Oid table);

/* Frees the space of the rows that Citus has copied. */
extern void TruncateCopied(Oid relid);

#endif							/* DYNAMO_CITUS_DISTRIBUTE_BY_H */
