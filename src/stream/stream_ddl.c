/*
 * stream_ddl.c
 *	  Streams under ordinary DDL: their handlers (feature.h).
 *
 * A stream's table is moved to the schema and owner of its table.  Its
 * definition gets the table's new name.  The stream is closed when the table
 * is dropped.  A closed stream does not change any more: nothing writes to it,
 * and readers use the name that its table had.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_namespace.h"
#include "miscadmin.h"
#include "nodes/parsenodes.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "compat.h"
#include "ddl/ddl.h"
#include "ddl/event.h"
#include "ddl/feature.h"
#include "extension_objects.h"
#include "security/owner.h"
#include "stream/stream.h"
#include "table/distribution.h"
#include "table/link.h"
#include "table/object_names.h"

/* ---- altered tables ---- */

static bool
OpenStreamOf(Oid relid, TableStream *stream)
{
	Relation	rel = try_table_open(relid, AccessShareLock);
	bool		found;

	if (rel == NULL)
		return false;
	found = RelationIsDynamoTable(rel) && TableStreamOf(rel, stream);
	table_close(rel, AccessShareLock);
	return found;
}

static bool
DefinitionOf(Oid relid, StreamDef *def)
{
	Relation	rel = try_table_open(relid, AccessShareLock);
	bool		found;

	if (rel == NULL)
		return false;
	found = StreamDefOf(rel, def);
	table_close(rel, AccessShareLock);
	return found;
}

static bool
HasOpenStream(Oid relid)
{
	TableStream stream;

	return OpenStreamOf(relid, &stream);
}

/* Returns the table whose open stream a relation is; otherwise InvalidOid. */
static Oid
TableOfOpenStream(Oid relid)
{
	Relation	rel = get_rel_relkind(relid) == RELKIND_RELATION ?
		try_table_open(relid, AccessShareLock) : NULL;
	char	   *label;
	TableStream stream;
	Oid			table;

	if (rel == NULL)
		return InvalidOid;
	table = LinkedTable(rel, &label);
	table_close(rel, AccessShareLock);
	return OidIsValid(table) && OpenStreamOf(table, &stream) &&
		strcmp(stream.relation, label) == 0 ? table : InvalidOid;
}

static void
RefuseStreamChange(Oid relid, const char *what)
{
	Oid			table = StatementIsOurs() || StatementIsOfNode() ? InvalidOid : TableOfOpenStream(relid);

	if (OidIsValid(table) && HaveSameOwner(table, relid))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("cannot change the %s of stream \"%s\" of table \"%s\"",
						what, get_rel_name(relid), get_rel_name(table)),
				 errhint("A stream has the schema, owner and persistence of its table. Use dynamo.disable_stream to end the stream.")));
}

static void
CheckStreamCommand(Oid relid, const AlterTableCmd *command)
{
	switch (command->subtype)
	{
		case AT_AddColumn:
		case AT_DropColumn:
		case AT_AlterColumnType:
		case AT_AddInherit:
		case AT_AddOf:
			RefuseStreamChange(relid, "columns");
			break;
		case AT_DropConstraint:
			RefuseStreamChange(relid, "constraints");
			break;
		case AT_SetLogged:
		case AT_SetUnLogged:
			RefuseStreamChange(relid, "persistence");
			break;
		default:
			break;
	}
}

/*
 * Returns the table's name for requests.  A name that no relation can have
 * does not change.
 */
static const char *
NameForRequests(Oid relid, const StreamDef *def)
{
	return strcmp(RelationNameFor(def->table), def->table) == 0 ? get_rel_name(relid) : def->table;
}

static void
FollowTableWithStream(Oid relid)
{
	TableStream stream;
	StreamDef	def;
	Oid			relation;

	/* the other nodes repeat what follows here on the coordinator */
	if (StatementIsOfNode() || !OpenStreamOf(relid, &stream))
		return;
	relation = FindLinked(relid, stream.relation);
	if (!OidIsValid(relation) || !RelationOwnercheck(relation, GetUserId()) ||
		!DefinitionOf(relation, &def))
		return;					/* not restored yet */
	FollowTable(relid, relation);
	if (strcmp(def.table, NameForRequests(relid, &def)) == 0)
		return;
	def.table = NameForRequests(relid, &def);
	StoreStreamDef(relation, &def);
}

static void
CheckAlteredStream(Oid stream)
{
	/* a worker node may get the new owner of the stream before that of the table */
	Oid			table = StatementIsOfNode() ? InvalidOid : TableOfOpenStream(stream);

	if (OidIsValid(table) && !HaveSameOwner(stream, table))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("stream \"%s\" belongs to the owner of table \"%s\"",
						get_rel_name(stream), get_rel_name(table)),
				 errhint("Change the owner of the table; the stream is changed with it.")));
}

/* ---- dropped tables ---- */

static void
CloseOpenStream(Oid relid)
{
	TableStream stream;
	Oid			relation;

	if (!OpenStreamOf(relid, &stream))
		return;
	relation = FindStreamRelation(relid, stream.relation);
	if (OidIsValid(relation))
		CloseStream(relation);
}

/*
 * Closes the stream of a dropped table.  If the user is not its owner, but may
 * drop any table in the schema, this runs as the owner.  If the owner has no
 * access to the schema, the stream is left as it is.
 */
static void
CloseDroppedStream(Oid stream)
{
	Oid			owner = RelationOwner(stream);
	OwnerScope	scope;

	if (RelationOwnercheck(stream, GetUserId()))
	{
		CloseStream(stream);
		return;
	}
	if (SchemaAclCheck(get_rel_namespace(stream), owner, ACL_USAGE) != ACLCHECK_OK)
		return;
	OwnerScopeEnter(&scope, owner);
	CloseStream(stream);
	OwnerScopeLeave(&scope);
}

static void
RefuseStreamDrop(Relation table, const char *label)
{
	TableStream stream;

	if (TableStreamOf(table, &stream) && strcmp(stream.relation, label) == 0 &&
		!OidIsValid(FindStreamRelation(RelationGetRelid(table), stream.relation)))
		ereport(ERROR,
				(errcode(ERRCODE_DEPENDENT_OBJECTS_STILL_EXIST),
				 errmsg("cannot drop \"%s\" because it contains the stream of table \"%s\"",
						stream.relation, RelationGetRelationName(table)),
				 errhint("Use dynamo.disable_stream.")));
}

/* ---- triggers ---- */

static void
CheckStreamGuard(Relation rel, const Trigger *trigger)
{
	StreamDef	def;

	if (trigger->tgnargs != 1)
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("dynamo_system.guard_stream must be called with one argument, the definition of a stream")));
	StreamDefParse(trigger->tgargs[0], RelationGetRelationName(rel), &def);
}

static void
CheckStreamTrigger(Relation rel, const Trigger *trigger)
{
	if (trigger->tgfoid == SystemFunctionOid(FUNCTION_GUARD_STREAM))
		CheckStreamGuard(rel, trigger);
	else if (trigger->tgfoid == SystemFunctionOid(FUNCTION_CAPTURE_CHANGES))
		CaptureArgumentsCheck(trigger);
}

static void
RefuseStreamSchema(Oid relid)
{
	RefuseStreamChange(relid, "schema");
}

static void
CheckStreamPartitions(Oid table, const char *verb)
{
	if (HasOpenStream(table))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("cannot %s a partition of dynamo table \"%s\"", verb, get_rel_name(table)),
				 errdetail("The table has a stream, which would have no records for the items of the partition."),
				 errhint("Disable the stream with dynamo.disable_stream.")));
}

static const DdlFeature streams = {
	.functions = {FUNCTION_GUARD_STREAM, FUNCTION_CAPTURE_CHANGES},
	.trigger_detail = "The trigger maintains a stream of changes.",
	.trigger_hint = "Use dynamo.disable_stream to end the stream of a table, and DROP TABLE to drop a disabled stream.",
	.check_command = CheckStreamCommand,
	.check_new_schema = RefuseStreamSchema,
	.check_partitions = CheckStreamPartitions,
	.check_trigger = CheckStreamTrigger,
	.follow_table = FollowTableWithStream,
	.check_altered = CheckAlteredStream,
	.leave_table = CloseOpenStream,
	.check_linked_drop = RefuseStreamDrop,
	.follow_drop = CloseDroppedStream
};

void
StreamInit(void)
{
	DdlFeatureRegister(&streams);
}
