/*
 * event.c
 *	  The event trigger at the end of DDL: keeps dynamo tables consistent.
 *
 * A definition names columns and relations.  A statement that removes or
 * renames one of them (RENAME COLUMN, DROP COLUMN, DROP INDEX, DROP TABLE of
 * an index table, DROP CONSTRAINT of the primary key) would make the table
 * unusable and is refused.  Relations that belong to the table are changed
 * with it (event_index.c, feature.h), and the extension's triggers stay
 * enabled (event_trigger.c).
 *
 * Everything runs as the user of the statement, who owns what it changed.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "nodes/parsenodes.h"
#include "utils/array.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "ddl/ddl.h"
#include "ddl/event.h"
#include "ddl/feature.h"
#include "extension_objects.h"
#include "table/table_id.h"

EventTriggerData *
EventTriggerCall(FunctionCallInfo fcinfo)
{
	if (!CALLED_AS_EVENT_TRIGGER(fcinfo))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_EVENT_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("this function is an event trigger")));
	return (EventTriggerData *) fcinfo->context;
}

/*
 * Executes a query and keeps its plan, because every DDL statement in the
 * database needs it.
 */
void
EventQuery(EventPlan *plan, int nargs, Datum oids)
{
	if (plan->prepared == NULL)
	{
		Oid			type = OIDARRAYOID;

		plan->prepared = SPI_prepare(plan->query, nargs, &type);
		if (plan->prepared == NULL || SPI_keepplan(plan->prepared) != 0)
			elog(ERROR, "could not prepare a query of an event trigger");
	}
	if (SPI_execute_plan(plan->prepared, &oids, NULL, false, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not read what an event trigger is about");
}

void
EventQueryOf(EventPlan *plan, Oid oid)
{
	Datum		value = ObjectIdGetDatum(oid);

	EventQuery(plan, 1, PointerGetDatum(construct_array(&value, 1, OIDOID, sizeof(Oid), true, TYPALIGN_INT)));
}

List *
ResultOids(void)
{
	List	   *oids = NIL;

	for (uint64 i = 0; i < SPI_processed; i++)
	{
		bool		isnull;
		Datum		oid = SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc,
										1, &isnull);

		if (!isnull)
			oids = lappend_oid(oids, DatumGetObjectId(oid));
	}
	return oids;
}

/* ---- a table that was altered ---- */

/*
 * Refuses defaults of key columns.  These columns are derived from the item,
 * and a default would contradict it in every row that does not set them.
 */
static void
RefuseKeyDefaults(Relation rel, const TableDef *def)
{
	for (int i = 0; i < def->nattributes; i++)
	{
		AttrNumber	attnum = get_attnum(RelationGetRelid(rel), def->attributes[i].column);

		if (TupleDescAttr(RelationGetDescr(rel), attnum - 1)->atthasdef)
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("key column \"%s\" of table \"%s\" cannot have a default",
							def->attributes[i].column, RelationGetRelationName(rel)),
					 errdetail("It is derived from attribute \"%s\" of the item.",
							   def->attributes[i].name.data)));
	}
}

static bool
DropsConstraint(const Node *statement)
{
	ListCell   *cell;

	if (!IsA(statement, AlterTableStmt))
		return false;
	foreach(cell, ((const AlterTableStmt *) statement)->cmds)
	{
		if (lfirst_node(AlterTableCmd, cell)->subtype == AT_DropConstraint)
			return true;
	}
	return false;
}

/*
 * Refuses to drop the primary key.  Other statements are allowed without one,
 * because a restore creates it late.
 */
static void
RefuseLostPrimaryKey(Relation rel, const Node *statement)
{
	TableDef   *def = TableDefAcquire(rel);
	bool		lost = !OidIsValid(def->primary_key);

	TableDefRelease(def);
	if (lost && DropsConstraint(statement))
		ereport(ERROR,
				(errcode(ERRCODE_DEPENDENT_OBJECTS_STILL_EXIST),
				 errmsg("cannot drop the primary key of dynamo table \"%s\"",
						RelationGetRelationName(rel)),
				 errhint("Use dynamo.drop_table to drop the table.")));
}

static void
CheckAltered(Oid relid, const TableDef *def, const Node *statement)
{
	Relation	rel = table_open(relid, AccessShareLock);

	RefuseKeyDefaults(rel, def);
	RefuseLostPrimaryKey(rel, statement);
	table_close(rel, AccessShareLock);
}

/*
 * The same for the dynamo tables whose columns have been changed with those of a relation: no event
 * tells of them.
 */
static void
CheckAlteredWith(Oid relid)
{
	ListCell   *cell;

	foreach(cell, TablesAlteredWith(relid))
	{
		Oid			altered = lfirst_oid(cell);
		const TableDef *def = IsTable(altered) && !get_rel_relispartition(altered) ? CopyDefinition(altered) : NULL;
		Relation	rel = def != NULL ? table_open(altered, AccessShareLock) : NULL;

		if (rel == NULL)
			continue;
		RefuseKeyDefaults(rel, def);
		table_close(rel, AccessShareLock);
	}
}

/* Whether a statement creates a trigger of this name, as CREATE SCHEMA may, too. */
static bool
CreatesTrigger(const Node *statement, const char *name)
{
	ListCell   *cell;

	if (IsA(statement, CreateTrigStmt))
		return strcmp(((const CreateTrigStmt *) statement)->trigname, name) == 0;
	if (!IsA(statement, CreateSchemaStmt))
		return false;
	foreach(cell, ((const CreateSchemaStmt *) statement)->schemaElts)
	{
		if (CreatesTrigger(lfirst(cell), name))
			return true;
	}
	return false;
}

/* Gives a definition that was copied from another table its own id. */
static void
ClaimId(Oid relid, TableDef *def)
{
	if (def->id == NULL || TableIdClaim(relid, def->id))
		return;
	def->id = NewTableId();
	StoreDefinition(relid, def);
	(void) TableIdClaim(relid, def->id);
	ereport(NOTICE,
			(errmsg("table \"%s\" has been given an id of its own", get_rel_name(relid)),
			 errdetail("The id in its definition is that of another table.")));
}

static void
TableAltered(Oid relid, const Node *statement)
{
	/* Raises an error if the definition does not fit the table any more. */
	TableDef   *def = CopyDefinition(relid);

	EnableTriggers(relid);
	CheckOneDefinition(relid);
	FollowersTakeName(relid, def, statement);
	if (def == NULL)
		return;
	CheckAltered(relid, def, statement);
	if (IsA(statement, CreateTrigStmt))
		CheckChildless(relid);
	if (CreatesTrigger(statement, TRIGGER_DERIVE_KEYS) && !StatementIsOurs())
		ClaimId(relid, def);
	IndexTablesFollow(relid, def);
	TriggersFollowPartitions(relid);
	FollowersTakeRowSecurity(relid, statement);
	CALL_FEATURES(follow_table, relid);
}

/*
 * Handles a partition of a dynamo table, or a shard.  A restore of data alters
 * shards one by one.  A dump contains the triggers of each partition, and
 * cannot create one that is there.
 */
static void
PartitionAltered(Oid relid, const Node *statement)
{
	EnableTriggers(relid);
	if (check_function_bodies || IsA(statement, CreateStmt))
		StorePartitionTriggers(relid);
	TriggersFollowPartition(relid);
}

static void
RelationAltered(Oid relid, const Node *statement)
{
	if (IsA(statement, CreateSchemaStmt))
		CheckParentsOf(relid);
	else if (IsA(statement, AlterTableStmt) || IsA(statement, RenameStmt))
		CheckAlteredWith(relid);
	switch (get_rel_relkind(relid))
	{
		case RELKIND_RELATION:
		case RELKIND_PARTITIONED_TABLE:
			if (IsPartitionedByExpression(relid))
			{
				RefuseOurTriggers(relid);
				break;
			}
			if (get_rel_relispartition(relid))
				PartitionAltered(relid, statement);
			else
				TableAltered(relid, statement);
			CheckTriggerDefinitions(relid);
			CALL_FEATURES(check_altered, relid);
			NoteTriggerOrder(relid, statement);
			FollowTriggerOrder(relid, false);
			break;
		case RELKIND_VIEW:
		case RELKIND_FOREIGN_TABLE:
			RefuseOurTriggers(relid);
			break;
		default:
			break;
	}
}

/* ---- the event trigger ---- */

/*
 * Returns the relations that the command has changed, directly or by a
 * trigger.
 */
static EventPlan altered_relations = {
"SELECT DISTINCT CASE WHEN c.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass "
"         THEN c.objid "
"         ELSE t.tgrelid END "
"FROM pg_catalog.pg_event_trigger_ddl_commands() c "
"LEFT JOIN pg_catalog.pg_trigger t "
"  ON c.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_trigger'::pg_catalog.regclass "
"  AND t.oid OPERATOR(pg_catalog.=) c.objid "
"WHERE c.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass "
"   OR t.oid IS NOT NULL"
};

DYNAMO_FUNCTION(dynamo_ddl_command_end);

Datum
dynamo_ddl_command_end(PG_FUNCTION_ARGS)
{
	EventTriggerData *event = EventTriggerCall(fcinfo);
	ListCell   *cell;

	/* A new table matters only if it is a partition. */
	if (IsA(event->parsetree, CreateStmt) && ((CreateStmt *) event->parsetree)->partbound == NULL)
		PG_RETURN_NULL();
	SPI_connect();
	EventQuery(&altered_relations, 0, (Datum) 0);
	foreach(cell, ResultOids())
		RelationAltered(lfirst_oid(cell), event->parsetree);
	CheckLinkOwners();
	SPI_finish();
	PG_RETURN_NULL();
}
