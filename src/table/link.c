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

/* The properties of a link to search for, starting from the table. */
typedef struct WantedLink
{
	Oid			table;
	Oid			function;
	const char *label;
	Relation	triggers;		/* pg_trigger */
} WantedLink;

static bool
HasLabel(const WantedLink *wanted, HeapTuple tuple)
{
	bool		isnull;
	Datum		arguments = heap_getattr(tuple, Anum_pg_trigger_tgargs,
										 RelationGetDescr(wanted->triggers), &isnull);

	return strcmp(VARDATA_ANY(PG_DETOAST_DATUM_PACKED(arguments)), wanted->label) == 0;
}

static bool
IsWantedLink(const WantedLink *wanted, HeapTuple tuple)
{
	Form_pg_trigger form = (Form_pg_trigger) GETSTRUCT(tuple);

	return form->tgfoid == wanted->function && form->tgconstrrelid == wanted->table &&
		form->tgnargs == 1 && !OidIsValid(form->tgparentid) &&
		strcmp(NameStr(form->tgname), TRIGGER_BELONGS_TO) == 0 && HasLabel(wanted, tuple);
}

/*
 * Returns the relation of a trigger if it is the wanted link; otherwise
 * InvalidOid.
 */
static Oid
RelationOfLink(const WantedLink *wanted, Oid trigger)
{
	Oid			relid = InvalidOid;
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;

	ScanKeyInit(&key, Anum_pg_trigger_oid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(trigger));
	scan = systable_beginscan(wanted->triggers, TriggerOidIndexId, true, NULL, 1, &key);
	tuple = systable_getnext(scan);
	if (HeapTupleIsValid(tuple) && IsWantedLink(wanted, tuple))
		relid = ((Form_pg_trigger) GETSTRUCT(tuple))->tgrelid;
	systable_endscan(scan);
	return relid;
}

/*
 * Returns the relations of links among the triggers that depend on the table.
 */
static List *
FindLinks(Oid table, const char *label)
{
	WantedLink	wanted = {table, SystemFunctionOid(FUNCTION_BELONGS_TO), label,
	table_open(TriggerRelationId, AccessShareLock)};
	Relation	depend = table_open(DependRelationId, AccessShareLock);
	List	   *relids = NIL;
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
		Oid			relid = form->classid == TriggerRelationId ?
			RelationOfLink(&wanted, form->objid) : InvalidOid;

		if (OidIsValid(relid))
			relids = list_append_unique_oid(relids, relid);
	}
	systable_endscan(scan);
	table_close(depend, AccessShareLock);
	table_close(wanted.triggers, AccessShareLock);
	return relids;
}

Oid
FindLinked(Oid table, const char *label)
{
	List	   *relids = FindLinks(table, label);

	return relids != NIL ? linitial_oid(relids) : InvalidOid;
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
