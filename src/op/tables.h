/*
 * tables.h
 *	  The tables of an operation on many items, each of which is opened once,
 *	  and the order in which their rows are locked.
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

/* Creates an empty set for at most max tables. */
extern void OpTablesInit(OpTables *t, int max);

/* Adds a table, or privileges to a table in the set; returns its position. */
extern int	OpTablesAdd(OpTables *t, const char *name, AclMode access);

/* Opens all tables in the order in which they were added. */
extern void OpTablesOpen(OpTables *t);

/*
 * Opens all tables for reading as of one moment: distributed ones for locks on
 * their rows, since their nodes have no common snapshot.
 */
extern void OpTablesOpenAtOnce(OpTables *t, const char *what);
extern void OpTablesClose(OpTables *t);

/*
 * Makes the transaction one on all nodes if a table is distributed by its partition
 * key.  Raises an error if a table is distributed in another way: see
 * distribution.h for what.  Returns whether a table is distributed.
 */
extern bool OpTablesCoordinate(const OpTables *t, const char *what);

/* A row of one of the tables. */
typedef struct OpRow
{
	Store	   *store;
	const RowKey *key;
	int			position;		/* position in the operation */
} OpRow;

/*
 * Sorts rows by relation and key, the locking order that prevents deadlocks
 * between operations on many items.  Returns whether the rows are distinct.
 */
extern bool OpRowsSort(OpRow *rows, int n);

#endif							/* DYNAMO_TABLES_H */
