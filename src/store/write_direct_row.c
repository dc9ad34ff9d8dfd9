/*
 * write_direct_row.c
 *	  Updates, inserts or deletes the row of a direct write, once that is decided.
 *
 * If derive_keys is the only BEFORE ROW trigger, it is not called as a
 * trigger: DeriveCheckedKeys then fills the columns of the new row.
 */
#include "postgres.h"

#include "access/tableam.h"
#include "access/xact.h"
#include "commands/trigger.h"
#include "executor/executor.h"
#include "storage/lmgr.h"
#include "utils/rel.h"

#include "store/write_direct.h"
#include "table/stored.h"

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

bool
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

	result = UpdateTuple(d->rel, &tid, d->new, d->cid, d->estate->es_snapshot, &failure, &lockmode, &updated);
	if (result == TM_SelfModified)
		ModifiedByTriggerError("updated");
	if (result != TM_Ok)
	{
		RowWasChanged(d, result);
		return false;
	}

	if (updated != NO_UPDATED_INDEXES)
		recheck = DirectInsertUpdatedEntries(d, updated);
	DirectMaintainTables(d, d->old, d->new);
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
	*recheck = DirectInsertSpeculativeEntries(d, &conflict);
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
		*recheck = DirectInsertEntries(d);
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

bool
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
	DirectOpenIndexes(d);

	/*
	 * If a trigger changed the key, this is a plain INSERT of the other key.
	 */
	if (d->fire_before && !KeyIsUnchanged(d))
	{
		table_tuple_insert(d->rel, d->new, d->cid, 0, NULL);
		recheck = DirectInsertEntries(d);
	}
	else if (d->request->insert)
		InsertNew(d, &recheck);
	else if (!InsertSpeculatively(d, &recheck))
		return false;

	DirectMaintainTables(d, NULL, d->new);
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

bool
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

	result = DeleteTuple(d->rel, &tid, d->cid, d->estate->es_snapshot, true, &failure);
	if (result == TM_SelfModified)
		ModifiedByTriggerError("deleted");
	if (result != TM_Ok)
	{
		RowWasChanged(d, result);
		return false;
	}
	DirectMaintainTables(d, d->old, NULL);
	if (d->fire_after)
	{
		ExecARDeleteTriggers(d->estate, d->rri, &tid, NULL, NULL, false);
		if (d->rri->ri_TrigDesc->trig_delete_after_statement)
			ExecASDeleteTriggers(d->estate, d->rri, NULL);
	}
	return true;
}
