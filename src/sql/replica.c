/*
 * replica.c
 *	  dynamo.skip_replicated_duplicate: the extension's own tables under
 *	  logical replication.
 *
 * A publication of all tables has the extension's settings in it.  A
 * subscriber on which create_table was called has its own row already, and
 * replication would stop at a duplicate key.  On a BEFORE INSERT trigger that
 * fires in replica mode only, this function keeps the row that is there.
 */
#include "postgres.h"

#include "access/tableam.h"
#include "commands/trigger.h"
#include "executor/executor.h"
#include "executor/tuptable.h"
#include "fmgr.h"
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
				 errmsg("dynamo.skip_replicated_duplicate must be a BEFORE INSERT row trigger")));

	rel = trigger->tg_relation;
	wanted = MakeSingleTupleTableSlot(RelationGetDescr(rel), &TTSOpsHeapTuple);
	found = table_slot_create(rel, NULL);
	ExecStoreHeapTuple(trigger->tg_trigtuple, wanted, false);
	slot_getallattrs(wanted);
	exists = RelationFindReplTupleByIndex(rel, RelationGetReplicaIndex(rel),
										  LockTupleKeyShare, wanted, found);
	ExecDropSingleTupleTableSlot(found);
	ExecDropSingleTupleTableSlot(wanted);
	return PointerGetDatum(exists ? NULL : trigger->tg_trigtuple);
}
