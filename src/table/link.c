/*
 * link.c
 *	  Links from index tables and streams to their table.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_depend.h"
#include "catalog/pg_trigger.h"
#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "extension_objects.h"
#include "table/ddl_statement.h"
#include "table/link.h"

/* ---- links ---- */

Oid
LinkedTable(Relation rel, char **label)
{
	Oid			function;

	if (rel->trigdesc == NULL)
		return InvalidOid;

	/*
	 * The lookup may rebuild the relcache entry, so trigdesc is read after it.
	 */
	function = SystemFunctionOid(FUNCTION_BELONGS_TO);
	for (int i = 0; rel->trigdesc != NULL && i < rel->trigdesc->numtriggers; i++)
	{
		const Trigger *trigger = &rel->trigdesc->triggers[i];

		if (trigger->tgfoid != function || trigger->tgnargs != 1 ||
			!OidIsValid(trigger->tgconstrrelid))
			continue;
		*label = pstrdup(trigger->tgargs[0]);
		return trigger->tgconstrrelid;
	}
	return InvalidOid;
}

/* The properties of links to search for, starting from the table. */
typedef struct WantedLinks
{
	Oid			table;
	Oid			function;
	const char *label;			/* NULL for any */
	Relation	triggers;		/* pg_trigger */
} WantedLinks;

/* Returns the link in the row of a trigger; NULL if it is not wanted. */
static TableLink *
LinkOfRow(const WantedLinks *wanted, HeapTuple tuple)
{
	Form_pg_trigger form = (Form_pg_trigger) GETSTRUCT(tuple);
	TableLink  *link;
	bool		isnull;
	Datum		arguments;
	const char *label;

	if (form->tgfoid != wanted->function || form->tgconstrrelid != wanted->table || form->tgnargs != 1 ||
		OidIsValid(form->tgparentid) || strcmp(NameStr(form->tgname), TRIGGER_BELONGS_TO) != 0)
		return NULL;
	arguments = heap_getattr(tuple, Anum_pg_trigger_tgargs, RelationGetDescr(wanted->triggers), &isnull);
	label = VARDATA_ANY(PG_DETOAST_DATUM_PACKED(arguments));
	if (wanted->label != NULL && strcmp(label, wanted->label) != 0)
		return NULL;
	link = palloc(sizeof(TableLink));
	link->relid = form->tgrelid;
	link->label = pstrdup(label);
	return link;
}

static TableLink *
LinkOfTrigger(const WantedLinks *wanted, Oid trigger)
{
	TableLink  *link = NULL;
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;

	ScanKeyInit(&key, Anum_pg_trigger_oid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(trigger));
	scan = systable_beginscan(wanted->triggers, TriggerOidIndexId, true, NULL, 1, &key);
	tuple = systable_getnext(scan);
	if (HeapTupleIsValid(tuple))
		link = LinkOfRow(wanted, tuple);
	systable_endscan(scan);
	return link;
}

Oid
LinkedAs(const List *links, const char *label)
{
	ListCell   *cell;

	foreach(cell, links)
	{
		const TableLink *link = lfirst(cell);

		if (strcmp(link->label, label) == 0)
			return link->relid;
	}
	return InvalidOid;
}

/* Returns links with a label, or all, which are among the triggers that depend on the table. */
static List *
FindLinks(Oid table, const char *label)
{
	WantedLinks wanted = {table, SystemFunctionOid(FUNCTION_BELONGS_TO), label,
	table_open(TriggerRelationId, AccessShareLock)};
	Relation	depend = table_open(DependRelationId, AccessShareLock);
	List	   *links = NIL;
	ScanKeyData keys[2];
	SysScanDesc scan;
	HeapTuple	tuple;

	ScanKeyInit(&keys[0], Anum_pg_depend_refclassid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(RelationRelationId));
	ScanKeyInit(&keys[1], Anum_pg_depend_refobjid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(table));
	scan = systable_beginscan(depend, DependReferenceIndexId, true, NULL, 2, keys);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		Form_pg_depend form = (Form_pg_depend) GETSTRUCT(tuple);
		TableLink  *link = form->classid == TriggerRelationId ?
			LinkOfTrigger(&wanted, form->objid) : NULL;

		/* the trigger of a table that is linked to itself depends on it twice */
		if (link != NULL && (link->relid != table || LinkedAs(links, link->label) != table))
			links = lappend(links, link);
	}
	systable_endscan(scan);
	table_close(depend, AccessShareLock);
	table_close(wanted.triggers, AccessShareLock);
	return links;
}

List *
LinksOf(Oid table)
{
	return FindLinks(table, NULL);
}

Oid
FindLinked(Oid table, const char *label)
{
	return LinkedAs(FindLinks(table, label), label);
}

bool
IsNameTaken(Oid schema, Oid table, const char *name)
{
	return OidIsValid(get_relname_relid(name, schema)) ||
		(OidIsValid(table) && OidIsValid(FindLinked(table, name)));
}

static Oid
FindOwningTable(Oid relid)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relid));
	Oid			owner;

	if (!HeapTupleIsValid(tuple))
		return InvalidOid;
	owner = ((Form_pg_class) GETSTRUCT(tuple))->relowner;
	ReleaseSysCache(tuple);
	return owner;
}

bool
HaveSameOwner(Oid a, Oid b)
{
	Oid			owner = FindOwningTable(a);

	return OidIsValid(owner) && owner == FindOwningTable(b);
}

void
StoreLink(Oid relid, Oid table, const char *label)
{
	RunStatement("CREATE CONSTRAINT TRIGGER %s AFTER DELETE ON %s FROM %s "
				 "FOR EACH ROW WHEN (false) EXECUTE FUNCTION %s.%s(%s)",
				 quote_identifier(TRIGGER_BELONGS_TO),
				 QualifiedName(get_rel_namespace(relid), get_rel_name(relid)),
				 QualifiedName(get_rel_namespace(table), get_rel_name(table)),
				 SYSTEM_SCHEMA, FUNCTION_BELONGS_TO, quote_literal_cstr(label));
}

void
CheckOneLink(Oid relid)
{
	Relation	rel = try_table_open(relid, AccessShareLock);
	char	   *label;
	Oid			table = rel != NULL ? LinkedTable(rel, &label) : InvalidOid;

	if (rel == NULL)
		return;
	if (OidIsValid(table) && list_length(FindLinks(table, label)) > 1)
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_OBJECT),
				 errmsg("table \"%s\" has another relation with the label \"%s\"",
						get_rel_name(table), label)));
	table_close(rel, AccessShareLock);
}

DYNAMO_FUNCTION(dynamo_belongs_to);

/* The function of triggers that never fire. */
Datum
dynamo_belongs_to(PG_FUNCTION_ARGS)
{
	return PointerGetDatum(NULL);
}
