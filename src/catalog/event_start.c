/*
 * event_start.c
 *	  The event trigger before DDL: what would take an index table apart, or
 *	  a trigger of ours away, is refused.
 *
 * Before rather than after, because then the catalogs still tell what belongs
 * to what, and because DETACH CONCURRENTLY commits in between.  What a dump
 * that is restored says comes when there is no definition (yet, or with
 * --clean any more), and nothing is refused; only the triggers it drops
 * itself, one by one.  Therefore, these can be dropped where
 * check_function_bodies is off, as in every script of pg_dump.
 */
#include "postgres.h"

#include "access/relation.h"
#include "catalog/namespace.h"
#include "catalog/partition.h"
#include "catalog/pg_class.h"
#include "catalog/pg_trigger.h"
#include "nodes/parsenodes.h"
#include "storage/bufmgr.h"
#include "utils/acl.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "catalog/ddl.h"
#include "catalog/event.h"
#include "catalog/objects.h"

FormerName	former_name;

/* Remembers what a dynamo table is called, for its settings. */
static void
NoteName(Oid relid)
{
	Relation	rel = try_relation_open(relid, AccessShareLock);

	if (rel == NULL)
		return;
	if (TableDefCopy(rel) != NULL)
	{
		former_name.relid = relid;
		strlcpy(former_name.schema, get_namespace_name(RelationGetNamespace(rel)), NAMEDATALEN);
		strlcpy(former_name.name, RelationGetRelationName(rel), NAMEDATALEN);
	}
	relation_close(rel, AccessShareLock);
}

/* The index that a named relation holds; false if it holds none. */
static bool
FindNamedIndex(const RangeVar *name, HeldIndex *held)
{
	Oid			relid = RangeVarGetRelid(name, NoLock, true);

	return OidIsValid(relid) && FindHeldIndex(relid, held);
}

/* The definition of a table, or of that which it is a partition of, or NULL. */
static TableDef *
RootDefinition(Oid relid)
{
	List	   *ancestors = get_rel_relispartition(relid) ? get_partition_ancestors(relid) : NIL;
	Relation	rel = try_relation_open(ancestors == NIL ? relid : llast_oid(ancestors), AccessShareLock);
	TableDef   *def;

	if (rel == NULL)
		return NULL;
	def = TableDefCopy(rel);
	relation_close(rel, AccessShareLock);
	return def;
}

/* ---- ALTER TABLE of an index table ---- */

static void
RefuseShardChange(const HeldIndex *held)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("cannot change the shards of index table \"%s\"",
					get_rel_name(held->index_table)),
			 errhint("dynamo.reshard_index changes how many shards index \"%s\" of table \"%s\" has.",
					 held->index_name, get_rel_name(held->table))));
}

static void
RefuseShapeChange(const HeldIndex *held)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("cannot change the columns or the primary key of index table \"%s\"",
					get_rel_name(held->index_table)),
			 errdetail("It holds index \"%s\" of table \"%s\".",
					   held->index_name, get_rel_name(held->table)),
			 errhint("Use dynamo.change_index or dynamo.drop_index.")));
}

/* what: owner, schema or persistence. */
static void
RefuseToLeaveTable(const HeldIndex *held, const char *what)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("index table \"%s\" keeps the %s of table \"%s\"",
					get_rel_name(held->index_table), what, get_rel_name(held->table)),
			 errhint("Alter the table: its index tables follow.")));
}

/* Its constraint is called as its index is. */
static bool
IsPrimaryKey(Oid relid, const char *constraint)
{
	Relation	rel = relation_open(relid, AccessShareLock);
	Oid			primary_key = RelationGetPrimaryKey(rel);

	relation_close(rel, AccessShareLock);
	return OidIsValid(primary_key) && strcmp(get_rel_name(primary_key), constraint) == 0;
}

/* relid: the index table or the shard of one that is altered. */
static void
CheckIndexTableCommand(const HeldIndex *held, Oid relid, const AlterTableCmd *command)
{
	switch (command->subtype)
	{
		case AT_AttachPartition:
		case AT_DetachPartition:
		case AT_DetachPartitionFinalize:
			RefuseShardChange(held);
			break;
		case AT_AddColumn:
		case AT_DropColumn:
		case AT_AlterColumnType:
		case AT_AddInherit:
			RefuseShapeChange(held);
			break;
		case AT_DropConstraint:
			if (IsPrimaryKey(relid, command->name))
				RefuseShapeChange(held);
			break;
		case AT_ChangeOwner:
			if (get_rolespec_oid(command->newowner, true) != RelationOwner(held->table))
				RefuseToLeaveTable(held, "owner");
			break;
		case AT_SetLogged:
		case AT_SetUnLogged:
			RefuseToLeaveTable(held, "persistence");
			break;
		default:
			break;
	}
}

/* ---- triggers ---- */

static void
RefuseWithoutTrigger(const char *verb, const char *trigger, Oid relid)
{
	ereport(ERROR,
			(errcode(ERRCODE_DEPENDENT_OBJECTS_STILL_EXIST),
			 errmsg("cannot %s trigger \"%s\" on table \"%s\"", verb, trigger, get_rel_name(relid)),
			 errdetail("It keeps key columns and indexes what the items say."),
			 errhint("An ordinary table is made of the items by CREATE TABLE ... AS; dynamo.drop_table drops the table.")));
}

static const Trigger *
FindTriggerByName(Relation rel, const char *name)
{
	for (int i = 0; rel->trigdesc != NULL && i < rel->trigdesc->numtriggers; i++)
	{
		if (strcmp(rel->trigdesc->triggers[i].tgname, name) == 0)
			return &rel->trigdesc->triggers[i];
	}
	return NULL;
}

/* Whether another trigger does the same. */
static bool
HasTwin(Relation rel, const Trigger *trigger)
{
	for (int i = 0; i < rel->trigdesc->numtriggers; i++)
	{
		const Trigger *other = &rel->trigdesc->triggers[i];

		if (other != trigger && other->tgfoid == trigger->tgfoid &&
			TRIGGER_FOR_TRUNCATE(other->tgtype) == TRIGGER_FOR_TRUNCATE(trigger->tgtype))
			return true;
	}
	return false;
}

/* Whether a table, or what it is a partition of, has index tables. */
static bool
RootHasIndexTables(Oid relid)
{
	const TableDef *def = RootDefinition(relid);

	return def != NULL && HasIndexTables(def);
}

/* Whether a table needs a trigger of it: nothing else does what it does. */
static bool
TriggerIsNeeded(Relation rel, const Trigger *trigger)
{
	HeldIndex	held;

	if (!IsOurFunction(trigger->tgfoid) || HasTwin(rel, trigger))
		return false;
	if (trigger->tgfoid == DynamoFunctionOid(FUNCTION_GUARD_INDEX))
		return FindHeldIndex(RelationGetRelid(rel), &held);
	if (trigger->tgfoid == DynamoFunctionOid(FUNCTION_MAINTAIN_INDEXES))
		return RootHasIndexTables(RelationGetRelid(rel));
	return true;
}

/* Refuses to disable, drop or rename a trigger that a table needs; verb says which. */
static void
CheckTriggerStays(Oid relid, const char *name, const char *verb)
{
	Relation	rel = try_relation_open(relid, AccessShareLock);
	const Trigger *trigger;

	if (rel == NULL || !check_function_bodies)
	{
		if (rel != NULL)
			relation_close(rel, AccessShareLock);
		return;
	}
	trigger = FindTriggerByName(rel, name);
	if (trigger != NULL && TriggerIsNeeded(rel, trigger))
		RefuseWithoutTrigger(verb, name, relid);
	relation_close(rel, AccessShareLock);
}

/* The same, and not one of the two triggers of a reference either. */
static void
CheckTriggerKept(Oid relid, const char *name, const char *verb)
{
	Relation	rel = try_relation_open(relid, AccessShareLock);
	const Trigger *trigger = rel != NULL ? FindTriggerByName(rel, name) : NULL;

	if (trigger != NULL && check_function_bodies)
		RefuseHalfReference(rel, trigger, verb);
	if (rel != NULL)
		relation_close(rel, AccessShareLock);
	CheckTriggerStays(relid, name, verb);
}

/* ---- partitions of dynamo tables ---- */

/* Index tables hold the entries of all partitions. */
static void
CheckPartitionsStay(Oid relid, const char *verb)
{
	const TableDef *def = RootDefinition(relid);

	if (def != NULL && HasIndexTables(def))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("cannot %s a partition of dynamo table \"%s\"", verb, get_rel_name(def->relid)),
				 errdetail("It has index tables, which would not follow."),
				 errhint("Make these indexes inline with dynamo.change_index, or drop them with dynamo.drop_index.")));
}

/* Whether a table has rows, perhaps dead ones. */
static bool
HasRows(Oid relid)
{
	Relation	rel = OidIsValid(relid) ? try_relation_open(relid, AccessShareLock) : NULL;
	bool		has_rows;

	if (rel == NULL)
		return false;
	has_rows = rel->rd_rel->relkind == RELKIND_RELATION && RelationGetNumberOfBlocks(rel) > 0;
	relation_close(rel, AccessShareLock);
	return has_rows;
}

/* Rows that are there have not passed the trigger. */
static void
WarnOfRows(Oid relid, const RangeVar *partition_name)
{
	Oid			partition = RangeVarGetRelid(partition_name, NoLock, true);
	const TableDef *def = RootDefinition(relid);

	if (def != NULL && def->nindexes > 0 && HasRows(partition))
		ereport(WARNING,
				(errmsg("key columns of the rows of \"%s\" may differ from their items",
						partition_name->relname),
				 errhint("dynamo.verify_index tells, and dynamo.reindex sets them.")));
}

static void
CheckAttach(Oid relid, const RangeVar *partition)
{
	HeldIndex	held;

	if (FindNamedIndex(partition, &held))
		RefuseShapeChange(&held);
	CheckPartitionsStay(relid, "attach");
	WarnOfRows(relid, partition);
}

/* ---- inheritance ---- */

/*
 * INHERITS a dynamo table, or an index table: a child has no trigger and no
 * key of theirs, and yet its rows would be theirs.
 */
static void
CheckParent(const RangeVar *name)
{
	Oid			relid = RangeVarGetRelid(name, NoLock, true);
	Relation	rel = OidIsValid(relid) ? try_relation_open(relid, AccessShareLock) : NULL;
	HeldIndex	held;

	if (rel == NULL)
		return;
	if (rel->rd_rel->relkind == RELKIND_RELATION &&
		(TableDefCopy(rel) != NULL || FindHeldIndex(relid, &held)))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot inherit from table \"%s\" of the extension dynamo",
						RelationGetRelationName(rel)),
				 errdetail("Triggers and primary keys are not inherited."),
				 errhint("Use CREATE TABLE ... (LIKE ...) for a table of the same columns.")));
	relation_close(rel, AccessShareLock);
}

/* ---- statements ---- */

static void
CheckAlterTable(const AlterTableStmt *statement)
{
	Oid			relid = RangeVarGetRelid(statement->relation, NoLock, true);
	HeldIndex	held;
	bool		holds = OidIsValid(relid) && FindHeldIndex(relid, &held);
	ListCell   *cell;

	if (!OidIsValid(relid))
		return;
	foreach(cell, statement->cmds)
	{
		const AlterTableCmd *command = lfirst_node(AlterTableCmd, cell);

		if (holds)
			CheckIndexTableCommand(&held, relid, command);
		if (command->subtype == AT_DisableTrig)
			CheckTriggerStays(relid, command->name, "disable");
		if (command->subtype == AT_DropConstraint)
			CheckTriggerKept(relid, command->name, "drop");
		if (command->subtype == AT_AddInherit)
			CheckParent(castNode(RangeVar, command->def));
		if (command->subtype == AT_DetachPartition)
			CheckPartitionsStay(relid, "detach");
		if (command->subtype == AT_AttachPartition)
			CheckAttach(relid, castNode(PartitionCmd, command->def)->name);
	}
}

static void
CheckRename(const RenameStmt *statement)
{
	Oid			relid = statement->relation != NULL ?
		RangeVarGetRelid(statement->relation, NoLock, true) : InvalidOid;
	HeldIndex	held;

	if (!OidIsValid(relid))
		return;
	if (statement->renameType == OBJECT_TABLE)
		NoteName(relid);
	if (statement->renameType == OBJECT_COLUMN && FindHeldIndex(relid, &held))
		RefuseShapeChange(&held);
	if (statement->renameType == OBJECT_TRIGGER)
		CheckTriggerKept(relid, statement->subname, "rename");
}

static void
CheckSetSchema(const AlterObjectSchemaStmt *statement)
{
	Oid			relid = statement->relation != NULL ?
		RangeVarGetRelid(statement->relation, NoLock, true) : InvalidOid;
	HeldIndex	held;

	if (!OidIsValid(relid))
		return;
	if (FindHeldIndex(relid, &held))
		RefuseToLeaveTable(&held, "schema");
	NoteName(relid);
}

/* Partitions of an index table are shards: no entry would be in another. */
static void
CheckCreateTable(const CreateStmt *statement)
{
	HeldIndex	held;
	ListCell   *cell;

	if (statement->partbound == NULL)
	{
		foreach(cell, statement->inhRelations)
			CheckParent(lfirst_node(RangeVar, cell));
	}
	else if (FindNamedIndex(linitial_node(RangeVar, statement->inhRelations), &held))
		RefuseShardChange(&held);
}

static void
CheckDropTables(const DropStmt *statement)
{
	List	   *dropped = NIL;
	ListCell   *cell;

	foreach(cell, statement->objects)
		dropped = lappend_oid(dropped, RangeVarGetRelid(makeRangeVarFromNameList(lfirst(cell)),
														NoLock, true));
	foreach(cell, dropped)
	{
		Oid			relid = lfirst_oid(cell);
		HeldIndex	held;

		if (!OidIsValid(relid))
			continue;
		if (statement->behavior == DROP_RESTRICT && IsTable(relid))
			RefuseReferenced(relid, dropped);
		if (!get_rel_relispartition(relid))
			continue;
		if (!list_member_oid(dropped, llast_oid(get_partition_ancestors(relid))))
			CheckPartitionsStay(relid, "drop");

		/* who drops the index table as a whole is told at the end */
		if (FindHeldIndex(relid, &held) && !list_member_oid(dropped, held.index_table))
			ereport(ERROR,
					(errcode(ERRCODE_DEPENDENT_OBJECTS_STILL_EXIST),
					 errmsg("cannot drop \"%s\", which is a shard of index \"%s\" of table \"%s\"",
							get_rel_name(relid), held.index_name, get_rel_name(held.table)),
					 errhint("Use dynamo.drop_index or dynamo.reshard_index.")));
	}
}

/* Each object is a table's name, then the trigger's. */
static void
CheckDropTriggers(const DropStmt *statement)
{
	ListCell   *cell;

	foreach(cell, statement->objects)
	{
		List	   *names = castNode(List, lfirst(cell));
		List	   *table = list_truncate(list_copy(names), list_length(names) - 1);
		Oid			relid;

		if (table == NIL)
			continue;
		relid = RangeVarGetRelid(makeRangeVarFromNameList(table), NoLock, true);
		if (OidIsValid(relid))
			CheckTriggerKept(relid, strVal(llast(names)), "drop");
	}
}

static void
CheckDrop(const DropStmt *statement)
{
	if (statement->removeType == OBJECT_TABLE)
		CheckDropTables(statement);
	else if (statement->removeType == OBJECT_TRIGGER)
		CheckDropTriggers(statement);
}

static void
CheckStatement(const Node *statement)
{
	switch (nodeTag(statement))
	{
		case T_AlterTableStmt:
			CheckAlterTable((const AlterTableStmt *) statement);
			break;
		case T_RenameStmt:
			CheckRename((const RenameStmt *) statement);
			break;
		case T_AlterObjectSchemaStmt:
			CheckSetSchema((const AlterObjectSchemaStmt *) statement);
			break;
		case T_CreateStmt:
			CheckCreateTable((const CreateStmt *) statement);
			break;
		case T_CreateForeignTableStmt:
			CheckCreateTable(&((const CreateForeignTableStmt *) statement)->base);
			break;
		case T_DropStmt:
			CheckDrop((const DropStmt *) statement);
			break;
		default:
			break;
	}
}

DYNAMO_FUNCTION(dynamo_ddl_command_start);

Datum
dynamo_ddl_command_start(PG_FUNCTION_ARGS)
{
	EventTriggerData *event = EventTriggerCall(fcinfo);

	if (!StatementIsOurs())
	{
		former_name.relid = InvalidOid;
		CheckStatement(event->parsetree);
	}
	PG_RETURN_NULL();
}
