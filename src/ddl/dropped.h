/*
 * dropped.h
 *	  The objects that a statement has dropped, for an event trigger at its
 *	  end.
 *
 * The role of a dropped table is stored in its triggers, which are dropped
 * with it.  Their rows can still be read, because this transaction has deleted
 * them.  Dropping other objects therefore requires no reads or searches.
 */
#ifndef DYNAMO_DDL_DROPPED_H
#define DYNAMO_DDL_DROPPED_H

#include "nodes/pg_list.h"

/* A trigger that was dropped, possibly with its table. */
typedef struct DroppedTrigger
{
	Oid			function;
	Oid			relid;			/* its table */
	Oid			other;			/* the table in its FROM clause, or InvalidOid */
	bool		is_clone;		/* of a partition, or of a shard */
	bool		changes_rows;
	int			nargs;
	const char *argument;		/* the first argument; NULL if there is none */
} DroppedTrigger;

/*
 * Returns the triggers that the ending statement has dropped, of
 * DroppedTrigger *.  SPI must be connected.
 */
extern List *DroppedTriggers(void);

#endif							/* DYNAMO_DDL_DROPPED_H */
