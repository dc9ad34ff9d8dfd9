/*
 * event.h
 *	  What the event triggers on tables share.
 */
#ifndef DYNAMO_EVENT_H
#define DYNAMO_EVENT_H

#include "commands/event_trigger.h"
#include "commands/trigger.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "nodes/parsenodes.h"

#include "catalog/table.h"

/* The call, checked to be one of an event trigger. */
extern EventTriggerData *EventTriggerCall(FunctionCallInfo fcinfo);

/* A query on what happened, with parameters that are OIDs. */
typedef struct EventPlan
{
	const char *query;
	SPIPlanPtr	prepared;		/* NULL until it is used first */
} EventPlan;

#define EVENT_QUERY_MAX_ARGS	2

/* Runs it; the result is SPI's. */
extern void EventQuery(EventPlan *plan, int nargs, Datum *args);

/* The OIDs in the first column of the last SPI query's result. */
extern List *ResultOids(void);

/* ---- event_start.c ---- */

/*
 * What a dynamo table was called, and whose it was, before the statement that
 * may change one of them.
 */
typedef struct FormerTable
{
	Oid			relid;			/* InvalidOid: no such statement */
	Oid			owner;
	char		schema[NAMEDATALEN];
	char		name[NAMEDATALEN];
} FormerTable;

extern FormerTable former_table;

/* ---- event_refuse.c ---- */

typedef struct HeldIndex HeldIndex;

/* The index that a named relation holds; false if it holds none. */
extern bool FindNamedIndex(const RangeVar *name, HeldIndex *held);

/* The definition of a table, or of that which it is a partition of, or NULL. */
extern TableDef *RootDefinition(Oid relid);

/* Errors about what holds an index; what: owner, schema or the like. */
extern void RefuseShardChange(const HeldIndex *held);
extern void RefuseShapeChange(const HeldIndex *held);
extern void RefuseToLeaveTable(const HeldIndex *held, const char *what);

/* A command of ALTER TABLE on it; relid: the index table or a shard of it. */
extern void CheckIndexTableCommand(const HeldIndex *held, Oid relid,
								   const AlterTableCmd *command);

/* The same for the stream of a table (stream_event.c). */
extern void CheckStreamCommand(Oid relid, const AlterTableCmd *command);

/*
 * Refuse to disable, drop or rename (the verb) a trigger that a table needs;
 * the second, also one of the two triggers of a reference.
 */
extern void CheckTriggerStays(Oid relid, const char *name, const char *verb);
extern void CheckTriggerKept(Oid relid, const char *name, const char *verb);

/* Partitions of dynamo tables do not come and go where there are index tables. */
extern void CheckPartitionsStay(Oid relid, const char *verb);
extern void CheckAttach(Oid relid, const RangeVar *partition);

/* INHERITS of a table. */
extern void CheckParent(const RangeVar *name);

/* ---- event_drop.c ---- */

/* Raises the error about dropping a relation that holds an index. */
extern void RefuseDropOfIndex(const char *relation, const char *index_name,
							  const char *table_name) pg_attribute_noreturn();

/* ---- event_trigger.c: triggers of ours ---- */

/* Whether a function is one of those that keep tables and their indexes. */
extern bool IsOurFunction(Oid function);

/* Makes those of a table that others left otherwise fire as they must. */
extern void EnableTriggers(Oid relid);

/* Raises an error if a relation that is no table has any. */
extern void RefuseOurTriggers(Oid relid);

/* Raises an error if a table has two definitions. */
extern void CheckOneDefinition(Oid relid);

/*
 * Raises an error if a trigger holds a definition, of a table or of a stream,
 * that cannot be read: views and event triggers read those of all tables.
 */
extern void CheckTriggerDefinitions(Oid relid);

/*
 * Tells of triggers that fire after derive_keys, where a statement has made or
 * renamed one, or that one.
 */
extern void NoteTriggerOrder(Oid relid, const Node *statement);

/*
 * Makes the trigger that checks what those leave; or drops it if the last of
 * them was dropped, and nothing else needs it.
 */
extern void FollowTriggerOrder(Oid relid, bool dropped);

/* ---- event_reference.c: references between items ---- */

/* Raises an error if a trigger that the ending command made serves another's table. */
extern void CheckReferenceOwners(void);

/*
 * Raises an error if a trigger is one half of a reference; verb says what was
 * to be done to it.
 */
extern void RefuseHalfReference(Relation rel, const Trigger *trigger, const char *verb);

/* ---- event_index.c: what holds an index ---- */

/*
 * Before a statement has its locks, what it names may be dropped by others at
 * any moment: a relation that is gone is nothing in particular, and PostgreSQL
 * says what there is to say.
 */

/* Whether a relation is a plain or a partitioned table; whether it is called so. */
extern bool IsTable(Oid relid);
extern bool HasName(Oid relid, const char *name);

/* An index table, or a shard of one, as the definition of its table has it. */
struct HeldIndex
{
	Oid			table;			/* the base table */
	Oid			index_table;	/* the relation, or that which it is a shard of */
	char	   *index_name;
};

/*
 * The arguments of an index table's guard: its table and its index.  False if
 * the relation has none.
 */
extern bool FindGuard(Oid relid, char **table_name, char **index_name);

/* False if the relation holds no index that a definition names. */
extern bool FindHeldIndex(Oid relid, HeldIndex *held);

/*
 * Brings an index table, a shard of one or a stream to its table's schema,
 * owner and persistence.  False if it belongs to somebody else: neither to the
 * table's owner nor, if the ending statement gave the table to another and the
 * follower names the table (named), to the former one.
 */
extern bool FollowTable(Oid relid, Oid follower, bool named);

/* Brings index tables to the schema, owner, name and persistence of their table. */
extern void IndexTablesFollow(Oid relid, const TableDef *def);

/* Definitions take over the new name of a btree, or of an index table. */
extern void AdoptIndexName(Oid relid, Oid index_relid);
extern void AdoptIndexTable(Oid index_table);

/*
 * An editable copy of a table's definition, checked against the table; NULL
 * if it is no dynamo table.
 */
extern TableDef *CopyDefinition(Oid relid);

#endif							/* DYNAMO_EVENT_H */
