/*
 * write_direct.c
 *	  Writes one row with the executor's own primitives.
 *
 * Does what nodeModifyTable.c does for INSERT ... ON CONFLICT, UPDATE and
 * DELETE of one row by primary key, in the same order: BEFORE ROW triggers,
 * constraints, the heap, the indexes, AFTER ROW triggers.
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
 *
 * If derive_keys is the only BEFORE ROW trigger, it is not called as a
 * trigger: DeriveCheckedKeys then fills the columns of the new row.  If
 * maintain_indexes is the only AFTER trigger, too, its function is called
 * without the event of a trigger.
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
#include "storage/lmgr.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "store/raw_table.h"
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

/* ---- index tables ---- */

static StoreMaintenance maintenance = NULL;

void
StoreSetMaintenance(StoreMaintenance function)
{
	maintenance = function;
}

static HeapTuple
SlotTuple(TupleTableSlot *slot)
{
	bool		should_free;

	return ExecFetchSlotHeapTuple(slot, false, &should_free);
}

/* Updates the index tables after a write; old and new are NULL if there is no such row. */
static void
MaintainIndexTables(DirectWrite *d, TupleTableSlot *old, TupleTableSlot *new)
{
	if (d->maintain)
		maintenance(d->rel, d->request->store->def, old != NULL ? SlotTuple(old) : NULL,
					new != NULL ? SlotTuple(new) : NULL, d->cid);
}

/* ---- indexes ---- */

/*
 * Opens the indexes when the first entry is needed: a HOT update needs none.
 * If the primary key is the only one, the executor is not needed.  Otherwise
 * predicates come simplified from the relation cache; the executor would
 * call the planner to simplify them again.
 */
static void
OpenIndexes(DirectWrite *d)
{
	if (d->indexes_open)
		return;
	d->indexes_open = true;
	d->primary_only = HasPrimaryKeyOnly(d->rel, &d->primary_info);
	if (d->primary_only)
		return;
	ExecOpenIndices(d->rri, false);
	for (int i = 0; i < d->rri->ri_NumIndices; i++)
	{
		IndexInfo  *info = d->rri->ri_IndexRelationInfo[i];

		if (info->ii_Predicate != NIL)
			info->ii_PredicateState = ExecInitQual(info->ii_Predicate, NULL);
	}
}

/*
 * Closes the indexes but keeps their locks, like that of the table, because
 * the next write needs them again.
 */
static void
CloseIndexes(DirectWrite *d)
{
	for (int i = 0; i < d->rri->ri_NumIndices; i++)
		CloseUpdatedIndex(d->rri->ri_IndexRelationDescs[i],
						  d->rri->ri_IndexRelationInfo[i]);
	d->rri->ri_NumIndices = 0;
}

/*
 * Inserts an entry for the new row into the only index.  Returns false if check
 * is UNIQUE_CHECK_PARTIAL and there may be a conflict.
 */
static bool
InsertPrimaryEntry(DirectWrite *d, IndexUniqueCheck check, bool unchanged)
{
	Datum		values[INDEX_MAX_KEYS];
	bool		nulls[INDEX_MAX_KEYS];

	for (int i = 0; i < d->primary_info.ii_NumIndexAttrs; i++)
		values[i] = slot_getattr(d->new, d->primary_info.ii_IndexAttrNumbers[i], &nulls[i]);
	return index_insert(d->primary, values, nulls, &d->new->tts_tid, d->rel, check, unchanged,
						&d->primary_info);
}

/* Insert entries for a new row; return the indexes to check again after it. */
static List *
InsertEntries(DirectWrite *d)
{
	if (!d->primary_only)
		return InsertIndexTuples(d->rri, d->new, d->estate);
	(void) InsertPrimaryEntry(d, UNIQUE_CHECK_YES, false);
	return NIL;
}

static List *
InsertUpdatedEntries(DirectWrite *d, UpdatedIndexes updated)
{
	OpenIndexes(d);
	if (!d->primary_only)
		return InsertUpdatedIndexTuples(d->rri, d->new, d->estate, updated);
	(void) InsertPrimaryEntry(d, UNIQUE_CHECK_YES, true);
	return NIL;
}

/* Does not wait for a conflict, but sets *conflict. */
static List *
InsertSpeculativeEntries(DirectWrite *d, bool *conflict)
{
	if (!d->primary_only)
		return InsertSpeculativeIndexTuples(d->rri, d->new, d->estate, conflict,
											list_make1_oid(d->def->primary_key));
	*conflict = !InsertPrimaryEntry(d, UNIQUE_CHECK_PARTIAL, false);
	return NIL;
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
	CloseIndexes(d);
	ExecCloseResultRelations(d->estate);
	ExecResetTupleTable(d->estate->es_tupleTable, false);
	MemoryContextSwitchTo(d->caller);
	FreeExecutorState(d->estate);
	EndAttempt(d);

	CommandCounterIncrement();
}

/* ---- the new row ---- */

TupleTableSlot *
EmptyNewRow(DirectWrite *d)
{
	if (d->new == NULL)
		d->new = table_slot_create(d->rel, &d->estate->es_tupleTable);
	else
		ExecClearTuple(d->new);
	return d->new;
}

static void
SetKeyColumns(DirectWrite *d)
{
	for (int i = 0; i < KeyCount(&d->def->key); i++)
	{
		int			column = TableKeyAttribute(d->def, i)->attnum - 1;

		d->new->tts_values[column] = d->request->key->values[i];
		d->new->tts_isnull[column] = false;
	}
}

/*
 * Copies the old row, except the contents of dropped columns, like any UPDATE.
 */
static void
CopyOldRow(DirectWrite *d)
{
	TupleDesc	desc = RelationGetDescr(d->rel);

	slot_getallattrs(d->old);
	for (int i = 0; i < desc->natts; i++)
	{
		d->new->tts_values[i] = d->old->tts_values[i];
		d->new->tts_isnull[i] = d->old->tts_isnull[i] || TupleDescAttr(desc, i)->attisdropped;
	}
}

/*
 * Makes the new row of an UPDATE with this item, or of an INSERT of key and
 * item.  The row points to the item and the old row until triggers or the heap
 * form a tuple.
 */
static void
MakeNewRow(DirectWrite *d, bool from_old, struct varlena *item)
{
	TupleTableSlot *new = EmptyNewRow(d);
	int			natts = RelationGetDescr(d->rel)->natts;
	ReplacedItem replaced = {.item = MISSING_VALUE};

	if (from_old)
	{
		CopyOldRow(d);
		replaced.stored = d->old->tts_values[d->def->item_attnum - 1];
	}
	else
	{
		memset(new->tts_values, 0, natts * sizeof(Datum));
		memset(new->tts_isnull, true, natts * sizeof(bool));
		SetKeyColumns(d);
	}
	new->tts_values[d->def->item_attnum - 1] = PointerGetDatum(item);
	new->tts_isnull[d->def->item_attnum - 1] = false;

	if (!d->fire_before)
		DeriveCheckedKeys(d->def, ItemRoot(item), new->tts_values, new->tts_isnull,
						  from_old ? &replaced : NULL);
	ExecStoreVirtualTuple(new);
}

static void
CheckConstraints(DirectWrite *d)
{
	d->new->tts_tableOid = RelationGetRelid(d->rel);
	if (RelationGetDescr(d->rel)->constr != NULL)
		ExecConstraints(d->rri, d->new, d->estate);
}

/* Remembers the item as it was stored: triggers may have changed it. */
static void
KeepStored(DirectWrite *d, struct varlena *item)
{
	Datum		datum;
	MemoryContext old;

	if (!d->fire_before)
	{
		d->request->stored = item;
		return;
	}
	datum = SlotItem(d->new, d->def->item_attnum);
	old = MemoryContextSwitchTo(d->caller);
	d->request->stored = PG_DETOAST_DATUM_COPY(datum);
	MemoryContextSwitchTo(old);
}

/*
 * The executor's error for a row that a trigger, or a function in a
 * constraint, has modified.
 */
static void
ModifiedByTriggerError(const char *what)
{
	ereport(ERROR,
			(errcode(ERRCODE_TRIGGERED_DATA_CHANGE_VIOLATION),
			 errmsg("tuple to be %s was already modified by an operation triggered by the current command",
					what),
			 errhint("Consider using an AFTER trigger instead of a BEFORE trigger to propagate changes to other rows.")));
}

/* ---- update ---- */

static bool
DirectUpdateRow(DirectWrite *d, struct varlena *item, WriteAction *action)
{
	ItemPointerData tid = d->old->tts_tid;
	TM_FailureData failure;
	LockTupleMode lockmode;
	UpdatedIndexes updated = NO_UPDATED_INDEXES;
	List	   *recheck = NIL;
	TM_Result	result;

	CheckCmdReplicaIdentity(d->rel, CMD_UPDATE);
	MakeNewRow(d, true, item);
	if (d->fire_before && d->rri->ri_TrigDesc->trig_update_before_row &&
		!BeforeRowUpdate(d->estate, &d->epq, d->rri, &tid, d->new))
	{
		*action = WRITE_NOTHING;
		return true;
	}
	CheckConstraints(d);

	result = table_tuple_update(d->rel, &tid, d->new, d->cid, d->estate->es_snapshot,
								InvalidSnapshot, true, &failure, &lockmode, &updated);
	if (result == TM_SelfModified)
		ModifiedByTriggerError("updated");
	if (result != TM_Ok)
	{
		RowWasChanged(d, result);
		return false;
	}

	if (updated != NO_UPDATED_INDEXES)
		recheck = InsertUpdatedEntries(d, updated);
	MaintainIndexTables(d, d->old, d->new);
	if (d->fire_after)
	{
		ExecARUpdateTriggers(d->estate, d->rri, NULL, NULL, &tid, NULL, d->new,
							 recheck, NULL, false);
		if (d->rri->ri_TrigDesc->trig_update_after_statement)
			ExecASUpdateTriggers(d->estate, d->rri, NULL);
	}
	KeepStored(d, item);
	return true;
}

/* ---- insert ---- */

/* Whether the row still has the key by which it was searched. */
static bool
KeyIsUnchanged(DirectWrite *d)
{
	for (int i = 0; i < KeyCount(&d->def->key); i++)
	{
		const AttributeDef *attr = TableKeyAttribute(d->def, i);
		bool		isnull;
		Datum		datum = slot_getattr(d->new, attr->attnum, &isnull);

		if (isnull || !KeyDatumsEqual(attr->type, datum, d->request->key->values[i]))
			return false;
	}
	return true;
}

/* Whether the current error is that the primary key's index has the key. */
static bool
IsKeyViolation(DirectWrite *d)
{
	MemoryContext old = MemoryContextSwitchTo(d->caller);
	ErrorData  *error = CopyErrorData();

	MemoryContextSwitchTo(old);
	return error->sqlerrcode == ERRCODE_UNIQUE_VIOLATION && error->constraint_name != NULL &&
		strcmp(error->constraint_name, RelationGetRelationName(d->primary)) == 0;
}

/*
 * Does what INSERT ... ON CONFLICT DO NOTHING does; false if there was a
 * conflict.
 */
static bool
InsertSpeculatively(DirectWrite *d, List **recheck)
{
	TransactionId xid = GetCurrentTransactionId();
	uint32		token = SpeculativeInsertionLockAcquire(xid);
	bool		conflict = false;

	table_tuple_insert_speculative(d->rel, d->new, d->cid, 0, NULL, token);
	*recheck = InsertSpeculativeEntries(d, &conflict);
	table_tuple_complete_speculative(d->rel, d->new, token, !conflict);
	SpeculativeInsertionLockRelease(xid);
	return !conflict;
}

/*
 * Inserts a row and lets the index of the primary key find an existing one,
 * which the index reports by an error only.  No subtransaction is needed,
 * because another error is raised in its place.
 */
static void
InsertNew(DirectWrite *d, List **recheck)
{
	table_tuple_insert(d->rel, d->new, d->cid, 0, NULL);
	PG_TRY();
	{
		*recheck = InsertEntries(d);
	}
	PG_CATCH();
	{
		if (!IsKeyViolation(d))
			PG_RE_THROW();
		FlushErrorState();
		DuplicateItemError();
	}
	PG_END_TRY();
}

static bool
DirectInsertRow(DirectWrite *d, struct varlena *item, WriteAction *action)
{
	List	   *recheck = NIL;

	MakeNewRow(d, false, item);
	if (d->fire_before && d->rri->ri_TrigDesc->trig_insert_before_row &&
		!ExecBRInsertTriggers(d->estate, d->rri, d->new))
	{
		*action = WRITE_NOTHING;
		return true;
	}
	CheckConstraints(d);
	OpenIndexes(d);

	/*
	 * If a trigger changed the key, this is a plain INSERT of the other key.
	 */
	if (d->fire_before && !KeyIsUnchanged(d))
	{
		table_tuple_insert(d->rel, d->new, d->cid, 0, NULL);
		recheck = InsertEntries(d);
	}
	else if (d->request->insert)
		InsertNew(d, &recheck);
	else if (!InsertSpeculatively(d, &recheck))
		return false;

	MaintainIndexTables(d, NULL, d->new);
	if (d->fire_after)
	{
		ExecARInsertTriggers(d->estate, d->rri, d->new, recheck, NULL);
		if (d->rri->ri_TrigDesc->trig_insert_after_statement)
			ExecASInsertTriggers(d->estate, d->rri, NULL);
	}
	KeepStored(d, item);
	return true;
}

/* ---- delete ---- */

static bool
DirectDeleteRow(DirectWrite *d, WriteAction *action)
{
	ItemPointerData tid = d->old->tts_tid;
	TM_FailureData failure;
	TM_Result	result;

	CheckCmdReplicaIdentity(d->rel, CMD_DELETE);
	if (d->fire_before && d->rri->ri_TrigDesc->trig_delete_before_row &&
		!BeforeRowDelete(d->estate, &d->epq, d->rri, &tid))
	{
		*action = WRITE_NOTHING;
		return true;
	}

	result = table_tuple_delete(d->rel, &tid, d->cid, d->estate->es_snapshot,
								InvalidSnapshot, true, &failure, false);
	if (result == TM_SelfModified)
		ModifiedByTriggerError("deleted");
	if (result != TM_Ok)
	{
		RowWasChanged(d, result);
		return false;
	}
	MaintainIndexTables(d, d->old, NULL);
	if (d->fire_after)
	{
		ExecARDeleteTriggers(d->estate, d->rri, &tid, NULL, NULL, false);
		if (d->rri->ri_TrigDesc->trig_delete_after_statement)
			ExecASDeleteTriggers(d->estate, d->rri, NULL);
	}
	return true;
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
	OpenIndexes(d);
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
