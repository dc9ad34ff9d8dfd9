/*
 * table_list.c
 *	  Finding dynamo tables, and triggers of ours, without reading definitions.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/indexing.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_depend.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_trigger.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"

#include "catalog/names.h"
#include "catalog/objects.h"
#include "catalog/table.h"
#include "catalog/table_list.h"

/* ---- by what the definition says ---- */

/* As TableDefPrint writes them. */
static const char *const time_to_live_words[] = {"\"time_to_live\": \"", NULL};
static const char *const pending_build_words[] = {
	"\"status\": \"CREATING\"", "\"status\": \"DELETING\"", NULL
};
static const char *const *const feature_words[] = {
	[FEATURE_TIME_TO_LIVE] = time_to_live_words,
	[FEATURE_PENDING_BUILD] = pending_build_words,
};

/* Of a row of pg_trigger that has one; each ends with a zero byte. */
static const char *
FirstArgument(HeapTuple tuple, TupleDesc desc)
{
	bool		isnull;

	return VARDATA_ANY(PG_DETOAST_DATUM_PACKED(heap_getattr(tuple, Anum_pg_trigger_tgargs,
															desc, &isnull)));
}

/*
 * The definition in a row of pg_trigger; NULL if it is another's trigger, or
 * that of a partition, which has its table's.
 */
static const char *
DefinitionOfTrigger(HeapTuple tuple, TupleDesc desc, Oid function)
{
	Form_pg_trigger form = (Form_pg_trigger) GETSTRUCT(tuple);

	if (form->tgfoid != function || form->tgnargs != 1 || OidIsValid(form->tgparentid))
		return NULL;
	return FirstArgument(tuple, desc);
}

static bool
HasFeature(const char *definition, TableFeature feature)
{
	for (const char *const *word = feature_words[feature]; *word != NULL; word++)
	{
		if (strstr(definition, *word) != NULL)
			return true;
	}
	return false;
}

/*
 * All triggers are looked at: those of one function could be found by their
 * dependency, but one by one that takes longer in all but strange databases.
 */
List *
TablesWithFeature(TableFeature feature)
{
	Oid			function = DynamoFunctionOid(FUNCTION_DERIVE_KEYS);
	Relation	triggers = table_open(TriggerRelationId, AccessShareLock);
	List	   *relids = NIL;
	SysScanDesc scan;
	HeapTuple	tuple;

	scan = systable_beginscan(triggers, InvalidOid, false, NULL, 0, NULL);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		const char *definition = DefinitionOfTrigger(tuple, RelationGetDescr(triggers), function);

		if (definition != NULL && HasFeature(definition, feature))
			relids = lappend_oid(relids, ((Form_pg_trigger) GETSTRUCT(tuple))->tgrelid);
	}
	systable_endscan(scan);
	table_close(triggers, AccessShareLock);
	list_sort(relids, list_oid_cmp);
	return relids;
}

/* The definition of a table, as text; NULL if it is none. */
static char *
DefinitionText(Oid relid)
{
	Oid			function = DynamoFunctionOid(FUNCTION_DERIVE_KEYS);
	Relation	triggers = table_open(TriggerRelationId, AccessShareLock);
	char	   *text = NULL;
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;

	ScanKeyInit(&key, Anum_pg_trigger_tgrelid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(relid));
	scan = systable_beginscan(triggers, TriggerRelidNameIndexId, true, NULL, 1, &key);
	while (text == NULL && HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		const char *definition = DefinitionOfTrigger(tuple, RelationGetDescr(triggers), function);

		if (definition != NULL)
			text = pstrdup(definition);
	}
	systable_endscan(scan);
	table_close(triggers, AccessShareLock);
	return text;
}

bool
TableHasFeature(Oid relid, TableFeature feature)
{
	const char *definition = DefinitionText(relid);

	return definition != NULL && HasFeature(definition, feature);
}

/* ---- by function ---- */

/* Adds the trigger of this OID, if it has so many arguments. */
static List *
AddTriggerText(List *list, Relation triggers, Oid oid, int nargs)
{
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;

	ScanKeyInit(&key, Anum_pg_trigger_oid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(oid));
	scan = systable_beginscan(triggers, TriggerOidIndexId, true, NULL, 1, &key);
	tuple = systable_getnext(scan);
	if (HeapTupleIsValid(tuple) && ((Form_pg_trigger) GETSTRUCT(tuple))->tgnargs == nargs)
	{
		Form_pg_trigger form = (Form_pg_trigger) GETSTRUCT(tuple);
		TriggerText *text = palloc(sizeof(TriggerText));

		text->relid = form->tgrelid;
		text->for_row = TRIGGER_FOR_ROW(form->tgtype);
		text->argument = pstrdup(FirstArgument(tuple, RelationGetDescr(triggers)));
		list = lappend(list, text);
	}
	systable_endscan(scan);
	return list;
}

/* By their dependencies on the function: those of others are not looked at. */
List *
TriggersOf(const char *function, int nargs)
{
	Relation	depend = table_open(DependRelationId, AccessShareLock);
	Relation	triggers = table_open(TriggerRelationId, AccessShareLock);
	List	   *list = NIL;
	ScanKeyData keys[2];
	SysScanDesc scan;
	HeapTuple	tuple;

	ScanKeyInit(&keys[0], Anum_pg_depend_refclassid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(ProcedureRelationId));
	ScanKeyInit(&keys[1], Anum_pg_depend_refobjid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(DynamoFunctionOid(function)));
	scan = systable_beginscan(depend, DependReferenceIndexId, true, NULL, 2, keys);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		Form_pg_depend form = (Form_pg_depend) GETSTRUCT(tuple);

		if (form->classid == TriggerRelationId)
			list = AddTriggerText(list, triggers, form->objid, nargs);
	}
	systable_endscan(scan);
	table_close(triggers, AccessShareLock);
	table_close(depend, AccessShareLock);
	return list;
}

/* ---- by name ---- */

/*
 * The name that requests give a table.  One that is too long for a relation
 * stands in the definition, which for others need not be read.
 */
static const char *
TableNameOf(const char *relation_name, const char *definition)
{
	const TableDef *def = RelationNameIsMapped(relation_name) ? TableDefTryParse(definition) : NULL;

	if (def != NULL && def->long_name != NULL &&
		strcmp(RelationNameFor(def->long_name), relation_name) == 0)
		return def->long_name;
	return pstrdup(relation_name);
}

/*
 * The name of a row of pg_class that is a table to be listed; else NULL.  The
 * relation may have been dropped since, for which RelationIsVisible raises an
 * error.
 */
static const char *
VisibleTableName(const FormData_pg_class *form)
{
	const char *definition;

	if ((form->relkind != RELKIND_RELATION && form->relkind != RELKIND_PARTITIONED_TABLE) ||
		form->relispartition || !form->relhastriggers ||
		RelnameGetRelid(NameStr(form->relname)) != form->oid)
		return NULL;
	definition = DefinitionText(form->oid);
	return definition != NULL ? TableNameOf(NameStr(form->relname), definition) : NULL;
}

/* Whether names of tables may be in another order than those of their relations. */
static bool
SameGroup(const char *relation_name, const char *other)
{
	return strncmp(relation_name, other, MAPPED_PREFIX) == 0;
}

/*
 * Reads relations in the order of their names until there are enough tables
 * and no other can come between them.
 */
static List *
CollectNames(SysScanDesc scan, const char *after, int64 limit)
{
	List	   *names = NIL;
	NameData	last = {{0}};
	HeapTuple	tuple;

	while (HeapTupleIsValid(tuple = systable_getnext_ordered(scan, ForwardScanDirection)))
	{
		Form_pg_class form = (Form_pg_class) GETSTRUCT(tuple);
		const char *name;

		CHECK_FOR_INTERRUPTS();
		if (list_length(names) >= limit && !SameGroup(NameStr(form->relname), NameStr(last)))
			break;
		name = VisibleTableName(form);
		if (name == NULL || strcmp(name, after) <= 0)
			continue;
		names = lappend(names, unconstify(char *, name));
		last = form->relname;
	}
	return names;
}

static int
CompareNames(const ListCell *a, const ListCell *b)
{
	return strcmp(lfirst(a), lfirst(b));
}

List *
VisibleTableNames(const char *after, int64 limit)
{
	Relation	relations = table_open(RelationRelationId, AccessShareLock);
	Relation	index = index_open(ClassNameNspIndexId, AccessShareLock);
	NameData	first;
	ScanKeyData key;
	SysScanDesc scan;
	List	   *names;

	namestrcpy(&first, pnstrdup(after, MAPPED_PREFIX));
	ScanKeyInit(&key, Anum_pg_class_relname, BTGreaterEqualStrategyNumber, F_NAMEGE,
				NameGetDatum(&first));
	scan = systable_beginscan_ordered(relations, index, NULL, 1, &key);
	names = CollectNames(scan, after, limit);
	systable_endscan_ordered(scan);
	index_close(index, AccessShareLock);
	table_close(relations, AccessShareLock);
	list_sort(names, CompareNames);
	return list_truncate(names, (int) Min(limit, list_length(names)));
}
