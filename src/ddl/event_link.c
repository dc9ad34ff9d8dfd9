/*
 * event_link.c
 *	  Checks who may create triggers that link two tables.
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "ddl/event.h"
#include "ddl/feature.h"
#include "extension_objects.h"
#include "table/link.h"

/* Returns the tables linked by triggers that the command has created. */
static EventPlan created_links = {
"SELECT r.relid "
"FROM pg_catalog.pg_event_trigger_ddl_commands() c "
"JOIN pg_catalog.pg_trigger t ON t.oid OPERATOR(pg_catalog.=) c.objid "
"CROSS JOIN LATERAL (VALUES (t.tgrelid), (t.tgconstrrelid)) r(relid) "
"WHERE c.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_trigger'::pg_catalog.regclass "
"AND t.tgfoid OPERATOR(pg_catalog.=) ANY ($1) "
"AND r.relid OPERATOR(pg_catalog.<>) 0::pg_catalog.oid"
};

/*
 * Requires the owner of both tables.  The triggers of a reference read one
 * table, and delete from it, for users who write to the other.  Relations that
 * belong to a table are written, altered and dropped with it.
 */
static void
CheckLinkOwner(Oid relid)
{
	if (!RelationOwnercheck(relid, GetUserId()))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("must be owner of table \"%s\" to link it to another table",
						get_rel_name(relid))));
}

/* Returns the functions of triggers that link tables, as an array of OIDs. */
static Datum
LinkFunctions(void)
{
	List	   *functions = list_make1_oid(SystemFunctionOid(FUNCTION_BELONGS_TO));
	Datum	   *oids;
	ListCell   *cell;

	foreach(cell, DdlFeatures())
	{
		const DdlFeature *feature = lfirst(cell);

		for (int i = 0; i < FEATURE_MAX_FUNCTIONS && feature->link_functions[i] != NULL; i++)
			functions = lappend_oid(functions, SystemFunctionOid(feature->link_functions[i]));
	}
	oids = palloc(list_length(functions) * sizeof(Datum));
	foreach(cell, functions)
		oids[foreach_current_index(cell)] = ObjectIdGetDatum(lfirst_oid(cell));
	return PointerGetDatum(construct_array(oids, list_length(functions), OIDOID, sizeof(Oid),
										   true, TYPALIGN_INT));
}

void
CheckLinkOwners(void)
{
	List	   *relids;
	ListCell   *cell;

	EventQuery(&created_links, 1, LinkFunctions());
	relids = ResultOids();
	foreach(cell, relids)
		CheckLinkOwner(lfirst_oid(cell));
	foreach(cell, relids)
		CheckOneLink(lfirst_oid(cell));
}

