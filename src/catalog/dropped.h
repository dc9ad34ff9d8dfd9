/*
 * dropped.h
 *	  What a statement has dropped, in an event trigger at its end.
 *
 * What a table was to us its triggers told, which are gone with it.  Their rows
 * are still there for who knows to read them: this transaction has deleted
 * them.  So whoever drops something else has nothing read or searched for.
 */
#ifndef DYNAMO_DROPPED_H
#define DYNAMO_DROPPED_H

#include "nodes/pg_list.h"

/* A trigger of ours that was dropped with its table. */
typedef struct DroppedTrigger
{
	Oid			function;
	int			nargs;
	char	  **args;
} DroppedTrigger;

/* A table that was dropped with such triggers. */
typedef struct DroppedTable
{
	Oid			relid;
	Oid			schema;
	Oid			owner;
	const char *name;
	bool		partition;
	List	   *triggers;		/* of DroppedTrigger * */
} DroppedTable;

/*
 * Those that the ending statement has dropped, of DroppedTable *; SPI is
 * connected.  *kept: OIDs of tables that are there and have lost triggers that
 * could change their rows, anybody's.
 */
extern List *DroppedTables(List **kept);

/* The arguments of a trigger of this function; NULL if there was none, or another number. */
extern char **DroppedArguments(const DroppedTable *table, const char *function, int nargs);

#endif							/* DYNAMO_DROPPED_H */
