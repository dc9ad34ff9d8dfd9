/*
 * rebuild.c
 *	  dynamo.reindex: repairs an index in any state.
 *
 * It first repairs the triggers, so that they exist and fire; then the key
 * columns; then it rebuilds the btree or the index table from the columns.
 */
#include "postgres.h"

#include "access/table.h"
#include "executor/spi.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "errors.h"
#include "index/index.h"
#include "table/index_relation.h"

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
	index->kind->rebuild(relid, def, index, found, left_out.by_limits);
	ReportLeftOut(index_name, &left_out);
	DistributedDdlEnd(level);
	SPI_finish();
}
