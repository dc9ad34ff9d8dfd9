/*
 * settings_guard.c
 *	  dynamo_internal.guard_settings: guards the extension's own tables against
 *	  users.
 *
 * No privileges are granted on these tables, but pg_write_all_data can write
 * every table, and index builds, requests and settings trust their contents.
 * The extension itself writes them as their owner.
 */
#include "postgres.h"

#include "commands/trigger.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/rel.h"

#include "compat.h"

DYNAMO_FUNCTION(dynamo_guard_settings);

Datum
dynamo_guard_settings(PG_FUNCTION_ARGS)
{
	const TriggerData *trigger = (const TriggerData *) fcinfo->context;

	if (!CALLED_AS_TRIGGER(fcinfo) || !TRIGGER_FIRED_BEFORE(trigger->tg_event) ||
		TRIGGER_FIRED_FOR_ROW(trigger->tg_event))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("dynamo_internal.guard_settings must be a BEFORE statement trigger")));
	if (!RelationOwnercheck(RelationGetRelid(trigger->tg_relation), GetUserId()))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("must be owner of table \"%s\" to write to it",
						RelationGetRelationName(trigger->tg_relation)),
				 errdetail("The extension relies on what it has written there.")));
	return PointerGetDatum(NULL);
}
