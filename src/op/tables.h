/*
 * tables.h
 *	  The tables of an operation on many items: each opened once, and the
 *	  order in which their rows are locked.
 */
#ifndef DYNAMO_TABLES_H
#define DYNAMO_TABLES_H

#include "op/op.h"

typedef struct OpTable
{
	const char *name;
	AclMode		access;
	Store		store;
} OpTable;

typedef struct OpTables
{
	int			n;
	OpTable    *tables;
} OpTables;

/* Makes an empty set for at most max tables. */
extern void OpTablesInit(OpTables *t, int max);

/* Adds a table, or privileges to one that is there already; its position. */
extern int	OpTablesAdd(OpTables *t, const char *name, AclMode access);

/* Opens all, in the order they were added. */
extern void OpTablesOpen(OpTables *t);
extern void OpTablesClose(OpTables *t);

/* A row of one of the tables. */
typedef struct OpRow
{
	Store	   *store;
	const RowKey *key;
	int			position;		/* in the operation */
} OpRow;

/*
 * Sorts rows by relation and key: the order of locking that keeps operations
 * on many items from deadlocks.  Whether there is no row twice.
 */
extern bool OpRowsSort(OpRow *rows, int n);

#endif							/* DYNAMO_TABLES_H */
