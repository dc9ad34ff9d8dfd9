/*
 * event.h
 *	  Functions that the event triggers on tables share.
 */
#ifndef DYNAMO_DDL_EVENT_H
#define DYNAMO_DDL_EVENT_H

#include "commands/event_trigger.h"
#include "commands/trigger.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "nodes/parsenodes.h"

#include "ddl/dropped.h"
#include "table/table.h"

/* Checks that the function was called as an event trigger. */
extern EventTriggerData *EventTriggerCall(FunctionCallInfo fcinfo);

/* A query about the ending command; it may have an array of OIDs as its parameter. */
typedef struct EventPlan
{
	const char *query;
	SPIPlanPtr	prepared;		/* NULL until its first use */
} EventPlan;

/* Runs the query with the array, or without (nargs 0); the result is SPI's. */
extern void EventQuery(EventPlan *plan, int nargs, Datum oids);

/* The same with an array of one OID. */
extern void EventQueryOf(EventPlan *plan, Oid oid);

/* Returns the OIDs in the first column of the last SPI query's result. */
extern List *ResultOids(void);

/* ---- event_refuse.c ---- */

typedef struct HeldIndex HeldIndex;

/* Finds the index that a named relation contains; false if there is none. */
extern bool FindNamedIndex(const RangeVar *name, HeldIndex *held);

/*
 * Opens a dynamo table, or the one that a partition belongs to; NULL for any other relation.  The table of
 * another's partition is not locked: DDL that changes both locks the table first, and they would wait for each other.
 */
extern Relation RootOpen(Oid relid);

/* Returns the definition of that table, or NULL. */
extern TableDef *RootDefinition(Oid relid);

/*
 * Raise the errors of changes to the relation of an index; what is owner,
 * schema or similar.
 */
extern void RefuseShardChange(const HeldIndex *held);
extern void RefuseShapeChange(const HeldIndex *held);
extern void RefuseToLeaveTable(const HeldIndex *held, const char *what);

/* Checks a command of ALTER TABLE on the index table or shard relid. */
extern void CheckIndexTableCommand(const HeldIndex *held, Oid relid,
								   const AlterTableCmd *command);

/*
 * Refuse to disable, drop or rename (the verb) a trigger that a table needs;
 * the second function also asks the features, for a trigger that is dropped or
 * renamed.
 */
extern void CheckTriggerStays(Oid relid, const char *name, const char *verb);
extern void CheckTriggerKept(Oid relid, const char *name, const char *verb);

/* Refuses CREATE OR REPLACE TRIGGER that replaces such a trigger with another. */
extern void CheckTriggerReplaced(const CreateTrigStmt *statement);

/* Refuse to add and remove partitions of dynamo tables with index tables. */
extern void CheckPartitionsStay(Oid relid, const char *verb);
extern void CheckAttach(Oid relid, const RangeVar *partition);

/*
 * Refuse INHERITS of a table; of the parents that a new table has, of which no event told before; a definition of a table
 * that has children.
 */
extern void CheckParent(const RangeVar *name);
extern void CheckParentsOf(Oid relid);
extern void CheckChildless(Oid relid);

/* ---- restore_order.c ---- */

/*
 * Make triggers of a partitioned table depend on its partitions, or on a new one, whose rows a
 * parallel pg_restore then copies before it creates them.
 */
extern void TriggersFollowPartitions(Oid table);
extern void TriggersFollowPartition(Oid partition);

/* Refuses to drop such a trigger together with a partition, but without its table. */
extern void CheckPartitionsRemain(const DroppedTrigger *trigger, const Node *statement);

/* ---- event_drop.c ---- */

/* Raises the error about dropping (the verb) a relation that holds an index. */
extern void RefuseDropOfIndex(const IndexDef *index, Oid table, const char *verb) pg_attribute_noreturn();

/* ---- event_trigger.c: triggers of the extension ---- */

/*
 * Whether a function is a trigger function that maintains tables or indexes.
 */
extern bool IsOurFunction(Oid function);

/*
 * Enables the extension's triggers of a table again if others have changed
 * their state.
 */
extern void EnableTriggers(Oid relid);

/* Raises an error if a relation other than a table has such a trigger. */
extern void RefuseOurTriggers(Oid relid);

/* Raises an error if a table has two definitions. */
extern void CheckOneDefinition(Oid relid);

/*
 * Raises an error if a trigger contains an invalid definition of a table or a
 * stream, because views and event triggers read all definitions.
 */
extern void CheckTriggerDefinitions(Oid relid);

/*
 * Reports triggers that fire after derive_keys, if a statement has created or
 * renamed one or renamed derive_keys' trigger.
 */
extern void NoteTriggerOrder(Oid relid, const Node *statement);

/*
 * Creates the trigger that checks the results of such triggers; or drops it if
 * the last of them was dropped and nothing else needs it.
 */
extern void FollowTriggerOrder(Oid relid, bool dropped);

/* ---- event_link.c ---- */

/*
 * Raises an error if the ending command created a trigger that links another
 * owner's table.
 */
extern void CheckLinkOwners(void);

/* ---- event_index.c: relations of indexes ---- */

/*
 * Before a statement has its locks, other sessions may drop the relations that
 * it names at any time.  A missing relation is ignored here; PostgreSQL raises
 * the error.
 */

/* Whether a relation is a plain or partitioned table. */
extern bool IsTable(Oid relid);
extern bool HasName(Oid relid, const char *name);

/* An index table or a shard, according to the definition of its table. */
struct HeldIndex
{
	Oid			table;			/* the base table */
	Oid			index_table;	/* the index table, also for a shard */
	const char *index_name;
};

/* False if the relation holds no index of a table. */
extern bool FindHeldIndex(Oid relid, HeldIndex *held);

/*
 * Brings an index table, a shard of one or a stream to its table's schema,
 * owner and persistence, if the user owns it.
 */
extern void FollowTable(Oid relid, Oid follower);

/* Does so with all index tables of a table. */
extern void IndexTablesFollow(Oid relid, const TableDef *def);

/*
 * After ALTER TABLE ... RENAME TO: gives index tables, their shards, partitions and the
 * stream of a table its name.  def is NULL if the relation is no dynamo table.
 */
extern void FollowersTakeName(Oid relid, const TableDef *def, const Node *statement);

/* After ALTER TABLE of a dynamo table: gives all that belongs to it its row security, if that changes. */
extern void FollowersTakeRowSecurity(Oid relid, const Node *statement);

/*
 * Returns the tables whose columns ALTER TABLE of a relation has changed, too: children of a table, but not
 * partitions, which have the columns of their root; tables of a composite type.
 */
extern List *TablesAlteredWith(Oid relid);

/*
 * Returns a copy of a table's definition that may be changed, checked against
 * the table; NULL if the table is not a dynamo table.
 */
extern TableDef *CopyDefinition(Oid relid);

#endif							/* DYNAMO_DDL_EVENT_H */
