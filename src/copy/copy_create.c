/*
 * copy_create.c
 *	  dynamo.create_copy, create_total, drop_copy and drop_total.
 *
 * The definitions of a table are one list, the argument of its triggers.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_class.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/json.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "copy/copy.h"
#include "ddl/ddl.h"
#include "extension_objects.h"
#include "table/ddl_statement.h"
#include "table/definition.h"
#include "table/moves.h"
#include "table/named_list.h"
#include "table/table_name.h"

/* ---- the triggers ---- */

/*
 * Creates the triggers.  They are not ALWAYS triggers, so that a logical
 * subscriber does not repeat the work.
 */
static void
StoreCopyTrigger(const char *table, const char *name, const char *when, const char *text)
{
	RunStatement("CREATE OR REPLACE TRIGGER %s %s ON %s EXECUTE FUNCTION %s.%s(%s)",
				 quote_identifier(name), when, psprintf("%s FOR EACH %s", table, strcmp(name, TRIGGER_SPREAD_COPIES) == 0 ? "STATEMENT" : "ROW"),
				 SYSTEM_SCHEMA, FUNCTION_KEEP_COPIES, text);
}

/*
 * Stores a list in the triggers of a table; NULL removes them.  SPI must be
 * connected.
 */
static void
StoreCopies(Oid relid, const char *text)
{
	char	   *table = QualifiedName(get_rel_namespace(relid), get_rel_name(relid));

	if (text == NULL)
	{
		DropTrigger(relid, table, TRIGGER_COPY);
		DropTrigger(relid, table, TRIGGER_COLLECT_COPIES);
		DropTrigger(relid, table, TRIGGER_SPREAD_COPIES);
		return;
	}
	StoreCopyTrigger(table, TRIGGER_COPY, "BEFORE INSERT OR UPDATE", "");
	StoreCopyTrigger(table, TRIGGER_COLLECT_COPIES, "AFTER INSERT OR UPDATE OR DELETE", quote_literal_cstr(text));
	StoreCopyTrigger(table, TRIGGER_SPREAD_COPIES, "AFTER INSERT OR UPDATE OR DELETE", "");
}

/* ---- the list ---- */

static Jsonb *
JsonOfText(const char *text)
{
	return DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(text)));
}

static bool
IsTotal(JsonbContainer *object)
{
	JsonbValue	value;

	return getKeyJsonValueFromContainer(object, "totals", strlen("totals"), &value) != NULL;
}

/*
 * Returns the list in the triggers of a locked table: its argument, palloc'd,
 * or NULL.
 */
static char *
StoredList(Oid relid)
{
	Relation	rel = table_open(relid, NoLock);
	const char *text = CopySetText(rel);
	char	   *copy = text == NULL ? NULL : pstrdup(text);

	table_close(rel, NoLock);
	return copy;
}

/* ---- creating ---- */

static void
CheckTableKind(Oid relid, const TableDef *def)
{
	if (get_rel_relkind(relid) != RELKIND_RELATION || get_rel_relispartition(relid) || def->distributed)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("table \"%s\" is %s", get_rel_name(relid), def->distributed ? "distributed" : "partitioned"),
				 errdetail("Only plain tables can have copies and totals.")));
}

static void
AppendCopyText(StringInfo out, const char *name, const char *value)
{
	appendStringInfo(out, "%s\"%s\": ", out->len == 1 ? "" : ", ", name);
	escape_json(out, value);
}

static void
AppendObject(StringInfo out, FunctionCallInfo fcinfo, int arg, const char *parameter, const char *name)
{
	Jsonb	   *object = JsonObjectArgument(fcinfo, arg, parameter);

	if (object != NULL)
		appendStringInfo(out, ", \"%s\": %s", name, JsonbToCString(NULL, &object->root, 0));
}

/* (table_name, name, parent, child, attributes or totals, refers, index_name, hidden_parent, fill) */
static char *
PrintArguments(FunctionCallInfo fcinfo, const char *name, const char *member)
{
	StringInfoData out;

	initStringInfo(&out);
	appendStringInfoChar(&out, '{');
	AppendCopyText(&out, "name", name);
	AppendCopyText(&out, "parent", RequiredText(fcinfo, 2, "parent"));
	AppendCopyText(&out, "child", RequiredText(fcinfo, 3, "child"));
	if (!PG_ARGISNULL(6))
		AppendCopyText(&out, "index", RequiredText(fcinfo, 6, "index_name"));
	if (PG_ARGISNULL(4))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("%s must not be null", member)));
	AppendObject(&out, fcinfo, 4, member, member);
	AppendObject(&out, fcinfo, 5, "refers", "refers");
	AppendCopyText(&out, "hidden_parent", RequiredText(fcinfo, 7, "hidden_parent"));
	appendStringInfoChar(&out, '}');
	return out.data;
}

static void
StoreChecked(Oid relid, const TableDef *def, const char *list)
{
	CopySetRefuseDefaults(CopySetRead(def, list));
	SPI_connect();
	StoreCopies(relid, list);
	SPI_finish();
}

void
CopiesStore(const char *table_name, const char *list)
{
	Oid			relid;
	TableDef   *def = LockDefinition(table_name, ShareRowExclusiveLock, &relid);

	CheckTableKind(relid, def);
	RefuseWhileMoving(def, "declare copies and totals beside");
	StoreChecked(relid, def, list);
	CommandCounterIncrement();
}

static void
CreateNamed(FunctionCallInfo fcinfo, const char *parameter, const char *member)
{
	char	   *table_name = RequiredTableArgument(fcinfo, 0);
	char	   *name = RequiredText(fcinfo, 1, parameter);
	Oid			relid;
	TableDef   *def = LockDefinition(table_name, ShareRowExclusiveLock, &relid);
	char	   *stored = StoredList(relid);
	JsonbContainer *found = NamedListFind(stored, name);
	char	   *list = NamedListChange(stored, name, PrintArguments(fcinfo, name, member));

	CheckTableKind(relid, def);
	RefuseWhileMoving(def, "declare copies and totals beside");
	if (found != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_OBJECT),
				 errmsg("%s \"%s\" of table \"%s\" already exists", IsTotal(found) ? "total" : "copy", name, get_rel_name(relid))));
	StoreChecked(relid, def, list);
	if (PG_ARGISNULL(8) || PG_GETARG_BOOL(8))
		CopyFill(table_name, name);
}

DYNAMO_FUNCTION(dynamo_create_copy);
Datum
dynamo_create_copy(PG_FUNCTION_ARGS)
{
	CreateNamed(fcinfo, "copy_name", "attributes");
	PG_RETURN_VOID();
}

DYNAMO_FUNCTION(dynamo_create_total);
Datum
dynamo_create_total(PG_FUNCTION_ARGS)
{
	CreateNamed(fcinfo, "total_name", "totals");
	PG_RETURN_VOID();
}

/* ---- dropping ---- */

/*
 * Drops the definition; the copied attributes and totals remain in the items.
 */
static void
DropNamed(FunctionCallInfo fcinfo, bool total)
{
	char	   *table_name = TableArgument(fcinfo, 0);
	char	   *name = text_to_cstring(PG_GETARG_TEXT_PP(1));
	Oid			relid;
	JsonbContainer *found;
	char	   *stored;
	char	   *list;

	(void) LockDefinition(table_name, AccessExclusiveLock, &relid);
	stored = StoredList(relid);
	found = NamedListFind(stored, name);
	list = NamedListChange(stored, name, NULL);
	if (found == NULL || IsTotal(found) != total)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("the table has no %s \"%s\"", total ? "total" : "copy", name)));
	SPI_connect();
	StoreCopies(relid, list);
	SPI_finish();
}

DYNAMO_FUNCTION(dynamo_drop_copy);
Datum
dynamo_drop_copy(PG_FUNCTION_ARGS)
{
	DropNamed(fcinfo, false);
	PG_RETURN_VOID();
}

DYNAMO_FUNCTION(dynamo_drop_total);
Datum
dynamo_drop_total(PG_FUNCTION_ARGS)
{
	DropNamed(fcinfo, true);
	PG_RETURN_VOID();
}

/* ---- the view ---- */

static void *
ReadJsonList(const char *text, void *arg)
{
	Jsonb	   *list = strlen(text) <= DEFINITION_MAX_BYTES ? JsonOfText(text) : NULL;

	return list != NULL && JB_ROOT_IS_ARRAY(list) && !JB_ROOT_IS_SCALAR(list) ? list : NULL;
}

/*
 * copy_definitions(trigger_arguments bytea) returns jsonb: a list; null if the
 * arguments contain none.
 */
DYNAMO_FUNCTION(dynamo_copy_definitions);
Datum
dynamo_copy_definitions(PG_FUNCTION_ARGS)
{
	bytea	   *arguments = PG_GETARG_BYTEA_PP(0);
	char	   *text = pnstrdup(VARDATA_ANY(arguments), VARSIZE_ANY_EXHDR(arguments));
	Jsonb	   *list = pg_verifymbstr(text, strlen(text), true) ? DefinitionTry(ReadJsonList, text, NULL) : NULL;

	if (list == NULL)
		PG_RETURN_NULL();
	PG_RETURN_JSONB_P(list);
}
