/*
 * fill_columns.c
 *	  Sets the columns of new index keys in a table that has rows.
 *
 * Rows are rewritten like by an UPDATE, but without triggers and row security:
 * items do not change, so that users' triggers have nothing to do.  The btree
 * on the new columns must already exist.  If it were created later, it would
 * be built over broken HOT chains, and older snapshots could not use it.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "ddl/build_lock.h"
#include "index/build.h"
#include "security/owner.h"
#include "stat/progress.h"
#include "store/elsewhere.h"
#include "table/distribution.h"
#include "table/stored.h"

/* Minimum time between progress reports. */
#define REPORT_MILLISECONDS	5000
#define ROWS_PER_CLOCK_TEST	1000

/* Which columns are set. */
typedef enum FillMode
{
	FILL_MISSING,				/* null key columns */
	FILL_REPAIR,				/* null and wrong key columns */
	FILL_EXPIRY					/* expiry times that are not set */
} FillMode;

typedef struct Fill
{
	Relation	rel;
	TableDef   *def;
	RawTable	own;			/* its slot has the new row */
	Snapshot	snapshot;
	TupleTableSlot *old;
	MemoryContext row_context;
	FillMode	mode;
	const IndexDef *index;		/* NULL for expiry times */
	int64		rows;
	int64		rewritten;
	OwnerScope	scope;
} Fill;

static void
FillBegin(Fill *fill, Relation rel, const char *index_name, FillMode mode)
{
	memset(fill, 0, sizeof(Fill));
	OwnerScopeEnter(&fill->scope, rel->rd_rel->relowner);
	fill->rel = rel;
	fill->def = TableDefAcquire(rel);
	RawTableBegin(&fill->own, rel);
	fill->snapshot = RegisterSnapshot(GetLatestSnapshot());
	fill->old = table_slot_create(rel, NULL);
	fill->row_context = AllocSetContextCreate(CurrentMemoryContext, "dynamo index fill",
											  ALLOCSET_DEFAULT_SIZES);
	fill->mode = mode;
	fill->index = index_name != NULL ? TableDefIndexOf(fill->def, index_name) : NULL;
}

static void
FillEnd(Fill *fill)
{
	ExecDropSingleTupleTableSlot(fill->old);
	UnregisterSnapshot(fill->snapshot);
	RawTableEnd(&fill->own);
	TableDefRelease(fill->def);
	MemoryContextDelete(fill->row_context);
	OwnerScopeLeave(&fill->scope);
}

void
ReportBuildProgress(const IndexDef *index, int64 rows)
{
	static TimestampTz last_report;
	TimestampTz now;

	if (rows % ROWS_PER_CLOCK_TEST != 1)
		return;
	now = GetCurrentTimestamp();
	if (rows > 1 && !TimestampDifferenceExceeds(last_report, now, REPORT_MILLISECONDS))
		return;
	last_report = now;
	if (rows > 1)
		ereport(NOTICE,
				(errmsg("building index \"%s\": " INT64_FORMAT " items done",
						index->name, rows)));
}

static void
RewriteRow(Fill *fill, Datum *values, bool *nulls)
{
	RawTableForm(&fill->own, values, nulls);
	RawTableUpdate(&fill->own, &fill->old->tts_tid, fill->snapshot);
	fill->rewritten++;
}

ValueRef
CopyColumns(const TableDef *def, TupleTableSlot *slot, Datum **values, bool **nulls)
{
	int			natts = slot->tts_tupleDescriptor->natts;

	slot_getallattrs(slot);
	*values = memcpy(palloc(sizeof(Datum) * natts), slot->tts_values, sizeof(Datum) * natts);
	*nulls = memcpy(palloc(sizeof(bool) * natts), slot->tts_isnull, sizeof(bool) * natts);
	return DatumGetValue(SlotItem(slot, def->item_attnum));
}

static bool
IsBaseKey(const TableDef *def, int attribute)
{
	return attribute == def->key_attributes[0] ||
		(def->key.nsort > 0 && attribute == def->key_attributes[1]);
}

/*
 * Makes wrong columns null, so that they are derived again.  A column of the
 * table's key cannot be null; it is kept if the item has no usable key.
 */
bool
ForgetStaleColumns(const TableDef *def, ValueRef item, Datum *values, bool *nulls)
{
	bool		stale = false;

	for (int i = 0; i < def->nattributes; i++)
	{
		const AttributeDef *attr = &def->attributes[i];
		int			column = attr->attnum - 1;
		ValueRef	v = AttributeFind(item, attr->name.data, attr->name.len);
		bool		usable = !ValueIsMissing(v) && StoredKeyIsUsable(def, i, item);

		if (nulls[column] || (IsBaseKey(def, i) && !usable) ||
			(usable && KeyDatumsEqual(attr->type, values[column], KeyValueToDatum(attr, v))))
			continue;
		nulls[column] = true;
		stale = true;
	}
	return stale;
}

/*
 * Derives the columns of a row; returns whether the row must be rewritten.  A
 * rewritten row always gets all its columns, because the pass of an inline
 * index that is being built may not visit its new position.
 */
static bool
DeriveFilledRow(const Fill *fill, ValueRef item, Datum *values, bool *nulls)
{
	bool		changed = false;

	if (fill->mode == FILL_EXPIRY && !DeriveStoredExpiry(fill->def, item, values, nulls))
		return false;
	if (fill->mode == FILL_REPAIR)
		changed = ForgetStaleColumns(fill->def, item, values, nulls);
	changed |= DeriveStoredKeys(fill->def, item, values, nulls);
	return changed || fill->mode == FILL_EXPIRY;
}

static void
FillRow(Fill *fill)
{
	Datum	   *values;
	bool	   *nulls;
	ValueRef	item = CopyColumns(fill->def, fill->old, &values, &nulls);

	if (DeriveFilledRow(fill, item, values, nulls))
		RewriteRow(fill, values, nulls);
	fill->rows++;
}

/* Fills one relation; returns whether rows were rewritten. */
static bool
FillRelation(Oid relid, const char *index_name, FillMode mode)
{
	Relation	rel = table_open(relid, NoLock);
	Fill		fill;
	TableScanDesc scan;

	FillBegin(&fill, rel, index_name, mode);
	ProgressBegin(PROGRESS_FILL, relid, rel->rd_rel->reltuples);
	scan = BeginTableScan(rel, fill.snapshot);
	while (table_scan_getnextslot(scan, ForwardScanDirection, fill.old))
	{
		MemoryContext old = MemoryContextSwitchTo(fill.row_context);

		CHECK_FOR_INTERRUPTS();
		FillRow(&fill);
		ProgressRow();
		MemoryContextSwitchTo(old);
		MemoryContextReset(fill.row_context);
		if (fill.index != NULL)
			ReportBuildProgress(fill.index, fill.rows);
	}
	table_endscan(scan);
	ProgressEnd();
	FillEnd(&fill);
	table_close(rel, NoLock);
	CommandCounterIncrement();
	return fill.rewritten > 0;
}

/*
 * Restarts builds of index tables after rows were rewritten.  No trigger has
 * seen these rows, and a pass that is past their new positions would miss
 * them.
 */
static void
FillTablesAgain(Oid relid)
{
	Relation	rel = table_open(relid, NoLock);
	TableDef   *def = TableDefAcquire(rel);

	for (int i = 0; i < def->nindexes; i++)
	{
		const IndexDef *index = &def->indexes[i];

		if (!index->kind->own_entries || index->status != INDEX_CREATING)
			continue;
		BuildStop(relid);
		BuildStateStart(relid, index->name, PHASE_FILLING);
	}
	TableDefRelease(def);
	table_close(rel, NoLock);
}

static void
FillWithPartitions(Oid relid, const char *index_name, FillMode mode)
{
	bool		rewritten = false;
	ListCell   *cell;

	foreach(cell, find_all_inheritors(relid, AccessExclusiveLock, NULL))
	{
		if (get_rel_relkind(lfirst_oid(cell)) == RELKIND_RELATION)
			rewritten |= FillRelation(lfirst_oid(cell), index_name, mode);
	}
	if (rewritten)
		FillTablesAgain(relid);
}

bool
DoOnShards(Oid relid, ShardWork work, const char *index_name)
{
	if (!RelationIsDistributed(relid))
		return false;
	elsewhere->work_on_shards(relid, work, index_name, NULL);
	return true;
}

void
FillKeyColumns(Oid relid, const char *index_name)
{
	if (!DoOnShards(relid, SHARD_FILL, index_name))
		FillWithPartitions(relid, index_name, FILL_MISSING);
}

void
RepairKeyColumns(Oid relid, const char *index_name)
{
	if (!DoOnShards(relid, SHARD_REPAIR, index_name))
		FillWithPartitions(relid, index_name, FILL_REPAIR);
}

void
FillExpiry(Oid relid)
{
	if (!DoOnShards(relid, SHARD_FILL_EXPIRY, ""))
		FillWithPartitions(relid, NULL, FILL_EXPIRY);
}
