/*
 * stream_event.c
 *	  What ordinary DDL does to streams: event.c calls this.
 *
 * A stream's table follows its table into another schema and to another
 * owner, its definition learns the table's new name, and the stream is closed
 * when the table is dropped.  A closed stream stays as it is: nothing writes
 * to it, and readers know it by the name its table had.
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

#include "catalog/ddl.h"
#include "catalog/dropped.h"
#include "catalog/event.h"
#include "catalog/link.h"
#include "catalog/objects.h"
#include "catalog/stream.h"
#include "catalog/table_list.h"
#include "compat.h"

/* ---- altered ---- */

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

/* The table whose open stream a relation is; InvalidOid if it is none. */
static Oid
TableOfOpenStream(Oid relid)
{
	StreamDef	def;
	TableStream stream;
	Oid			table;

	if (!OidIsValid(relid) || get_rel_relkind(relid) != RELKIND_RELATION ||
		!DefinitionOf(relid, &def) || def.relation == NULL)
		return InvalidOid;
	table = get_relname_relid(def.relation, get_rel_namespace(relid));
	if (!OidIsValid(table) || !OpenStreamOf(table, &stream) ||
		!HasName(relid, stream.relation))
		return InvalidOid;
	return table;
}

void
StreamRefuseChange(Oid relid, const char *what)
{
	Oid			table = StatementIsOurs() ? InvalidOid : TableOfOpenStream(relid);

	if (OidIsValid(table))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("cannot change the %s of stream \"%s\" of table \"%s\"",
						what, get_rel_name(relid), get_rel_name(table)),
				 errhint("It follows its table's schema, owner and persistence; dynamo.disable_stream ends it.")));
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
 * The stream's table, in the table's schema or, when the table has just been
 * moved, where it was left: the one of this label and owner.
 */
static Oid
FindStream(Oid relid, const TableStream *stream)
{
	Oid			found = get_relname_relid(stream->relation, get_rel_namespace(relid));
	ListCell   *cell;

	if (OidIsValid(found))
		return found;
	foreach(cell, TriggersOf(FUNCTION_GUARD_STREAM, 1))
	{
		const TriggerText *trigger = lfirst(cell);
		StreamDef	def;

		if (HasName(trigger->relid, stream->relation) &&
			RelationOwner(trigger->relid) == RelationOwner(relid) &&
			StreamDefTryParse(trigger->argument, &def) &&
			strcmp(def.label, stream->label) == 0)
			return trigger->relid;
	}
	return InvalidOid;
}

void
StreamFollowTable(Oid relid)
{
	TableStream stream;
	StreamDef	def;
	Oid			relation;
	char	   *name = get_rel_name(relid);
	bool		named;

	if (!OpenStreamOf(relid, &stream))
		return;
	relation = FindStream(relid, &stream);
	if (!OidIsValid(relation) || get_rel_relkind(relation) != RELKIND_RELATION ||
		!DefinitionOf(relation, &def) || strcmp(def.label, stream.label) != 0)
		return;					/* not restored yet */
	named = def.relation != NULL && strcmp(def.relation, name) == 0;
	if (!FollowTable(relid, relation, named) || named)
		return;

	/* a name that no relation could have stays what it is */
	if (def.relation != NULL && strcmp(def.table, def.relation) == 0)
		def.table = name;
	def.relation = name;
	StoreStreamDef(relation, &def);
}

void
StreamAltered(Oid stream)
{
	StreamDef	def;
	TableStream told;
	Oid			relid;

	if (!DefinitionOf(stream, &def) || def.relation == NULL || def.closed != NULL)
		return;
	relid = get_relname_relid(def.relation, get_rel_namespace(stream));
	if (!OidIsValid(relid) || !OpenStreamOf(relid, &told) ||
		strcmp(told.label, def.label) != 0)
		return;
	if (RelationOwner(stream) != RelationOwner(relid))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("stream \"%s\" belongs to the owner of table \"%s\"",
						get_rel_name(stream), def.relation),
				 errhint("Change the owner of the table: its stream follows.")));
	if (strcmp(told.relation, get_rel_name(stream)) == 0)
		return;
	told.relation = get_rel_name(stream);
	StoreCapture(relid, &told);
}

/* ---- dropped ---- */

void
StreamCloseOfTable(Oid relid)
{
	TableStream stream;
	Oid			relation;

	if (!OpenStreamOf(relid, &stream))
		return;
	relation = FindStreamRelation(relid, &stream);
	if (OidIsValid(relation))
		CloseStream(relation, true);
}

/* Whether a stream is of one of these tables, which were dropped. */
static bool
IsStreamOf(Oid stream, const StreamDef *def, const List *tables)
{
	ListCell   *cell;

	foreach(cell, tables)
	{
		const DroppedTable *table = lfirst(cell);

		if (strcmp(table->name, def->relation) == 0 && table->schema == get_rel_namespace(stream))
			return table->owner == RelationOwner(stream);
	}
	return false;
}

void
CloseStreamsOf(const List *tables)
{
	ListCell   *cell;

	foreach(cell, TriggersOf(FUNCTION_GUARD_STREAM, 1))
	{
		const TriggerText *trigger = lfirst(cell);
		StreamDef	def;

		if (trigger->for_row && StreamDefTryParse(trigger->argument, &def) &&
			def.relation != NULL && IsStreamOf(trigger->relid, &def, tables) &&
			RelationOwnercheck(trigger->relid, GetUserId()))
			CloseStream(trigger->relid, true);
	}
}
