/*
 * dropped.c
 *	  What a statement has dropped, in an event trigger at its end.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_class.h"
#include "catalog/pg_trigger.h"
#include "utils/fmgroids.h"
#include "utils/hsearch.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

#include "catalog/dropped.h"
#include "catalog/event.h"
#include "catalog/objects.h"

/* ---- rows that were deleted ---- */

/* Whether this transaction has deleted the row, not just replaced this version. */
static bool
IsDeleted(HeapTuple tuple)
{
	HeapTupleHeader header = tuple->t_data;

	return !(header->t_infomask & HEAP_XMAX_INVALID) &&
		!HEAP_XMAX_IS_LOCKED_ONLY(header->t_infomask) &&
		TransactionIdIsCurrentTransactionId(HeapTupleHeaderGetUpdateXid(header)) &&
		ItemPointerEquals(&header->t_ctid, &tuple->t_self);
}

/* The row of an object that was dropped, by a catalog's index of OIDs, or NULL. */
static HeapTuple
FetchDeleted(Relation catalog, Oid index, AttrNumber oid_column, Oid oid)
{
	HeapTuple	deleted = NULL;
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;

	ScanKeyInit(&key, oid_column, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(oid));
	scan = systable_beginscan(catalog, index, true, SnapshotAny, 1, &key);
	while (deleted == NULL && HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		if (IsDeleted(tuple))
			deleted = heap_copytuple(tuple);
	}
	systable_endscan(scan);
	return deleted;
}

/* ---- triggers ---- */

static char **
ReadArguments(HeapTuple tuple, TupleDesc desc, int n)
{
	char	  **args = palloc(sizeof(char *) * Max(n, 1));
	bool		isnull;
	const char *next = VARDATA_ANY(PG_DETOAST_DATUM_PACKED(heap_getattr(tuple, Anum_pg_trigger_tgargs,
																		desc, &isnull)));

	for (int i = 0; i < n; i++)
	{
		args[i] = pstrdup(next);
		next += strlen(next) + 1;
	}
	return args;
}

/* NULL if the table is still there. */
static DroppedTable *
ReadTable(Relation classes, Oid relid)
{
	HeapTuple	tuple = FetchDeleted(classes, ClassOidIndexId, Anum_pg_class_oid, relid);
	Form_pg_class form;
	DroppedTable *table;

	if (tuple == NULL)
		return NULL;
	form = (Form_pg_class) GETSTRUCT(tuple);
	table = palloc0(sizeof(DroppedTable));
	table->relid = relid;
	table->schema = form->relnamespace;
	table->owner = form->relowner;
	table->name = NameStr(form->relname);
	table->partition = form->relispartition;
	return table;
}

/* What is read while the triggers are gone through. */
typedef struct Reading
{
	Relation	classes;
	Relation	triggers;
	HTAB	   *known;			/* of KnownTable */
	List	   *tables;
	List	   *kept;			/* see DroppedTables */
} Reading;

typedef struct KnownTable
{
	Oid			relid;			/* hash key */
	DroppedTable *table;		/* NULL: still there */
} KnownTable;

static HTAB *
CreateKnownTables(void)
{
	HASHCTL		ctl = {0};

	ctl.keysize = sizeof(Oid);
	ctl.entrysize = sizeof(KnownTable);
	ctl.hcxt = CurrentMemoryContext;
	return hash_create("dropped dynamo tables", 64, &ctl, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
}

static DroppedTable *
FindTable(Reading *reading, Oid relid)
{
	bool		found;
	KnownTable *known = hash_search(reading->known, &relid, HASH_ENTER, &found);

	if (!found)
	{
		known->table = ReadTable(reading->classes, relid);
		if (known->table != NULL)
			reading->tables = lappend(reading->tables, known->table);
	}
	return known->table;
}

/* Adds a dropped trigger, if it is ours, to its table; notes a table that is there. */
static void
AddTrigger(Reading *reading, Oid oid)
{
	HeapTuple	tuple = FetchDeleted(reading->triggers, TriggerOidIndexId,
									 Anum_pg_trigger_oid, oid);
	Form_pg_trigger form = tuple != NULL ? (Form_pg_trigger) GETSTRUCT(tuple) : NULL;
	DroppedTable *table;
	DroppedTrigger *trigger;

	if (form != NULL && TriggerChangesRows(form->tgtype) &&
		SearchSysCacheExists1(RELOID, ObjectIdGetDatum(form->tgrelid)))
		reading->kept = list_append_unique_oid(reading->kept, form->tgrelid);
	if (form == NULL || !IsOurFunction(form->tgfoid))
		return;
	table = FindTable(reading, form->tgrelid);
	if (table == NULL)
		return;
	trigger = palloc(sizeof(DroppedTrigger));
	trigger->function = form->tgfoid;
	trigger->nargs = form->tgnargs;
	trigger->args = ReadArguments(tuple, RelationGetDescr(reading->triggers), form->tgnargs);
	table->triggers = lappend(table->triggers, trigger);
}

static EventPlan dropped_triggers = {
	"SELECT objid FROM pg_catalog.pg_event_trigger_dropped_objects() "
	"WHERE classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_trigger'::pg_catalog.regclass "
	"ORDER BY objid"
};

List *
DroppedTables(List **kept)
{
	Reading		reading = {NULL};
	List	   *oids;
	ListCell   *cell;

	*kept = NIL;
	EventQuery(&dropped_triggers, 0, NULL);
	oids = ResultOids();
	if (oids == NIL)
		return NIL;
	reading.classes = table_open(RelationRelationId, AccessShareLock);
	reading.triggers = table_open(TriggerRelationId, AccessShareLock);
	reading.known = CreateKnownTables();
	foreach(cell, oids)
		AddTrigger(&reading, lfirst_oid(cell));
	table_close(reading.triggers, AccessShareLock);
	table_close(reading.classes, AccessShareLock);
	*kept = reading.kept;
	return reading.tables;
}

char **
DroppedArguments(const DroppedTable *table, const char *function, int nargs)
{
	Oid			oid = DynamoFunctionOid(function);
	ListCell   *cell;

	foreach(cell, table->triggers)
	{
		const DroppedTrigger *trigger = lfirst(cell);

		if (trigger->function == oid && trigger->nargs == nargs)
			return trigger->args;
	}
	return NULL;
}
