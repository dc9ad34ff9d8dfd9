/*
 * entity_view_create.c
 *	  dynamo.create_entity_view: creates the view and its trigger.
 *
 * Ordinary statements run as the caller.  The view uses the privileges of its
 * user (security_invoker), so that it gives no additional access.
 */
#include "postgres.h"

#include "access/relation.h"
#include "access/table.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "parser/parse_type.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteHandler.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "compat.h"
#include "ddl/ddl.h"
#include "ddl/feature.h"
#include "entity/entity.h"
#include "errors.h"
#include "extension_objects.h"
#include "item/builder.h"
#include "item/json.h"
#include "table/placement.h"
#include "table/table_name.h"
#include "view/attribute.h"
#include "view/entity_view.h"
#include "view/entity_view_query.h"

#define ENTITY_TRIGGER	"dynamo_entity_view"

/* The parameters; those that are null are NULL or MISSING_VALUE. */
typedef struct EntitySpec
{
	char	   *view_name;
	char	   *table_name;
	bool		has_columns;	/* false: use those of the entity */
	Datum		columns;		/* json */
	char	   *entity_name;	/* NULL: a view of all items */
	const Entity *entity;
	InvalidValues invalid;
} EntitySpec;

/* ---- columns ---- */

/* Returns the columns in the given order, which jsonb does not keep. */
static const char columns_query[] =
"SELECT e.key, k.kind, "
"  CASE WHEN k.kind OPERATOR(pg_catalog.=) 'string' THEN e.value OPERATOR(pg_catalog.#>>) '{}' "
"    WHEN k.kind OPERATOR(pg_catalog.=) 'object' THEN e.value OPERATOR(pg_catalog.->>) 'type' END, "
"  CASE WHEN k.kind OPERATOR(pg_catalog.=) 'object' THEN e.value OPERATOR(pg_catalog.->>) 'attribute' END "
"FROM pg_catalog.json_each($1) e, pg_catalog.json_typeof(e.value) k(kind)";

static void
ReadDeclaredColumn(HeapTuple tuple, TupleDesc desc, ViewColumn *column)
{
	char	   *kind = SPI_getvalue(tuple, desc, 2);
	char	   *type = SPI_getvalue(tuple, desc, 3);
	char	   *attribute = SPI_getvalue(tuple, desc, 4);

	column->name = SPI_getvalue(tuple, desc, 1);
	if (strcmp(kind, "string") != 0 && strcmp(kind, "object") != 0)
		InvalidArgument("column \"%s\" must be described by a type or by {\"type\": ..., \"attribute\": ...}", column->name);
	if (type == NULL)
		InvalidArgument("column \"%s\" has no type", column->name);
	if (column->name[0] == '\0' || strlen(column->name) >= NAMEDATALEN)
		InvalidArgument("invalid column name \"%s\"", column->name);

	column->attribute = (attribute != NULL) ? attribute : column->name;
	ParseTypeName(type, &column->type, &column->typmod);
	if (!TypeCanHoldAttribute(column->type))
		InvalidArgument("column \"%s\" cannot have type %s", column->name, type);
}

static ViewColumn *
ReadDeclaredColumns(Datum json, int *n)
{
	Oid			types[1] = {JSONOID};
	ViewColumn *columns;

	if (SPI_execute_with_args(columns_query, 1, types, &json, NULL, true, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not read the columns of an entity view");
	*n = (int) SPI_processed;
	columns = palloc0(sizeof(ViewColumn) * (*n + 1));
	for (int i = 0; i < *n; i++)
		ReadDeclaredColumn(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, &columns[i]);
	return columns;
}

static bool
HasColumnFor(const ViewColumn *columns, int n, Slice attribute)
{
	for (int i = 0; i < n; i++)
	{
		if (SliceIs(attribute, columns[i].attribute))
			return true;
	}
	return false;
}

/*
 * Returns the columns of the view.  Key attributes of the table without a
 * column come first.
 */
static ViewColumn *
AddKeyColumns(const TableDef *table, const ViewColumn *given, int ngiven, int *n)
{
	ViewColumn *columns = palloc0(sizeof(ViewColumn) * (ngiven + 2));

	*n = 0;
	for (int i = 0; i < KeyCount(&table->key); i++)
	{
		const AttributeDef *attr = TableKeyAttribute(table, i);

		if (HasColumnFor(given, ngiven, attr->name))
			continue;
		columns[*n].name = pstrdup(attr->column);
		columns[*n].attribute = pnstrdup(attr->name.data, attr->name.len);
		columns[*n].type = KeyColumnType(attr->type);
		columns[*n].typmod = -1;
		(*n)++;
	}
	memcpy(columns + *n, given, sizeof(ViewColumn) * ngiven);
	*n += ngiven;
	return columns;
}

/* ---- the definition ---- */

static char *
PrintDefinition(const EntitySpec *spec, const ViewColumn *columns, int n)
{
	ItemBuilder *b = ItemBuilderCreate(0, DUPLICATE_NAME_ERROR);
	StringInfoData text;

	ItemBuilderBeginMap(b);
	ItemBuilderName(b, "columns", strlen("columns"));
	ItemBuilderBeginList(b);
	for (int i = 0; i < n; i++)
	{
		ItemBuilderBeginMap(b);
		ItemBuilderStringMember(b, "column", SliceOf(columns[i].name));
		ItemBuilderStringMember(b, "attribute", SliceOf(columns[i].attribute));
		ItemBuilderEnd(b);
	}
	ItemBuilderEnd(b);
	if (spec->entity != NULL)
		ItemBuilderStringMember(b, "entity", spec->entity->name);
	if (!spec->has_columns)
	{
		ItemBuilderName(b, "declared", strlen("declared"));
		ItemBuilderBool(b, true);
	}
	if (spec->invalid == INVALID_VALUES_NULL)
		ItemBuilderStringMember(b, "invalid", SliceOf("null"));
	ItemBuilderEnd(b);

	initStringInfo(&text);
	ItemToJson(&text, ItemRoot(ItemBuilderFinish(b)));
	return text.data;
}

/* ---- views of entities ---- */

/* Returns columns for the attributes that an entity declares with a type. */
static ViewColumn *
DeclaredColumns(const Entity *entity, int *n)
{
	ViewColumn *columns = palloc0(sizeof(ViewColumn) * (entity->nattributes + 1));

	*n = 0;
	for (int i = 0; i < entity->nattributes; i++)
	{
		const EntityAttribute *a = &entity->attributes[i];
		ViewColumn *column = &columns[*n];

		if (a->type.data == NULL)
			continue;
		column->name = pnstrdup(a->name.data, a->name.len);
		if (a->name.len >= NAMEDATALEN)
			InvalidArgument("invalid column name \"%s\"", column->name);
		column->attribute = column->name;
		ParseTypeName(pnstrdup(a->type.data, a->type.len), &column->type, &column->typmod);
		if (!TypeCanHoldAttribute(column->type))
			InvalidArgument("column \"%s\" cannot have type %s", column->name, pnstrdup(a->type.data, a->type.len));
		(*n)++;
	}
	return columns;
}

static void
UseEntity(EntitySpec *spec, const TableDef *table)
{
	if (spec->entity_name == NULL)
		return;
	spec->entity = EntitySetFind(table->entities, SliceOf(spec->entity_name));
	if (spec->entity == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("table \"%s\" has no entity \"%s\"", get_rel_name(table->relid), spec->entity_name)));
}

/* ---- views that there are ---- */

static const Trigger *
TriggerOfView(Relation view)
{
	Oid			function = SystemFunctionOid(FUNCTION_ENTITY_VIEW_WRITE);

	for (int i = 0; view->trigdesc != NULL && i < view->trigdesc->numtriggers; i++)
	{
		const Trigger *trigger = &view->trigdesc->triggers[i];

		if (trigger->tgfoid == function && trigger->tgnargs == 1)
			return trigger;
	}
	return NULL;
}

const EntityViewDef *
EntityViewDefOf(Relation view)
{
	const Trigger *trigger = TriggerOfView(view);

	return trigger == NULL ? NULL : EntityViewDefRecall(trigger->tgargs[0]);
}

Oid
EntityViewTable(Relation view)
{
	Query	   *query = get_view_query(view);
	Node	   *from = query->jointree->fromlist == NIL ? NULL : linitial(query->jointree->fromlist);
	RangeTblEntry *rte = NULL;

	if (from != NULL && IsA(from, RangeTblRef))
		rte = rt_fetch(((RangeTblRef *) from)->rtindex, query->rtable);
	return rte != NULL && rte->rtekind == RTE_RELATION ? rte->relid : InvalidOid;
}

/* ---- creating ---- */

static InvalidValues
InvalidValuesArgument(FunctionCallInfo fcinfo, int n)
{
	char	   *name = RequiredText(fcinfo, n, "invalid_values");

	if (strcmp(name, "error") != 0 && strcmp(name, "null") != 0)
		InvalidArgument("invalid_values must be 'error' or 'null', not '%s'", name);
	return strcmp(name, "null") == 0 ? INVALID_VALUES_NULL : INVALID_VALUES_ERROR;
}

static void
ReadSpec(FunctionCallInfo fcinfo, EntitySpec *spec)
{
	if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || (PG_ARGISNULL(2) && PG_ARGISNULL(3)))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("view_name, table_name and columns must not be null"),
				 errhint("With entity_name, columns may be left out.")));
	spec->view_name = text_to_cstring(PG_GETARG_TEXT_PP(0));
	spec->table_name = TableArgument(fcinfo, 1);
	spec->has_columns = !PG_ARGISNULL(2);
	if (spec->has_columns)
		spec->columns = PG_GETARG_DATUM(2);
	if (!PG_ARGISNULL(3))
		spec->entity_name = text_to_cstring(PG_GETARG_TEXT_PP(3));
	spec->invalid = InvalidValuesArgument(fcinfo, 4);
}

/*
 * PostgreSQL itself deletes rows of the table in place of those of the view, if no trigger
 * does it, and computes no column that the statement does not read.
 */
static void
StoreViewTrigger(const EntitySpec *spec, const TableDef *table, const char *trigger, const char *view,
				 const ViewColumn *columns, int n)
{
	const char *create = psprintf("CREATE OR REPLACE TRIGGER %s INSTEAD OF %s ON %s "
								  "FOR EACH ROW EXECUTE FUNCTION " SYSTEM_SCHEMA ".%s(%s)",
								  trigger, table->distributed ? VIEW_EVENTS_DISTRIBUTED : VIEW_EVENTS,
								  view, FUNCTION_ENTITY_VIEW_WRITE,
								  quote_literal_cstr(PrintDefinition(spec, columns, n)));
	const char *mark = EntityViewMark(trigger, view);

	RunStatement("%s", create);
	RunStatement("%s", mark);
	if (table->distributed)
	{
		placement->tell_workers(create);
		placement->tell_workers(mark);
	}
}

/* Creates a view as specified; returns its OID. */
static Oid
CreateView(EntitySpec *spec)
{
	Oid			schema = SchemaToCreateIn();
	char	   *view = QualifiedName(schema, spec->view_name);
	Relation	rel = TableNameOpen(spec->table_name, AccessShareLock, false);
	TableDef   *table = TableDefAcquire(rel);
	ViewColumn *given;
	ViewColumn *columns;
	int			ngiven;
	int			n;

	UseEntity(spec, table);

	SPI_connect();
	given = spec->has_columns ? ReadDeclaredColumns(spec->columns, &ngiven) : DeclaredColumns(spec->entity, &ngiven);
	columns = AddKeyColumns(table, given, ngiven, &n);
	RunStatement("%s", EntityViewStatement(psprintf("CREATE VIEW %s WITH (security_invoker = true)", view), rel, table,
										   spec->entity, spec->invalid, columns, n));
	StoreViewTrigger(spec, table, ENTITY_TRIGGER, view, columns, n);
	EntityViewDescribe(get_relname_relid(spec->view_name, schema), spec->entity);
	SPI_finish();

	TableDefRelease(table);
	table_close(rel, NoLock);
	return get_relname_relid(spec->view_name, schema);
}

/* ---- views of an entity that is declared anew ---- */

static const ViewColumn *
FindViewColumn(const ViewColumn *columns, int n, Slice attribute)
{
	for (int i = 0; i < n; i++)
	{
		if (SliceIs(attribute, columns[i].attribute))
			return &columns[i];
	}
	return NULL;
}

/* How the columns of a view are to be made anew. */
typedef struct Replacing
{
	Relation	rel;
	const TableDef *table;
	const Entity *entity;
	const DroppedName *dropped; /* names that attributes have lost */
	int			ndropped;
} Replacing;

/*
 * The attribute that a column of a view shows.  If its columns are those that the entity
 * declares, one with the name of an attribute shows this, also if it has shown another name.
 */
static Slice
AttributeOfColumn(const Replacing *r, const EntityViewDef *def, int i, const char *column, const ViewColumn *declared, int ndeclared)
{
	Slice		attribute = EntityColumnAttribute(def, i);

	if (attribute.data == NULL)
		return attribute;
	if (def->declared && FindViewColumn(declared, ndeclared, SliceOf(column)) != NULL)
		return SliceOf(column);
	for (int j = 0; j < r->ndropped; j++)
	{
		if (SliceEqual(attribute, r->dropped[j].name))
			return r->dropped[j].other;
	}
	return attribute;
}

/*
 * A column that a view has.  If its columns are those that the entity declares,
 * it has the type that is declared now.
 */
static ViewColumn
KeptColumn(const Replacing *r, Relation view, int i, const EntityViewDef *def, const ViewColumn *declared, int ndeclared)
{
	Form_pg_attribute attr = TupleDescAttr(RelationGetDescr(view), i);
	ViewColumn	column = {.name = pstrdup(NameStr(attr->attname)), .type = attr->atttypid, .typmod = attr->atttypmod,
		.collation = attr->attcollation};
	Slice		attribute = AttributeOfColumn(r, def, i, column.name, declared, ndeclared);
	const ViewColumn *now = attribute.data == NULL ? NULL : FindViewColumn(declared, ndeclared, attribute);

	if (attribute.data == NULL || (def->declared && now == NULL && TableDefAttribute(r->table, attribute) < 0))
		ereport(ERROR,
				(errcode(ERRCODE_DEPENDENT_OBJECTS_STILL_EXIST),
				 errmsg("the entity does not declare column \"%s\" of view \"%s\"",
						column.name, RelationGetRelationName(view)),
				 errhint("Drop the view first, and create it again with dynamo.create_entity_view.")));
	column.attribute = pnstrdup(attribute.data, attribute.len);
	if (def->declared && now != NULL)
	{
		if (column.type != now->type)
			column.collation = InvalidOid;
		column.type = now->type;
		column.typmod = now->typmod;
	}
	return column;
}

/* The columns that a view has, and those of attributes that are new. */
static ViewColumn *
ReplacedColumns(const Replacing *r, Relation view, const EntityViewDef *def, int *n)
{
	int			ndeclared = 0;
	ViewColumn *declared = r->entity == NULL ? NULL : DeclaredColumns(r->entity, &ndeclared);
	int			natts = RelationGetDescr(view)->natts;
	ViewColumn *columns = palloc(sizeof(ViewColumn) * (natts + ndeclared + 1));

	for (*n = 0; *n < natts; (*n)++)
		columns[*n] = KeptColumn(r, view, *n, def, declared, ndeclared);
	for (int i = 0; def->declared && i < ndeclared; i++)
	{
		if (!HasColumnFor(columns, natts, SliceOf(declared[i].attribute)))
			columns[(*n)++] = declared[i];
	}
	return columns;
}

/* CREATE OR REPLACE VIEW resets the options that it does not name. */
static char *
ReplaceStatement(Oid view, const char *name)
{
	Oid			types[1] = {OIDOID};
	Datum		args[1] = {ObjectIdGetDatum(view)};
	char	   *options;

	if (SPI_execute_with_args("SELECT pg_catalog.string_agg(pg_catalog.format('%I = %L', o.option_name, o.option_value), ', ') "
							  "FROM pg_catalog.pg_class c, pg_catalog.pg_options_to_table(c.reloptions) o "
							  "WHERE c.oid OPERATOR(pg_catalog.=) $1", 1, types, args, NULL, true, 1) != SPI_OK_SELECT)
		elog(ERROR, "could not read the options of a view");
	options = SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1);
	return options == NULL ? psprintf("CREATE OR REPLACE VIEW %s", name) :
		psprintf("CREATE OR REPLACE VIEW %s WITH (%s)", name, options);
}

static void
ReplaceView(const Replacing *r, Oid oid)
{
	Relation	view = try_relation_open(oid, AccessExclusiveLock);
	const Trigger *trigger = view == NULL ? NULL : TriggerOfView(view);
	const EntityViewDef *def;
	EntitySpec	spec = {.entity = r->entity};
	char	   *name;
	char	   *trigger_name;
	ViewColumn *columns;
	int			n;

	if (trigger == NULL)		/* dropped meanwhile */
		return;
	def = EntityViewDefRecall(trigger->tgargs[0]);
	spec.has_columns = !def->declared;
	spec.invalid = def->invalid;
	name = QualifiedName(RelationGetNamespace(view), RelationGetRelationName(view));
	trigger_name = pstrdup(quote_identifier(trigger->tgname));
	columns = ReplacedColumns(r, view, def, &n);
	relation_close(view, NoLock);
	RunStatement("%s", EntityViewStatement(ReplaceStatement(oid, name), r->rel, r->table, r->entity, spec.invalid, columns, n));
	StoreViewTrigger(&spec, r->table, trigger_name, name, columns, n);
	EntityViewDescribe(oid, r->entity);
}

void
EntityViewsReplace(Oid relid, const char *entity_name, const DroppedName *dropped, int ndropped)
{
	Relation	rel = table_open(relid, NoLock);
	TableDef   *table = TableDefAcquire(rel);
	Replacing	r = {rel, table, EntitySetFind(table->entities, SliceOf(entity_name)), dropped, ndropped};
	ListCell   *cell;

	SPI_connect();
	foreach(cell, EntityViewsOf(relid, entity_name))
		ReplaceView(&r, lfirst_oid(cell));
	SPI_finish();
	CALL_FEATURES(follow_views, relid, entity_name);
	TableDefRelease(table);
	table_close(rel, NoLock);
}

/* ---- views of a table that loses key columns ---- */

static bool
ListHasName(const List *names, Slice name)
{
	ListCell   *cell;

	foreach(cell, names)
	{
		if (SliceIs(name, lfirst(cell)))
			return true;
	}
	return false;
}

/* What a view with a column for one of the attributes is made of; NULL for other relations. */
static const EntityViewDef *
ViewOfAttributes(Oid oid, const List *attributes)
{
	Relation	view = try_relation_open(oid, AccessShareLock);
	const EntityViewDef *def = view == NULL ? NULL : EntityViewDefOf(view);
	bool		found = false;

	for (int i = 0; def != NULL && i < def->ncolumns; i++)
		found |= ListHasName(attributes, def->columns[i].attribute);
	if (view != NULL)
		relation_close(view, AccessShareLock);
	return found ? def : NULL;
}

void
EntityViewsLeaveColumns(Oid relid, const List *attributes)
{
	Relation	rel = table_open(relid, NoLock);
	TableDef   *table = TableDefAcquire(rel);
	Replacing	r = {.rel = rel, .table = table};
	ListCell   *cell;

	foreach(cell, EntityViewsOf(relid, NULL))
	{
		const EntityViewDef *def = ViewOfAttributes(lfirst_oid(cell), attributes);

		r.entity = def == NULL || def->entity.data == NULL ? NULL : EntitySetFind(table->entities, def->entity);
		if (def != NULL && (r.entity != NULL || def->entity.data == NULL))
			ReplaceView(&r, lfirst_oid(cell));
	}
	TableDefRelease(table);
	table_close(rel, NoLock);
}

/* ---- the functions ---- */

bool
EntityViewExists(const char *view_name, Oid relid, const char *entity_name)
{
	Oid			view = get_relname_relid(view_name, SchemaToCreateIn());
	bool		exists;

	SPI_connect();
	exists = OidIsValid(view) && list_member_oid(EntityViewsOf(relid, entity_name), view);
	SPI_finish();
	return exists;
}

Oid
EntityViewCreate(const char *view_name, Oid relid, const char *entity_name)
{
	EntitySpec	spec = {
		.view_name = pstrdup(view_name),
		.table_name = TableNameOfOid(relid),
		.entity_name = pstrdup(entity_name),
	};

	return CreateView(&spec);
}

DYNAMO_FUNCTION(dynamo_create_entity_view);
Datum
dynamo_create_entity_view(PG_FUNCTION_ARGS)
{
	EntitySpec	spec = {0};

	ReadSpec(fcinfo, &spec);
	PG_RETURN_OID(CreateView(&spec));
}
