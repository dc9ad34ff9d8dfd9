/*
 * create.c
 *	  Creates an index on an existing table, and drops it.
 *
 * Creation begins in the caller's transaction, under a lock that excludes
 * readers and writers.  The order matters: first the columns, then the index's
 * relation, then the definition that names both, then the rows.  For a large
 * table, the rows and a btree on them are left to a worker (build.h).
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "storage/bufmgr.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "copy/copy.h"
#include "ddl/build_lock.h"
#include "ddl/feature.h"
#include "errors.h"
#include "index/build.h"
#include "index/index.h"
#include "store/elsewhere.h"
#include "table/distribution.h"
#include "table/index_relation.h"
#include "table/placement.h"

int			in_place_build_limit = 8192;

/* ---- creating ---- */

static void
CheckNewIndex(const TableDef *def, const CreateIndexSpec *spec)
{
	int			nglobal = 0;

	if (spec->kind->secondary && TableDefIndex(def, spec->name) != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_VALIDATION),
				 errmsg("Attempting to create an index which already exists")));
	for (int i = 0; i < def->nindexes; i++)
		nglobal += !def->indexes[i].local && def->indexes[i].replaces == NULL && def->indexes[i].kind->secondary;
	if (!spec->local && spec->kind->secondary && nglobal >= max_global_indexes)
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_LIMIT_EXCEEDED),
				 errmsg("Subscriber limit exceeded: Number of global secondary indexes exceeds per-table limit of %d",
						max_global_indexes),
				 errhint("To change the limit, set \"dynamo.max_global_indexes\".")));
	CheckNoPendingBuild(def);
}

void
CheckNoPendingBuild(const TableDef *def)
{
	if (HasPendingBuild(def))
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_LIMIT_EXCEEDED),
				 errmsg("Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table"),
				 errhint("See dynamo.index_progress for builds in progress.")));
}

/* A column of the user must not become one that the trigger sets. */
static void
CheckColumnIsFree(Oid relid, const AttributeDef *attr)
{
	if (get_attnum(relid, attr->column) == InvalidAttrNumber)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_DUPLICATE_COLUMN),
			 errmsg("column \"%s\" of table \"%s\" does not belong to the extension",
					attr->column, get_rel_name(relid)),
			 errdetail("The index needs a column with this name for the key attribute \"%s\".",
					   attr->name.data),
			 errhint("Rename or drop the column, for example with ALTER TABLE ... RENAME COLUMN.")));
}

/* Adds the columns of the attributes, starting with number first. */
static void
AddColumns(Oid relid, const TableDef *def, int first)
{
	StringInfoData clauses;

	if (first == def->nattributes)
		return;
	initStringInfo(&clauses);
	for (int i = first; i < def->nattributes; i++)
	{
		CheckColumnIsFree(relid, &def->attributes[i]);
		appendStringInfo(&clauses, "%sADD COLUMN %s", i > first ? ", " : "",
						 ColumnClause(&def->attributes[i]));
	}
	RunStatement("ALTER TABLE %s %s",
				 QualifiedName(get_rel_namespace(relid), get_rel_name(relid)),
				 clauses.data);
}

/* Returns the table that a name means, with the checks of OpenAnyTableForDdl, unlocked. */
static Oid
TableToChange(const char *table_name)
{
	Relation	rel = OpenAnyTableForDdl(table_name, AccessShareLock);
	Oid			relid = RelationGetRelid(rel);

	table_close(rel, AccessShareLock);
	return relid;
}

void
InterruptBuild(const char *table_name)
{
	BuildStop(TableToChange(table_name));
}

/*
 * Checked before a lock is requested, so that a refusal does not block
 * anybody.
 */
void
RefuseDuringBuild(const char *table_name)
{
	Relation	rel = OpenAnyTableForDdl(table_name, AccessShareLock);
	TableDef   *def = TableDefAcquire(rel);

	CheckNoPendingBuild(def);
	TableDefRelease(def);
	table_close(rel, AccessShareLock);
}

TableDef *
LockForIndexDdl(const char *table_name, Oid *relid)
{
	Oid			unlocked = TableToChange(table_name);

	if (RelationIsDistributed(unlocked))
		BuildStop(unlocked);
	else
		BuildStopAndLock(unlocked);
	return LockAnyDefinition(table_name, AccessExclusiveLock, relid);
}

/*
 * Whether to build under the lock: the table is so small that others can wait,
 * no other session can see it, or batches of it are not possible.
 */
bool
BuildsInPlace(Oid relid)
{
	Relation	rel = table_open(relid, NoLock);
	bool		in_place = true;

	if (rel->rd_rel->relkind == RELKIND_RELATION && !rel->rd_rel->relhassubclass &&
		rel->rd_rel->relam == HEAP_TABLE_AM_OID && !RelationUsesLocalBuffers(rel) &&
		rel->rd_createSubid == InvalidSubTransactionId && in_place_build_limit >= 0)
		in_place = (uint64) RelationGetNumberOfBlocks(rel) * BLCKSZ <=
			(uint64) in_place_build_limit * 1024;
	table_close(rel, NoLock);
	return in_place;
}

/* ---- index tables of distributed tables ---- */

/* Refuses the index tables that distribute_table would refuse. */
static void
CheckIndexTableIsSupported(Oid relid, const TableDef *def, const IndexDef *index)
{
	const char *problem = RelationIsDistributed(relid) ? FindIndexProblem(def, index) : NULL;

	if (problem != NULL)
		DistributedError(relid, problem);
}

/*
 * Applies what was recorded before an index is created: these records do not tell which of its
 * entries go.  Storing the definition again excludes writers on the shards.
 */
static void
CatchUp(Oid relid)
{
	Relation	rel;
	const TableDef *def;

	if (!RelationIsDistributed(relid) || !OidIsValid(FindChangeTable(relid)))
		return;
	rel = table_open(relid, NoLock);
	def = TableDefCopy(rel);
	table_close(rel, NoLock);
	StoreDefinition(relid, def);
	elsewhere->apply_changes(relid);
}

void
CreateRelationOfIndexTable(Oid relid, const TableDef *def, const IndexDef *index)
{
	index->kind->create(relid, def, index, false);
	if (RelationIsDistributed(relid))
		placement->distribute_index(relid, def, index);
}

void
FillIndexTableEverywhere(Oid relid, const char *index_name)
{
	if (DoOnShards(relid, SHARD_RECORD, index_name))
		elsewhere->apply_changes(relid);
	else
		FillIndexTable(relid, index_name);
}

/* Begins a build.  If no column is new, an inline index needs only a btree. */
static void
BeginBuild(Oid relid, const IndexDef *index, bool new_columns)
{
	BuildStateStart(relid, index->name,
					index->kind->own_entries || new_columns ? PHASE_FILLING : PHASE_BUILDING);
	BuildAtCommit(relid);
}

static void
FillInPlace(Oid relid, const TableDef *def, const IndexDef *index, bool new_columns)
{
	LeftOut		left_out = FindLeftOut(relid, index->name, COLUMNS_MISSING);

	BuildStateForget(relid, index->name);
	index->kind->fill(relid, def, index, left_out.by_limits, new_columns);
	ReportLeftOut(index->name, &left_out);
}

void
IndexStore(Oid relid, const TableDef *def, const IndexDef *index, bool new_columns)
{
	if (index->kind->own_entries)
		CreateRelationOfIndexTable(relid, def, index);
	StoreDefinition(relid, def);
	if (index->status == INDEX_CREATING)
		BeginBuild(relid, index, new_columns);
	else
		FillInPlace(relid, def, index, new_columns);
}

bool
IndexCreate(const char *table_name, const CreateIndexSpec *spec)
{
	Oid			relid;
	TableDef   *def;
	int			nattributes;
	IndexDef   *index;
	int			level;

	RefuseDuringBuild(table_name);
	def = LockForIndexDdl(table_name, &relid);
	nattributes = def->nattributes;
	CheckNewIndex(def, spec);
	index = AddIndex(def, get_rel_namespace(relid), get_rel_name(relid), spec);
	if (!BuildsInPlace(relid))
		index->status = INDEX_CREATING;
	CheckIndexTableIsSupported(relid, def, index);
	SPI_connect();
	level = DistributedDdlBegin(relid);
	if (index->kind->own_entries)
		CatchUp(relid);
	AddColumns(relid, def, nattributes);
	IndexStore(relid, def, index, def->nattributes > nattributes);
	DistributedDdlEnd(level);
	SPI_finish();
	return index->status == INDEX_ACTIVE;
}

/* ---- dropping ---- */

static bool
IsUsedByIndex(const IndexDef *index, int attribute)
{
	for (int i = 0; i < KeyCount(&index->key); i++)
	{
		if (index->attributes[i] == attribute)
			return true;
	}
	return false;
}

/* Whether the table's key or another index has an attribute. */
static bool
IsUsedElsewhere(const TableDef *def, int attribute, const IndexDef *dropped)
{
	for (int i = 0; i < KeyCount(&def->key); i++)
	{
		if (def->key_attributes[i] == attribute)
			return true;
	}
	for (int i = 0; i < def->nindexes; i++)
	{
		if (&def->indexes[i] != dropped && IsUsedByIndex(&def->indexes[i], attribute))
			return true;
	}
	return false;
}

/* Removes an attribute; later ones move up. */
static void
RemoveAttribute(TableDef *def, int attribute)
{
	memmove(&def->attributes[attribute], &def->attributes[attribute + 1],
			sizeof(AttributeDef) * (def->nattributes - attribute - 1));
	def->nattributes--;
	for (int i = 0; i < def->nindexes; i++)
	{
		IndexDef   *index = &def->indexes[i];

		for (int j = 0; j < KeyCount(&index->key); j++)
			index->attributes[j] -= index->attributes[j] > attribute;
	}
	for (int i = 0; i < KeyCount(&def->key); i++)
		def->key_attributes[i] -= def->key_attributes[i] > attribute;
}

static void
RemoveIndex(TableDef *def, const IndexDef *index)
{
	int			position = index - def->indexes;

	memmove(&def->indexes[position], &def->indexes[position + 1],
			sizeof(IndexDef) * (def->nindexes - position - 1));
	def->nindexes--;
	for (int i = 0; i < def->nindexes; i++)
		IndexDefComplete(def, &def->indexes[i]);
}

/*
 * Removes an index, and the attributes that only it uses, from a definition.
 * Returns the clauses that drop their columns, empty if there are none; adds their names to
 * *attributes.
 */
static char *
ForgetIndex(TableDef *def, const IndexDef *index, List **attributes)
{
	StringInfoData clauses;

	initStringInfo(&clauses);
	for (int i = def->nattributes - 1; i >= 0; i--)
	{
		if (!IsUsedByIndex(index, i) || IsUsedElsewhere(def, i, index))
			continue;
		appendStringInfo(&clauses, "%sDROP COLUMN %s", clauses.len > 0 ? ", " : "",
						 quote_identifier(def->attributes[i].column));
		*attributes = lappend(*attributes, pnstrdup(def->attributes[i].name.data, def->attributes[i].name.len));
		RemoveAttribute(def, i);
	}
	RemoveIndex(def, index);
	return clauses.data;
}

/* Drops the change table of a table if no index is left that needs it. */
static void
DropUnusedChangeTable(Oid relid, const TableDef *def)
{
	Oid			changes = HasIndexTables(def) ? InvalidOid : FindChangeTable(relid);

	if (OidIsValid(changes))
		RunStatement("DROP TABLE %s", QualifiedName(get_rel_namespace(changes), get_rel_name(changes)));
}

void
IndexRemove(Oid relid, TableDef *def, const IndexDef *index)
{
	Oid			found = FindIndexRelation(def, index);
	List	   *attributes = NIL;
	char	   *drop_columns;

	BuildStateForget(relid, index->name);
	drop_columns = ForgetIndex(def, index, &attributes);
	StoreDefinition(relid, def);
	if (OidIsValid(found))
		DropIndexRelation(found);
	DropUnusedChangeTable(relid, def);
	if (attributes == NIL)
		return;
	CALL_FEATURES(leave_columns, relid, attributes);
	RunStatement("ALTER TABLE %s %s", QualifiedName(get_rel_namespace(relid), get_rel_name(relid)), drop_columns);
}

/*
 * Returns the index that is being built to replace this one, or that this one
 * has replaced.
 */
static const IndexDef *
FindReplacement(const TableDef *def, const char *index_name)
{
	for (int i = 0; i < def->nindexes; i++)
	{
		if (def->indexes[i].replaces != NULL &&
			strcmp(def->indexes[i].replaces, index_name) == 0)
			return &def->indexes[i];
	}
	return NULL;
}

void
IndexDrop(const char *table_name, const char *index_name)
{
	Oid			relid;
	TableDef   *def = LockForIndexDdl(table_name, &relid);
	const IndexDef *index = TableDefIndex(def, index_name);
	int			level;

	if (index == NULL)
		FailNoIndex(def, table_name, index_name);
	RefuseCopiedIndex(relid, index_name, "drop");
	SPI_connect();
	level = DistributedDdlBegin(relid);
	if (FindReplacement(def, index_name) != NULL)
		IndexRemove(relid, def, FindReplacement(def, index_name));
	IndexRemove(relid, def, TableDefIndex(def, index_name));
	DistributedDdlEnd(level);
	CALL_FEATURES(forget_index, relid, index_name);
	SPI_finish();
}
