/*
 * write_direct.c
 *	  Writes one row with the executor's own primitives.
 *
 * With the files beside it (write_direct.h) it does what nodeModifyTable.c does
 * for INSERT ... ON CONFLICT, UPDATE and DELETE of one row by primary key, in
 * the same order: BEFORE ROW triggers, constraints, the heap, the indexes, AFTER
 * ROW triggers.
 *
 * Atomicity.  The decision is made on the current version of the row.
 * heap_update and heap_delete refuse to replace any other version: they report
 * TM_Updated or TM_Deleted if the row has changed since.  The write then
 * starts again, or fails in REPEATABLE READ.  The row is therefore not locked
 * before, unless BEFORE triggers will read it.  A missing row is inserted
 * speculatively; if another transaction was faster, the write starts again,
 * too.  So a row that is probably new is not searched for.
 *
 * Commands.  The command counter is incremented before each attempt, so that
 * rows this statement has already written can be written again, and at the
 * end, so that later code sees the row.
 *
 * Statement triggers that keep copies in step fire for each row; a table with
 * other statement triggers is written through SQL.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/sysattr.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "catalog/pg_trigger.h"
#include "commands/trigger.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "store/write_direct.h"
#include "table/stored.h"

/* ---- triggers ---- */

/*
 * Whether derive_keys is the only BEFORE ROW trigger of INSERT and UPDATE, and
 * always fires.  TableDefAcquire has checked that it exists.
 */
static bool
OnlyDeriveKeysBefore(const TriggerDesc *triggers)
{
	int			before = 0;

	if (triggers == NULL || triggers->trig_delete_before_row)
		return false;
	for (int i = 0; i < triggers->numtriggers; i++)
	{
		const Trigger *t = &triggers->triggers[i];

		if (!TRIGGER_FOR_ROW(t->tgtype) || !TRIGGER_FOR_BEFORE(t->tgtype))
			continue;
		if (t->tgenabled != TRIGGER_FIRES_ALWAYS || t->tgqual != NULL || t->tgnattr > 0 ||
			!TRIGGER_FOR_INSERT(t->tgtype) || !TRIGGER_FOR_UPDATE(t->tgtype))
			return false;
		before++;
	}
	return before == 1;
}

bool
StoreItemIsFinal(const Store *store)
{
	return OnlyDeriveKeysBefore(store->rel->trigdesc);
}

static bool
HasAfterRowTriggers(const TriggerDesc *t)
{
	return t != NULL && (t->trig_insert_after_row || t->trig_update_after_row ||
						 t->trig_delete_after_row);
}

bool
StoreHasOurTriggersOnly(const Store *store)
{
	return StoreItemIsFinal(store) && !HasAfterRowTriggers(store->rel->trigdesc) &&
		store->rel->rd_rel->relchecks == 0;
}

bool
StoreWritesRowOnly(const Store *store)
{
	return store->direct && StoreHasOurTriggersOnly(store);
}

/* ---- begin and end ---- */

/* Makes the range table that permission checks and triggers use. */
static void
InitUpdatedColumns(DirectWrite *d)
{
	RangeTblEntry *rte = makeNode(RangeTblEntry);
	PermissionsNode *perms;

	rte->rtekind = RTE_RELATION;
	rte->relid = RelationGetRelid(d->rel);
	rte->relkind = d->rel->rd_rel->relkind;
	rte->rellockmode = RowExclusiveLock;
	perms = MakePermissionsNode(rte);
	perms->relid = rte->relid;
	perms->updatedCols = bms_make_singleton(d->def->item_attnum -
											FirstLowInvalidHeapAttributeNumber);
	InitRangeTable(d->estate, rte, perms);
}

/*
 * Prepares triggers only if some fire, because that copies their description.
 */
static void
InitResultRelation(DirectWrite *d)
{
	d->rri = makeNode(ResultRelInfo);
	if (!d->fire_before && !d->fire_after)
	{
		d->rri->ri_RelationDesc = d->rel;
		return;
	}

	InitUpdatedColumns(d);
	InitResultRelInfo(d->rri, d->rel, 1, NULL, 0);
	d->estate->es_opened_result_relations = list_make1(d->rri);
	InitUnusedEvalPlanQual(&d->epq, d->estate);
	if (d->fire_after)
		AfterTriggerBeginQuery();
}

/*
 * Starts a command for an attempt.  Code that may read tables gets a snapshot
 * that includes all changes of this transaction.
 */
static void
BeginAttempt(DirectWrite *d)
{
	CommandCounterIncrement();
	d->cid = GetCurrentCommandId(true);
	if (d->own_snapshot)
	{
		PushActiveSnapshot(GetTransactionSnapshot());
		UpdateActiveSnapshotCommandId();
	}
	d->estate->es_output_cid = d->cid;
	d->estate->es_snapshot = GetActiveSnapshot();
}

static void
EndAttempt(DirectWrite *d)
{
	if (d->own_snapshot)
		PopActiveSnapshot();
}

/*
 * Starts another attempt: triggers of the failed one may have written rows,
 * including this one.
 */
static void
StartAgain(DirectWrite *d)
{
	CHECK_FOR_INTERRUPTS();
	EndAttempt(d);
	BeginAttempt(d);
}

Relation
OpenPrimaryKey(const TableDef *def)
{
	Relation	primary;

	if (!OidIsValid(def->primary_key))
		return NULL;
	primary = index_open(def->primary_key, RowExclusiveLock);
	if (primary->rd_index->indimmediate && primary->rd_index->indisvalid)
		return primary;
	index_close(primary, RowExclusiveLock);
	return NULL;
}

void
DirectBegin(DirectWrite *d, WriteRequest *request, Relation primary, bool fire_triggers)
{
	Relation	rel = request->store->rel;

	memset(d, 0, sizeof(*d));
	d->request = request;
	d->rel = rel;
	d->def = request->store->def;
	d->primary = primary;
	d->caller = CurrentMemoryContext;
	if (fire_triggers)
	{
		d->fire_before = !OnlyDeriveKeysBefore(rel->trigdesc);
		d->maintain = d->def->cached && d->def->only_maintained && !d->fire_before;
		d->fire_after = HasAfterRowTriggers(rel->trigdesc) && !d->maintain;
		d->own_snapshot = d->fire_before || d->fire_after || rel->rd_rel->relchecks > 0;
	}

	d->estate = CreateExecutorState();
	MemoryContextSwitchTo(d->estate->es_query_cxt);
	BeginAttempt(d);
	InitResultRelation(d);
	d->old = table_slot_create(rel, &d->estate->es_tupleTable);
}

void
DirectEnd(DirectWrite *d)
{
	if (d->fire_after)
		AfterTriggerEndQuery(d->estate);
	DirectCloseIndexes(d);
	ExecCloseResultRelations(d->estate);
	ExecResetTupleTable(d->estate->es_tupleTable, false);
	MemoryContextSwitchTo(d->caller);
	FreeExecutorState(d->estate);
	EndAttempt(d);

	CommandCounterIncrement();
}

/* ---- the loop ---- */

static WriteAction
DirectDecide(DirectWrite *d, FoundState found, struct varlena **item)
{
	WriteRequest *r = d->request;
	ValueRef	old = MISSING_VALUE;
	MemoryContext context;
	WriteAction action;

	if (found == ROW_FOUND && r->need_old)
		old = DatumGetValue(SlotItem(d->old, d->def->item_attnum));
	*item = NULL;
	context = MemoryContextSwitchTo(d->caller);
	action = r->decide(r->arg, old, item);
	MemoryContextSwitchTo(context);
	return action;
}

/*
 * After this many puts of new keys in a row, the next one is expected to be of a
 * new key, too.  If it is not, a dead row remains, as after any lost race.
 */
#define EXPECT_NEW_AFTER	16

/* Whether a put shall insert a row without searching for an existing one. */
static bool
ExpectsNewRow(DirectWrite *d)
{
	if (!d->request->put || d->def->new_puts < EXPECT_NEW_AFTER || d->fire_before ||
		IsolationUsesXactSnapshot())
		return false;

	/* Another unique index would report the existing row as an error. */
	DirectOpenIndexes(d);
	return d->primary_only;
}

static void
NotePut(DirectWrite *d, bool new)
{
	int		   *n = &unconstify(TableDef *, d->def)->new_puts;

	if (d->request->put)
		*n = new ? Min(*n + 1, EXPECT_NEW_AFTER) : 0;
}

/*
 * Finds the row, by its lock if there is one.  Since the row was locked, our
 * own triggers may have written it.  If the locked version is no longer
 * current, the row is searched for.  If the row is no longer absent, the
 * insertion fails and the next attempt finds it.
 */
static FoundState
DirectFindRow(DirectWrite *d)
{
	const RowLock *lock = d->request->lock;

	d->request->lock = NULL;
	if (d->request->insert || ExpectsNewRow(d))
		return ROW_ABSENT;
	if (lock != NULL && lock->direct)
	{
		if (!lock->present)
			return ROW_ABSENT;
		if (FindLockedRow(d, lock->tid))
			return ROW_FOUND;
	}
	return FindCurrentRow(d, d->fire_before);
}

/* Makes one attempt; false to start again. */
static bool
TryWrite(DirectWrite *d, WriteAction *action)
{
	FoundState	found = DirectFindRow(d);
	struct varlena *item;
	bool		done;

	if (found == ROW_CHANGED)
		return false;
	*action = DirectDecide(d, found, &item);
	if (*action == WRITE_PUT)
	{
		done = found == ROW_FOUND ? DirectUpdateRow(d, item, action) : DirectInsertRow(d, item, action);
		NotePut(d, found == ROW_ABSENT && done);
		return done;
	}
	if (*action == WRITE_DELETE && found == ROW_FOUND)
		return DirectDeleteRow(d, action);
	*action = WRITE_NOTHING;
	return true;
}

WriteAction
StoreWriteDirect(WriteRequest *request)
{
	Relation	primary = OpenPrimaryKey(request->store->def);
	DirectWrite d;
	WriteAction action;

	if (primary == NULL)
		return StoreWriteSql(request);

	DirectBegin(&d, request, primary, true);
	while (!TryWrite(&d, &action))
		StartAgain(&d);
	DirectEnd(&d);
	index_close(primary, NoLock);
	return action;
}
