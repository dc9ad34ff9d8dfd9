/*
 * event.c
 *	  Event triggers: what ordinary DDL does to dynamo tables.
 *
 * A definition names columns and relations.  A statement that takes one of
 * them away (RENAME COLUMN, DROP COLUMN, DROP INDEX, DROP TABLE of an index
 * table) would make the table unusable and is refused when it ends.  What can
 * follow follows: index tables the owner and schema of their table and its
 * DROP; definitions and guards the names of relations.
 *
 * Everything runs as the user of the statement, who owns what it changed.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/relation.h"
#include "access/table.h"
#include "catalog/index.h"
#include "catalog/pg_class.h"
#include "catalog/pg_trigger.h"
#include "catalog/pg_type.h"
#include "commands/event_trigger.h"
#include "commands/trigger.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "catalog/ddl.h"
#include "catalog/objects.h"
#include "catalog/table.h"

/* ---- triggers of ours ---- */

static bool
IsOurFunction(Oid function)
{
	return function == DynamoFunctionOid(FUNCTION_DERIVE_KEYS) ||
		function == DynamoFunctionOid(FUNCTION_MAINTAIN_INDEXES) ||
		function == DynamoFunctionOid(FUNCTION_GUARD_INDEX);
}

/*
 * Our triggers write past privileges: whoever has only TRIGGER on a table
 * must not make them.
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

/*
 * When a trigger of ours that is not disabled must fire and does not: ALWAYS
 * or REPLICA; NULL otherwise.  pg_restore --disable-triggers leaves triggers so
 * (ENABLE TRIGGER ALL forgets what was).
 */
static const char *
ModeToRestore(const Trigger *trigger)
{
	if (trigger->tgenabled == TRIGGER_DISABLED)
		return NULL;
	if (IsOurFunction(trigger->tgfoid))
		return trigger->tgenabled == TRIGGER_FIRES_ALWAYS ? NULL : "ALWAYS";
	if (trigger->tgfoid == DynamoFunctionOid(FUNCTION_SKIP_REPLICATED_DUPLICATE))
		return trigger->tgenabled == TRIGGER_FIRES_ON_REPLICA ? NULL : "REPLICA";
	return NULL;
}

/* What follows ENABLE in a statement for each such trigger of a relation. */
static List *
TriggersToEnable(Relation rel)
{
	List	   *phrases = NIL;

	for (int i = 0; rel->trigdesc != NULL && i < rel->trigdesc->numtriggers; i++)
	{
		Trigger    *trigger = &rel->trigdesc->triggers[i];
		const char *mode = ModeToRestore(trigger);

		if (mode == NULL)
			continue;
		CheckTriggerOwner(rel, trigger);
		phrases = lappend(phrases, psprintf("%s TRIGGER %s", mode,
											quote_identifier(trigger->tgname)));
	}
	return phrases;
}

static void
EnableTriggers(Oid relid)
{
	Relation	rel = table_open(relid, AccessShareLock);
	List	   *phrases = TriggersToEnable(rel);
	char	   *table = QualifiedName(RelationGetNamespace(rel), RelationGetRelationName(rel));
	ListCell   *cell;

	table_close(rel, AccessShareLock);
	foreach(cell, phrases)
		RunStatement("ALTER TABLE %s ENABLE %s", table, (char *) lfirst(cell));
}

/* ---- index tables ---- */

static bool
IsTable(Oid relid)
{
	char		kind = get_rel_relkind(relid);

	return kind == RELKIND_RELATION || kind == RELKIND_PARTITIONED_TABLE;
}

/* The arguments of an index table's guard: its table and its index. */
static bool
FindGuard(Oid relid, char **table_name, char **index_name)
{
	Relation	rel = table_open(relid, AccessShareLock);
	Oid			function = DynamoFunctionOid(FUNCTION_GUARD_INDEX);
	bool		found = false;

	for (int i = 0; !found && rel->trigdesc != NULL && i < rel->trigdesc->numtriggers; i++)
	{
		Trigger    *trigger = &rel->trigdesc->triggers[i];

		if (trigger->tgfoid != function || trigger->tgnargs != 2)
			continue;
		*table_name = pstrdup(trigger->tgargs[0]);
		*index_name = pstrdup(trigger->tgargs[1]);
		found = true;
	}
	table_close(rel, AccessShareLock);
	return found;
}

/*
 * The index table of an index, in the schema of its table or, when the table
 * has just been moved, where it was left: where no table of that name is.
 */
static Oid
FindIndexTable(Oid relid, const IndexDef *index)
{
	Oid			found = get_relname_relid(index->relation, get_rel_namespace(relid));

	if (OidIsValid(found))
		return found;
	if (SPI_execute_with_args("SELECT c.oid FROM pg_catalog.pg_class c "
							  "JOIN pg_catalog.pg_trigger t ON t.tgrelid OPERATOR(pg_catalog.=) c.oid "
							  "WHERE c.relname OPERATOR(pg_catalog.=) $1 "
							  "AND t.tgfoid OPERATOR(pg_catalog.=) $2 "
							  "AND c.relowner OPERATOR(pg_catalog.=) $4 "
							  "AND NOT EXISTS (SELECT FROM pg_catalog.pg_class b "
							  "WHERE b.relnamespace OPERATOR(pg_catalog.=) c.relnamespace "
							  "AND b.relname OPERATOR(pg_catalog.=) $3)",
							  4, (Oid[]) {NAMEOID, OIDOID, NAMEOID, OIDOID},
							  (Datum[])
							  {
								  DirectFunctionCall1(namein, CStringGetDatum(index->relation)),
								  ObjectIdGetDatum(DynamoFunctionOid(FUNCTION_GUARD_INDEX)),
								  DirectFunctionCall1(namein, CStringGetDatum(get_rel_name(relid))),
								  ObjectIdGetDatum(RelationOwner(relid))
							  },
							  NULL, false, 2) == SPI_OK_SELECT && SPI_processed > 0)
	{
		bool		isnull;

		found = DatumGetObjectId(SPI_getbinval(SPI_tuptable->vals[0],
											   SPI_tuptable->tupdesc, 1, &isnull));
	}
	return found;
}

/* Brings an index table, or a shard of one, to its table's schema, owner and persistence. */
static void
FollowTable(Oid relid, Oid index_table)
{
	Oid			schema = get_rel_namespace(index_table);
	char	   *name = get_rel_name(index_table);

	if (schema != get_rel_namespace(relid))
	{
		RunStatement("ALTER TABLE %s SET SCHEMA %s", QualifiedName(schema, name),
					 quote_identifier(get_namespace_name(get_rel_namespace(relid))));
		schema = get_rel_namespace(relid);
	}
	if (RelationOwner(index_table) != RelationOwner(relid))
		RunStatement("ALTER TABLE %s OWNER TO %s", QualifiedName(schema, name),
					 quote_identifier(GetUserNameFromId(RelationOwner(relid), false)));
	MatchPersistence(relid, index_table);
}

static void
FollowWithShards(Oid relid, const IndexDef *index, Oid index_table)
{
	Relation	rel = table_open(index_table, AccessShareLock);
	Oid		   *oids = palloc(sizeof(Oid) * Max(index->shards, 1));

	if (index->shards > 0)
		IndexShardRelations(rel, index, oids);
	table_close(rel, AccessShareLock);
	for (int i = 0; i < index->shards; i++)
		FollowTable(relid, oids[i]);
	FollowTable(relid, index_table);
}

/*
 * Anybody can write a definition that names another's table, and wait for a
 * superuser to alter his own.  An index table has a guard, and where it has
 * not the table's owner (yet), the guard names the table.
 */
static void
FollowIndexTable(Oid relid, const IndexDef *index)
{
	Oid			index_table = FindIndexTable(relid, index);
	char	   *table_name;
	char	   *index_name;
	bool		named;

	if (!OidIsValid(index_table) || !IsTable(index_table) ||
		!FindGuard(index_table, &table_name, &index_name))
		return;					/* dropped in the same transaction, or not restored yet */
	named = strcmp(table_name, get_rel_name(relid)) == 0;
	if (!named && RelationOwner(index_table) != RelationOwner(relid))
		return;
	FollowWithShards(relid, index, index_table);
	if (!named)
		StoreGuards(index_table, get_rel_name(relid), index->name);
}

/* ---- names in the definition ---- */

/* An editable copy of a table's definition; NULL if it is no dynamo table. */
static TableDef *
CopyDefinition(Oid relid)
{
	Relation	rel = table_open(relid, AccessShareLock);
	TableDef   *copy = NULL;

	if (rel->trigdesc != NULL && RelationIsDynamoTable(rel))
	{
		TableDef   *def = TableDefAcquire(rel);

		copy = TableDefParse(TableDefPrint(def));
		copy->relid = relid;
		TableDefRelease(def);
	}
	table_close(rel, AccessShareLock);
	return copy;
}

/* An index was renamed: an inline index that lost its name has a new one. */
static void
AdoptIndexName(Oid relid, Oid index_relid)
{
	TableDef   *def = CopyDefinition(relid);

	for (int i = 0; def != NULL && i < def->nindexes; i++)
	{
		IndexDef   *index = &def->indexes[i];

		if (index->storage != STORAGE_INLINE || index->status != INDEX_ACTIVE ||
			OidIsValid(get_relname_relid(index->relation, get_rel_namespace(relid))) ||
			!InlineIndexFits(def, index, index_relid))
			continue;
		index->relation = get_rel_name(index_relid);
		StoreDefinition(relid, def);
		return;
	}
}

/* An index table was altered: the definition takes its name over. */
static void
AdoptIndexTable(Oid index_table, const char *table_name, const char *index_name)
{
	Oid			relid = get_relname_relid(table_name, get_rel_namespace(index_table));
	TableDef   *def = OidIsValid(relid) ? CopyDefinition(relid) : NULL;
	IndexDef   *index = def != NULL ? unconstify(IndexDef *, TableDefIndex(def, index_name)) : NULL;

	if (index == NULL)
		return;
	if (RelationOwner(index_table) != RelationOwner(relid))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("index table \"%s\" belongs to the owner of table \"%s\"",
						get_rel_name(index_table), table_name),
				 errhint("Change the owner of the table: its index tables follow.")));
	if (strcmp(index->relation, get_rel_name(index_table)) == 0)
		return;
	index->relation = get_rel_name(index_table);
	StoreDefinition(relid, def);
}

/* ---- ddl_command_end ---- */

/* The relations the ending command worked on, directly or by a trigger. */
static const char *const altered_relations =
"SELECT DISTINCT CASE WHEN c.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass "
"         THEN c.objid "
"         ELSE t.tgrelid END "
"FROM pg_catalog.pg_event_trigger_ddl_commands() c "
"LEFT JOIN pg_catalog.pg_trigger t "
"  ON c.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_trigger'::pg_catalog.regclass "
"  AND t.oid OPERATOR(pg_catalog.=) c.objid "
"WHERE c.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass "
"   OR t.oid IS NOT NULL";

/* The OIDs in the first column of the last query's result. */
static List *
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

/* The tables of references that the ending command made. */
static const char *const created_references =
"SELECT r.relid "
"FROM pg_catalog.pg_event_trigger_ddl_commands() c "
"JOIN pg_catalog.pg_trigger t ON t.oid OPERATOR(pg_catalog.=) c.objid "
"CROSS JOIN LATERAL (VALUES (t.tgrelid), (t.tgconstrrelid)) r(relid) "
"WHERE c.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_trigger'::pg_catalog.regclass "
"AND (t.tgfoid OPERATOR(pg_catalog.=) $1 OR t.tgfoid OPERATOR(pg_catalog.=) $2) "
"AND r.relid OPERATOR(pg_catalog.<>) 0::pg_catalog.oid";

/*
 * The triggers of a reference read one table, and delete from it, for who
 * writes to the other.
 */
static void
CheckReferenceOwner(Oid relid)
{
	if (!RelationOwnercheck(relid, GetUserId()))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("must be owner of table \"%s\" to create a reference between items",
						get_rel_name(relid))));
}

static void
CheckReferenceOwners(void)
{
	ListCell   *cell;

	if (SPI_execute_with_args(created_references, 2, (Oid[]) {OIDOID, OIDOID},
							  (Datum[])
							  {
								  ObjectIdGetDatum(DynamoFunctionOid(FUNCTION_CHECK_REFERENCE)),
								  ObjectIdGetDatum(DynamoFunctionOid(FUNCTION_CHECK_REFERENCED))
							  },
							  NULL, false, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not read the commands of an event trigger");
	foreach(cell, ResultOids())
		CheckReferenceOwner(lfirst_oid(cell));
}

/* Two definitions of one table would contradict each other. */
static void
CheckOneDefinition(Oid relid)
{
	Relation	rel = table_open(relid, AccessShareLock);
	Oid			function = DynamoFunctionOid(FUNCTION_DERIVE_KEYS);
	int			n = 0;

	for (int i = 0; rel->trigdesc != NULL && i < rel->trigdesc->numtriggers; i++)
		n += rel->trigdesc->triggers[i].tgfoid == function;
	if (n > 1)
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_OBJECT),
				 errmsg("table \"%s\" has a trigger with dynamo.derive_keys already",
						RelationGetRelationName(rel))));
	table_close(rel, AccessShareLock);
}

static void
TableAltered(Oid relid)
{
	/* raises an error if the definition no longer fits the table */
	TableDef   *def = CopyDefinition(relid);
	char	   *table_name;
	char	   *index_name;

	EnableTriggers(relid);
	CheckOneDefinition(relid);
	for (int i = 0; def != NULL && i < def->nindexes; i++)
	{
		if (def->indexes[i].storage == STORAGE_TABLE)
			FollowIndexTable(relid, &def->indexes[i]);
	}
	if (def == NULL && FindGuard(relid, &table_name, &index_name))
		AdoptIndexTable(relid, table_name, index_name);
}

/*
 * Our triggers are for plain and partitioned tables; elsewhere they would
 * only disturb the views over definitions.
 */
static void
RefuseOurTriggers(Oid relid)
{
	Relation	rel = relation_open(relid, AccessShareLock);

	for (int i = 0; rel->trigdesc != NULL && i < rel->trigdesc->numtriggers; i++)
	{
		if (IsOurFunction(rel->trigdesc->triggers[i].tgfoid))
			ereport(ERROR,
					(errcode(ERRCODE_WRONG_OBJECT_TYPE),
					 errmsg("trigger \"%s\" is for tables only",
							rel->trigdesc->triggers[i].tgname)));
	}
	relation_close(rel, AccessShareLock);
}

static void
RelationAltered(Oid relid)
{
	switch (get_rel_relkind(relid))
	{
		case RELKIND_RELATION:
		case RELKIND_PARTITIONED_TABLE:
			/* restoring data alters the shards of an index table one by one */
			if (get_rel_relispartition(relid))
				EnableTriggers(relid);
			else
				TableAltered(relid);
			break;
		case RELKIND_INDEX:
			AdoptIndexName(IndexGetRelation(relid, false), relid);
			break;
		case RELKIND_VIEW:
		case RELKIND_FOREIGN_TABLE:
			RefuseOurTriggers(relid);
			break;
		default:
			break;
	}
}

static void
CheckProtocol(FunctionCallInfo fcinfo)
{
	if (!CALLED_AS_EVENT_TRIGGER(fcinfo))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_EVENT_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("this function is an event trigger")));
}

DYNAMO_FUNCTION(dynamo_ddl_command_end);

Datum
dynamo_ddl_command_end(PG_FUNCTION_ARGS)
{
	ListCell   *cell;

	CheckProtocol(fcinfo);
	SPI_connect();
	if (SPI_execute(altered_relations, false, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not read the commands of an event trigger");
	foreach(cell, ResultOids())
		RelationAltered(lfirst_oid(cell));
	CheckReferenceOwners();
	SPI_finish();
	PG_RETURN_NULL();
}

/* ---- sql_drop ---- */

/* Dropped relations that the definition of a table still names. */
static const char *const missed_relations =
"SELECT t.table_name, i OPERATOR(pg_catalog.->>) 'name', d.object_name "
"FROM pg_catalog.pg_event_trigger_dropped_objects() d "
"JOIN dynamo.tables t ON t.schema_name OPERATOR(pg_catalog.=) d.schema_name::pg_catalog.name "
"CROSS JOIN LATERAL pg_catalog.jsonb_array_elements(t.definition OPERATOR(pg_catalog.->) 'indexes') i "
"WHERE (d.object_type OPERATOR(pg_catalog.=) 'table' "
"OR d.object_type OPERATOR(pg_catalog.=) 'index' "
"   AND (i OPERATOR(pg_catalog.->>) 'status') OPERATOR(pg_catalog.=) 'ACTIVE') "
"AND ((i OPERATOR(pg_catalog.->>) 'relation') OPERATOR(pg_catalog.=) d.object_name "
/* a shard: the index table's name, '$' and the number, truncated names aside */
"  OR d.object_type OPERATOR(pg_catalog.=) 'table' "
"  AND (i OPERATOR(pg_catalog.->>) 'shards') OPERATOR(pg_catalog.<>) '0' "
"  AND pg_catalog.starts_with(d.object_name, (i OPERATOR(pg_catalog.->>) 'relation') OPERATOR(pg_catalog.||) '$') "
"  AND pg_catalog.substr(d.object_name, pg_catalog.length(i OPERATOR(pg_catalog.->>) 'relation') OPERATOR(pg_catalog.+) 2) "
"    OPERATOR(pg_catalog.~) '^[0-9]+$') "
"ORDER BY d.object_name";

/* Index tables of dropped tables that the user may drop. */
static const char *const orphaned_index_tables =
"SELECT DISTINCT c.oid "
"FROM pg_catalog.pg_event_trigger_dropped_objects() d "
"JOIN pg_catalog.pg_namespace n ON n.nspname OPERATOR(pg_catalog.=) d.schema_name::pg_catalog.name "
"JOIN pg_catalog.pg_class c ON c.relnamespace OPERATOR(pg_catalog.=) n.oid "
"JOIN pg_catalog.pg_trigger t ON t.tgrelid OPERATOR(pg_catalog.=) c.oid "
"WHERE d.object_type OPERATOR(pg_catalog.=) 'table' AND NOT c.relispartition "
"AND t.tgfoid OPERATOR(pg_catalog.=) 'dynamo.guard_index()'::pg_catalog.regprocedure "
"AND pg_catalog.pg_has_role(c.relowner, 'USAGE') "
"AND pg_catalog.starts_with(pg_catalog.encode(t.tgargs, 'escape'), "
"    pg_catalog.encode(pg_catalog.convert_to(d.object_name, 'UTF8'), 'escape') "
"    OPERATOR(pg_catalog.||) '\\000')";

bool		rebuilding_index = false;

static void
RefuseMissedRelations(void)
{
	SPITupleTable *result;

	if (rebuilding_index)
		return;
	if (SPI_execute(missed_relations, false, 1) != SPI_OK_SELECT)
		elog(ERROR, "could not read the objects of an event trigger");
	if (SPI_processed == 0)
		return;
	result = SPI_tuptable;
	ereport(ERROR,
			(errcode(ERRCODE_DEPENDENT_OBJECTS_STILL_EXIST),
			 errmsg("cannot drop \"%s\", which holds index \"%s\" of table \"%s\"",
					SPI_getvalue(result->vals[0], result->tupdesc, 3),
					SPI_getvalue(result->vals[0], result->tupdesc, 2),
					SPI_getvalue(result->vals[0], result->tupdesc, 1)),
			 errhint("Use dynamo.drop_index.")));
}

DYNAMO_FUNCTION(dynamo_sql_drop);

Datum
dynamo_sql_drop(PG_FUNCTION_ARGS)
{
	ListCell   *cell;

	CheckProtocol(fcinfo);
	SPI_connect();
	RefuseMissedRelations();
	if (SPI_execute(orphaned_index_tables, false, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not read the objects of an event trigger");
	foreach(cell, ResultOids())
		RunStatement("DROP TABLE %s", QualifiedName(get_rel_namespace(lfirst_oid(cell)),
													get_rel_name(lfirst_oid(cell))));
	SPI_finish();
	PG_RETURN_NULL();
}
