/*
 * dropped.c
 *	  Finds the triggers that a statement has dropped, in an event trigger at
 *	  its end.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_trigger.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "ddl/dropped.h"
#include "ddl/event.h"
#include "table/table.h"

/* ---- deleted rows ---- */

/*
 * Whether this transaction has deleted the row, rather than replaced this
 * version.
 */
static bool
IsDeleted(HeapTuple tuple)
{
	HeapTupleHeader header = tuple->t_data;

	return !(header->t_infomask & HEAP_XMAX_INVALID) &&
		!HEAP_XMAX_IS_LOCKED_ONLY(header->t_infomask) &&
		TransactionIdIsCurrentTransactionId(HeapTupleHeaderGetUpdateXid(header)) &&
		ItemPointerEquals(&header->t_ctid, &tuple->t_self);
}

/* Returns the row of a dropped trigger, or NULL. */
static HeapTuple
FetchDeleted(Relation triggers, Oid oid)
{
	HeapTuple	deleted = NULL;
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;

	ScanKeyInit(&key, Anum_pg_trigger_oid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(oid));
	scan = systable_beginscan(triggers, TriggerOidIndexId, true, SnapshotAny, 1, &key);
	while (deleted == NULL && HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		if (IsDeleted(tuple))
			deleted = heap_copytuple(tuple);
	}
	systable_endscan(scan);
	return deleted;
}

/* ---- triggers ---- */

static DroppedTrigger *
ReadDroppedTrigger(HeapTuple tuple, TupleDesc desc)
{
	Form_pg_trigger form = (Form_pg_trigger) GETSTRUCT(tuple);
	DroppedTrigger *trigger = palloc0(sizeof(DroppedTrigger));
	bool		isnull;
	Datum		arguments = heap_getattr(tuple, Anum_pg_trigger_tgargs, desc, &isnull);

	trigger->function = form->tgfoid;
	trigger->relid = form->tgrelid;
	trigger->other = form->tgconstrrelid;
	trigger->is_clone = OidIsValid(form->tgparentid);
	trigger->changes_rows = TriggerChangesRows(form->tgtype);
	trigger->nargs = form->tgnargs;
	if (form->tgnargs > 0)
		trigger->argument = VARDATA_ANY(PG_DETOAST_DATUM_PACKED(arguments));
	return trigger;
}

static EventPlan dropped_triggers = {
	"SELECT objid FROM pg_catalog.pg_event_trigger_dropped_objects() "
	"WHERE classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_trigger'::pg_catalog.regclass "
	"ORDER BY objid"
};

List *
DroppedTriggers(void)
{
	List	   *triggers = NIL;
	Relation	rel;
	List	   *oids;
	ListCell   *cell;

	EventQuery(&dropped_triggers, 0, (Datum) 0);
	oids = ResultOids();
	if (oids == NIL)
		return NIL;
	rel = table_open(TriggerRelationId, AccessShareLock);
	foreach(cell, oids)
	{
		HeapTuple	tuple = FetchDeleted(rel, lfirst_oid(cell));

		if (tuple != NULL)
			triggers = lappend(triggers, ReadDroppedTrigger(tuple, RelationGetDescr(rel)));
	}
	table_close(rel, AccessShareLock);
	return triggers;
}
