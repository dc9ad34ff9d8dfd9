/*
 * event_drop.c
 *	  The event trigger after DROP: what holds an index, or the stream of a
 *	  table, is not dropped beside it; index tables and settings go with their
 *	  table, and its streams are closed.
 *
 * Only relations of one owner belong together, and only where each names the
 * other: anybody can name another's table in a definition, who is not to be
 * hindered.  A btree is dropped with a column of its table (event.c), or by
 * DROP INDEX (event_start.c).
 */
#include "postgres.h"

#include "access/table.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "catalog/ddl.h"
#include "catalog/dropped.h"
#include "catalog/event.h"
#include "catalog/objects.h"
#include "catalog/settings.h"
#include "catalog/stream.h"

void
RefuseDropOfIndex(const char *relation, const char *index_name, const char *table_name)
{
	ereport(ERROR,
			(errcode(ERRCODE_DEPENDENT_OBJECTS_STILL_EXIST),
			 errmsg("cannot drop \"%s\", which holds index \"%s\" of table \"%s\"",
					relation, index_name, table_name),
			 errhint("Use dynamo.drop_index.")));
}

/* ---- index tables ---- */

/* The table of this name beside a dropped one, and of its owner; NULL if there is none. */
static Relation
OpenNeighbour(const DroppedTable *dropped, const char *name)
{
	Oid			relid = get_relname_relid(name, dropped->schema);
	Relation	rel = OidIsValid(relid) && IsTable(relid) ?
		try_table_open(relid, AccessShareLock) : NULL;

	if (rel == NULL || rel->rd_rel->relowner == dropped->owner)
		return rel;
	table_close(rel, AccessShareLock);
	return NULL;
}

static void
RefuseDroppedIndexTable(const DroppedTable *dropped)
{
	char	  **guard = DroppedArguments(dropped, FUNCTION_GUARD_INDEX, 2);
	Relation	rel = guard != NULL ? OpenNeighbour(dropped, guard[0]) : NULL;
	const TableDef *def;
	const IndexDef *index;

	if (rel == NULL)
		return;
	def = TableDefCopy(rel);
	index = def != NULL ? TableDefIndex(def, guard[1]) : NULL;
	if (index != NULL && index->storage == STORAGE_TABLE &&
		strcmp(index->relation, dropped->name) == 0)
		RefuseDropOfIndex(dropped->name, index->name, RelationGetRelationName(rel));
	table_close(rel, AccessShareLock);
}

static void
RefuseDroppedStream(const DroppedTable *dropped)
{
	char	  **guard = DroppedArguments(dropped, FUNCTION_GUARD_STREAM, 1);
	StreamDef	def;
	TableStream stream;
	Relation	rel;

	if (guard == NULL || !StreamDefTryParse(guard[0], &def) || def.relation == NULL)
		return;
	rel = OpenNeighbour(dropped, def.relation);
	if (rel == NULL)
		return;
	if (TableStreamOf(rel, &stream) && strcmp(stream.relation, dropped->name) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_DEPENDENT_OBJECTS_STILL_EXIST),
				 errmsg("cannot drop \"%s\", which holds the stream of table \"%s\"",
						dropped->name, RelationGetRelationName(rel)),
				 errhint("Use dynamo.disable_stream.")));
	table_close(rel, AccessShareLock);
}

static bool
IsIndexTableOf(Relation rel, const DroppedTable *dropped)
{
	char	   *table_name;
	char	   *index_name;

	return !rel->rd_rel->relispartition && FindGuard(RelationGetRelid(rel), &table_name, &index_name) &&
		strcmp(table_name, dropped->name) == 0;
}

static void
DropIndexTable(const DroppedTable *dropped, const IndexDef *index)
{
	Relation	rel = OpenNeighbour(dropped, index->relation);
	bool		drop;

	if (rel == NULL)
		return;
	drop = IsIndexTableOf(rel, dropped);
	table_close(rel, AccessShareLock);
	if (drop)
		RunStatement("DROP TABLE %s", QualifiedName(dropped->schema, index->relation));
}

static void
DropIndexTables(const DroppedTable *dropped)
{
	char	  **definition = DroppedArguments(dropped, FUNCTION_DERIVE_KEYS, 1);
	const TableDef *def = definition != NULL ? TableDefTryParse(definition[0]) : NULL;

	for (int i = 0; def != NULL && i < def->nindexes; i++)
	{
		if (def->indexes[i].storage == STORAGE_TABLE)
			DropIndexTable(dropped, &def->indexes[i]);
	}
}

/* ---- the event trigger ---- */

static void
RefuseDrops(const List *tables)
{
	ListCell   *cell;

	foreach(cell, tables)
	{
		const DroppedTable *dropped = lfirst(cell);

		if (dropped->partition)
			continue;
		RefuseDroppedIndexTable(dropped);
		RefuseDroppedStream(dropped);
	}
}

/* The dynamo tables among those that had triggers of ours; partitions are part of one. */
static List *
WithDefinition(const List *tables)
{
	List	   *defined = NIL;
	ListCell   *cell;

	foreach(cell, tables)
	{
		const DroppedTable *dropped = lfirst(cell);

		if (!dropped->partition && DroppedArguments(dropped, FUNCTION_DERIVE_KEYS, 1) != NULL)
			defined = lappend(defined, unconstify(DroppedTable *, dropped));
	}
	return defined;
}

static void
FollowDrops(const List *tables)
{
	ListCell   *cell;

	if (tables == NIL)
		return;
	CloseStreamsOf(tables);
	DroppedSettingsForget();
	foreach(cell, tables)
		DropIndexTables(lfirst(cell));
}

DYNAMO_FUNCTION(dynamo_sql_drop);

Datum
dynamo_sql_drop(PG_FUNCTION_ARGS)
{
	List	   *tables;
	List	   *kept;
	ListCell   *cell;

	(void) EventTriggerCall(fcinfo);
	SPI_connect();
	tables = DroppedTables(&kept);
	if (!StatementIsOurs())
		RefuseDrops(tables);
	FollowDrops(WithDefinition(tables));
	foreach(cell, kept)
		FollowTriggerOrder(lfirst_oid(cell), true);
	SPI_finish();
	PG_RETURN_NULL();
}
