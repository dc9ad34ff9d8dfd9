/*
 * reference_ddl.c
 *	  The two triggers of a reference under DDL: they belong together, and keep
 *	  the table that is referred to.
 */
#include "postgres.h"

#include "access/relation.h"
#include "access/table.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "constraint/reference.h"
#include "ddl/feature.h"
#include "extension_objects.h"

/* ---- the other trigger ---- */

/*
 * Returns the function of the trigger on the other table; InvalidOid if the
 * function is not of a reference.
 */
static Oid
OtherFunction(Oid function)
{
	if (function == SystemFunctionOid(FUNCTION_CHECK_REFERENCE))
		return SystemFunctionOid(FUNCTION_CHECK_REFERENCED);
	if (function == SystemFunctionOid(FUNCTION_CHECK_REFERENCED))
		return SystemFunctionOid(FUNCTION_CHECK_REFERENCE);
	return InvalidOid;
}

/* Whether a trigger of another table belongs to the same reference. */
static bool
IsOtherTrigger(const Trigger *trigger, Oid relid, const Trigger *other, Oid function)
{
	return other->tgfoid == function && other->tgconstrrelid == relid &&
		trigger->tgnargs == 1 && other->tgnargs == 1 &&
		strcmp(trigger->tgargs[0], other->tgargs[0]) == 0;
}

char *
FindOtherReferenceTrigger(Oid relid, const Trigger *trigger)
{
	Oid			function = OtherFunction(trigger->tgfoid);
	Relation	rel;
	const TriggerDesc *others;
	char	   *name = NULL;

	if (!OidIsValid(function) || !OidIsValid(trigger->tgconstrrelid))
		return NULL;
	rel = try_relation_open(trigger->tgconstrrelid, AccessShareLock);
	if (rel == NULL)
		return NULL;
	others = CopyTriggerDesc(rel->trigdesc);
	relation_close(rel, AccessShareLock);
	for (int i = 0; name == NULL && others != NULL && i < others->numtriggers; i++)
	{
		if (IsOtherTrigger(trigger, relid, &others->triggers[i], function))
			name = others->triggers[i].tgname;
	}
	return name;
}

bool
ReferenceIsLinked(Relation rel, const Trigger *trigger)
{
	return RelationOwner(trigger->tgconstrrelid) == rel->rd_rel->relowner ||
		FindOtherReferenceTrigger(PartitionRoot(RelationGetRelid(rel)), trigger) != NULL;
}

/* ---- handlers ---- */

static void
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
	if (GuardsReferencedTruncate(rel, trigger))
		ereport(ERROR,
				(errcode(ERRCODE_DEPENDENT_OBJECTS_STILL_EXIST),
				 errmsg("cannot %s trigger \"%s\" on table \"%s\"", verb, trigger->tgname,
						RelationGetRelationName(rel)),
				 errdetail("The trigger refuses TRUNCATE while items of another table reference the table."),
				 errhint("Use dynamo.drop_constraint to drop the reference.")));
}

static void
RefuseReferenced(Oid relid, const List *dropped)
{
	Relation	rel = try_table_open(relid, AccessShareLock);
	Oid			function = SystemFunctionOid(FUNCTION_CHECK_REFERENCED);
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

static const DdlFeature references = {
	.link_functions = {FUNCTION_CHECK_REFERENCE, FUNCTION_CHECK_REFERENCED},
	.check_trigger_kept = RefuseHalfReference,
	.check_drop = RefuseReferenced
};

void
ReferenceInit(void)
{
	DdlFeatureRegister(&references);
}
