/*
 * entity_view_rights.c
 *	  With whose rights an entity view is written.
 *
 * A view that is created has security_invoker: its user needs the rights to the
 * table.  Without it, PostgreSQL reads the table with the rights of the view's
 * owner, and rights to the view and its columns decide what a role may do.
 * Then the table is written with the rights of the owner, too, under these
 * conditions:
 *
 * - The view and the table have one owner, so that triggers, constraints and
 *   indexes run as whoever made them.
 * - Nobody else has a say in what is written.  The trigger is the only one of
 *   the view, and has a mark that only the owner can make: that it depends on
 *   the extension (ALTER TRIGGER).  A role with the TRIGGER privilege can
 *   create a trigger with other columns, also in place of ours; but a trigger
 *   that is replaced loses the mark.
 *
 * Otherwise the user needs the rights to the table.
 */
#include "postgres.h"

#include "catalog/dependency.h"
#include "catalog/pg_trigger.h"
#include "catalog/pg_type.h"
#include "commands/extension.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "compat.h"
#include "extension_objects.h"
#include "store/store.h"
#include "view/entity_view.h"

#define EXTENSION_NAME	"dynamo"

const char *
EntityViewMark(const char *trigger, const char *view)
{
	return psprintf("ALTER TRIGGER %s ON %s DEPENDS ON EXTENSION %s", trigger, view, EXTENSION_NAME);
}

static bool
IsMarked(const Trigger *trigger)
{
	return list_member_oid(getAutoExtensionsOfObject(TriggerRelationId, trigger->tgoid),
						   get_extension_oid(EXTENSION_NAME, true));
}

bool
EntityViewUsesOwner(Relation view, const Trigger *trigger, Oid table)
{
	return !RelationHasSecurityInvoker(view) &&
		view->rd_rel->relowner != GetUserId() &&
		view->rd_rel->relowner == RelationOwner(table) &&
		view->trigdesc->numtriggers == 1 && IsMarked(trigger);
}

void
EntityViewHideDetail(void)
{
	ErrorData  *edata = CopyErrorData();

	FlushErrorState();
	if (ERRCODE_TO_CATEGORY(edata->sqlerrcode) == ERRCODE_DATA_EXCEPTION)
	{
		edata->detail = psprintf("%s%s%s", edata->message, edata->detail != NULL ? " " : "",
								 edata->detail != NULL ? edata->detail : "");
		edata->message = pstrdup("an item of the view has a value that is not as expected");
	}
	if (edata->detail_log == NULL)
		edata->detail_log = edata->detail;
	edata->detail = NULL;
	ReThrowError(edata);
}

/* ---- the hint ---- */

/* An entity view of a table that uses its owner's rights, of which the user has some. */
static const char usable_view_query[] =
"SELECT pg_catalog.format('%I.%I', n.nspname, v.relname) "
"FROM pg_catalog.pg_depend d "
"JOIN pg_catalog.pg_rewrite r ON r.oid OPERATOR(pg_catalog.=) d.objid "
"JOIN pg_catalog.pg_trigger t ON t.tgrelid OPERATOR(pg_catalog.=) r.ev_class "
"JOIN pg_catalog.pg_class v ON v.oid OPERATOR(pg_catalog.=) r.ev_class "
"JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) d.refobjid "
"  AND v.relowner OPERATOR(pg_catalog.=) c.relowner "
"JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) v.relnamespace "
"WHERE d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_rewrite'::pg_catalog.regclass "
"AND d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass "
"AND d.refobjid OPERATOR(pg_catalog.=) $1 AND t.tgfoid OPERATOR(pg_catalog.=) $2 "
"AND NOT EXISTS (SELECT FROM pg_catalog.pg_options_to_table(v.reloptions) o "
"  WHERE o.option_name OPERATOR(pg_catalog.=) 'security_invoker' AND o.option_value::pg_catalog.bool) "
"AND pg_catalog.has_schema_privilege(n.oid, 'USAGE'::pg_catalog.text) "
"AND pg_catalog.has_any_column_privilege(v.oid, 'SELECT, INSERT, UPDATE'::pg_catalog.text) "
"ORDER BY 1 LIMIT 1";

/* StoreHint */
static char *
HintAtView(Oid relid)
{
	Oid			types[2] = {OIDOID, OIDOID};
	Datum		args[2] = {ObjectIdGetDatum(relid), ObjectIdGetDatum(SystemFunctionOid(FUNCTION_ENTITY_VIEW_WRITE))};
	MemoryContext caller = CurrentMemoryContext;
	char	   *hint = NULL;

	SPI_connect();
	if (SPI_execute_with_args(usable_view_query, 2, types, args, NULL, true, 1) == SPI_OK_SELECT && SPI_processed == 1)
		hint = MemoryContextStrdup(caller, psprintf("You have rights to the view %s of this table: use it in SQL.",
													SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1)));
	SPI_finish();
	return hint;
}

void
EntityViewRightsInit(void)
{
	StoreSetDeniedHint(HintAtView);
}
