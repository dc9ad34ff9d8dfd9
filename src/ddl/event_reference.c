/*
 * event_reference.c
 *	  Triggers that link two tables under ordinary DDL: checks who may create
 *	  them, and that the two triggers of a reference are created and dropped
 *	  together.
 */
#include "postgres.h"

#include "access/table.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "ddl/ddl.h"
#include "ddl/event.h"
#include "table/link.h"
#include "table/objects.h"

/* ---- creating ---- */

/* Returns the tables linked by triggers that the command has created. */
static EventPlan created_links = {
"SELECT r.relid "
"FROM pg_catalog.pg_event_trigger_ddl_commands() c "
"JOIN pg_catalog.pg_trigger t ON t.oid OPERATOR(pg_catalog.=) c.objid "
"CROSS JOIN LATERAL (VALUES (t.tgrelid), (t.tgconstrrelid)) r(relid) "
"WHERE c.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_trigger'::pg_catalog.regclass "
"AND t.tgfoid OPERATOR(pg_catalog.=) ANY (ARRAY[$1, $2, $3]) "
"AND r.relid OPERATOR(pg_catalog.<>) 0::pg_catalog.oid"
};

/*
 * Requires the owner of both tables.  The triggers of a reference read one
 * table, and delete from it, for users who write to the other.  Relations that
 * belong to a table are written, altered and dropped with it.
 */
static void
CheckLinkOwner(Oid relid)
{
	if (!RelationOwnercheck(relid, GetUserId()))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("must be owner of table \"%s\" to link it to another table",
						get_rel_name(relid))));
}

void
CheckLinkOwners(void)
{
	List	   *relids;
	ListCell   *cell;

	EventQuery(&created_links, 3, (Datum[])
			   {
				   ObjectIdGetDatum(DynamoFunctionOid(FUNCTION_CHECK_REFERENCE)),
				   ObjectIdGetDatum(DynamoFunctionOid(FUNCTION_CHECK_REFERENCED)),
				   ObjectIdGetDatum(DynamoFunctionOid(FUNCTION_BELONGS_TO))
			   });
	relids = ResultOids();
	foreach(cell, relids)
		CheckLinkOwner(lfirst_oid(cell));
	foreach(cell, relids)
		CheckOneLink(lfirst_oid(cell));
}

/* ---- dropping ---- */

void
RefuseHalfReference(Relation rel, const Trigger *trigger, const char *verb)
{
	char	   *other = FindOtherReferenceTrigger(RelationGetRelid(rel), trigger);

	if (other != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_DEPENDENT_OBJECTS_STILL_EXIST),
				 errmsg("cannot %s trigger \"%s\" on table \"%s\"", verb, trigger->tgname,
						RelationGetRelationName(rel)),
				 errdetail("The trigger belongs to a reference, together with trigger \"%s\" on table \"%s\".",
						   other, get_rel_name(trigger->tgconstrrelid)),
				 errhint("Use dynamo.drop_constraint to drop the reference.")));
}

void
RefuseReferenced(Oid relid, const List *dropped)
{
	Relation	rel = try_table_open(relid, AccessShareLock);
	Oid			function = DynamoFunctionOid(FUNCTION_CHECK_REFERENCED);
	const TriggerDesc *triggers = rel != NULL ? CopyTriggerDesc(rel->trigdesc) : NULL;

	for (int i = 0; triggers != NULL && i < triggers->numtriggers; i++)
	{
		const Trigger *trigger = &triggers->triggers[i];
		char	   *reference;

		if (trigger->tgfoid != function || list_member_oid(dropped, trigger->tgconstrrelid))
			continue;
		reference = FindOtherReferenceTrigger(relid, trigger);
		if (reference != NULL)
			ereport(ERROR,
					(errcode(ERRCODE_DEPENDENT_OBJECTS_STILL_EXIST),
					 errmsg("cannot drop table \"%s\" because other objects depend on it",
							RelationGetRelationName(rel)),
					 errdetail("Reference \"%s\" of table \"%s\" depends on it.",
							   reference, get_rel_name(trigger->tgconstrrelid)),
					 errhint("Use dynamo.drop_constraint, or DROP TABLE ... CASCADE to drop the reference too.")));
	}
	if (rel != NULL)
		table_close(rel, AccessShareLock);
}
