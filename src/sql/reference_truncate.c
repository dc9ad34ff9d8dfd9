/*
 * reference_truncate.c
 *	  TRUNCATE of a table that items of others refer to: refused, as of a
 *	  table that foreign keys refer to, unless these are truncated with it.
 *
 * What else is truncated no trigger is told.  It is locked by then, which few
 * other things do to a table, so that these are looked through for items that
 * refer to nothing now; the check is made when all is truncated.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/xact.h"
#include "commands/trigger.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "catalog/ddl.h"
#include "catalog/link.h"
#include "catalog/objects.h"
#include "catalog/owner.h"
#include "sql/reference.h"
#include "store/plan.h"

#define TRIGGER_REFERENCED_TRUNCATE	"~dynamo_referenced_truncate"

/* Whether it is one that keeps items which another table refers to. */
static bool
IsFromOther(Relation rel, const Trigger *trigger)
{
	return trigger->tgfoid == DynamoFunctionOid(FUNCTION_CHECK_REFERENCED) && trigger->tgnargs == 1 &&
		OidIsValid(trigger->tgconstrrelid) && trigger->tgconstrrelid != RelationGetRelid(rel) &&
		ReferenceIsLinked(rel, trigger);
}

/* A query for an item of the other table that the reference is for. */
static char *
ReferencingQuery(const Reference *ref, Relation rel, Relation other)
{
	TableDef   *referenced = TableDefAcquire(rel);
	TableDef   *referencing = TableDefAcquire(other);
	bool		first = true;
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfo(&sql, "SELECT 1 FROM %s t", RelationSqlName(RelationGetRelid(other)));
	AppendKindTests(&sql, &first, "t.", referencing, ref->def);
	for (int i = 0; i < referenced->key.npartition + referenced->key.nsort; i++)
	{
		appendStringInfo(&sql, "%s dynamo.render_key(t.item, %s) IS NOT NULL",
						 first ? " WHERE" : " AND",
						 SliceLiteral(ReferenceTemplate(ref, referenced, i)));
		first = false;
	}
	TableDefRelease(referencing);
	TableDefRelease(referenced);
	return sql.data;
}

/* Looks for one, as the owner of its table, with a snapshot that sees all. */
static bool
HasReferencing(Relation rel, Relation other, const Trigger *trigger)
{
	char	   *sql = ReferencingQuery(ReferenceRead(trigger->tgargs[0]), rel, other);
	Snapshot	snapshot = InvalidSnapshot;
	SPIPlanPtr	plan;
	OwnerScope	scope;
	bool		found;

	OwnerScopeEnter(&scope, other->rd_rel->relowner);
	SPI_connect();
	plan = SPI_prepare(sql, 0, NULL);
	if (IsolationUsesXactSnapshot())
	{
		CommandCounterIncrement();
		snapshot = GetLatestSnapshot();
	}
	if (plan == NULL ||
		SPI_execute_snapshot(plan, NULL, NULL, snapshot, InvalidSnapshot, false, false, 1) != SPI_OK_SELECT)
		elog(ERROR, "could not look for references between items");
	found = SPI_processed > 0;
	SPI_finish();
	OwnerScopeLeave(&scope);
	return found;
}

static void
CheckReferencingTruncated(Relation rel, const Trigger *trigger)
{
	Relation	other = table_open(trigger->tgconstrrelid, AccessShareLock);

	if (!CheckRelationLockedByMe(other, AccessExclusiveLock, false) ||
		HasReferencing(rel, other, trigger))
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
	const TriggerDesc *triggers = CopyTriggerDesc(rel->trigdesc);	/* lookups may replace them */

	for (int i = 0; i < triggers->numtriggers; i++)
	{
		if (IsFromOther(rel, &triggers->triggers[i]))
			CheckReferencingTruncated(rel, &triggers->triggers[i]);
	}
}

void
GuardReferencedTruncate(Oid referenced)
{
	RunStatement("CREATE OR REPLACE TRIGGER \"%s\" AFTER TRUNCATE ON %s "
				 "FOR EACH STATEMENT EXECUTE FUNCTION dynamo.%s()",
				 TRIGGER_REFERENCED_TRUNCATE, RelationSqlName(referenced),
				 FUNCTION_CHECK_REFERENCED);
}

void
UnguardReferencedTruncate(Oid referenced)
{
	Relation	rel = table_open(referenced, AccessShareLock);
	const TriggerDesc *triggers = CopyTriggerDesc(rel->trigdesc);
	bool		needed = false;

	for (int i = 0; triggers != NULL && i < triggers->numtriggers; i++)
		needed |= IsFromOther(rel, &triggers->triggers[i]);
	table_close(rel, NoLock);
	if (!needed && OidIsValid(get_trigger_oid(referenced, TRIGGER_REFERENCED_TRUNCATE, true)))
		RunStatement("DROP TRIGGER \"%s\" ON %s",
					 TRIGGER_REFERENCED_TRUNCATE, RelationSqlName(referenced));
}
