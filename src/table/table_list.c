/*
 * table_list.c
 *	  Finds dynamo tables without parsing definitions.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_trigger.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "extension_objects.h"
#include "table/distribution.h"
#include "table/object_names.h"
#include "table/table.h"
#include "table/table_list.h"

/* ---- by features of the definition ---- */

/* The words are in the form that TableDefPrint prints. */
static const char *const no_words[] = {"", NULL};
static const char *const time_to_live_words[] = {"\"time_to_live\": \"", NULL};
static const char *const pending_build_words[] = {
	"\"status\": \"CREATING\"", "\"status\": \"DELETING\"", NULL
};
static const char *const moves_words[] = {"\"moves\": {", NULL};
static const char *const *const feature_words[] = {
	[FEATURE_NONE] = no_words,
	[FEATURE_TIME_TO_LIVE] = time_to_live_words,
	[FEATURE_PENDING_BUILD] = pending_build_words,
	[FEATURE_MOVES] = moves_words,
};

/*
 * Returns the first argument of a trigger that has arguments.  Each ends with
 * a zero byte.
 */
static const char *
FirstTriggerArgument(HeapTuple tuple, TupleDesc desc)
{
	bool		isnull;

	return VARDATA_ANY(PG_DETOAST_DATUM_PACKED(heap_getattr(tuple, Anum_pg_trigger_tgargs,
															desc, &isnull)));
}

/*
 * Returns the definition in a row of pg_trigger.  NULL if the trigger has
 * another function, or belongs to a partition, which has its table's
 * definition.
 */
static const char *
DefinitionOfTrigger(HeapTuple tuple, TupleDesc desc, Oid function)
{
	Form_pg_trigger form = (Form_pg_trigger) GETSTRUCT(tuple);

	if (form->tgfoid != function || form->tgnargs != 1 || OidIsValid(form->tgparentid))
		return NULL;
	return FirstTriggerArgument(tuple, desc);
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

bool
RelationIsOfOtherSession(Oid relid)
{
	return get_rel_persistence(relid) == RELPERSISTENCE_TEMP && isOtherTempNamespace(get_rel_namespace(relid));
}

/*
 * Reads all triggers.  Those of one function could be found by their
 * dependency, but fetching them one by one takes longer in ordinary databases.
 */
List *
TablesWithFeature(TableFeature feature)
{
	Oid			function = SystemFunctionOid(FUNCTION_DERIVE_KEYS);
	Relation	triggers = table_open(TriggerRelationId, AccessShareLock);
	List	   *relids = NIL;
	SysScanDesc scan;
	HeapTuple	tuple;

	scan = systable_beginscan(triggers, InvalidOid, false, NULL, 0, NULL);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		const char *definition = DefinitionOfTrigger(tuple, RelationGetDescr(triggers), function);
		Oid			relid = ((Form_pg_trigger) GETSTRUCT(tuple))->tgrelid;

		if (definition != NULL && HasFeature(definition, feature) && !RelationIsOfOtherSession(relid))
			relids = lappend_oid(relids, relid);
	}
	systable_endscan(scan);
	table_close(triggers, AccessShareLock);
	list_sort(relids, list_oid_cmp);
	return relids;
}

char *
TableDefinitionText(Oid relid)
{
	Oid			function = SystemFunctionOid(FUNCTION_DERIVE_KEYS);
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
	const char *definition = TableDefinitionText(relid);

	return definition != NULL && HasFeature(definition, feature);
}

/* ---- by name ---- */

char *
TableNameInOtherCase(const char *name)
{
	ListCell   *cell;

	foreach(cell, TablesWithFeature(FEATURE_NONE))
	{
		char	   *other = get_rel_name(lfirst_oid(cell));

		if (other != NULL && pg_strcasecmp(other, name) == 0 &&
			RelationInSearchPath(other) == lfirst_oid(cell))
			return other;
	}
	return NULL;
}

/*
 * Returns the table's name in requests.  If it is too long for a relation, it
 * is in the definition; otherwise the definition is not read.
 */
static const char *
ListedTableName(const char *relation_name, const char *definition)
{
	const TableDef *def = RelationNameIsMapped(relation_name) ? TableDefTryParse(definition) : NULL;

	if (def != NULL && def->long_name != NULL &&
		strcmp(RelationNameFor(def->long_name), relation_name) == 0)
		return def->long_name;
	return pstrdup(relation_name);
}

/*
 * Whether a request finds a relation by its name.  A request cannot contain
 * quotes.
 */
static bool
IsFoundByName(const char *relation_name, Oid relid)
{
	Oid			found = strchr(relation_name, '.') != NULL && strchr(relation_name, '"') == NULL ?
		TableNameTryResolve(relation_name) : RelationInSearchPath(relation_name);

	return found == relid;
}

/*
 * Returns the table's name for a row of pg_class; NULL if it is not to be
 * listed.  RelationIsVisible is not used, because it raises an error if the
 * relation has been dropped.
 */
static const char *
VisibleTableName(const FormData_pg_class *form)
{
	const char *definition;

	if ((form->relkind != RELKIND_RELATION && form->relkind != RELKIND_PARTITIONED_TABLE) ||
		form->relispartition || !form->relhastriggers ||
		strlen(NameStr(form->relname)) < REQUEST_NAME_MIN || !IsFoundByName(NameStr(form->relname), form->oid) || RelationIsShard(form->oid))
		return NULL;
	definition = TableDefinitionText(form->oid);
	return definition != NULL ? ListedTableName(NameStr(form->relname), definition) : NULL;
}

/* Whether two tables may be in another order than their relations' names. */
static bool
IsSameGroup(const char *relation_name, const char *other)
{
	return strncmp(relation_name, other, MAPPED_PREFIX) == 0;
}

/*
 * Reads relations in the order of their names, until there are enough tables
 * and no further table can come between them.
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
		if (list_length(names) >= limit && !IsSameGroup(NameStr(form->relname), NameStr(last)))
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
CompareNameCells(const ListCell *a, const ListCell *b)
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
	list_sort(names, CompareNameCells);
	return list_truncate(names, (int) Min(limit, list_length(names)));
}
