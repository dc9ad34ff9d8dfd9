/*
 * distribute.c
 *	  The SQL functions dynamo.distribute_table and dynamo.undistribute_table.
 *
 * Citus does the work.  These functions check the extension's conditions, choose
 * the partition key, and change the settings that Citus requires.
 *
 * Index tables are distributed with their entries.  Their triggers are created after Citus
 * has copied the rows to the shards.  When a table comes back, its index tables are built again.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type_d.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "citus/apply.h"
#include "citus/citus_catalog.h"
#include "citus/distribute.h"
#include "citus/distribute_by.h"
#include "citus/distributed_ddl.h"
#include "citus/entity_view_nodes.h"
#include "citus/remote.h"
#include "citus/session.h"
#include "citus/shards.h"
#include "compat.h"
#include "errors.h"
#include "extension_objects.h"
#include "stream/stream.h"
#include "table/distribution.h"
#include "table/index_relation.h"
#include "table/object_names.h"
#include "table/table_name.h"
#include "view/entity_view.h"

/* ---- checks ---- */

static void
CheckCoordinator(void)
{
	CitusRow	row;
	bool		present;

	FindCitusRow(&row, "pg_dist_partition", NULL, NULL, InvalidOid, (Datum) 0);
	present = row.catalog != NULL;
	EndCitusRow(&row);
	if (!present)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("extension \"citus\" is not installed in this database"),
				 errhint("Load citus before dynamo on every node, and run CREATE EXTENSION citus.")));
	RequireCoordinator("tables are distributed on the Citus coordinator");
}

static Relation
OpenTableOfUser(const char *name)
{
	Relation	rel = TableNameOpen(name, AccessExclusiveLock, true);

	if (rel == NULL || !RelationIsDynamoTable(rel))
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_RESOURCE_NOT_FOUND),
				 errmsg("Requested resource not found: Table: %s not found", TableNameForMessage(name))));
	if (!RelationOwnercheck(RelationGetRelid(rel), GetUserId()))
		aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_TABLE, RelationGetRelationName(rel));
	return rel;
}

static void
CheckRelationKind(Relation rel)
{
	if (rel->rd_rel->relkind != RELKIND_RELATION || rel->rd_rel->relispartition ||
		rel->rd_rel->relhassubclass)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot distribute partitioned table \"%s\"", RelationGetRelationName(rel))));
	if (rel->rd_rel->relpersistence == RELPERSISTENCE_TEMP)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot distribute temporary table \"%s\"", RelationGetRelationName(rel))));
}

static void
CheckCanBeDistributed(Relation rel, const TableDef *def)
{
	const char *what = FindUndistributable(rel, def);

	if (def->distributed)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("table \"%s\" is already distributed", RelationGetRelationName(rel))));
	CheckRelationKind(rel);
	if (what != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot distribute table \"%s\", which has %s", RelationGetRelationName(rel), what),
				 errhint("Drop that first.")));
	if (HasIndexTables(def) && !RemoteIsPossible())
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot distribute table \"%s\", which has an index table, with this build of Citus",
						RelationGetRelationName(rel)),
				 errhint("Use inline indexes, or build Citus so that it exports its functions.")));
}

/* ---- index tables ---- */

static char *
TableName(Oid relid)
{
	return QualifiedName(get_rel_namespace(relid), get_rel_name(relid));
}

static void
DropMaintenance(Oid relid)
{
	DropTrigger(relid, TableName(relid), TRIGGER_MAINTAIN_INDEXES);
	DropTrigger(relid, TableName(relid), TRIGGER_TRUNCATE_INDEXES);
}

static void
DropGuards(Oid relid)
{
	ListCell   *cell;

	foreach(cell, find_inheritance_children(relid, AccessShareLock))
		DropTrigger(lfirst_oid(cell), TableName(lfirst_oid(cell)), TRIGGER_GUARD_INDEX);
	DropTrigger(relid, TableName(relid), TRIGGER_GUARD_INDEX);
	DropTrigger(relid, TableName(relid), TRIGGER_GUARD_TRUNCATE);
}

/* Returns the index tables of a table, verified and locked. */
static List *
LockIndexTables(const TableDef *def)
{
	List	   *relids = NIL;

	for (int i = 0; i < def->nindexes; i++)
	{
		Relation	rel;

		if (!def->indexes[i].kind->own_entries)
			continue;
		rel = IndexTableOpen(def, &def->indexes[i], AccessExclusiveLock);
		relids = lappend_oid(relids, RelationGetRelid(rel));
		table_close(rel, NoLock);
	}
	return relids;
}

static void
DistributeOneIndexTable(Oid relid, const TableDef *def, const IndexDef *index, int shards)
{
	DropGuards(relid);
	DistributeByColumn(relid, EntryAttribute(def, index, 0)->column, shards, "none");
	TruncateCopied(relid);
	StoreGuards(relid);
}

static void
DistributeIndexTables(const TableDef *def, const List *relids, int shards)
{
	int			i = 0;
	ListCell   *cell;

	foreach(cell, relids)
	{
		while (!def->indexes[i].kind->own_entries)
			i++;
		DistributeOneIndexTable(lfirst_oid(cell), def, &def->indexes[i], shards);
		i++;
	}
}

/*
 * Drops the change table that a dump of a distributed table has brought along.  Its changes were
 * not applied when the dump was made.
 */
static void
DropRestoredChanges(Oid relid)
{
	Oid			changes = FindChangeTable(relid);
	Relation	rel = OidIsValid(changes) ? try_table_open(changes, AccessExclusiveLock) : NULL;
	bool		empty;

	if (rel == NULL)
		return;
	empty = RelationGetNumberOfBlocks(rel) == 0;
	table_close(rel, NoLock);
	if (!empty)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("cannot distribute table \"%s\", whose index tables lack changes", get_rel_name(relid)),
				 errdetail("The table was restored from a dump. \"%s\" has the changes.", get_rel_name(changes)),
				 errhint("Use dynamo.reindex for each index with an index table, then DROP TABLE %s.", TableName(changes))));
	RunStatement("DROP TABLE %s", TableName(changes));
}

static void
CreateChangeTable(Oid relid, const TableDef *def)
{
	DistributeByColumn(ChangeTableCreate(relid, def), TableKeyAttribute(def, 0)->column, 0, TableName(relid));
}

/* Distributes a table and what its index tables need; def is that before. */
static void
DistributeWithIndexTables(Oid relid, const TableDef *def, int shards)
{
	const char *column = TableKeyAttribute(def, 0)->column;
	List	   *relids = LockIndexTables(def);

	DropMaintenance(relid);
	DropRestoredChanges(relid);
	DistributeByColumn(relid, column, shards, "default");
	TruncateCopied(relid);
	CreateChangeTable(relid, def);
	DistributeIndexTables(def, relids, shards);
	StoreAllMaintenance(relid, def);
}

void
DistributeIndexTable(Oid relid, const TableDef *def, const IndexDef *index)
{
	const ShardMap *map = ShardsOfRelation(relid, TableKeyAttribute(def, 0));

	if (map == NULL || !RemoteIsPossible())
		DistributedError(relid, "an index table with this build of Citus, or this distribution of the table,");
	if (!OidIsValid(FindChangeTable(relid)))
		CreateChangeTable(relid, def);
	DistributeOneIndexTable(FindIndexRelation(def, index), def, index, CountShards(map));
}

/* ---- views ---- */

static void
CompleteDistributedViews(Oid relid)
{
	ListCell   *cell;

	LetViewsDelete(relid);
	foreach(cell, StatementsOfViewsOf(relid, VIEW_EVENTS_DISTRIBUTED))
		CitusSessionTellWorkers(lfirst(cell));
}

/* Runs them here. */
static void
CompleteViews(const List *statements)
{
	int			level = NewGUCNestLevel();
	ListCell   *cell;

	RestrictSearchPath();
	foreach(cell, statements)
		RunStatement("%s", (const char *) lfirst(cell));
	AtEOXact_GUC(true, level);
}

/* ---- streams ---- */

static void
DropIfEmpty(Oid stream)
{
	Relation	rel = OidIsValid(stream) ? try_table_open(stream, AccessExclusiveLock) : NULL;
	bool		empty;

	if (rel == NULL)
		return;
	empty = IsStreamTable(rel) && !StreamIsSharded(rel) && StreamLastNumber(rel) == 0;
	table_close(rel, NoLock);
	if (empty)
		RunStatement("DROP TABLE %s", TableName(stream));
}

/*
 * Ends the stream of a table, if it has one, and returns its view type; otherwise NULL.  A
 * stream without records is dropped.
 */
static const char *
EndStreamForNext(Oid relid)
{
	Relation	rel = table_open(relid, NoLock);
	TableStream stream;
	bool		found = TableStreamOf(rel, &stream);

	table_close(rel, NoLock);
	if (!found)
		return NULL;
	StreamEnd(relid, &stream);
	DropIfEmpty(FindStreamRelation(relid, stream.relation));
	return stream.view;
}

/* Starts the next stream of a locked table if it had one, which view tells. */
static void
BeginNextStream(Oid relid, const char *view)
{
	if (view != NULL)
		(void) StreamStart(table_open(relid, NoLock), view);
}

/* ---- distributing ---- */

/*
 * Begins the work on a table.  Citus copies rows faster over several connections to a node, but
 * then refuses most changes of definitions in the transaction.  One connection sees what it
 * has changed itself; shards of this node are then changed in this session, which sees a new table.
 */
static int
BeginWork(const TableDef *def, bool one_connection)
{
	one_connection = one_connection || IsTransactionBlock() || (def != NULL && HasIndexTables(def));
	if (one_connection && CitusSessionIsLocal())
		CitusSessionWrites();
	return CitusDdlBegin(one_connection);
}

/* Returns a copy of a table's definition, after its checks, which outlives the cached one. */
static TableDef *
CopyCheckedDefinition(Relation rel)
{
	TableDef   *held = TableDefAcquire(rel);
	TableDef   *def;

	CheckCanBeDistributed(rel, held);
	def = TableDefParse(TableDefPrint(held));
	def->relid = RelationGetRelid(rel);
	def->item_type = held->item_type;
	TableDefRelease(held);
	return def;
}

void
DistributeTable(Relation rel, int shards)
{
	Oid			relid = RelationGetRelid(rel);
	const char *stream_view;
	TableDef   *def;
	bool		empty;
	int			level;

	CheckCoordinator();
	def = CopyCheckedDefinition(rel);
	empty = RelationGetNumberOfBlocks(rel) == 0;
	table_close(rel, NoLock);

	SPI_connect();
	stream_view = EndStreamForNext(relid);
	level = BeginWork(def, empty || stream_view != NULL);
	if (HasIndexTables(def))
		DistributeWithIndexTables(relid, def, shards);
	else
	{
		DistributeByColumn(relid, TableKeyAttribute(def, 0)->column, shards, "default");
		TruncateCopied(relid);
	}
	BeginNextStream(relid, stream_view);
	CompleteDistributedViews(relid);
	CitusDdlEnd(level);
	SPI_finish();
}

/* ---- undistributing ---- */

/* Drops the index tables and the change table of a table; returns the names of the indexes. */
static List *
DropIndexTables(Oid relid, const TableDef *def)
{
	Oid			changes = FindChangeTable(relid);
	List	   *names = NIL;

	if (OidIsValid(changes))
		RunStatement("DROP TABLE %s", TableName(changes));
	for (int i = 0; i < def->nindexes; i++)
	{
		Oid			found;

		if (!def->indexes[i].kind->own_entries)
			continue;
		found = FindIndexRelation(def, &def->indexes[i]);
		names = lappend(names, pstrdup(def->indexes[i].name));
		if (OidIsValid(found))
			RunStatement("DROP TABLE %s", TableName(found));
	}
	return names;
}

static void
UndistributeTable(Oid relid, const char *table_name, const TableDef *def)
{
	Oid			types[1];
	Datum		values[1];
	List	   *views = StatementsOfViewsOf(relid, VIEW_EVENTS);
	List	   *names = def != NULL ? DropIndexTables(relid, def) : NIL;
	ListCell   *cell;

	if (names != NIL)
		DropMaintenance(relid);
	RunOnTable("SELECT pg_catalog.undistribute_table($1)", relid, 1, types, values, NULL);
	CompleteViews(views);
	foreach(cell, names)
		IndexRebuild(table_name, lfirst(cell), false);
}

/* ---- the functions ---- */

DYNAMO_FUNCTION(dynamo_distribute_table);
Datum
dynamo_distribute_table(PG_FUNCTION_ARGS)
{
	int			shards = PG_ARGISNULL(1) ? 0 : PG_GETARG_INT32(1);

	if (PG_ARGISNULL(0))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("table_name must not be null")));
	if (!PG_ARGISNULL(1) && (shards < 1 || shards > MAX_TABLE_SHARDS))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("shards must be between 1 and %d", MAX_TABLE_SHARDS)));
	CheckCoordinator();
	DistributeTable(OpenTableOfUser(TableArgument(fcinfo, 0)), shards);
	PG_RETURN_VOID();
}

DYNAMO_FUNCTION(dynamo_undistribute_table);
Datum
dynamo_undistribute_table(PG_FUNCTION_ARGS)
{
	char	   *name;
	const char *stream_view;
	Relation	rel;
	TableDef   *def;
	Oid			relid;
	int			level;

	CheckCoordinator();
	rel = OpenTableOfUser(TableArgument(fcinfo, 0));
	relid = RelationGetRelid(rel);
	name = TableNameOfRelation(relid);	/* Citus puts another relation in its place */
	def = TableDefCopy(rel);
	table_close(rel, NoLock);
	if (!RelationIsDistributed(relid))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("table \"%s\" is not distributed", get_rel_name(relid))));

	SPI_connect();
	stream_view = EndStreamForNext(relid);
	level = BeginWork(def, stream_view != NULL);
	UndistributeTable(relid, name, def);
	BeginNextStream(TableNameLock(name, AccessExclusiveLock, false), stream_view);
	CitusDdlEnd(level);
	SPI_finish();
	PG_RETURN_VOID();
}
