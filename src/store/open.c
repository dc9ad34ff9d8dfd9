/*
 * open.c
 *	  Opens a dynamo table for an operation: name, lock, privileges, path.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/skey.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/transam.h"
#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_trigger.h"
#include "catalog/pg_type_d.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/fmgroids.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/rls.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

#include "extension_objects.h"
#include "stat/slow.h"
#include "store/partition.h"
#include "store/plan.h"
#include "store/privileges.h"
#include "store/raw_table.h"
#include "store/store.h"
#include "table/distribution.h"

static bool direct_access = true;
static bool segment_ranges = false;

void
StoreInit(void)
{
	DefineCustomBoolVariable("dynamo.direct_access",
							 "Reads and writes rows without going through SQL statements where that is possible.",
							 "Both ways give the same results; off is for tests and for comparison.",
							 &direct_access,
							 true,
							 PGC_USERSET,
							 0,
							 NULL, NULL, NULL);
	DefineCustomBoolVariable("dynamo.segment_ranges",
							 "Reads segments of scans as ranges of keys, which ANALYZE defines.",
							 "A segment then costs its share of a scan, but a scan that pauses while ANALYZE defines other ranges misses items.",
							 &segment_ranges,
							 false,
							 PGC_USERSET,
							 0,
							 NULL, NULL, NULL);
	RawTableInit();
}

bool
StoreAccessIsDirect(void)
{
	return direct_access;
}

bool
StoreSegmentsAreRanges(void)
{
	return segment_ranges;
}

/*
 * Raises the errors that the executor raises before it takes a lock.  relid is
 * used only in a read-only transaction.
 */
static void
CheckWritable(Oid relid, AclMode access)
{
	const char *command = (access & ACL_INSERT) ? "INSERT" :
		(access & ACL_UPDATE) ? "UPDATE" : "DELETE";

	/* Temporary tables may be written in a read-only transaction. */
	if (XactReadOnly && !isTempNamespace(get_rel_namespace(relid)))
		PreventCommandIfReadOnly(command);
	PreventCommandIfParallelMode(command);
}

/* ---- path ---- */

/* Whether all triggers after statements are those that keep copies in step. */
static bool
OnlyCopiesAfterStatement(const TriggerDesc *t, const TableDef *def)
{
	for (int i = 0; i < t->numtriggers; i++)
	{
		const Trigger *trigger = &t->triggers[i];

		if (!TRIGGER_FOR_ROW(trigger->tgtype) && !TRIGGER_FOR_TRUNCATE(trigger->tgtype) &&
			(trigger->tgfoid != def->copies_function || trigger->tgqual != NULL || trigger->tgnattr > 0))
			return false;
	}
	return true;
}

/*
 * Whether there are statement triggers other than those that keep copies in
 * step, or row triggers with transition tables.  The former accept a statement
 * for each row.
 */
static bool
HasStatementTriggers(const TriggerDesc *t, const TableDef *def)
{
	if (t->trig_insert_before_statement || t->trig_update_before_statement || t->trig_delete_before_statement ||
		t->trig_insert_new_table || t->trig_update_old_table ||
		t->trig_update_new_table || t->trig_delete_old_table)
		return true;
	return (t->trig_insert_after_statement || t->trig_update_after_statement || t->trig_delete_after_statement) &&
		!OnlyCopiesAfterStatement(t, def);
}

/*
 * Whether a column other than ours would not simply be null in a new row.
 * Such values are left to the executor.
 */
static bool
HasColumnDefaults(const Store *store)
{
	TupleDesc	desc = RelationGetDescr(store->rel);

	for (int i = 0; i < desc->natts; i++)
	{
		Form_pg_attribute att = TupleDescAttr(desc, i);

		if (att->attisdropped || i == store->def->item_attnum - 1)
			continue;
		if (att->atthasdef || att->attidentity != '\0' ||
			(att->atttypid >= FirstGenbkiObjectId &&
			 get_typtype(att->atttypid) == TYPTYPE_DOMAIN))
			return true;
	}
	return false;
}

bool
RelationIsLocalHeap(Relation rel, const TableDef *def)
{
	return rel->rd_rel->relkind == RELKIND_RELATION &&
		rel->rd_tableam == GetHeapamTableAmRoutine() && !def->distributed;
}

Oid
StoreRights(const Store *store)
{
	return store->all_rows ? PLAN_ALL_ROWS : store->role;
}

bool
StoreHidesRows(const Store *store)
{
	return store->rel->rd_rel->relrowsecurity &&
		check_enable_rls(RelationGetRelid(store->rel), StoreRights(store), true) == RLS_ENABLED;
}

/*
 * Whether SQL would do nothing with the rows that the direct path does not do.
 */
static bool
SqlDoesNoMore(const Store *store)
{
	Relation	rel = store->rel;

	if (rel->rd_rel->relhasrules || StoreHidesRows(store))
		return false;
	return !StoreForWriting(store) ||
		((rel->trigdesc == NULL || !HasStatementTriggers(rel->trigdesc, store->def)) && !HasColumnDefaults(store));
}

/* Chooses the path for the table and for its partitions. */
static void
ChoosePath(Store *store)
{
	Form_pg_class form = store->rel->rd_rel;
	bool		possible;

	store->local = RelationIsLocalHeap(store->rel, store->def);
	store->partitioned = KeyDeterminesPartition(store->rel, store->def);
	possible = direct_access && (store->local || store->partitioned) && !form->relispartition &&
		SqlDoesNoMore(store);
	store->direct = possible && store->local && !form->relhassubclass;
	store->direct_partitions = possible && store->partitioned;
}

/* ---- snapshot ---- */

bool
WriterIsNewer(TransactionId xid, Snapshot snapshot)
{
	return TransactionIdIsNormal(xid) && XidInMVCCSnapshot(xid, snapshot) &&
		!TransactionIdIsCurrentTransactionId(xid);
}

/* Whether a snapshot shows a relation with a different file, or not at all. */
static bool
ShowsOtherFile(Oid relid, Oid file, Snapshot snapshot)
{
	Relation	rel = table_open(RelationRelationId, AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;
	bool		other;

	ScanKeyInit(&key, Anum_pg_class_oid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(relid));
	scan = systable_beginscan(rel, ClassOidIndexId, true, snapshot, 1, &key);
	tuple = systable_getnext(scan);
	other = !HeapTupleIsValid(tuple) ||
		((Form_pg_class) GETSTRUCT(tuple))->relfilenode != file;
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	return other;
}

bool
FileIsNewer(Oid relid, Snapshot snapshot)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relid));
	TransactionId xid;
	Oid			file;

	if (!HeapTupleIsValid(tuple))
		return false;
	xid = HeapTupleHeaderGetXmin(tuple->t_data);
	file = ((Form_pg_class) GETSTRUCT(tuple))->relfilenode;
	ReleaseSysCache(tuple);
	return WriterIsNewer(xid, snapshot) && ShowsOtherFile(relid, file, snapshot);
}

/*
 * To a snapshot that is older than the rewrite of a table by ALTER TABLE, the
 * table is empty.  A plain SQL statement takes its snapshot after it has
 * waited for the table.  Our caller's snapshot is older than the wait, so a
 * newer one is taken.
 */
void
TakeNewerSnapshot(Store *store)
{
	if (!IsolationUsesXactSnapshot() && !IsInParallelMode() && ActiveSnapshotSet() &&
		WriterIsNewer(store->def->written, GetActiveSnapshot()) &&
		FileIsNewer(RelationGetRelid(store->rel), GetActiveSnapshot()))
		store->newer = RegisterSnapshot(GetLatestSnapshot());
}

Snapshot
StoreSnapshot(const Store *store)
{
	return store->newer != NULL ? store->newer : GetActiveSnapshot();
}

/*
 * A statement that gets the snapshot would lock the partitions only when it is planned, and
 * wait there for the rewrite of one.  All are locked before the snapshot is taken.
 */
void
StoreAwaitRewrites(Store *store)
{
	ListCell   *cell;

	if (IsolationUsesXactSnapshot() || !ActiveSnapshotSet())
		return;
	foreach(cell, find_all_inheritors(RelationGetRelid(store->rel), AccessShareLock, NULL))
	{
		if (!FileIsNewer(lfirst_oid(cell), StoreSnapshot(store)))
			continue;
		if (store->newer != NULL)
			UnregisterSnapshot(store->newer);
		store->newer = RegisterSnapshot(GetLatestSnapshot());
	}
}

/* ---- open and close ---- */

static LOCKMODE
ChooseLockMode(AclMode access)
{
	return (access & ~ACL_SELECT) != 0 ? RowExclusiveLock : AccessShareLock;
}

/* Refuses what would be wrong on a distributed table, or on one of its shards. */
static void
CheckDistribution(const Store *store)
{
	if (store->def->distributed && store->def->undistributable != NULL)
		DistributedError(store->def->relid, store->def->undistributable);
	if (StoreForWriting(store))
		RefuseShard(store->rel, "writing to a shard");
}

/* Opens a relation that the caller has locked; named: by a function or a request. */
static void
OpenLocked(Store *store, Oid relid, AclMode access, bool named)
{
	store->access = access;
	store->context = CurrentMemoryContext;
	store->lookup = NULL;
	store->newer = NULL;
	store->ahead = NULL;
	store->partitions = NIL;
	store->of_node = false;
	store->at_once = false;
	store->rel = table_open(relid, NoLock);
	store->def = TableDefAcquire(store->rel);
	CheckPrivileges(store, named);
	CheckDistribution(store);
	ChoosePath(store);
	AnnounceAccess(store);
}

void
StoreOpen(Store *store, const char *table_name, AclMode access)
{
	LOCKMODE	lockmode = ChooseLockMode(access);

	if (lockmode == RowExclusiveLock)
		CheckWritable(XactReadOnly ? TableNameResolve(table_name, false) : InvalidOid, access);
	store->role = InvalidOid;
	store->all_rows = false;
	OpenLocked(store, TableNameLock(table_name, lockmode, false), access, true);
	CheckRestored(store->def);
	StatTable(RelationGetRelid(store->rel));
	if (SlowIsLogged())
		SlowNoteTable(get_namespace_name(RelationGetNamespace(store->rel)),
					  RelationGetRelationName(store->rel));
	if (StoreForWriting(store))
		CheckMaintained(store->def);
	else
		TakeNewerSnapshot(store);
}

void
StoreOpenAs(Store *store, Oid relid, AclMode access, Oid role, bool all_rows)
{
	LOCKMODE	lockmode = ChooseLockMode(access);

	if (lockmode == RowExclusiveLock)
		CheckWritable(relid, access);
	LockRelationOid(relid, lockmode);
	store->role = role;
	store->all_rows = all_rows;
	OpenLocked(store, relid, access, false);
}

void
StoreOpenRelation(Store *store, Oid relid, AclMode access)
{
	StoreOpenAs(store, relid, access, InvalidOid, false);
}

void
StoreClose(Store *store)
{
	StoreClosePartitions(store);
	if (store->lookup != NULL)
		StoreLookupEnd(store->lookup);
	if (store->newer != NULL)
		UnregisterSnapshot(store->newer);
	if (store->def != NULL)
		TableDefRelease(store->def);
	table_close(store->rel, NoLock);
}
