/*
 * copy_trigger.c
 *	  dynamo_system.keep_copies, the trigger function of copies and totals.
 */
#include "postgres.h"

#include "commands/trigger.h"
#include "miscadmin.h"
#include "utils/rel.h"

#include "copy/copy.h"
#include "ddl/feature.h"
#include "extension_objects.h"
#include "table/distribution.h"
#include "table/restoring.h"

/*
 * Returns the name of the trigger that may call the function so; NULL if none
 * may.
 */
static const char *
ExpectedName(FunctionCallInfo fcinfo, const TriggerData *trigger)
{
	if (!CALLED_AS_TRIGGER(fcinfo) || TRIGGER_FIRED_BY_TRUNCATE(trigger->tg_event))
		return NULL;
	if (TRIGGER_FIRED_AFTER(trigger->tg_event))
		return TRIGGER_FIRED_FOR_ROW(trigger->tg_event) ? TRIGGER_COLLECT_COPIES : TRIGGER_SPREAD_COPIES;
	if (TRIGGER_FIRED_BEFORE(trigger->tg_event) && TRIGGER_FIRED_FOR_ROW(trigger->tg_event) &&
		!TRIGGER_FIRED_BY_DELETE(trigger->tg_event))
		return TRIGGER_COPY;
	return NULL;
}

/*
 * Checks the call, and that the trigger is the only one, because two would
 * count everything twice.
 */
static void
CheckCopyTrigger(FunctionCallInfo fcinfo, const TriggerData *trigger)
{
	const char *name = ExpectedName(fcinfo, trigger);

	if (name == NULL || strcmp(trigger->tg_trigger->tgname, name) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("dynamo_system.keep_copies must be called by a trigger of dynamo.create_copy or dynamo.create_total")));
}

/*
 * Checks that the table is not partitioned, because statements on it do not
 * fire statement triggers of its partitions.
 */
static void
CheckNotPartitioned(Relation rel)
{
	if (rel->rd_rel->relispartition || rel->rd_rel->relkind != RELKIND_RELATION)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("partitioned table \"%s\" cannot have copies and totals", RelationGetRelationName(rel))));
}

static void
ApplyAfterStatement(Relation rel, const TableDef *def, const CopySet *set)
{
	CopyTasks  *tasks = CopyTasksTake(rel, set);
	Oid			outer;

	if (tasks == NULL)
		return;
	outer = RestoredRowsBegin(rel);
	PG_TRY();
	{
		CopyApply(rel, def, set, tasks);
	}
	PG_FINALLY();
	{
		RestoredRowsEnd(outer);
	}
	PG_END_TRY();
}

/*
 * Executes the trigger, unless the change comes from logical replication,
 * which contains the copies and totals already.
 */
static Datum
FireTrigger(const TriggerData *trigger, TableDef *def)
{
	bool		before = TRIGGER_FIRED_BEFORE(trigger->tg_event);
	HeapTuple	tuple = TRIGGER_FIRED_BY_UPDATE(trigger->tg_event) ? trigger->tg_newtuple : trigger->tg_trigtuple;
	const CopySet *set = SessionReplicationRole == SESSION_REPLICATION_ROLE_REPLICA ? NULL :
		CopySetOf(trigger->tg_relation, def);

	if (set != NULL && def->entities != NULL)
	{
		if (before)
			tuple = CopyBeforeRow(trigger, def, set);
		else if (TRIGGER_FIRED_FOR_ROW(trigger->tg_event))
			CopyCollect(trigger, def, set);
		else
			ApplyAfterStatement(trigger->tg_relation, def, set);
	}
	return PointerGetDatum(before ? tuple : NULL);
}

DYNAMO_FUNCTION(dynamo_keep_copies);

Datum
dynamo_keep_copies(PG_FUNCTION_ARGS)
{
	TriggerData *trigger = (TriggerData *) fcinfo->context;
	TableDef   *def;
	Datum		result;

	if (CALLED_AS_TRIGGER(fcinfo))
		RefuseShard(trigger->tg_relation, "a copy or total");
	CheckCopyTrigger(fcinfo, trigger);
	check_stack_depth();
	CheckNotPartitioned(trigger->tg_relation);
	def = TableDefAcquire(trigger->tg_relation);
	result = FireTrigger(trigger, def);
	TableDefRelease(def);
	return result;
}

static const DdlFeature copies = {
	.functions = {FUNCTION_KEEP_COPIES},
	.fires_on_origin = true,
	.trigger_detail = "The trigger keeps copies and totals in step.",
	.trigger_hint = "Use dynamo.drop_copy and dynamo.drop_total."
};

void
CopyInit(void)
{
	DdlFeatureRegister(&copies);
}
