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
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "nodes/parsenodes.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "catalog/ddl.h"
#include "catalog/event.h"
#include "catalog/link.h"
#include "catalog/objects.h"
#include "catalog/stream.h"

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
	bool		isnull;

	if (OidIsValid(found))
		return found;
	if (SPI_execute_with_args("SELECT c.oid FROM pg_catalog.pg_class c "
							  "JOIN pg_catalog.pg_trigger t ON t.tgrelid OPERATOR(pg_catalog.=) c.oid "
							  "WHERE c.relname OPERATOR(pg_catalog.=) $1 "
							  "AND t.tgfoid OPERATOR(pg_catalog.=) $2 "
							  "AND t.tgnargs OPERATOR(pg_catalog.=) 1::pg_catalog.int2 "
							  "AND c.relowner OPERATOR(pg_catalog.=) $3 "
							  "AND " STREAM_DEFINITION " OPERATOR(pg_catalog.->>) 'label' OPERATOR(pg_catalog.=) $4",
							  4, (Oid[]) {NAMEOID, OIDOID, OIDOID, TEXTOID},
							  (Datum[])
							  {
								  DirectFunctionCall1(namein, CStringGetDatum(stream->relation)),
								  ObjectIdGetDatum(DynamoFunctionOid(FUNCTION_GUARD_STREAM)),
								  ObjectIdGetDatum(RelationOwner(relid)),
								  CStringGetTextDatum(stream->label)
							  },
							  NULL, false, 1) != SPI_OK_SELECT || SPI_processed == 0)
		return InvalidOid;
	return DatumGetObjectId(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc,
										  1, &isnull));
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

/* Dropped streams that a capture trigger still names, for the same users. */
static const char *const missed_streams =
"SELECT d.object_name, c.relname "
"FROM pg_catalog.pg_event_trigger_dropped_objects() d "
"JOIN pg_catalog.pg_namespace n ON n.nspname OPERATOR(pg_catalog.=) d.schema_name::pg_catalog.name "
"JOIN pg_catalog.pg_class c ON c.relnamespace OPERATOR(pg_catalog.=) n.oid "
"JOIN pg_catalog.pg_trigger t ON t.tgrelid OPERATOR(pg_catalog.=) c.oid "
"WHERE d.object_type OPERATOR(pg_catalog.=) 'table' AND NOT c.relispartition "
"AND " DROPPED_WITH_TRIGGER(TRIGGER_GUARD_STREAM) " "
"AND t.tgfoid OPERATOR(pg_catalog.=) 'dynamo.capture_changes()'::pg_catalog.regprocedure "
"AND (pg_catalog.pg_has_role(c.relowner, 'USAGE') OR pg_catalog.pg_has_role(n.nspowner, 'USAGE')) "
"AND " FIRST_ARGUMENT_NAMES_OBJECT;

/* Streams of dropped tables that the user may close. */
static const char *const orphaned_streams =
"SELECT DISTINCT c.oid "
"FROM pg_catalog.pg_event_trigger_dropped_objects() d "
"JOIN pg_catalog.pg_namespace n ON n.nspname OPERATOR(pg_catalog.=) d.schema_name::pg_catalog.name "
"JOIN pg_catalog.pg_class c ON c.relnamespace OPERATOR(pg_catalog.=) n.oid "
"JOIN pg_catalog.pg_trigger t ON t.tgrelid OPERATOR(pg_catalog.=) c.oid "
"WHERE d.object_type OPERATOR(pg_catalog.=) 'table' "
"AND t.tgfoid OPERATOR(pg_catalog.=) 'dynamo.guard_stream()'::pg_catalog.regprocedure "
"AND t.tgnargs OPERATOR(pg_catalog.=) 1::pg_catalog.int2 "
"AND pg_catalog.pg_has_role(c.relowner, 'USAGE') "
"AND " STREAM_DEFINITION " OPERATOR(pg_catalog.->>) 'relation' OPERATOR(pg_catalog.=) d.object_name";

static void
SelectDropped(const char *query)
{
	if (SPI_execute(query, false, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not read the objects of an event trigger");
}

void
RefuseDroppedStreams(void)
{
	SPITupleTable *result;

	SelectDropped(missed_streams);
	if (SPI_processed == 0)
		return;
	result = SPI_tuptable;
	ereport(ERROR,
			(errcode(ERRCODE_DEPENDENT_OBJECTS_STILL_EXIST),
			 errmsg("cannot drop \"%s\", which holds the stream of table \"%s\"",
					SPI_getvalue(result->vals[0], result->tupdesc, 1),
					SPI_getvalue(result->vals[0], result->tupdesc, 2)),
			 errhint("Use dynamo.disable_stream.")));
}

void
CloseDroppedStreams(void)
{
	SPITupleTable *streams;
	uint64		n;

	SelectDropped(orphaned_streams);
	streams = SPI_tuptable;
	n = SPI_processed;
	for (uint64 i = 0; i < n; i++)
	{
		bool		isnull;

		CloseStream(DatumGetObjectId(SPI_getbinval(streams->vals[i], streams->tupdesc,
												   1, &isnull)), true);
	}
}
