/*
 * event_start.c
 *	  The event trigger before DDL: refuses statements that would damage an
 *	  index table or remove a trigger of the extension (event_refuse.c).
 *
 * It fires before the statement, because the catalogs then still contain the
 * relationships, and because DETACH CONCURRENTLY commits in between.  The
 * statements of a dump run before the definition exists, or with --clean after
 * it was dropped, and are not refused.  An exception are triggers, which a
 * dump drops one by one.  They can therefore be dropped if
 * check_function_bodies is off, as in all output of pg_dump.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/index.h"
#include "catalog/namespace.h"
#include "nodes/parsenodes.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "ddl/ddl.h"
#include "ddl/event.h"
#include "ddl/feature.h"
#include "extension_objects.h"
#include "table/index_relation.h"

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
		CALL_FEATURES(check_command, relid, command);
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

/* ALTER TYPE ... RENAME ATTRIBUTE also accepts the row types of tables. */
static bool
RenamesColumn(const RenameStmt *statement)
{
	return statement->renameType == OBJECT_COLUMN || statement->renameType == OBJECT_ATTRIBUTE;
}

static void
CheckRename(const RenameStmt *statement)
{
	Oid			relid = statement->relation != NULL ?
		RangeVarGetRelid(statement->relation, NoLock, true) : InvalidOid;
	HeldIndex	held;

	if (!OidIsValid(relid))
		return;
	if (RenamesColumn(statement) && FindHeldIndex(relid, &held))
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
	CALL_FEATURES(check_new_schema, relid);
}

/*
 * Refuses new partitions of an index table.  They would be shards, which no
 * entry belongs to.
 */
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

/* Index tables are dropped with their table, and streams are closed. */
static void
DropHere(Oid relid)
{
	Relation	rel = IsTable(relid) ? try_table_open(relid, AccessShareLock) : NULL;

	if (rel == NULL)
		return;
	if (RelationIsDynamoTable(rel))
		DistributedDdlHere(relid);
	table_close(rel, AccessShareLock);
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
		DropHere(relid);
		if (statement->behavior == DROP_RESTRICT && IsTable(relid))
			CALL_FEATURES(check_drop, relid, dropped);
		if (!get_rel_relispartition(relid))
			continue;
		if (!list_member_oid(dropped, PartitionRoot(relid)))
			CheckPartitionsStay(relid, "drop");

		/*
		 * Dropping the whole index table is refused at the end of the
		 * statement.
		 */
		if (FindHeldIndex(relid, &held) && !list_member_oid(dropped, held.index_table))
			ereport(ERROR,
					(errcode(ERRCODE_DEPENDENT_OBJECTS_STILL_EXIST),
					 errmsg("cannot drop \"%s\" because it is a shard of index \"%s\" of table \"%s\"",
							get_rel_name(relid), held.index_name, get_rel_name(held.table)),
					 errhint("Use dynamo.drop_index or dynamo.reshard_index.")));
	}
}

/* Each object is the name of a table followed by the name of a trigger. */
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
CheckIndexKept(const RangeVar *name, const char *verb)
{
	Oid			relid = RangeVarGetRelid(name, NoLock, true);
	Oid			table = OidIsValid(relid) ? IndexGetRelation(relid, true) : InvalidOid;
	const TableDef *def = OidIsValid(table) ? RootDefinition(table) : NULL;

	for (int i = 0; def != NULL && i < def->nindexes; i++)
	{
		const IndexDef *index = &def->indexes[i];

		if (!index->kind->own_entries && index->status == INDEX_ACTIVE &&
			FindIndexRelation(def, index) == relid)
			RefuseDropOfIndex(index, def->relid, verb);
	}
}

/*
 * This is checked before the statement, because a concurrent drop commits in
 * between.
 */
static void
CheckDropIndexes(const DropStmt *statement)
{
	ListCell   *cell;

	foreach(cell, statement->objects)
		CheckIndexKept(makeRangeVarFromNameList(lfirst(cell)), "drop");
}

/* Refuses to let what a table needs be dropped with an extension. */
static void
CheckDepends(const AlterObjectDependsStmt *statement)
{
	const char *verb = "attach an extension to";
	Oid			relid;

	if (statement->remove || statement->relation == NULL)
		return;
	if (statement->objectType == OBJECT_INDEX)
		CheckIndexKept(statement->relation, verb);
	if (statement->objectType != OBJECT_TRIGGER)
		return;
	relid = RangeVarGetRelid(statement->relation, NoLock, true);
	if (OidIsValid(relid))
		CheckTriggerKept(relid, strVal(llast(castNode(List, statement->object))), verb);
}

static void
CheckDrop(const DropStmt *statement)
{
	if (statement->removeType == OBJECT_INDEX)
		CheckDropIndexes(statement);
	else if (statement->removeType == OBJECT_TABLE)
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
		case T_AlterObjectDependsStmt:
			CheckDepends((const AlterObjectDependsStmt *) statement);
			break;
		case T_CreateTrigStmt:
			CheckTriggerReplaced((const CreateTrigStmt *) statement);
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
		CheckStatement(event->parsetree);
	PG_RETURN_NULL();
}
