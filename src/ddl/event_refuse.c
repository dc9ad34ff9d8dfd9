/*
 * event_refuse.c
 *	  Errors of statements that would separate dynamo tables from their index
 *	  tables and triggers.
 */
#include "postgres.h"

#include "access/relation.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_trigger.h"
#include "parser/parse_func.h"
#include "storage/bufmgr.h"
#include "utils/acl.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "compat.h"
#include "ddl/ddl.h"
#include "ddl/event.h"
#include "ddl/feature.h"
#include "extension_objects.h"
#include "table/distribution.h"

/* Finds the index that a named relation contains; false if there is none. */
bool
FindNamedIndex(const RangeVar *name, HeldIndex *held)
{
	Oid			relid = RangeVarGetRelid(name, NoLock, true);

	return OidIsValid(relid) && FindHeldIndex(relid, held);
}

/* Returns a table, or the root of a partition, that has our trigger, as its partitions have, too; or InvalidOid. */
static Oid
RootIfOurs(Oid relid)
{
	Relation	rel = try_relation_open(relid, AccessShareLock);
	bool		is_ours = rel != NULL && RelationIsDynamoTable(rel);

	if (rel != NULL)
		relation_close(rel, AccessShareLock);
	return is_ours ? PartitionRoot(relid) : InvalidOid;
}

Relation
RootOpen(Oid relid)
{
	Oid			root = RootIfOurs(relid);

	return OidIsValid(root) ? try_relation_open(root, AccessShareLock) : NULL;
}

TableDef *
RootDefinition(Oid relid)
{
	Relation	rel = RootOpen(relid);
	TableDef   *def;

	if (rel == NULL)
		return NULL;
	def = TableDefCopy(rel);
	relation_close(rel, AccessShareLock);
	return def;
}

/* ---- ALTER TABLE of an index table ---- */

void
RefuseShardChange(const HeldIndex *held)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("cannot change the shards of index table \"%s\"",
					get_rel_name(held->index_table)),
			 errhint("Use dynamo.reshard_index to change the number of shards of index \"%s\" of table \"%s\".",
					 held->index_name, get_rel_name(held->table))));
}

void
RefuseShapeChange(const HeldIndex *held)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("cannot change the columns or the primary key of index table \"%s\"",
					get_rel_name(held->index_table)),
			 errdetail("It contains index \"%s\" of table \"%s\".",
					   held->index_name, get_rel_name(held->table)),
			 errhint("Use dynamo.change_index or dynamo.drop_index.")));
}

void
RefuseToLeaveTable(const HeldIndex *held, const char *what)
{
	if (StatementIsOfNode())
		return;
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("index table \"%s\" keeps the %s of table \"%s\"",
					get_rel_name(held->index_table), what, get_rel_name(held->table)),
			 errhint("Alter the table; its index tables are altered with it.")));
}

/* The constraint of a primary key has the name of its index. */
static bool
IsPrimaryKey(Oid relid, const char *constraint)
{
	Relation	rel = try_relation_open(relid, AccessShareLock);
	Oid			primary_key;

	if (rel == NULL)
		return false;
	primary_key = PrimaryKeyIndex(rel);
	relation_close(rel, AccessShareLock);
	return OidIsValid(primary_key) && strcmp(get_rel_name(primary_key), constraint) == 0;
}

/* relid is the altered index table or shard. */
void
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
		case AT_AddOf:
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
		case AT_DisableRowSecurity:
			if (HasRowSecurity(held->table))
				RefuseToLeaveTable(held, "row security");
			break;
		case AT_ForceRowSecurity:
			RefuseToLeaveTable(held, "row security");
			break;
		default:
			break;
	}
}

/* ---- triggers ---- */

static void
RefuseWithoutTrigger(const char *verb, const Trigger *trigger, Oid relid)
{
	const DdlFeature *feature = FeatureOfFunction(trigger->tgfoid);

	ereport(ERROR,
			(errcode(ERRCODE_DEPENDENT_OBJECTS_STILL_EXIST),
			 errmsg("cannot %s trigger \"%s\" on table \"%s\"", verb, trigger->tgname, get_rel_name(relid)),
			 feature != NULL ? errdetail("%s", feature->trigger_detail) :
			 errdetail("The trigger maintains key columns and indexes."),
			 feature != NULL ? errhint("%s", feature->trigger_hint) :
			 errhint("Use CREATE TABLE ... AS to copy the items to an ordinary table, or dynamo.drop_table to drop the table.")));
}

static const Trigger *
FindTriggerByName(const TriggerDesc *triggers, const char *name)
{
	for (int i = 0; triggers != NULL && i < triggers->numtriggers; i++)
	{
		if (strcmp(triggers->triggers[i].tgname, name) == 0)
			return &triggers->triggers[i];
	}
	return NULL;
}

/* Whether another trigger has the same effect. */
static bool
HasTwin(const TriggerDesc *triggers, const Trigger *trigger)
{
	for (int i = 0; i < triggers->numtriggers; i++)
	{
		const Trigger *other = &triggers->triggers[i];

		if (other != trigger && other->tgfoid == trigger->tgfoid &&
			TRIGGER_FOR_TRUNCATE(other->tgtype) == TRIGGER_FOR_TRUNCATE(trigger->tgtype) &&
			TRIGGER_FOR_ROW(other->tgtype) == TRIGGER_FOR_ROW(trigger->tgtype) &&
			TRIGGER_FOR_BEFORE(other->tgtype) == TRIGGER_FOR_BEFORE(trigger->tgtype))
			return true;
	}
	return false;
}

/* Whether a table or its partition root has index tables. */
static bool
RootHasIndexTables(Oid relid)
{
	const TableDef *def = RootDefinition(relid);

	return def != NULL && HasIndexTables(def);
}

static bool
RootNeedsRowMaintenance(Oid relid)
{
	const TableDef *def = RootDefinition(relid);

	return def != NULL && NeedsRowMaintenance(def->relid, def);
}

/*
 * Whether a table needs one of its triggers, because no other has the same
 * effect.
 */
static bool
TriggerIsNeeded(Oid relid, const TriggerDesc *triggers, const Trigger *trigger)
{
	HeldIndex	held;

	if (!IsOurFunction(trigger->tgfoid) || HasTwin(triggers, trigger))
		return false;
	if (trigger->tgfoid == SystemFunctionOid(FUNCTION_GUARD_INDEX))
		return FindHeldIndex(relid, &held);
	if (trigger->tgfoid == SystemFunctionOid(FUNCTION_MAINTAIN_INDEXES))
		return RootHasIndexTables(relid) ||
			(TRIGGER_FOR_ROW(trigger->tgtype) && RootNeedsRowMaintenance(relid));
	if (trigger->tgfoid == SystemFunctionOid(FUNCTION_KEEP_COPIES))
		return strcmp(trigger->tgname, TRIGGER_COPY) == 0 || strcmp(trigger->tgname, TRIGGER_COLLECT_COPIES) == 0 ||
			strcmp(trigger->tgname, TRIGGER_SPREAD_COPIES) == 0;
	return true;
}

/* Whether a trigger is the link from an index table to its table. */
static bool
IsNeededLink(Oid relid, const Trigger *trigger)
{
	HeldIndex	held;

	return trigger->tgfoid == SystemFunctionOid(FUNCTION_BELONGS_TO) && FindHeldIndex(relid, &held);
}

/*
 * Refuses to disable, drop or rename a trigger that a table needs, depending
 * on verb.
 */
void
CheckTriggerStays(Oid relid, const char *name, const char *verb)
{
	Relation	rel = check_function_bodies ? try_relation_open(relid, AccessShareLock) : NULL;
	const TriggerDesc *triggers;
	const Trigger *trigger;

	if (rel == NULL)
		return;
	triggers = CopyTriggerDesc(rel->trigdesc);
	trigger = FindTriggerByName(triggers, name);
	if (trigger != NULL && TriggerIsNeeded(relid, triggers, trigger) && !StatementIsOfNode())
		RefuseWithoutTrigger(verb, trigger, relid);
	relation_close(rel, AccessShareLock);
}

static void
RefuseIfKept(Relation rel, const TriggerDesc *triggers, const Trigger *trigger, const char *verb)
{
	Oid			relid = RelationGetRelid(rel);

	CALL_FEATURES(check_trigger_kept, rel, trigger, verb);
	if (IsNeededLink(relid, trigger) ||
		(TriggerIsNeeded(relid, triggers, trigger) && !StatementIsOfNode()))
		RefuseWithoutTrigger(verb, trigger, relid);
}

/* CheckTriggerStays that also protects links and what features need. */
void
CheckTriggerKept(Oid relid, const char *name, const char *verb)
{
	Relation	rel = check_function_bodies ? try_relation_open(relid, AccessShareLock) : NULL;
	const TriggerDesc *triggers;
	const Trigger *trigger;

	if (rel == NULL)
		return;
	triggers = CopyTriggerDesc(rel->trigdesc);
	trigger = FindTriggerByName(triggers, name);
	if (trigger != NULL)
		RefuseIfKept(rel, triggers, trigger, verb);
	relation_close(rel, AccessShareLock);
}

/*
 * Whether a trigger fires at least when the one that it replaces does, with the same function:
 * so a definition is replaced.
 */
static bool
DoesTheSame(const CreateTrigStmt *statement, const Trigger *replaced)
{
	return LookupFuncName(statement->funcname, 0, NULL, true) == replaced->tgfoid &&
		statement->whenClause == NULL && statement->columns == NIL &&
		statement->row == (TRIGGER_FOR_ROW(replaced->tgtype) != 0) &&
		(replaced->tgtype & TRIGGER_TYPE_EVENT_MASK & ~statement->events) == 0;
}

/*
 * Refuses CREATE OR REPLACE TRIGGER with which a table would lose a trigger that it needs.  The
 * privilege TRIGGER suffices for the statement, and no dump contains it.
 */
void
CheckTriggerReplaced(const CreateTrigStmt *statement)
{
	Oid			relid = statement->replace ? RangeVarGetRelid(statement->relation, NoLock, true) : InvalidOid;
	Relation	rel = OidIsValid(relid) ? try_relation_open(relid, AccessShareLock) : NULL;
	const TriggerDesc *triggers;
	const Trigger *trigger;

	if (rel == NULL)
		return;
	triggers = CopyTriggerDesc(rel->trigdesc);
	trigger = FindTriggerByName(triggers, statement->trigname);
	if (trigger != NULL && !DoesTheSame(statement, trigger))
		RefuseIfKept(rel, triggers, trigger, "replace");
	relation_close(rel, AccessShareLock);
}

/* ---- partitions of dynamo tables ---- */

/*
 * Refuses changes of partitions, because index tables contain the entries of
 * all partitions.
 */
void
CheckPartitionsStay(Oid relid, const char *verb)
{
	const TableDef *def = RootDefinition(relid);

	if (def != NULL && HasIndexTables(def))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("cannot %s a partition of dynamo table \"%s\"", verb, get_rel_name(def->relid)),
				 errdetail("The table has index tables, which would not be changed with it."),
				 errhint("Change these indexes to inline storage with dynamo.change_index, or drop them with dynamo.drop_index.")));
	if (def != NULL)
		CALL_FEATURES(check_partitions, def->relid, verb);
}

/* Whether a table has rows, even if they are dead. */
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

/* Warns of existing rows, for which the key trigger has not fired. */
static void
WarnOfRows(Oid relid, const RangeVar *partition_name)
{
	Oid			partition = RangeVarGetRelid(partition_name, NoLock, true);
	const TableDef *def = RootDefinition(relid);

	if (def != NULL && def->nindexes > 0 && HasRows(partition))
		ereport(WARNING,
				(errmsg("key columns of the rows of \"%s\" may differ from their items",
						partition_name->relname),
				 errhint("Use dynamo.verify_index to find differences, and dynamo.reindex to correct them.")));
}

void
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
 * Refuses INHERITS of a dynamo table or an index table.  The child's rows
 * would be part of the parent, but the child would not have its triggers and
 * key.
 */
static void
RefuseParent(Oid relid)
{
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
				 errhint("Use CREATE TABLE ... (LIKE ...) to create a table with the same columns.")));
	relation_close(rel, AccessShareLock);
}

void
CheckParent(const RangeVar *name)
{
	RefuseParent(RangeVarGetRelid(name, NoLock, true));
}

static EventPlan parents_of = {
	"SELECT inhparent FROM pg_catalog.pg_inherits WHERE inhrelid OPERATOR(pg_catalog.=) ANY ($1)"
};

/* Refuses the definition of a table that other tables inherit from. */
void
CheckChildless(Oid relid)
{
	if (get_rel_relkind(relid) == RELKIND_RELATION && find_inheritance_children(relid, NoLock) != NIL)
		RefuseParent(relid);
}

/* Parents can also be tables that have been created by the same statement. */
void
CheckParentsOf(Oid relid)
{
	HeldIndex	held;
	ListCell   *cell;

	EventQueryOf(&parents_of, relid);
	foreach(cell, ResultOids())
	{
		if (get_rel_relispartition(relid) && FindHeldIndex(lfirst_oid(cell), &held))
			RefuseShardChange(&held);
		RefuseParent(lfirst_oid(cell));
	}
}
