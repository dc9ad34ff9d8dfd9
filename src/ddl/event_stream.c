/*
 * event_stream.c
 *	  Streams under ordinary DDL; called by event.c.
 *
 * A stream's table is moved to the schema and owner of its table.  Its
 * definition gets the table's new name.  The stream is closed when the table
 * is dropped.  A closed stream does not change any more: nothing writes to it,
 * and readers use the name that its table had.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "nodes/parsenodes.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "compat.h"
#include "ddl/ddl.h"
#include "ddl/event.h"
#include "ddl/stream_definition.h"
#include "table/link.h"
#include "table/object_names.h"
#include "table/objects.h"

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

bool
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

void
StreamRefuseChange(Oid relid, const char *what)
{
	Oid			table = StatementIsOurs() ? InvalidOid : TableOfOpenStream(relid);

	if (OidIsValid(table) && HaveSameOwner(table, relid))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("cannot change the %s of stream \"%s\" of table \"%s\"",
						what, get_rel_name(relid), get_rel_name(table)),
				 errhint("A stream has the schema, owner and persistence of its table. Use dynamo.disable_stream to end the stream.")));
}

void
CheckStreamCommand(Oid relid, const AlterTableCmd *command)
{
	switch (command->subtype)
	{
		case AT_AddColumn:
		case AT_DropColumn:
		case AT_AlterColumnType:
		case AT_AddInherit:
			StreamRefuseChange(relid, "columns");
			break;
		case AT_DropConstraint:
			StreamRefuseChange(relid, "constraints");
			break;
		case AT_SetLogged:
		case AT_SetUnLogged:
			StreamRefuseChange(relid, "persistence");
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

void
StreamFollowTable(Oid relid)
{
	TableStream stream;
	StreamDef	def;
	Oid			relation;

	if (!OpenStreamOf(relid, &stream))
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

void
StreamAltered(Oid stream)
{
	Oid			table = TableOfOpenStream(stream);

	if (OidIsValid(table) && !HaveSameOwner(stream, table))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("stream \"%s\" belongs to the owner of table \"%s\"",
						get_rel_name(stream), get_rel_name(table)),
				 errhint("Change the owner of the table; the stream is changed with it.")));
}

/* ---- dropped tables ---- */

void
StreamCloseOfTable(Oid relid)
{
	TableStream stream;
	Oid			relation;

	if (!OpenStreamOf(relid, &stream))
		return;
	relation = FindStreamRelation(relid, stream.relation);
	if (OidIsValid(relation))
		CloseStream(relation);
}
