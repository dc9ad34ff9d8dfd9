/*
 * rebuild.c
 *	  dynamo.reindex: repairs an index in any state.
 *
 * It first repairs the triggers, so that they exist and fire; then the key
 * columns; then it rebuilds the btree or the index table from the columns.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/pg_class.h"
#include "executor/spi.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "errors.h"
#include "index/index.h"
#include "table/distribution.h"
#include "table/index_relation.h"
#include "table/limits.h"

static bool
IndexTableIsSound(const TableDef *def, const IndexDef *index, Oid found)
{
	Relation	rel = table_open(found, AccessExclusiveLock);
	bool		sound;

	sound = IsIndexTable(rel, def, index) && IndexHasShards(rel, index);
	table_close(rel, NoLock);
	return sound;
}

/*
 * Whether a btree can be kept.  REINDEX of a partitioned index does not run
 * inside a transaction.
 */
static bool
BtreeIsSound(const TableDef *def, const IndexDef *index, Oid found, bool limited)
{
	return get_rel_relkind(found) == RELKIND_INDEX && InlineIndexFits(def, index, found) &&
		InlineIndexIsLimited(found) == limited;
}

/*
 * Rebuilds an inline index.  A btree that is not limited would refuse some
 * values of the columns.
 */
static void
RebuildInline(Oid relid, const TableDef *def, const IndexDef *index, Oid found, bool limited)
{
	if (OidIsValid(found) && BtreeIsSound(def, index, found, limited))
	{
		RepairKeyColumns(relid, index->name);
		RunStatement("REINDEX INDEX %s", QualifiedName(get_rel_namespace(found),
													   get_rel_name(found)));
		return;
	}
	if (OidIsValid(found))
		DropIndexRelation(found);
	RepairKeyColumns(relid, index->name);
	CreateIndexRelation(relid, def, index, limited);
}

static void
RebuildTable(Oid relid, const TableDef *def, const IndexDef *index, Oid found)
{
	RepairKeyColumns(relid, index->name);
	if (OidIsValid(found) && !RelationIsDistributed(relid) && IndexTableIsSound(def, index, found))
	{
		StoreGuards(found);
		DropHnsw(found);
		TruncateIndexTable(def, index);
		StoreSketches(found, def, index);
	}
	else
	{
		if (OidIsValid(found))
			DropIndexRelation(found);
		CreateRelationOfIndexTable(relid, def, index);
	}
	FillIndexTableEverywhere(relid, index->name);
}

/*
 * Warns that other index tables may have missed writes, too.  After the
 * triggers have been recreated, nothing shows this any more.
 */
static void
WarnOfOtherIndexes(Oid relid, const char *index_name)
{
	Relation	rel = table_open(relid, NoLock);
	TableDef   *def = TableDefAcquire(rel);

	for (int i = 0; def->unmaintained && i < def->nindexes; i++)
	{
		if (def->indexes[i].kind->own_entries && strcmp(def->indexes[i].name, index_name) != 0)
			ereport(WARNING,
					(errmsg("index \"%s\" of table \"%s\" may also be out of date",
							def->indexes[i].name, RelationGetRelationName(rel)),
					 errhint("Use dynamo.reindex for this index, too.")));
	}
	TableDefRelease(def);
	table_close(rel, NoLock);
}

/*
 * Chooses another name for the relation: a relation that has its name now does
 * not belong to the index.
 */
static void
RenameRelation(Oid relid, TableDef *def, IndexDef *index)
{
	index->relation = "";
	index->relation = ChooseIndexRelation(def, get_rel_namespace(relid), get_rel_name(relid),
										  index->name);
}

void
IndexRebuild(const char *table_name, const char *index_name, bool alone)
{
	Oid			relid;
	TableDef   *def = LockForIndexDdl(table_name, &relid);
	IndexDef   *index = unconstify(IndexDef *, TableDefIndex(def, index_name));
	LeftOut		left_out;
	Oid			found;
	int			level;

	if (index == NULL)
		FailNoIndex(def, table_name, index_name);
	if (index->status != INDEX_ACTIVE)
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_RESOURCE_IN_USE),
				 errmsg("index \"%s\" is being created", index_name),
				 errhint("CALL dynamo.build_indexes() to build it.")));
	if (alone)
		WarnOfOtherIndexes(relid, index_name);
	SPI_connect();
	level = DistributedDdlBegin(relid);
	found = FindIndexRelation(def, index);
	if (!OidIsValid(found))
		RenameRelation(relid, def, index);
	StoreDefinition(relid, def);
	left_out = FindLeftOut(relid, index_name, COLUMNS_STALE);
	if (!index->kind->own_entries)
		RebuildInline(relid, def, index, found, left_out.by_limits);
	else
		RebuildTable(relid, def, index, found);
	ReportLeftOut(index_name, &left_out);
	DistributedDdlEnd(level);
	SPI_finish();
}
