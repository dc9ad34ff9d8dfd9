/*
 * table_index.c
 *	  Index tables: a table of its own with an entry for each item.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/xlog.h"
#include "utils/rel.h"

#include "index_kind/index_kinds.h"
#include "store/scan.h"
#include "table/distribution.h"
#include "table/index_relation.h"

/* ---- the table ---- */

static char *
TableClauses(const IndexDef *index)
{
	return psprintf("WITH (fillfactor = %d)", INDEX_FILLFACTOR);
}

/* ---- reading ---- */

/*
 * Whether an index built online became ACTIVE after the snapshot.  It is
 * filled by many transactions.  The session that makes it ACTIVE waits for
 * older snapshots, but does not know those of a standby.
 */
static bool
IsActiveSince(const TableDef *def, const IndexDef *index, Snapshot snapshot)
{
	return RecoveryInProgress() && WriterIsNewer(def->defined, snapshot) &&
		!IndexWasActive(def, index, snapshot);
}

/*
 * Whether an index table was filled after the snapshot.  This happens in the
 * transaction that creates its file.
 */
bool
EntriesAreNewer(const TableDef *def, const IndexDef *index, Snapshot snapshot)
{
	return FileIsNewer(IndexDefRelation(def, index), snapshot) || IsActiveSince(def, index, snapshot);
}

/* ---- filling and rebuilding ---- */

void
FillEntries(Oid relid, const TableDef *def, const IndexDef *index, bool limited, bool new_columns)
{
	if (new_columns)
		FillKeyColumns(relid, index->name);
	FillIndexTableEverywhere(relid, index->name);
}

static bool
IsSound(Relation rel, const TableDef *def, const IndexDef *index)
{
	return IsIndexTable(rel, def, index) && IndexHasShards(rel, index);
}

static bool
CanBeKept(const TableDef *def, const IndexDef *index, Oid found)
{
	Relation	rel = table_open(found, AccessExclusiveLock);
	bool		sound = IsSound(rel, def, index);

	table_close(rel, NoLock);
	return sound;
}

static void
EmptyIndexTable(const TableDef *def, const IndexDef *index, Oid index_table)
{
	const IndexKind *kind = index->kind;

	StoreGuards(index_table);
	if (kind->before_emptying != NULL)
		kind->before_emptying(index_table);
	TruncateIndexTable(def, index);
	if (kind->before_filling != NULL)
		kind->before_filling(index_table, def, index);
}

void
RebuildEntries(Oid relid, const TableDef *def, const IndexDef *index, Oid found, bool limited)
{
	RepairKeyColumns(relid, index->name);
	if (OidIsValid(found) && !RelationIsDistributed(relid) && CanBeKept(def, index, found))
		EmptyIndexTable(def, index, found);
	else
	{
		if (OidIsValid(found))
			DropIndexRelation(found);
		CreateRelationOfIndexTable(relid, def, index);
	}
	FillIndexTableEverywhere(relid, index->name);
}

/* ---- building concurrently ---- */

bool
PlanNothing(const TableDef *def, const IndexDef *index, ConcurrentBuild *build)
{
	table_close(IndexTableOpen(def, index, AccessShareLock), NoLock);
	build->done = true;
	return true;
}

/* ---- verifying ---- */

bool
VerifyShape(Verification *v, Relation rel)
{
	bool		fits = IsSound(rel, v->def, v->index);

	if (!fits)
		ReportProblem(v, "index invalid", NO_ITEM,
					  psprintf("Relation \"%s\" does not have the owner, columns, primary key, shards and guard of the index table.",
							   RelationGetRelationName(rel)));
	return fits;
}

const IndexKind table_index = {
	.storage = "table",
	.own_entries = true,
	.secondary = true,
	.check_spec = CheckSecondaryIndex,
	.create = CreateIndexTable,
	.table_clauses = TableClauses,
	.find = FindIndexTable,
	.begin_scan = ScanEntries,
	.is_newer = EntriesAreNewer,
	.fill = FillEntries,
	.rebuild = RebuildEntries,
	.plan = PlanNothing,
	.verify_relation = VerifyShape,
	.verify = VerifyTable,
};
