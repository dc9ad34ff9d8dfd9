/*
 * custom_settings.c
 *	  Sends the custom settings of a session to the other nodes of Citus.
 *
 * They are sent when a statement on a table with row security is executed, in the
 * transactions that Citus has on its connections: to those that are open, and at the
 * beginning of those that follow, as Citus does with SET LOCAL.  They end with these
 * transactions.  Only placeholders are sent, which belong to no library: anybody may set
 * them, and they mean nothing to a server.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/parallel.h"
#include "access/xact.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type_d.h"
#include "executor/executor.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/guc_tables.h"
#include "utils/memutils.h"
#include "utils/rls.h"
#include "utils/syscache.h"

#include "citus/custom_settings.h"
#include "compat.h"
#include "errors.h"
#include "table/distribution.h"

static ExecutorRun_hook_type next_run = NULL;

static struct
{
	bool		looked_up;
	StringInfo *sent;			/* what transactions of Citus begin with */
	void		(*coordinate) (void);
	void		(*send) (void *statement, const char *text);
}			citus;

/*
 * What was sent last is in force on all connections.  A subtransaction begins or ends: not
 * known.
 */
static bool in_force;

/* ---- the settings of this session ---- */

static bool
IsCustom(const struct config_generic *setting)
{
	return (setting->flags & GUC_CUSTOM_PLACEHOLDER) != 0 && strchr(setting->name, GUC_QUALIFIER_SEPARATOR) != NULL;
}

/* After RESET, a custom setting has no value, and is shown as an empty one. */
static void
AddCustomSetting(StringInfo names, StringInfo values, const char *name)
{
	const char *separator = names->len > 0 ? ", " : "";
	const char *value = GetConfigOption(name, false, false);

	appendStringInfo(names, "%s%s", separator, quote_literal_cstr(name));
	appendStringInfo(values, "%s%s", separator, quote_literal_cstr(value != NULL ? value : ""));
}

char *
CustomSettingsCall(void)
{
	int			n;
	struct config_generic **settings = SettingsOfSession(&n);
	StringInfoData names;
	StringInfoData values;

	initStringInfo(&names);
	initStringInfo(&values);
	for (int i = 0; i < n; i++)
	{
		if (IsCustom(settings[i]))
			AddCustomSetting(&names, &values, settings[i]->name);
	}
	if (names.len == 0)
		return NULL;
	return psprintf("dynamo_system.take_settings(ARRAY[%s]::pg_catalog.text[], ARRAY[%s]::pg_catalog.text[])", names.data, values.data);
}

/* ---- sending ---- */

static bool
FindSettingFunctions(void)
{
	if (!citus.looked_up)
	{
		citus.sent = load_external_function("$libdir/citus", "activeSetStmts", false, NULL);
		citus.coordinate = load_external_function("$libdir/citus", "UseCoordinatedTransaction", false, NULL);
		citus.send = load_external_function("$libdir/citus", "PostprocessVariableSetStmt", false, NULL);
		citus.looked_up = true;
	}
	return citus.sent != NULL && citus.coordinate != NULL && citus.send != NULL;
}

/* Whether a text was the last that was sent, and nothing was set by Citus after it. */
static bool
IsInForce(const char *text)
{
	const StringInfo sent = *citus.sent;
	int			len = strlen(text);

	return in_force && sent != NULL && sent->len >= len && strcmp(sent->data + sent->len - len, text) == 0;
}

/*
 * Citus checks in builds with assertions that the statement is one that it sends: SET
 * TRANSACTION, while the setting is 'local'.
 */
static void
SendThroughCitus(const char *text)
{
	VariableSetStmt *statement = makeNode(VariableSetStmt);
	int			level = NewGUCNestLevel();

	statement->kind = VAR_SET_MULTI;
	statement->name = "TRANSACTION";
	(void) set_config_option("citus.propagate_set_commands", "local", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE,
							 true, 0, false);
	citus.send(statement, text);
	AtEOXact_GUC(true, level);
}

static void
SendSettingCall(Oid relid, const char *call)
{
	const char *text = psprintf("SELECT %s;", call);

	if (!FindSettingFunctions())
		DistributedError(relid, "row security in a session with custom settings and this build of Citus");
	citus.coordinate();
	if (!IsInForce(text))
		SendThroughCitus(text);
	in_force = true;
}

static void
SendCustomSettings(Oid relid)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "dynamo custom settings", ALLOCSET_SMALL_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	const char *call = CustomSettingsCall();

	if (call != NULL)
		SendSettingCall(relid, call);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
}

/* ---- statements on tables with row security ---- */

/* Whether policies of a table apply to the user on other nodes. */
static bool
IsSecured(Oid relid)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relid));
	bool		secured = HeapTupleIsValid(tuple) && ((Form_pg_class) GETSTRUCT(tuple))->relrowsecurity;

	if (HeapTupleIsValid(tuple))
		ReleaseSysCache(tuple);
	return secured && check_enable_rls(relid, InvalidOid, true) == RLS_ENABLED && RelationIsDistributed(relid);
}

/* The first such table of a statement that other nodes execute; or InvalidOid. */
static Oid
FindSecuredTable(const PlannedStmt *statement)
{
	ListCell   *cell;

	foreach(cell, statement->rtable)
	{
		const RangeTblEntry *rte = lfirst(cell);

		if (rte->rtekind == RTE_RELATION && rte->relkind == RELKIND_RELATION && IsSecured(rte->relid))
			return rte->relid;
	}
	return InvalidOid;
}

static void
RunWithCustomSettings(EXECUTOR_RUN_PARAMETERS)
{
	Oid			relid = IsParallelWorker() ? InvalidOid : FindSecuredTable(queryDesc->plannedstmt);

	if (OidIsValid(relid))
		SendCustomSettings(relid);
	if (next_run != NULL)
		next_run(EXECUTOR_RUN_ARGUMENTS);
	else
		standard_ExecutorRun(EXECUTOR_RUN_ARGUMENTS);
}

static void
AtSubtransaction(SubXactEvent event, SubTransactionId self, SubTransactionId parent, void *arg)
{
	in_force = false;
}

void
CustomSettingsInit(void)
{
	next_run = ExecutorRun_hook;
	ExecutorRun_hook = RunWithCustomSettings;
	RegisterSubXactCallback(AtSubtransaction, NULL);
}

/* ---- on the other node ---- */

/* Whether a name is that of a custom setting, or of none that is known here. */
static bool
MayBeCustom(const char *name)
{
	int			flags = GetConfigOptionFlags(name, true);

	return flags != 0 ? (flags & GUC_CUSTOM_PLACEHOLDER) != 0 : GetConfigOptionByName(name, NULL, true) == NULL;
}

/*
 * Sets a custom setting until the end of the transaction, as everybody may.  One of a
 * library that is loaded here, or that only a library can define, is left as it is.
 */
static void
TakeSetting(const char *name, const char *value)
{
	if (strchr(name, GUC_QUALIFIER_SEPARATOR) == NULL)
		InvalidArgument("\"%s\" is not a custom setting", name);
	if (MayBeCustom(name))
		(void) set_config_option(name, value, PGC_USERSET, PGC_S_SESSION, GUC_ACTION_LOCAL, true, DEBUG1, false);
}

DYNAMO_FUNCTION(dynamo_take_settings);
Datum
dynamo_take_settings(PG_FUNCTION_ARGS)
{
	Datum	   *names;
	Datum	   *values;
	int			n;
	int			nvalues;

	deconstruct_array(PG_GETARG_ARRAYTYPE_P(0), TEXTOID, -1, false, TYPALIGN_INT, &names, NULL, &n);
	deconstruct_array(PG_GETARG_ARRAYTYPE_P(1), TEXTOID, -1, false, TYPALIGN_INT, &values, NULL, &nvalues);
	if (n != nvalues)
		InvalidArgument("there must be as many names as values");
	for (int i = 0; i < n; i++)
		TakeSetting(TextDatumGetCString(names[i]), TextDatumGetCString(values[i]));
	PG_RETURN_VOID();
}
