/*
 * rebuild.c
 *	  dynamo.reindex: making an index right again, whatever is wrong with it.
 *
 * Triggers first, so that they are there and fire; then the key columns;
 * then the btree or the index table, built anew from the columns.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/pg_class.h"
#include "executor/spi.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "catalog/link.h"
#include "catalog/limits.h"
#include "catalog/objects.h"
#include "errors.h"
#include "index/index.h"

static bool
IsIndex(Oid relid)
{
	char		kind = get_rel_relkind(relid);

	return kind == RELKIND_INDEX || kind == RELKIND_PARTITIONED_INDEX;
}

/* Anybody can write a definition that names another's relation. */
static void
DropRelation(Oid relid, const TableDef *def, const IndexDef *index, Oid found)
{
	if (!OidIsValid(found))
		return;
	if (FindIndexRelation(def, index) != found)
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_TABLE),
				 errmsg("relation \"%s\" does not hold index \"%s\" of table \"%s\"",
						get_rel_name(found), index->name, get_rel_name(relid)),
				 errdetail("An index is a btree of its table or an index table of the same owner."),
				 errhint("Rename the relation, then use dynamo.reindex.")));
	RunStatement("DROP %s %s",
				 IsIndex(found) ? "INDEX" : "TABLE",
				 QualifiedName(get_rel_namespace(found), get_rel_name(found)));
}

static bool
IndexTableIsSound(const TableDef *def, const IndexDef *index, Oid found)
{
	char		kind = get_rel_relkind(found);
	Relation	rel;
	bool		sound;

	if (kind != RELKIND_RELATION && kind != RELKIND_PARTITIONED_TABLE)
		return false;
	rel = table_open(found, AccessExclusiveLock);
	sound = IsIndexTable(rel, def, index) && IndexHasShards(rel, index);
	table_close(rel, NoLock);
	return sound;
}

/* REINDEX of a partitioned index does not run in a transaction. */
static bool
BtreeIsSound(const TableDef *def, const IndexDef *index, Oid found, bool limited)
{
	return get_rel_relkind(found) == RELKIND_INDEX && InlineIndexFits(def, index, found) &&
		InlineIndexIsLimited(found) == limited;
}

/* A btree that is not limited does not take all that columns may hold. */
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
	DropRelation(relid, def, index, found);
	RepairKeyColumns(relid, index->name);
	CreateIndexRelation(relid, def, index, limited);
}

static void
RebuildTable(Oid relid, const TableDef *def, const IndexDef *index, Oid found)
{
	RepairKeyColumns(relid, index->name);
	if (OidIsValid(found) && IndexTableIsSound(def, index, found))
	{
		StoreGuards(found, get_rel_name(relid), index->name);
		TruncateIndexTable(def, index);
	}
	else
	{
		DropRelation(relid, def, index, found);
		CreateIndexRelation(relid, def, index, false);
	}
	FillIndexTable(relid, index->name);
}

/*
 * The triggers are about to be made anew, and then nothing tells any more that
 * other index tables missed writes, too.
 */
static void
WarnOfOthers(Oid relid, const char *index_name)
{
	Relation	rel = table_open(relid, NoLock);
	TableDef   *def = TableDefAcquire(rel);

	for (int i = 0; def->unmaintained && i < def->nindexes; i++)
	{
		if (def->indexes[i].storage == STORAGE_TABLE && strcmp(def->indexes[i].name, index_name) != 0)
			ereport(WARNING,
					(errmsg("index \"%s\" of table \"%s\" may be out of date, too",
							def->indexes[i].name, RelationGetRelationName(rel)),
					 errhint("Use dynamo.reindex on it.")));
	}
	TableDefRelease(def);
	table_close(rel, NoLock);
}

void
IndexRebuild(const char *table_name, const char *index_name)
{
	Oid			relid;
	TableDef   *def = LockForIndexDdl(table_name, &relid);
	const IndexDef *index = TableDefIndex(def, index_name);
	LeftOut		left_out;
	Oid			found;

	if (index == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_RESOURCE_NOT_FOUND),
				 errmsg("Requested resource not found: Index %s for table %s",
						index_name, table_name)));
	if (index->status != INDEX_ACTIVE)
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_RESOURCE_IN_USE),
				 errmsg("index \"%s\" is being created", index_name),
				 errhint("CALL dynamo.build_indexes() to have it built.")));
	WarnOfOthers(relid, index_name);
	SPI_connect();
	StoreDefinition(relid, def);
	left_out = FindLeftOut(relid, index_name, COLUMNS_STALE);
	found = get_relname_relid(index->relation, get_rel_namespace(relid));
	if (index->storage == STORAGE_INLINE)
		RebuildInline(relid, def, index, found, left_out.by_limits);
	else
		RebuildTable(relid, def, index, found);
	ReportLeftOut(index_name, &left_out);
	SPI_finish();
}
