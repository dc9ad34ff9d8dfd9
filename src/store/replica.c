/*
 * replica.c
 *	  The extension's own tables under logical replication: functions of
 *	  triggers that fire only in replica mode.
 *
 * A publication of all tables contains the extension's tables.  A subscriber
 * on which create_table was called already has its own row of settings, and
 * replication would stop at a duplicate key: skip_replicated_duplicate keeps
 * the existing row.  Rows with OIDs or page numbers of one server are wrong on
 * another one: skip_replicated_write skips them.
 */
#include "postgres.h"

#include "access/tableam.h"
#include "commands/trigger.h"
#include "executor/executor.h"
#include "executor/tuptable.h"
#include "fmgr.h"
#include "nodes/lockoptions.h"
#include "utils/rel.h"
#include "utils/relcache.h"

#include "compat.h"

DYNAMO_FUNCTION(dynamo_skip_replicated_duplicate);
Datum
dynamo_skip_replicated_duplicate(PG_FUNCTION_ARGS)
{
	const TriggerData *trigger = (const TriggerData *) fcinfo->context;
	TupleTableSlot *wanted;
	TupleTableSlot *found;
	Relation	rel;
	bool		exists;

	if (!CALLED_AS_TRIGGER(fcinfo) || !TRIGGER_FIRED_BEFORE(trigger->tg_event) ||
		!TRIGGER_FIRED_FOR_ROW(trigger->tg_event) ||
		!TRIGGER_FIRED_BY_INSERT(trigger->tg_event))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("dynamo_internal.skip_replicated_duplicate must be a BEFORE INSERT row trigger")));

	rel = trigger->tg_relation;
	wanted = MakeSingleTupleTableSlot(RelationGetDescr(rel), &TTSOpsHeapTuple);
	found = table_slot_create(rel, NULL);
	ExecStoreHeapTuple(trigger->tg_trigtuple, wanted, false);
	slot_getallattrs(wanted);
	exists = FindReplicatedRow(rel, RelationGetReplicaIndex(rel), LockTupleKeyShare, wanted, found);
	ExecDropSingleTupleTableSlot(found);
	ExecDropSingleTupleTableSlot(wanted);
	return PointerGetDatum(exists ? NULL : trigger->tg_trigtuple);
}

DYNAMO_FUNCTION(dynamo_skip_replicated_write);
Datum
dynamo_skip_replicated_write(PG_FUNCTION_ARGS)
{
	const TriggerData *trigger = (const TriggerData *) fcinfo->context;

	if (!CALLED_AS_TRIGGER(fcinfo) || !TRIGGER_FIRED_BEFORE(trigger->tg_event) ||
		!TRIGGER_FIRED_FOR_ROW(trigger->tg_event))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("dynamo_internal.skip_replicated_write must be a BEFORE row trigger")));
	return PointerGetDatum(NULL);
}
