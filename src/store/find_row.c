/*
 * find_row.c
 *	  Finds the current version of a row for the direct write path.
 *
 * The search uses a dirty snapshot, like the uniqueness check of INSERT ... ON
 * CONFLICT.  A dirty snapshot sees all committed rows and the changes of this
 * transaction.  It therefore finds the version that a write would replace, and
 * earlier writes of the same statement do not conflict.  It also reports
 * transactions in progress that insert, update or delete the row; the search
 * waits for them, since the decision depends on their outcome.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relscan.h"
#include "access/sysattr.h"
#include "access/tableam.h"
#include "access/transam.h"
#include "access/xact.h"
#include "executor/tuptable.h"
#include "nodes/lockoptions.h"
#include "storage/lmgr.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "store/scan.h"
#include "store/write_direct.h"

/* ---- scan keys ---- */

/*
 * Returns the number of the key attribute in this column of the primary key's
 * index.
 */
static int
FindKeyAttribute(const DirectWrite *d, int column)
{
	AttrNumber	attnum = d->primary->rd_index->indkey.values[column];
	int			nkeys = KeyCount(&d->def->key);

	for (int i = 0; i < nkeys; i++)
	{
		if (TableKeyAttribute(d->def, i)->attnum == attnum)
			return i;
	}
	elog(ERROR, "primary key of \"%s\" is not on its key attributes",
		 RelationGetRelationName(d->rel));
	return 0;
}

static int
BuildRowScanKeys(const DirectWrite *d, ScanKey keys)
{
	int			nkeys = KeyCount(&d->def->key);

	for (int i = 0; i < nkeys; i++)
	{
		int			k = FindKeyAttribute(d, i);

		KeyScanKey(&keys[i], d->primary, i, TableKeyAttribute(d->def, k)->type,
				   BTEqualStrategyNumber, d->request->key->values[k]);
	}
	return nkeys;
}

/*
 * Fetches the row that a snapshot shows into d->old; false if there is none.
 */
static bool
FetchRow(DirectWrite *d, Snapshot snapshot)
{
	ScanKeyData keys[2];
	int			nkeys = BuildRowScanKeys(d, keys);
	IndexScanDesc scan = BeginIndexScan(d->rel, d->primary, snapshot, nkeys);
	bool		found;

	index_rescan(scan, keys, nkeys, NULL, 0);
	found = index_getnext_slot(scan, ForwardScanDirection, d->old);
	index_endscan(scan);
	return found;
}

/* ---- stricter isolation levels ---- */

void
RowWasChanged(const DirectWrite *d, TM_Result how)
{
	bool		deletes_only = (d->request->store->access & ACL_UPDATE) == 0;

	if (!IsolationUsesXactSnapshot())
		return;
	ereport(ERROR,
			(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
			 how == TM_Deleted && deletes_only ?
			 errmsg("could not serialize access due to concurrent delete") :
			 errmsg("could not serialize access due to concurrent update")));
}

/*
 * Checks that the current row, which is in d->old, is the one the snapshot
 * shows.  Versions of our own are accepted even if they are too new for this
 * statement's snapshot.
 */
static void
CheckRowVisible(DirectWrite *d)
{
	bool		isnull;
	Datum		xmin;

	if (table_tuple_satisfies_snapshot(d->rel, d->old, GetActiveSnapshot()))
		return;
	xmin = slot_getsysattr(d->old, MinTransactionIdAttributeNumber, &isnull);
	if (!TransactionIdIsCurrentTransactionId(DatumGetTransactionId(xmin)))
		RowWasChanged(d, TM_Updated);
}

/*
 * The snapshot shows a row (in d->old) that does not exist any more.  Checks
 * that this transaction has deleted it.
 */
static void
CheckRowDeletedByUs(DirectWrite *d)
{
	bool		should_free;
	HeapTuple	tuple = ExecFetchSlotHeapTuple(d->old, false, &should_free);
	TransactionId xmax = HeapTupleHeaderGetUpdateXid(tuple->t_data);

	if (!TransactionIdIsCurrentTransactionId(xmax))
		RowWasChanged(d, TM_Deleted);
	if (should_free)
		heap_freetuple(tuple);
}

/* ---- the search ---- */

static void
WaitForInserter(DirectWrite *d, const SnapshotData *dirty)
{
	ItemPointerData tid = d->old->tts_tid;

	ExecClearTuple(d->old);
	if (dirty->speculativeToken != 0)
		SpeculativeInsertionWait(dirty->xmin, dirty->speculativeToken);
	else
		XactLockTableWait(dirty->xmin, d->rel, &tid, XLTW_InsertIndex);
}

/*
 * Locks the row in d->old; waits for transactions that are changing it.  A
 * deletion needs a stronger lock than an update that keeps the key.
 */
static FoundState
LockRow(DirectWrite *d)
{
	LockTupleMode mode = d->request->share ? LockTupleShare :
		(d->request->store->access & ACL_UPDATE) ? LockTupleNoKeyExclusive : LockTupleExclusive;
	ItemPointerData tid = d->old->tts_tid;
	TM_FailureData failure;
	TM_Result	result;

	result = table_tuple_lock(d->rel, &tid, GetActiveSnapshot(), d->old, d->cid,
							  mode, LockWaitBlock, 0, &failure);
	switch (result)
	{
		case TM_Ok:
			return ROW_FOUND;
		case TM_Updated:
		case TM_Deleted:
			RowWasChanged(d, result);
			ExecClearTuple(d->old);
			return ROW_CHANGED;
		default:
			/*
			 * A dirty snapshot does not show versions that we have replaced.
			 */
			elog(ERROR, "unexpected table_tuple_lock status: %u", result);
			return ROW_CHANGED;
	}
}

/*
 * Whether a row exists although the dirty search did not find it.
 *
 * A dirty snapshot can miss a row that another transaction is updating to a
 * new index entry: the scan read the index before that entry was made, and the
 * old version after that transaction had committed.  A new snapshot does not
 * have this gap.  Deletions and conditions on the row need the second search.
 * Insertions do not need it, because they would find the row in the index.
 */
static bool
RowWasMissed(DirectWrite *d)
{
	bool		inserts = (d->request->store->access & ACL_INSERT) != 0;
	Snapshot	latest;
	bool		found;

	if ((inserts && !d->request->need_old) || IsolationUsesXactSnapshot())
		return false;
	latest = RegisterSnapshot(GetLatestSnapshot());
	found = FetchRow(d, latest);
	UnregisterSnapshot(latest);
	return found;
}

bool
RowIsThere(DirectWrite *d)
{
	SnapshotData dirty;
	bool		found;

	InitDirtySnapshot(dirty);
	found = FetchRow(d, &dirty);
	ExecClearTuple(d->old);
	return found;
}

bool
FindLockedRow(DirectWrite *d, ItemPointerData tid)
{
	SnapshotData dirty;

	InitDirtySnapshot(dirty);
	return table_tuple_fetch_row_version(d->rel, &tid, &dirty, d->old);
}

FoundState
FindCurrentRow(DirectWrite *d, bool lock)
{
	SnapshotData dirty;
	bool		shown = false;
	FoundState	state = ROW_FOUND;

	/*
	 * The stricter isolation levels need the row as the snapshot shows it.
	 * Reading it also takes the predicate locks of SERIALIZABLE.
	 */
	if (IsolationUsesXactSnapshot())
		shown = FetchRow(d, GetActiveSnapshot());

	InitDirtySnapshot(dirty);
	if (!FetchRow(d, &dirty))
	{
		if (shown && FetchRow(d, GetActiveSnapshot()))
			CheckRowDeletedByUs(d);
		state = RowWasMissed(d) ? ROW_CHANGED : ROW_ABSENT;
		ExecClearTuple(d->old);
		return state;
	}
	if (TransactionIdIsValid(dirty.xmin))
	{
		WaitForInserter(d, &dirty);
		return ROW_CHANGED;
	}

	/* A transaction is updating or deleting the row, or we have locked it. */
	if (lock || TransactionIdIsValid(dirty.xmax))
		state = LockRow(d);
	if (state == ROW_FOUND && IsolationUsesXactSnapshot())
		CheckRowVisible(d);
	return state;
}
