/*
 * reference_truncate.c
 *	  TRUNCATE of a table that items of others refer to: refused, as of a
 *	  table that foreign keys refer to, unless these are truncated with it.
 */
#include "postgres.h"

#include "access/table.h"
#include "commands/trigger.h"
#include "storage/lmgr.h"
#include "utils/rel.h"

#include "catalog/ddl.h"
#include "catalog/objects.h"
#include "sql/reference.h"
#include "store/plan.h"

#define TRIGGER_REFERENCED_TRUNCATE	"~dynamo_referenced_truncate"

/* Whether it is one that keeps items which another table refers to. */
static bool
IsFromOther(Relation rel, const Trigger *trigger)
{
	return trigger->tgfoid == DynamoFunctionOid(FUNCTION_CHECK_REFERENCED) &&
		OidIsValid(trigger->tgconstrrelid) && trigger->tgconstrrelid != RelationGetRelid(rel);
}

/* What is truncated, too, is locked by now. */
static void
CheckReferencingTruncated(Relation rel, const Trigger *trigger)
{
	Relation	other = table_open(trigger->tgconstrrelid, AccessShareLock);

	if (!CheckRelationLockedByMe(other, AccessExclusiveLock, false))
		ereport(ERROR,
				(errcode(ERRCODE_FOREIGN_KEY_VIOLATION),
				 errmsg("cannot truncate table \"%s\", to which items of table \"%s\" refer",
						RelationGetRelationName(rel), RelationGetRelationName(other)),
				 errhint("Truncate table \"%s\" at the same time, or use DELETE.",
						 RelationGetRelationName(other))));
	table_close(other, NoLock);
}

void
CheckReferencedTruncate(const TriggerData *event)
{
	Relation	rel = event->tg_relation;

	for (int i = 0; i < rel->trigdesc->numtriggers; i++)
	{
		if (IsFromOther(rel, &rel->trigdesc->triggers[i]))
			CheckReferencingTruncated(rel, &rel->trigdesc->triggers[i]);
	}
}

void
GuardReferencedTruncate(Oid referenced)
{
	RunStatement("CREATE OR REPLACE TRIGGER \"%s\" BEFORE TRUNCATE ON %s "
				 "FOR EACH STATEMENT EXECUTE FUNCTION dynamo.%s()",
				 TRIGGER_REFERENCED_TRUNCATE, RelationSqlName(referenced),
				 FUNCTION_CHECK_REFERENCED);
}

void
UnguardReferencedTruncate(Oid referenced)
{
	Relation	rel = table_open(referenced, AccessShareLock);
	bool		needed = false;

	for (int i = 0; rel->trigdesc != NULL && i < rel->trigdesc->numtriggers; i++)
		needed |= IsFromOther(rel, &rel->trigdesc->triggers[i]);
	table_close(rel, NoLock);
	if (!needed && OidIsValid(get_trigger_oid(referenced, TRIGGER_REFERENCED_TRUNCATE, true)))
		RunStatement("DROP TRIGGER \"%s\" ON %s",
					 TRIGGER_REFERENCED_TRUNCATE, RelationSqlName(referenced));
}
