/*
 * reference_create.c
 *	  dynamo.add_reference and dynamo.drop_constraint.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/index.h"
#include "catalog/pg_class.h"
#include "catalog/pg_constraint.h"
#include "fmgr.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "compat.h"
#include "constraint/reference.h"
#include "ddl/ddl.h"
#include "entity/template.h"
#include "extension_objects.h"
#include "item/json.h"
#include "store/plan.h"
#include "table/moves.h"
#include "table/table_name.h"

/*
 * Suffixes of the referenced table's trigger and of the index for its query.
 */
#define REFERENCED_SUFFIX	"_referenced"
#define INDEX_SUFFIX		"_key"

typedef struct ReferenceSpec
{
	Reference	ref;
	ItemKind	kind;
	Oid			relid;
	Oid			referenced;
	TableDef   *table;
	TableDef   *target;
	bool		deferrable;
	bool		initially_deferred;
	bool		create_index;
} ReferenceSpec;

/* Returns an identifier with the suffix; truncates a long name. */
static char *
MakeSuffixedName(const char *name, const char *suffix)
{
	int			len = strlen(name);
	int			room = NAMEDATALEN - 1 - (int) strlen(suffix);

	if (len > room)
		len = pg_mbcliplen(name, len, room);
	return psprintf("%.*s%s", len, name, suffix);
}

static char *
PrintReference(const Reference *ref)
{
	ItemBuilder *b = ItemBuilderCreate(0, DUPLICATE_NAME_ERROR);
	StringInfoData text;

	ItemBuilderBeginMap(b);
	ItemBuilderName(b, "name", strlen("name"));
	ItemBuilderString(b, ref->name, strlen(ref->name));
	ItemBuilderName(b, "cascade", strlen("cascade"));
	ItemBuilderBool(b, ref->cascade);
	KindBuild(b, ref->kind);
	ItemBuilderEnd(b);
	initStringInfo(&text);
	ItemToJson(&text, ItemRoot(ItemBuilderFinish(b)));
	return text.data;
}

static void
CreateReferenceTrigger(const ReferenceSpec *spec, const char *name, const char *events,
					   Oid on, Oid from, const char *function)
{
	RunStatement("CREATE CONSTRAINT TRIGGER %s AFTER %s ON %s FROM %s %s "
				 "FOR EACH ROW EXECUTE FUNCTION " SYSTEM_SCHEMA ".%s(%s)",
				 quote_identifier(name), events,
				 RelationSqlName(on), RelationSqlName(from),
				 spec->initially_deferred ? "DEFERRABLE INITIALLY DEFERRED" :
				 spec->deferrable ? "DEFERRABLE" : "NOT DEFERRABLE",
				 function, quote_literal_cstr(PrintReference(&spec->ref)));
}

/*
 * Deleting a referenced item searches for the items that reference it.  Parts
 * of the key that are columns may already have an index (above all the table's
 * own key).  If none has, an index on the rendered parts is created.
 */
static void
CreateReferenceIndex(const ReferenceSpec *spec)
{
	StringInfoData columns;
	bool		by_column = false;

	initStringInfo(&columns);
	for (int i = 0; i < KeyCount(&spec->target->key); i++)
	{
		bool		rendered;
		char	   *expression;

		if (TemplateIsConstant(TemplateGet(ReferenceTemplate(&spec->ref, spec->target, i))))
			continue;
		expression = ReferenceExpression(&spec->ref, spec->table, spec->target, i, "", &rendered);
		by_column |= !rendered;
		appendStringInfo(&columns, "%s%s", columns.len == 0 ? "" : ", ", expression);
	}
	if (columns.len > 0 && !by_column && spec->create_index)
		RunStatement("CREATE INDEX %s ON %s (%s)",
					 quote_identifier(MakeSuffixedName(spec->ref.name, INDEX_SUFFIX)),
					 RelationSqlName(spec->relid), columns.data);
}

static bool
GetBooleanArgument(FunctionCallInfo fcinfo, int n)
{
	return !PG_ARGISNULL(n) && PG_GETARG_BOOL(n);
}

static void
ReadDeleteAction(FunctionCallInfo fcinfo, Reference *ref)
{
	char	   *action = PG_ARGISNULL(9) ? "NO ACTION" : text_to_cstring(PG_GETARG_TEXT_PP(9));

	ref->cascade = pg_strcasecmp(action, "CASCADE") == 0;
	if (!ref->cascade && pg_strcasecmp(action, "NO ACTION") != 0)
		InvalidArgument("on_delete must be NO ACTION or CASCADE");
}

/*
 * Reads the definition of a table and locks it against writers until the end
 * of the transaction.  The relation is closed, because CREATE INDEX refuses an
 * open one.
 */
static TableDef *
LockTable(FunctionCallInfo fcinfo, int arg, Oid *relid)
{
	Relation	rel = OpenTableForDdl(TableArgument(fcinfo, arg), ShareRowExclusiveLock);
	TableDef   *table = TableDefAcquire(rel);

	*relid = RelationGetRelid(rel);
	table_close(rel, NoLock);
	return table;
}

static void
ReadReferenceSpec(FunctionCallInfo fcinfo, ReferenceSpec *spec)
{
	if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(2))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("table_name, constraint_name and referenced_key must not be null")));
	spec->ref.name = text_to_cstring(PG_GETARG_TEXT_PP(1));
	spec->ref.kind = &spec->kind;
	spec->kind.keys = KindJsonArgument(fcinfo, 2, "referenced_key");
	KindArguments(fcinfo, 4, &spec->kind);
	ReadDeleteAction(fcinfo, &spec->ref);
	spec->initially_deferred = GetBooleanArgument(fcinfo, 11);
	spec->deferrable = spec->initially_deferred || GetBooleanArgument(fcinfo, 10);
	spec->create_index = GetBooleanArgument(fcinfo, 12);

	spec->table = LockTable(fcinfo, 0, &spec->relid);
	spec->target = LockTable(fcinfo, PG_ARGISNULL(3) ? 0 : 3, &spec->referenced);
	RefuseWhileMoving(spec->table, "create references beside");
	RefuseWhileMoving(spec->target, "create references beside");
	KindCheckTemplates(spec->target, spec->kind.keys, true);
	KindCheck(spec->table, &spec->kind);
}

/*
 * add_reference(table_name text, constraint_name text, referenced_key jsonb,
 *		referenced_table text, key_prefix jsonb, kind_attributes item,
 *		condition_expression text, expression_attribute_values item,
 *		expression_attribute_names jsonb, on_delete text, is_deferrable,
 *		initially_deferred, create_index)
 */
DYNAMO_FUNCTION(dynamo_add_reference);
Datum
dynamo_add_reference(PG_FUNCTION_ARGS)
{
	ReferenceSpec spec = {0};

	ReadReferenceSpec(fcinfo, &spec);
	SPI_connect();
	CreateReferenceIndex(&spec);
	ReferenceValidate(&spec.ref, spec.relid, spec.table, spec.referenced, spec.target);
	CreateReferenceTrigger(&spec, spec.ref.name, "INSERT OR UPDATE",
						   spec.relid, spec.referenced, "check_reference");
	CreateReferenceTrigger(&spec, MakeSuffixedName(spec.ref.name, REFERENCED_SUFFIX), "DELETE OR UPDATE",
						   spec.referenced, spec.relid, "check_referenced");
	if (spec.referenced != spec.relid)
		GuardReferencedTruncate(spec.referenced);
	SPI_finish();

	TableDefRelease(spec.target);
	TableDefRelease(spec.table);
	PG_RETURN_VOID();
}

/* ---- dropping ---- */

/* Drops the index of the table with this name; false if there is none. */
static bool
DropIndexNamed(Oid relid, const char *name)
{
	Oid			index = get_relname_relid(name, get_rel_namespace(relid));

	if (!OidIsValid(index) || get_rel_relkind(index) != RELKIND_INDEX ||
		IndexGetRelation(index, false) != relid)
		return false;
	RunStatement("DROP INDEX %s", RelationSqlName(index));
	return true;
}

/*
 * Drops both triggers of a reference, given the one of the referencing table.
 * On the other table only objects of this reference are dropped.
 */
static void
DropReference(Oid relid, const Trigger *trigger)
{
	Oid			other = trigger->tgconstrrelid;
	char	   *other_trigger = FindOtherReferenceTrigger(relid, trigger);

	RunStatement("DROP TRIGGER %s ON %s", quote_identifier(trigger->tgname), RelationSqlName(relid));
	if (other_trigger != NULL)
	{
		RunStatement("DROP TRIGGER %s ON %s", quote_identifier(other_trigger), RelationSqlName(other));
		UnguardReferencedTruncate(other);
	}
	DropIndexNamed(relid, MakeSuffixedName(trigger->tgname, INDEX_SUFFIX));
}

/* Returns the trigger of a reference with this name; NULL if there is none. */
static const Trigger *
FindReference(Relation rel, const char *name)
{
	const TriggerDesc *triggers = CopyTriggerDesc(rel->trigdesc);
	Oid			function = SystemFunctionOid(FUNCTION_CHECK_REFERENCE);

	for (int i = 0; triggers != NULL && i < triggers->numtriggers; i++)
	{
		const Trigger *trigger = &triggers->triggers[i];

		if (strcmp(trigger->tgname, name) == 0 && trigger->tgfoid == function &&
			trigger->tgnargs == 1 && OidIsValid(trigger->tgconstrrelid))
			return trigger;
	}
	return NULL;
}

/* drop_constraint(table_name text, constraint_name text) */
DYNAMO_FUNCTION(dynamo_drop_constraint);
Datum
dynamo_drop_constraint(PG_FUNCTION_ARGS)
{
	Relation	rel = OpenTableForDdl(TableArgument(fcinfo, 0), AccessExclusiveLock);
	char	   *name = text_to_cstring(PG_GETARG_TEXT_PP(1));
	Oid			relid = RelationGetRelid(rel);
	const Trigger *reference = FindReference(rel, name);

	table_close(rel, NoLock);
	SPI_connect();
	if (reference != NULL)
		DropReference(relid, reference);
	else if (OidIsValid(get_relation_constraint_oid(relid, name, true)))
		RunStatement("ALTER TABLE %s DROP CONSTRAINT %s",
					 RelationSqlName(relid), quote_identifier(name));
	else if (!DropIndexNamed(relid, name))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("constraint \"%s\" of table \"%s\" does not exist",
						name, get_rel_name(relid))));
	SPI_finish();
	PG_RETURN_VOID();
}
