/*
 * reference_truncate.c
 *	  TRUNCATE of a referenced table: refused, as with foreign keys, unless the
 *	  referencing tables are truncated by the same command.
 *
 * Triggers are not told which other tables are truncated.  TRUNCATE locks
 * these tables first with a lock that few other commands take.  A referencing
 * table with this lock is therefore searched for items whose references are
 * now broken.  The check runs after all tables are truncated.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_trigger.h"
#include "commands/trigger.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "constraint/reference.h"
#include "ddl/ddl.h"
#include "extension_objects.h"
#include "security/owner.h"
#include "store/plan.h"
#include "table/distribution.h"

#define TRIGGER_REFERENCED_TRUNCATE	"~dynamo_referenced_truncate"

/* Whether a trigger protects items that another table references. */
static bool
IsFromOther(Relation rel, const Trigger *trigger)
{
	return trigger->tgfoid == SystemFunctionOid(FUNCTION_CHECK_REFERENCED) && trigger->tgnargs == 1 &&
		OidIsValid(trigger->tgconstrrelid) && trigger->tgconstrrelid != RelationGetRelid(rel) &&
		ReferenceIsLinked(rel, trigger);
}

/* The query for an item of the other table that the reference applies to. */
static char *
MakeReferencingQuery(const Reference *ref, Relation rel, Relation other)
{
	TableDef   *referenced = TableDefAcquire(rel);
	TableDef   *referencing = TableDefAcquire(other);
	bool		first = true;
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfo(&sql, "SELECT 1 FROM %s t", RelationSqlName(RelationGetRelid(other)));
	AppendKindTests(&sql, &first, "t.", referencing, ref->kind);
	for (int i = 0; i < KeyCount(&referenced->key); i++)
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

/*
 * Searches for a referencing item with the rights of its table's owner, and a
 * snapshot that sees all committed rows.
 */
static bool
HasReferencingItem(Relation rel, Relation other, const Trigger *trigger)
{
	char	   *sql = MakeReferencingQuery(ReferenceRead(trigger->tgargs[0]), rel, other);
	Snapshot	snapshot = InvalidSnapshot;
	bool		foreign = other->rd_rel->relowner != rel->rd_rel->relowner;
	SPIPlanPtr	plan;
	OwnerScope	scope;
	bool		found;

	if (foreign)
		OwnerScopeEnter(&scope, other->rd_rel->relowner);
	SPI_connect();
	plan = StorePlanAs(sql, 0, NULL, PLAN_ALL_ROWS);
	if (IsolationUsesXactSnapshot())
	{
		CommandCounterIncrement();
		snapshot = GetLatestSnapshot();
	}
	if (SPI_execute_snapshot(plan, NULL, NULL, snapshot, InvalidSnapshot, false, false, 1) != SPI_OK_SELECT)
		elog(ERROR, "could not look for references between items");
	found = SPI_processed > 0;
	SPI_finish();
	if (foreign)
		OwnerScopeLeave(&scope);
	return found;
}

static void
CheckReferencingTruncated(Relation rel, const Trigger *trigger)
{
	Relation	other = table_open(trigger->tgconstrrelid, AccessShareLock);

	if (!CheckRelationLockedByMe(other, AccessExclusiveLock, false) ||
		HasReferencingItem(rel, other, trigger))
		ereport(ERROR,
				(errcode(ERRCODE_FOREIGN_KEY_VIOLATION),
				 errmsg("cannot truncate table \"%s\" because items of table \"%s\" reference it",
						RelationGetRelationName(rel), RelationGetRelationName(other)),
				 errhint("Truncate table \"%s\" at the same time, or use DELETE.",
						 RelationGetRelationName(other))));
	table_close(other, NoLock);
}

void
CheckReferencedTruncate(const TriggerData *event)
{
	Relation	rel = event->tg_relation;
	const TriggerDesc *triggers = CopyTriggerDesc(rel->trigdesc);	/* lookups may replace the original */

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
				 "FOR EACH STATEMENT EXECUTE FUNCTION " SYSTEM_SCHEMA ".%s()",
				 TRIGGER_REFERENCED_TRUNCATE, RelationSqlName(referenced),
				 FUNCTION_CHECK_REFERENCED);
}

static bool
IsReferencedByOther(Relation rel)
{
	const TriggerDesc *triggers = CopyTriggerDesc(rel->trigdesc);
	bool		found = false;

	for (int i = 0; triggers != NULL && i < triggers->numtriggers; i++)
		found |= IsFromOther(rel, &triggers->triggers[i]);
	return found;
}

bool
GuardsReferencedTruncate(Relation rel, const Trigger *trigger)
{
	return trigger->tgfoid == SystemFunctionOid(FUNCTION_CHECK_REFERENCED) &&
		TRIGGER_FOR_TRUNCATE(trigger->tgtype) && IsReferencedByOther(rel);
}

void
UnguardReferencedTruncate(Oid referenced)
{
	Relation	rel = table_open(referenced, AccessShareLock);
	bool		needed = IsReferencedByOther(rel);

	table_close(rel, NoLock);
	if (!needed && OidIsValid(get_trigger_oid(referenced, TRIGGER_REFERENCED_TRUNCATE, true)))
		RunStatement("DROP TRIGGER \"%s\" ON %s",
					 TRIGGER_REFERENCED_TRUNCATE, RelationSqlName(referenced));
}
