/*
 * inline_index.c
 *	  Inline indexes: a partial btree on the columns of the table's rows.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_index.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "extension_objects.h"
#include "index_kind/index_kinds.h"
#include "store/scan.h"
#include "table/index_relation.h"
#include "table/limits.h"

/* ---- the btree ---- */

static bool
IsInTableKey(const TableDef *def, int attribute)
{
	for (int i = 0; i < KeyCount(&def->key); i++)
	{
		if (def->key_attributes[i] == attribute)
			return true;
	}
	return false;
}

/*
 * Returns the predicate that requires the partition attributes that are not
 * part of the table's key.  Sort attributes are not included, because a query
 * on the partition alone could then not use the index.
 */
static char *
SparsePredicate(const TableDef *def, const IndexDef *index, bool limited)
{
	StringInfoData out;

	initStringInfo(&out);
	for (int i = 0; i < index->key.npartition; i++)
	{
		if (IsInTableKey(def, index->attributes[i]))
			continue;
		appendStringInfo(&out, "%s%s IS NOT NULL", out.len > 0 ? " AND " : " WHERE ",
						 quote_identifier(def->attributes[index->attributes[i]].column));
	}
	if (limited)
	{
		appendStringInfoString(&out, out.len > 0 ? " AND " : " WHERE ");
		AppendLimits(&out, def, index);
	}
	return out.data;
}

static char *
BtreeStatement(Oid relid, const TableDef *def, const IndexDef *index,
			   bool limited, bool concurrently)
{
	return psprintf("CREATE INDEX %s%s ON %s USING btree (%s)%s",
					concurrently ? "CONCURRENTLY " : "",
					quote_identifier(index->relation),
					QualifiedName(get_rel_namespace(relid), get_rel_name(relid)),
					EntryColumns(def, index), SparsePredicate(def, index, limited));
}

static void
CreateBtree(Oid relid, const TableDef *def, const IndexDef *index, bool limited)
{
	RunStatement("%s", BtreeStatement(relid, def, index, limited, false));
}

/*
 * The rows get the columns of an inline index in the transaction that creates
 * its btree.
 */
static bool
BtreeIsNewer(const TableDef *def, const IndexDef *index, Snapshot snapshot)
{
	return WriterIsNewer(CatalogRowWriter(INDEXRELID, IndexDefRelation(def, index)), snapshot);
}

/* ---- filling and rebuilding ---- */

/* Creates the btree before the columns are set; fill_columns.c explains why. */
static void
FillBtree(Oid relid, const TableDef *def, const IndexDef *index, bool limited, bool new_columns)
{
	CreateBtree(relid, def, index, limited);
	if (new_columns)
		FillKeyColumns(relid, index->name);
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
RebuildBtree(Oid relid, const TableDef *def, const IndexDef *index, Oid found, bool limited)
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
	CreateBtree(relid, def, index, limited);
}

/* ---- building concurrently ---- */

/* Returns the btree, if it exists; and whether it is valid. */
static Oid
FindOwnBtree(const TableDef *def, const IndexDef *index, bool *valid)
{
	Oid			relid = FindIndexRelation(def, index);
	HeapTuple	tuple;

	*valid = false;
	if (!OidIsValid(relid) || !InlineIndexFits(def, index, relid))
		return InvalidOid;
	tuple = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(relid));
	if (HeapTupleIsValid(tuple))
	{
		*valid = ((Form_pg_index) GETSTRUCT(tuple))->indisvalid;
		ReleaseSysCache(tuple);
	}
	return relid;
}

/*
 * Whether the btree must be limited.  This cannot change any more: since the
 * index is CREATING, writes of such keys are refused.  If the index was filled
 * in batches, its skipped items have been counted.
 */
static bool
MustBeLimited(const TableDef *def, const IndexDef *index)
{
	LeftOut		left_out = FindLeftOut(def->relid, index->name, COLUMNS_FILLED);
	BuildState	state;

	BuildStateRead(def->relid, index->name, &state);
	if (state.skipped < left_out.items)
	{
		state.skipped = left_out.items;
		BuildStateWrite(def->relid, index->name, &state);
	}
	return left_out.by_limits;
}

static bool
PlanBtree(const TableDef *def, const IndexDef *index, ConcurrentBuild *build)
{
	Relation	rel = try_table_open(def->relid, AccessShareLock);
	Oid			found;
	bool		limited;

	if (rel == NULL)
		return false;
	found = FindOwnBtree(def, index, &build->done);
	limited = MustBeLimited(def, index);
	if (build->done && limited)
		build->done = InlineIndexIsLimited(found);
	build->drop = DropIndexStatement(found);
	build->create = BtreeStatement(def->relid, def, index, limited, true);
	table_close(rel, AccessShareLock);
	return true;
}

static bool
HasBtree(const TableDef *def, const IndexDef *index)
{
	bool		valid;

	(void) FindOwnBtree(def, index, &valid);
	return valid;
}

static List *
BtreeStatements(const TableDef *def, const IndexDef *index)
{
	List	   *statements = NIL;
	LeftOut		left_out;
	bool		valid;
	Oid			found = FindOwnBtree(def, index, &valid);

	if (OidIsValid(found) && !valid)
		statements = lappend(statements, psprintf("DROP INDEX CONCURRENTLY IF EXISTS %s",
												  QualifiedName(get_rel_namespace(def->relid), index->relation)));
	left_out = FindLeftOut(def->relid, index->name, COLUMNS_MISSING);
	return lappend(statements, BtreeStatement(def->relid, def, index, left_out.by_limits, true));
}

const IndexKind inline_index = {
	.storage = "inline",
	.whole_items = true,
	.secondary = true,
	.check_spec = CheckSecondaryIndex,
	.create = CreateBtree,
	.find = FindInlineBtree,
	.begin_scan = ScanRows,
	.is_newer = BtreeIsNewer,
	.fill = FillBtree,
	.rebuild = RebuildBtree,
	.plan = PlanBtree,
	.is_built = HasBtree,
	.build_statements = BtreeStatements,
	.verify = VerifyInline,
};
