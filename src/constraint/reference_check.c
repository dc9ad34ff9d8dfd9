/*
 * reference_check.c
 *	  The triggers of references: dynamo_system.check_reference on the referencing
 *	  table, dynamo_system.check_referenced on the referenced one.
 *
 * They follow ri_triggers.c.  Writing a referencing item locks the referenced
 * one FOR KEY SHARE, so that it cannot be removed before this transaction
 * ends.  Deleting an item searches for references with a snapshot that sees
 * all committed rows, in every isolation level.  A query has the rights of the
 * owner of the table it reads, because a user who may write an item need not be
 * able to read others; row security hides nothing from it, as from a foreign
 * key.  Code that it runs runs as the user: a cascade fires that table's
 * triggers, as a DELETE by the user would.  The event trigger ensures that only
 * a user who owns both tables creates references.
 *
 * Memory: a Check lives in the context of the trigger's FmgrInfo, for the
 * duration of a statement or of a batch of deferred events.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/sysattr.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_type.h"
#include "commands/trigger.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/rls.h"
#include "utils/snapmgr.h"
#include "utils/snapshot.h"

#include "compat.h"
#include "constraint/reference.h"
#include "entity/template.h"
#include "extension_objects.h"
#include "security/owner.h"
#include "store/plan.h"
#include "store/raw_table.h"
#include "table/distribution.h"
#include "table/stored.h"

typedef enum CheckPlan
{
	PLAN_KEY_EXISTS,			/* in the referenced table */
	PLAN_REFERENCING,			/* find an item that references the key */
	PLAN_CASCADE				/* delete those items */
} CheckPlan;

#define PLAN_COUNT		3

typedef struct Check
{
	MemoryContext context;
	Reference  *ref;
	char	   *statements[PLAN_COUNT];
} Check;

/* One event: the two tables and the key. */
typedef struct CheckEvent
{
	Check	   *check;
	Relation	rel;			/* the table with the trigger */
	Relation	other;
	const TableDef *referencing;
	const TableDef *referenced;
	Oid			referencing_relid;
	Oid			referenced_relid;
	Datum		key[REFERENCE_MAX_KEYS];	/* text */
} CheckEvent;

static Check *
GetCheck(FmgrInfo *flinfo, const TriggerData *trigger)
{
	Check	   *check = flinfo->fn_extra;

	if (check == NULL)
	{
		MemoryContext caller = MemoryContextSwitchTo(flinfo->fn_mcxt);

		if (trigger->tg_trigger->tgnargs != 1 ||
			!OidIsValid(trigger->tg_trigger->tgconstrrelid))
			ereport(ERROR,
					(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
					 errmsg("trigger \"%s\" is not a constraint trigger of a reference between items",
							trigger->tg_trigger->tgname),
					 errhint("Create it with dynamo.add_reference.")));
		check = palloc0(sizeof(Check));
		check->context = flinfo->fn_mcxt;
		check->ref = ReferenceRead(trigger->tg_trigger->tgargs[0]);
		flinfo->fn_extra = check;
		MemoryContextSwitchTo(caller);
	}
	return check;
}

/* ---- queries ---- */

static char *
StatementOfCheck(const CheckEvent *event, CheckPlan which)
{
	const Reference *ref = event->check->ref;
	StringInfoData sql;

	initStringInfo(&sql);
	if (which == PLAN_KEY_EXISTS)
	{
		appendStringInfo(&sql, "SELECT 1 FROM %s t", RelationSqlName(event->referenced_relid));
		for (int i = 0; i < KeyCount(&event->referenced->key); i++)
			appendStringInfo(&sql, "%s t.%s OPERATOR(pg_catalog.=) $%d",
							 i == 0 ? " WHERE" : " AND",
							 quote_identifier(TableKeyAttribute(event->referenced, i)->column),
							 i + 1);
		appendStringInfoString(&sql, " FOR KEY SHARE");
		return sql.data;
	}

	appendStringInfo(&sql, "%s FROM %s t", which == PLAN_CASCADE ? "DELETE" : "SELECT 1",
					 RelationSqlName(event->referencing_relid));
	AppendReferencingTests(&sql, ref, event->referencing, event->referenced);
	if (which == PLAN_REFERENCING)
		appendStringInfoString(&sql, " FOR KEY SHARE");
	return sql.data;
}

/* Raises an error if the owner of a table has revoked the right to it from themselves. */
static void
CheckOwnersRight(Oid relid, AclMode access)
{
	if (pg_class_aclmask(relid, RelationOwner(relid), access, ACLMASK_ALL) != access)
		aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_TABLE, get_rel_name(relid));
}

/*
 * Runs a query on the key with the rights of the owner of the table that it
 * reads.  If an owner has changed since the reference was created, the other
 * table's code runs as its owner: a user trusts the owner of the table that they
 * write to, and nobody else.  Returns
 * the number of rows returned or deleted.  With all_committed, rows that the
 * transaction's snapshot cannot see count too.
 */
static uint64
RunCheck(const CheckEvent *event, CheckPlan which, bool all_committed)
{
	Check	   *check = event->check;
	Oid			relid = (which == PLAN_KEY_EXISTS) ? event->referenced_relid : event->referencing_relid;
	Oid			types[REFERENCE_MAX_KEYS] = {TEXTOID, TEXTOID};
	Datum		key[REFERENCE_MAX_KEYS];
	Snapshot	snapshot = InvalidSnapshot;
	Snapshot	crosscheck = InvalidSnapshot;
	bool		foreign = event->other->rd_rel->relowner != event->rel->rd_rel->relowner;
	SPIPlanPtr	plan;
	OwnerScope	scope;
	int			result;

	memcpy(key, event->key, sizeof(key));
	if (foreign)
		OwnerScopeEnter(&scope, RelationOwner(relid));
	CheckOwnersRight(relid, ACL_SELECT | (which == PLAN_CASCADE ? ACL_DELETE : ACL_UPDATE));
	if (check->statements[which] == NULL)
		check->statements[which] = MemoryContextStrdup(check->context,
													   StatementOfCheck(event, which));
	plan = StorePlanAs(check->statements[which], KeyCount(&event->referenced->key), types, PLAN_ALL_ROWS);
	if (all_committed && IsolationUsesXactSnapshot())
	{
		CommandCounterIncrement();
		snapshot = GetLatestSnapshot();
		crosscheck = GetTransactionSnapshot();
	}
	result = SPI_execute_snapshot(plan, key, NULL,
								  snapshot, crosscheck, false, which == PLAN_CASCADE,
								  which == PLAN_CASCADE ? 0 : 1);
	if (result < 0)
		elog(ERROR, "SPI_execute_snapshot failed: %s", SPI_result_code_string(result));
	if (foreign)
		OwnerScopeLeave(&scope);
	return SPI_processed;
}

/*
 * "Key (PK, SK)=(a, b)" for the detail of an error; without the values if the user may not
 * read the changed row, as PostgreSQL's foreign keys do.
 */
static char *
DescribeReferenceKey(const CheckEvent *event)
{
	Oid			relid = RelationGetRelid(event->rel);
	StringInfoData names;
	StringInfoData values;

	if (check_enable_rls(relid, InvalidOid, true) == RLS_ENABLED ||
		pg_class_aclcheck(relid, GetUserId(), ACL_SELECT) != ACLCHECK_OK)
		return "A key";
	initStringInfo(&names);
	initStringInfo(&values);
	for (int i = 0; i < KeyCount(&event->referenced->key); i++)
	{
		appendStringInfo(&names, "%s%s", i == 0 ? "" : ", ",
						 event->referenced->key.attributes[i].name.data);
		appendStringInfo(&values, "%s%s", i == 0 ? "" : ", ",
						 TextDatumGetCString(event->key[i]));
	}
	return psprintf("Key (%s)=(%s)", names.data, values.data);
}

/* ---- the referencing side ---- */

static void RaiseUnfitReference(const CheckEvent *event, Slice template, const ComposeProblem *problem)
			pg_attribute_noreturn();

static void
RaiseUnfitReference(const CheckEvent *event, Slice template, const ComposeProblem *problem)
{
	ereport(ERROR,
			(errcode(ERRCODE_FOREIGN_KEY_VIOLATION),
			 errmsg("reference \"%s\" of table \"%s\" cannot be composed: attribute %.*s %s",
					event->check->ref->name, RelationGetRelationName(event->rel),
					(int) problem->part->name.len, problem->part->name.data, problem->reason),
			 errdetail("The template of its key is %.*s.", (int) template.len, template.data),
			 errtableconstraint(event->rel, event->check->ref->name)));
}

/* Computes the key that an item references; false if it references nothing. */
static bool
ReferencedKey(CheckEvent *event, ValueRef item)
{
	if (!KindHasItem(event->check->ref->kind, item))
		return false;
	for (int i = 0; i < KeyCount(&event->referenced->key); i++)
	{
		Slice		template = ReferenceTemplate(event->check->ref, event->referenced, i);
		ComposeProblem problem;
		StringInfoData key;

		initStringInfo(&key);
		switch (TemplateCompose(TemplateGet(template), item, &key, &problem))
		{
			case COMPOSE_OK:
				break;
			case COMPOSE_MISSING:
				return false;
			case COMPOSE_UNFIT:
				RaiseUnfitReference(event, template, &problem);
		}
		event->key[i] = PointerGetDatum(cstring_to_text_with_len(key.data, key.len));
	}
	return true;
}

static Datum
ItemDatum(const CheckEvent *event, HeapTuple tuple)
{
	return TupleItem(event->referencing, tuple, RelationGetDescr(event->rel));
}

/*
 * Whether an update keeps an item whose reference has been checked.  That of a row which
 * this transaction wrote may not have been: its event finds another row now.
 */
static bool
KeepsReference(const CheckEvent *event, const TriggerData *trigger, Datum item)
{
	bool		isnull;
	Datum		writer = slot_getsysattr(trigger->tg_trigslot, MinTransactionIdAttributeNumber, &isnull);

	return !TransactionIdIsCurrentTransactionId(DatumGetTransactionId(writer)) &&
		datumIsEqual(item, ItemDatum(event, trigger->tg_trigtuple), false, -1);
}

static void
CheckReference(CheckEvent *event, const TriggerData *trigger)
{
	bool		update = TRIGGER_FIRED_BY_UPDATE(trigger->tg_event);
	HeapTuple	tuple = update ? trigger->tg_newtuple : trigger->tg_trigtuple;
	TupleTableSlot *slot = update ? trigger->tg_newslot : trigger->tg_trigslot;
	Datum		item = ItemDatum(event, tuple);

	if (update && KeepsReference(event, trigger, item))
		return;
	/*
	 * The row of a deferred event has changed since; the newer event checks
	 * it.
	 */
	if (!RowIsSeen(event->rel, slot, SnapshotSelf))
		return;
	if (!ReferencedKey(event, ItemRoot(PG_DETOAST_DATUM_PACKED(item))))
		return;
	if (RunCheck(event, PLAN_KEY_EXISTS, false) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_FOREIGN_KEY_VIOLATION),
				 errmsg("insert or update on table \"%s\" violates reference \"%s\"",
						RelationGetRelationName(event->rel), event->check->ref->name),
				 errdetail("%s is not present in table \"%s\".",
						   DescribeReferenceKey(event), RelationGetRelationName(event->other)),
				 errdetail_log("A key is not present in table \"%s\".",
							   RelationGetRelationName(event->other)),
				 errtableconstraint(event->rel, event->check->ref->name)));
}

/* ---- the referenced side ---- */

/*
 * A key column of a row.  It must have type S, because templates produce text.
 */
static Datum
ReadKeyColumn(const CheckEvent *event, HeapTuple tuple, int i)
{
	const AttributeDef *attr = TableKeyAttribute(event->referenced, i);
	bool		isnull;
	Datum		value = heap_getattr(tuple, attr->attnum, RelationGetDescr(event->rel), &isnull);

	if (attr->type != VALUE_S)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("reference \"%s\" refers to a key attribute that is not of type S: %s",
						event->check->ref->name, attr->name.data)));
	if (isnull)
		InvalidTupleError(RelationGetRelid(event->rel), tuple, ColumnProblem(attr, (Datum) 0, true));
	return value;
}

/* Reads the key of a row; false if no item can reference it. */
static bool
ReadReferenceKey(CheckEvent *event, HeapTuple tuple)
{
	for (int i = 0; i < KeyCount(&event->referenced->key); i++)
	{
		const Template *template = TemplateGet(ReferenceTemplate(event->check->ref, event->referenced, i));
		text	   *key = DatumGetTextPP(ReadKeyColumn(event, tuple, i));

		event->key[i] = PointerGetDatum(key);
		if (TemplateIsConstant(template) &&
			!SliceEqual(SliceOfVarlena(key), template->pieces[0].text))
			return false;
	}
	return true;
}

static bool
HaveSameReference(const CheckEvent *event, HeapTuple a, HeapTuple b)
{
	for (int i = 0; i < KeyCount(&event->referenced->key); i++)
	{
		if (!datum_image_eq(ReadKeyColumn(event, a, i), ReadKeyColumn(event, b, i), false, -1))
			return false;
	}
	return true;
}

static void
CheckReferenced(CheckEvent *event, const TriggerData *trigger)
{
	if (TRIGGER_FIRED_BY_UPDATE(trigger->tg_event) &&
		HaveSameReference(event, trigger->tg_trigtuple, trigger->tg_newtuple))
		return;
	if (!ReadReferenceKey(event, trigger->tg_trigtuple))
		return;
	/*
	 * Another item with this key exists, from this statement or a later one.
	 */
	if (RunCheck(event, PLAN_KEY_EXISTS, true) > 0)
		return;
	if (event->check->ref->cascade)
		RunCheck(event, PLAN_CASCADE, true);
	else if (RunCheck(event, PLAN_REFERENCING, true) > 0)
		ereport(ERROR,
				(errcode(ERRCODE_FOREIGN_KEY_VIOLATION),
				 errmsg("update or delete on table \"%s\" violates reference \"%s\" of table \"%s\"",
						RelationGetRelationName(event->rel), event->check->ref->name,
						RelationGetRelationName(event->other)),
				 errdetail("%s is still referenced from table \"%s\".",
						   DescribeReferenceKey(event), RelationGetRelationName(event->other)),
				 errdetail_log("A key is still referenced from table \"%s\".",
							   RelationGetRelationName(event->other)),
				 errtableconstraint(event->other, event->check->ref->name)));
}

/* ---- the triggers ---- */

static void
CheckLinked(const TriggerData *trigger)
{
	if (!ReferenceIsLinked(trigger->tg_relation, trigger->tg_trigger))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("trigger \"%s\" of table \"%s\" refers to a table of another owner",
						trigger->tg_trigger->tgname, RelationGetRelationName(trigger->tg_relation)),
				 errdetail("Table \"%s\" does not have the other trigger of the reference.",
						   get_rel_name(trigger->tg_trigger->tgconstrrelid)),
				 errhint("Create the reference with dynamo.add_reference.")));
}

static void
CheckReferenceTrigger(FunctionCallInfo fcinfo, bool referencing)
{
	const TriggerData *trigger = (const TriggerData *) fcinfo->context;

	if (!CALLED_AS_TRIGGER(fcinfo) || !TRIGGER_FIRED_AFTER(trigger->tg_event) ||
		!TRIGGER_FIRED_FOR_ROW(trigger->tg_event) ||
		(referencing ? TRIGGER_FIRED_BY_DELETE(trigger->tg_event) :
		 TRIGGER_FIRED_BY_INSERT(trigger->tg_event)))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg(SYSTEM_SCHEMA ".%s must be an AFTER %s OR UPDATE row trigger",
						referencing ? "check_reference" : "check_referenced",
						referencing ? "INSERT" : "DELETE")));
}

static Datum
RunTrigger(FunctionCallInfo fcinfo, bool referencing)
{
	const TriggerData *trigger = (const TriggerData *) fcinfo->context;
	CheckEvent	event = {0};
	TableDef   *own;
	TableDef   *others;

	CheckReferenceTrigger(fcinfo, referencing);
	RefuseShard(trigger->tg_relation, "a reference between items");
	SPI_connect();
	event.check = GetCheck(fcinfo->flinfo, trigger);
	CheckLinked(trigger);
	event.rel = trigger->tg_relation;
	event.other = table_open(trigger->tg_trigger->tgconstrrelid, RowShareLock);
	RefuseDistributed(event.other, "a reference between items");
	own = TableDefAcquire(event.rel);
	others = TableDefAcquire(event.other);
	event.referencing = referencing ? own : others;
	event.referenced = referencing ? others : own;
	event.referencing_relid = RelationGetRelid(referencing ? event.rel : event.other);
	event.referenced_relid = RelationGetRelid(referencing ? event.other : event.rel);

	if (referencing)
		CheckReference(&event, trigger);
	else
		CheckReferenced(&event, trigger);

	TableDefRelease(others);
	TableDefRelease(own);
	table_close(event.other, NoLock);
	SPI_finish();
	return PointerGetDatum(NULL);
}

DYNAMO_FUNCTION(dynamo_check_reference);
Datum
dynamo_check_reference(PG_FUNCTION_ARGS)
{
	return RunTrigger(fcinfo, true);
}

DYNAMO_FUNCTION(dynamo_check_referenced);
Datum
dynamo_check_referenced(PG_FUNCTION_ARGS)
{
	const TriggerData *trigger = (const TriggerData *) fcinfo->context;

	if (CALLED_AS_TRIGGER(fcinfo) && TRIGGER_FIRED_BY_TRUNCATE(trigger->tg_event) &&
		TRIGGER_FIRED_AFTER(trigger->tg_event))
	{
		CheckReferencedTruncate(trigger);
		return PointerGetDatum(NULL);
	}
	return RunTrigger(fcinfo, false);
}
