/*
 * event_trigger.c
 *	  The triggers of the extension under ordinary DDL: checks who may create
 *	  them and on which relations, and keeps them ENABLE ALWAYS.
 *
 * Lookups may rebuild a relation's entry in the cache, including its triggers:
 * code that performs lookups while it iterates must use a copy.
 */
#include "postgres.h"

#include "access/relation.h"
#include "access/table.h"
#include "miscadmin.h"
#include "nodes/parsenodes.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "ddl/ddl.h"
#include "ddl/event.h"
#include "ddl/feature.h"
#include "extension_objects.h"
#include "security/owner.h"
#include "table/distribution.h"
#include "table/restoring.h"

bool
IsOurFunction(Oid function)
{
	return function == SystemFunctionOid(FUNCTION_DERIVE_KEYS) ||
		function == SystemFunctionOid(FUNCTION_MAINTAIN_INDEXES) ||
		function == SystemFunctionOid(FUNCTION_GUARD_INDEX) ||
		FeatureOfFunction(function) != NULL;
}

/* ---- who may create them ---- */

/*
 * The extension's triggers write without privilege checks, so the TRIGGER
 * privilege alone must not suffice to create them.
 */
static void
CheckTriggerOwner(Relation rel, const Trigger *trigger)
{
	if (!RelationOwnercheck(RelationGetRelid(rel), GetUserId()))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("must be owner of table \"%s\" to create trigger \"%s\"",
						RelationGetRelationName(rel), trigger->tgname)));
}

/* Refuses a second definition of a table, which would contradict the first. */
void
CheckOneDefinition(Oid relid)
{
	Relation	rel = table_open(relid, AccessShareLock);
	Oid			function = SystemFunctionOid(FUNCTION_DERIVE_KEYS);
	int			n = 0;

	for (int i = 0; rel->trigdesc != NULL && i < rel->trigdesc->numtriggers; i++)
		n += rel->trigdesc->triggers[i].tgfoid == function;
	if (n > 1)
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_OBJECT),
				 errmsg("table \"%s\" already has a trigger with dynamo_system.derive_keys",
						RelationGetRelationName(rel))));
	table_close(rel, AccessShareLock);
}

/* Checks the definitions of partitions, too, because they can be detached. */
void
CheckTriggerDefinitions(Oid relid)
{
	Relation	rel = table_open(relid, AccessShareLock);
	const TriggerDesc *triggers = CopyTriggerDesc(rel->trigdesc);
	Oid			derive_keys = SystemFunctionOid(FUNCTION_DERIVE_KEYS);

	for (int i = 0; triggers != NULL && i < triggers->numtriggers; i++)
	{
		const Trigger *trigger = &triggers->triggers[i];

		if (trigger->tgfoid == derive_keys && trigger->tgnargs == 1)
			(void) TableDefParse(trigger->tgargs[0]);
		else
			CALL_FEATURES(check_trigger, rel, trigger);
	}
	table_close(rel, AccessShareLock);
}

/*
 * Refuses the extension's triggers on other relations than plain tables and
 * tables partitioned by columns.  There they have no effect except on the
 * views of definitions.
 */
void
RefuseOurTriggers(Oid relid)
{
	Relation	rel = relation_open(relid, AccessShareLock);
	const TriggerDesc *triggers = CopyTriggerDesc(rel->trigdesc);

	relation_close(rel, AccessShareLock);
	for (int i = 0; triggers != NULL && i < triggers->numtriggers; i++)
	{
		if (IsOurFunction(triggers->triggers[i].tgfoid))
			ereport(ERROR,
					(errcode(ERRCODE_WRONG_OBJECT_TYPE),
					 errmsg("trigger \"%s\" can only be created on tables",
							triggers->triggers[i].tgname),
					 IsPartitionedByExpression(relid) ?
					 errdetail("\"%s\" is partitioned by an expression.", get_rel_name(relid)) : 0));
	}
}

/* ---- when they fire ---- */

/*
 * Returns the mode that a trigger must have if it has another one, ALWAYS,
 * REPLICA or, for most triggers, an empty text; otherwise NULL.  ENABLE TRIGGER ALL and DISABLE TRIGGER ALL, as
 * used by pg_restore --disable-triggers, are not intended for triggers that
 * maintain columns and indexes.
 */
static const char *
ModeToRestore(const Trigger *trigger)
{
	const DdlFeature *feature = FeatureOfFunction(trigger->tgfoid);

	if (feature != NULL && feature->fires_on_origin)
		return trigger->tgenabled == TRIGGER_FIRES_ON_ORIGIN ? NULL : "";
	if (IsOurFunction(trigger->tgfoid))
		return trigger->tgenabled == TRIGGER_FIRES_ALWAYS ? NULL : "ALWAYS";
	if (trigger->tgenabled == TRIGGER_DISABLED)
		return NULL;
	if (trigger->tgfoid == InternalFunctionOid("skip_replicated_duplicate"))
		return trigger->tgenabled == TRIGGER_FIRES_ON_REPLICA ? NULL : "REPLICA";
	if (trigger->tgfoid == InternalFunctionOid("guard_settings") ||
		trigger->tgfoid == InternalFunctionOid("map_job_owner"))
		return trigger->tgenabled == TRIGGER_FIRES_ALWAYS ? NULL : "ALWAYS";
	return NULL;
}

/*
 * Returns the text after ENABLE for each such trigger of a relation.
 * disabled: whether any of them does not fire at all.
 */
static List *
TriggersToEnable(Relation rel, bool *disabled)
{
	const TriggerDesc *triggers = CopyTriggerDesc(rel->trigdesc);
	List	   *phrases = NIL;

	for (int i = 0; triggers != NULL && i < triggers->numtriggers; i++)
	{
		const Trigger *trigger = &triggers->triggers[i];
		const char *mode = ModeToRestore(trigger);

		if (mode == NULL)
			continue;
		CheckTriggerOwner(rel, trigger);
		*disabled |= trigger->tgenabled == TRIGGER_DISABLED;
		phrases = lappend(phrases, psprintf("%s TRIGGER %s", mode,
											quote_identifier(trigger->tgname)));
	}
	return phrases;
}

/*
 * A statement on a distributed table is sent to the shards after this event, so that their
 * trigger does not exist yet; StoreTrigger enables it later.
 */
static bool
IsEnabledLater(Oid relid)
{
	return StatementIsOurs() && RelationIsDistributed(relid);
}

void
EnableTriggers(Oid relid)
{
	Relation	rel = table_open(relid, AccessShareLock);
	bool		disabled = false;
	List	   *phrases = IsEnabledLater(relid) ? NIL : TriggersToEnable(rel, &disabled);
	char	   *table = QualifiedName(RelationGetNamespace(rel), RelationGetRelationName(rel));
	ListCell   *cell;

	if (disabled && !StatementIsOurs())
		ereport(NOTICE,
				(errmsg("triggers of the extension dynamo on table \"%s\" stay enabled",
						RelationGetRelationName(rel)),
				 errdetail("These triggers maintain key columns and indexes.")));
	table_close(rel, AccessShareLock);
	foreach(cell, phrases)
		RunStatement("ALTER TABLE %s ENABLE %s", table, (char *) lfirst(cell));
}

/* ---- the order of users' triggers ---- */

/*
 * Returns the name of the trigger that a statement has created or renamed, or
 * NULL.  Statements of the extension and of dumps are ignored.
 */
static const char *
TriggerOfStatement(const Node *statement)
{
	if (StatementIsOurs() || IsDumpScript())
		return NULL;
	if (IsA(statement, CreateTrigStmt))
		return ((const CreateTrigStmt *) statement)->trigname;
	if (IsA(statement, RenameStmt) &&
		((const RenameStmt *) statement)->renameType == OBJECT_TRIGGER)
		return ((const RenameStmt *) statement)->newname;
	return NULL;
}

/* Whether a trigger of this name calls derive_keys. */
static bool
IsKeyTrigger(const TriggerDesc *triggers, const char *name)
{
	Oid			function = SystemFunctionOid(FUNCTION_DERIVE_KEYS);

	for (int i = 0; triggers != NULL && i < triggers->numtriggers; i++)
	{
		if (triggers->triggers[i].tgfoid == function &&
			strcmp(triggers->triggers[i].tgname, name) == 0)
			return true;
	}
	return false;
}

static void
NoteLaterTrigger(Relation rel, const char *name)
{
	ereport(NOTICE,
			(errmsg("trigger \"%s\" on table \"%s\" fires after key columns have been derived from the item",
					name, RelationGetRelationName(rel)),
			 errdetail("A write fails if the trigger changes the item or a key column."),
			 errhint("Triggers fire in the order of their names. Choose a name that sorts before the name of the trigger with dynamo_system.derive_keys.")));
}

void
NoteTriggerOrder(Oid relid, const Node *statement)
{
	const char *made = TriggerOfStatement(statement);
	Relation	rel = made != NULL ? try_table_open(relid, AccessShareLock) : NULL;
	bool		ours;
	ListCell   *cell;

	if (rel == NULL)
		return;
	ours = IsKeyTrigger(CopyTriggerDesc(rel->trigdesc), made);
	foreach(cell, FindLaterTriggers(rel))
	{
		if (ours || strcmp(lfirst(cell), made) == 0)
			NoteLaterTrigger(rel, lfirst(cell));
	}
	table_close(rel, AccessShareLock);
}

/*
 * Returns the definition of a table that needs the row maintenance trigger and
 * does not have it, or the other way round; otherwise NULL.  A table with
 * index tables needs the trigger for them in any case, and dynamo.reindex
 * repairs it.
 */
static const TableDef *
DefinitionToFollow(Relation rel, bool dropped)
{
	const TableDef *def = TableDefCopy(rel);

	if (def == NULL || HasIndexTables(def) || HasRowMaintenance(rel) != dropped ||
		NeedsRowMaintenance(def->relid, def) == dropped)
		return NULL;
	return def;
}

/*
 * Creates or drops the row maintenance trigger, as the table's owner: users
 * with the TRIGGER privilege may create and drop other triggers.  A dump
 * contains the trigger.
 */
void
FollowTriggerOrder(Oid relid, bool dropped)
{
	Relation	rel = !IsDumpScript() && !StatementIsOurs() ? RootOpen(relid) : NULL;
	const TableDef *def;
	OwnerScope	scope;
	Oid			owner;

	if (rel == NULL)
		return;
	owner = rel->rd_rel->relowner;
	def = DefinitionToFollow(rel, dropped);
	table_close(rel, AccessShareLock);
	if (def == NULL)
		return;
	OwnerScopeEnter(&scope, owner);
	StoreRowMaintenance(def->relid, def);
	OwnerScopeLeave(&scope);
}
