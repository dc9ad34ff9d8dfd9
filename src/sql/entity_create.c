/*
 * entity_create.c
 *	  dynamo.create_entity_view: makes the view and its trigger.
 *
 * Ordinary statements run as the caller.  The view runs with the rights of
 * whoever uses it (security_invoker), so that it opens no door of its own.
 * Every name in its query is qualified.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "parser/parse_type.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "catalog/ddl.h"
#include "catalog/objects.h"
#include "compat.h"
#include "item/convert.h"
#include "item/json.h"
#include "sql/attribute.h"
#include "sql/entity.h"
#include "sql/template.h"

#define ENTITY_TRIGGER	"dynamo_entity_view"

/* The parameters, null ones as NULL or MISSING_VALUE. */
typedef struct EntitySpec
{
	char	   *view_name;
	char	   *table_name;
	Datum		columns;		/* json */
	ValueRef	keys;			/* maps of strings */
	ValueRef	prefix;
	ValueRef	attributes;
	char	   *condition;
	ValueRef	values;
	ValueRef	names;
} EntitySpec;

typedef struct ViewColumn
{
	char	   *name;
	char	   *attribute;
	Oid			type;
	int32		typmod;
} ViewColumn;

static void SpecError(const char *format,...) pg_attribute_printf(1, 2) pg_attribute_noreturn();

static void
SpecError(const char *format,...)
{
	StringInfoData text;
	va_list		args;
	int			needed;

	initStringInfo(&text);
	for (;;)
	{
		va_start(args, format);
		needed = appendStringInfoVA(&text, format, args);
		va_end(args);
		if (needed == 0)
			break;
		enlargeStringInfo(&text, needed);
	}
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg_internal("%s", text.data)));
}

/* ---- columns ---- */

/* In the order given, which jsonb would not keep. */
static const char columns_query[] =
"SELECT e.key, pg_catalog.json_typeof(e.value), "
"  CASE pg_catalog.json_typeof(e.value) WHEN 'string' THEN e.value OPERATOR(pg_catalog.#>>) '{}' "
"    WHEN 'object' THEN e.value OPERATOR(pg_catalog.->>) 'type' END, "
"  CASE pg_catalog.json_typeof(e.value) WHEN 'object' THEN e.value OPERATOR(pg_catalog.->>) 'attribute' END "
"FROM pg_catalog.json_each($1) e";

static void
ReadColumn(HeapTuple tuple, TupleDesc desc, ViewColumn *column)
{
	char	   *kind = SPI_getvalue(tuple, desc, 2);
	char	   *type = SPI_getvalue(tuple, desc, 3);
	char	   *attribute = SPI_getvalue(tuple, desc, 4);

	column->name = SPI_getvalue(tuple, desc, 1);
	if (strcmp(kind, "string") != 0 && strcmp(kind, "object") != 0)
		SpecError("column \"%s\" must be described by a type or by {\"type\": ..., \"attribute\": ...}", column->name);
	if (type == NULL)
		SpecError("column \"%s\" has no type", column->name);
	if (column->name[0] == '\0' || strlen(column->name) >= NAMEDATALEN)
		SpecError("invalid column name \"%s\"", column->name);

	column->attribute = (attribute != NULL) ? attribute : column->name;
	ParseTypeName(type, &column->type, &column->typmod);
	if (!TypeCanHoldAttribute(column->type))
		SpecError("column \"%s\" cannot have type %s", column->name, type);
}

static ViewColumn *
ReadColumns(Datum json, int *n)
{
	Oid			types[1] = {JSONOID};
	ViewColumn *columns;

	if (SPI_execute_with_args(columns_query, 1, types, &json, NULL, true, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not read the columns of an entity view");
	*n = (int) SPI_processed;
	columns = palloc(sizeof(ViewColumn) * (*n + 1));
	for (int i = 0; i < *n; i++)
		ReadColumn(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, &columns[i]);
	return columns;
}

static bool
HasColumnFor(const ViewColumn *columns, int n, Slice attribute)
{
	for (int i = 0; i < n; i++)
	{
		if (strlen(columns[i].attribute) == attribute.len &&
			memcmp(columns[i].attribute, attribute.data, attribute.len) == 0)
			return true;
	}
	return false;
}

/* The columns of the view: the table's key first where the user has not named it. */
static ViewColumn *
AddKeyColumns(const TableDef *table, const ViewColumn *given, int ngiven, int *n)
{
	ViewColumn *columns = palloc(sizeof(ViewColumn) * (ngiven + 2));

	*n = 0;
	for (int i = 0; i < table->key.npartition + table->key.nsort; i++)
	{
		const AttributeDef *attr = &table->attributes[table->key_attributes[i]];

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

/* ---- checks of keys and prefixes ---- */

static const AttributeDef *
KeyAttributeNamed(const TableDef *table, Slice name)
{
	int			i = TableDefAttribute(table, name);

	if (i < 0)
		SpecError("\"%.*s\" is no key attribute of the table or its indexes",
				  (int) name.len, name.data);
	if (table->attributes[i].type != VALUE_S)
		SpecError("key attribute \"%.*s\" is not of type S", (int) name.len, name.data);
	return &table->attributes[i];
}

/* Of a map of key attributes to strings. */
static void
CheckKeyStrings(const TableDef *table, ValueRef map, bool templates)
{
	Container	entries;

	if (ValueIsMissing(map))
		return;
	ContainerOpen(map, &entries);
	for (uint32 i = 0; i < entries.count; i++)
	{
		Slice		name;
		ValueRef	value = MapEntry(&entries, i, &name);

		KeyAttributeNamed(table, name);
		if (ValueTypeOf(value) != VALUE_S)
			SpecError("\"%.*s\" must be a string", (int) name.len, name.data);
		if (templates)
			TemplateCheck(ValuePayload(value));
	}
}

/* Parses and binds it, so that its errors come now. */
static void
CheckCondition(const EntitySpec *spec)
{
	EntityDef	def = {0};

	if (spec->condition == NULL)
		return;
	def.condition = (Slice) {spec->condition, strlen(spec->condition)};
	def.values = spec->values;
	def.names = spec->names;
	EntityCheckCondition(&def);
}

/* ---- the definition ---- */

static void
AddString(ItemBuilder *b, const char *name, const char *text)
{
	if (text == NULL)
		return;
	ItemBuilderName(b, name, strlen(name));
	ItemBuilderString(b, text, strlen(text));
}

static void
AddMap(ItemBuilder *b, const char *name, ValueRef map)
{
	if (ValueIsMissing(map))
		return;
	ItemBuilderName(b, name, strlen(name));
	ItemBuilderValue(b, map);
}

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
		AddString(b, "column", columns[i].name);
		AddString(b, "attribute", columns[i].attribute);
		ItemBuilderEnd(b);
	}
	ItemBuilderEnd(b);
	AddMap(b, "keys", spec->keys);
	AddMap(b, "prefix", spec->prefix);
	AddMap(b, "attributes", spec->attributes);
	AddString(b, "condition", spec->condition);
	AddMap(b, "values", spec->values);
	AddMap(b, "names", spec->names);
	ItemBuilderEnd(b);

	initStringInfo(&text);
	ItemToJson(&text, ItemRoot(ItemBuilderFinish(b)));
	return text.data;
}

/* ---- the view's query ---- */

/* A key attribute is read from its column, so that indexes serve the view. */
static void
AppendColumn(StringInfo sql, const TableDef *table, const ViewColumn *column)
{
	int			i = TableDefAttribute(table, (Slice) {column->attribute, strlen(column->attribute)});

	if (i >= 0)
	{
		appendStringInfo(sql, "t.%s", quote_identifier(table->attributes[i].column));
		if (KeyColumnType(table->attributes[i].type) != column->type)
			appendStringInfo(sql, "::%s",
							 format_type_extended(column->type, column->typmod,
												  FORMAT_TYPE_TYPEMOD_GIVEN | FORMAT_TYPE_FORCE_QUALIFY));
	}
	else
		AppendAttributeExpression(sql, column->attribute, column->type, column->typmod);
	appendStringInfo(sql, " AS %s", quote_identifier(column->name));
}

static void
BeginTest(StringInfo sql, bool *first)
{
	appendStringInfoString(sql, *first ? " WHERE " : " AND ");
	*first = false;
}

static void
AppendPrefixTest(StringInfo sql, bool *first, const AttributeDef *attr, const char *prefix)
{
	if (prefix[0] == '\0')
		return;
	BeginTest(sql, first);
	appendStringInfo(sql, "dynamo.begins_with(t.%s, %s)",
					 quote_identifier(attr->column), quote_literal_cstr(prefix));
}

static void
AppendPrefixTests(StringInfo sql, bool *first, const TableDef *table, ValueRef prefix)
{
	Container	entries;

	if (ValueIsMissing(prefix))
		return;
	ContainerOpen(prefix, &entries);
	for (uint32 i = 0; i < entries.count; i++)
	{
		Slice		name;
		Slice		text = ValuePayload(MapEntry(&entries, i, &name));

		AppendPrefixTest(sql, first, KeyAttributeNamed(table, name),
						 text_to_cstring(SliceToText(text)));
	}
}

/*
 * Composed keys of the table: the range of what the template begins with,
 * for the index, and the whole key, which tells ORDER#1 from ORDER#1#ITEM#2.
 */
static void
AppendKeyTests(StringInfo sql, bool *first, const TableDef *table, ValueRef keys)
{
	for (int i = 0; i < table->key.npartition + table->key.nsort; i++)
	{
		const AttributeDef *attr = &table->attributes[table->key_attributes[i]];
		ValueRef	template = AttributeFind(keys, attr->name.data, attr->name.len);
		StringInfoData prefix;

		if (ValueIsMissing(template))
			continue;
		initStringInfo(&prefix);
		TemplatePrefix(ValuePayload(template), &prefix);
		AppendPrefixTest(sql, first, attr, prefix.data);
		BeginTest(sql, first);
		appendStringInfo(sql, "t.%s OPERATOR(pg_catalog.=) dynamo.render_key(t.item, %s)",
						 quote_identifier(attr->column),
						 quote_literal_cstr(text_to_cstring(SliceToText(ValuePayload(template)))));
	}
}

static void
AppendAttributeTests(StringInfo sql, bool *first, ValueRef attributes)
{
	Container	entries;

	if (ValueIsMissing(attributes))
		return;
	ContainerOpen(attributes, &entries);
	for (uint32 i = 0; i < entries.count; i++)
	{
		Slice		name;
		ValueRef	value = MapEntry(&entries, i, &name);
		StringInfoData text;

		initStringInfo(&text);
		ValueToJson(&text, value);
		BeginTest(sql, first);
		appendStringInfo(sql, "(t.item OPERATOR(dynamo.->) %s) OPERATOR(dynamo.=) %s::dynamo.value",
						 quote_literal_cstr(text_to_cstring(SliceToText(name))),
						 quote_literal_cstr(text.data));
	}
}

/* A literal of a map as an item, or NULL. */
static char *
ItemLiteral(ValueRef map)
{
	StringInfoData text;

	if (ValueIsMissing(map))
		return "NULL";
	initStringInfo(&text);
	ItemToJson(&text, map);
	return psprintf("%s::dynamo.item", quote_literal_cstr(text.data));
}

static void
AppendCondition(StringInfo sql, bool *first, const EntitySpec *spec)
{
	if (spec->condition == NULL)
		return;
	BeginTest(sql, first);
	appendStringInfo(sql, "dynamo.matches(t.item, %s, %s, %s)",
					 quote_literal_cstr(spec->condition), ItemLiteral(spec->values),
					 ValueIsMissing(spec->names) ? "NULL" :
					 psprintf("%s::pg_catalog.jsonb",
							  quote_literal_cstr(JsonbToCString(NULL, &ValueToJsonb(spec->names)->root, 0))));
}

static char *
ViewStatement(const EntitySpec *spec, const TableDef *table, const char *view,
			  const char *relation, const ViewColumn *columns, int n)
{
	StringInfoData sql;
	bool		first = true;

	initStringInfo(&sql);
	appendStringInfo(&sql, "CREATE VIEW %s WITH (security_invoker = true) AS SELECT ", view);
	for (int i = 0; i < n; i++)
	{
		appendStringInfoString(&sql, i == 0 ? "" : ", ");
		AppendColumn(&sql, table, &columns[i]);
	}
	appendStringInfo(&sql, " FROM %s t", relation);
	AppendPrefixTests(&sql, &first, table, spec->prefix);
	AppendKeyTests(&sql, &first, table, spec->keys);
	AppendAttributeTests(&sql, &first, spec->attributes);
	AppendCondition(&sql, &first, spec);
	return sql.data;
}

/* ---- the function ---- */

static ValueRef
ItemArgument(FunctionCallInfo fcinfo, int n)
{
	return PG_ARGISNULL(n) ? MISSING_VALUE : PG_GETARG_VALUE(n);
}

/* A jsonb argument as a map; MISSING_VALUE when null. */
static ValueRef
JsonArgument(FunctionCallInfo fcinfo, int n, const char *name)
{
	ItemBuilder *b;

	if (PG_ARGISNULL(n))
		return MISSING_VALUE;
	if (!JB_ROOT_IS_OBJECT(PG_GETARG_JSONB_P(n)))
		SpecError("%s must be an object", name);
	b = ItemBuilderCreate(0, DUPLICATE_NAME_ERROR);
	ItemBuilderJsonb(b, PG_GETARG_JSONB_P(n));
	return ItemRoot(ItemBuilderFinish(b));
}

/* expression_attribute_names as a map of strings. */
static ValueRef
NamesArgument(FunctionCallInfo fcinfo, int n)
{
	ItemBuilder *b;
	NamePair   *pairs;
	int			npairs;

	if (PG_ARGISNULL(n))
		return MISSING_VALUE;
	npairs = ExprNamesFromJsonb(&PG_GETARG_JSONB_P(n)->root, &pairs);
	b = ItemBuilderCreate(0, DUPLICATE_NAME_ERROR);
	ItemBuilderBeginMap(b);
	for (int i = 0; i < npairs; i++)
	{
		ItemBuilderName(b, pairs[i].placeholder.data, pairs[i].placeholder.len);
		ItemBuilderString(b, pairs[i].name.data, pairs[i].name.len);
	}
	ItemBuilderEnd(b);
	return ItemRoot(ItemBuilderFinish(b));
}

static void
ReadSpec(FunctionCallInfo fcinfo, EntitySpec *spec)
{
	for (int i = 0; i < 3; i++)
	{
		if (PG_ARGISNULL(i))
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("view_name, table_name and columns must not be null")));
	}
	spec->view_name = text_to_cstring(PG_GETARG_TEXT_PP(0));
	spec->table_name = text_to_cstring(PG_GETARG_TEXT_PP(1));
	spec->columns = PG_GETARG_DATUM(2);
	spec->keys = JsonArgument(fcinfo, 3, "keys");
	spec->prefix = JsonArgument(fcinfo, 4, "key_prefix");
	spec->attributes = ItemArgument(fcinfo, 5);
	spec->condition = PG_ARGISNULL(6) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(6));
	spec->values = ItemArgument(fcinfo, 7);
	spec->names = NamesArgument(fcinfo, 8);
	if (spec->condition == NULL &&
		(!ValueIsMissing(spec->values) || !ValueIsMissing(spec->names)))
		SpecError("expression attribute values or names are given without a condition_expression");
}

static Oid
CurrentSchema(void)
{
	List	   *path = fetch_search_path(false);

	if (path == NIL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_SCHEMA),
				 errmsg("no schema has been selected to create in")));
	return linitial_oid(path);
}

DYNAMO_FUNCTION(dynamo_create_entity_view);
Datum
dynamo_create_entity_view(PG_FUNCTION_ARGS)
{
	Oid			schema = CurrentSchema();
	EntitySpec	spec;
	Relation	rel;
	TableDef   *table;
	ViewColumn *given;
	ViewColumn *columns;
	char	   *view;
	int			ngiven;
	int			n;

	ReadSpec(fcinfo, &spec);
	view = QualifiedName(schema, spec.view_name);
	rel = table_open(TableNameResolve(spec.table_name, false), AccessShareLock);
	table = TableDefAcquire(rel);
	CheckKeyStrings(table, spec.prefix, false);
	CheckKeyStrings(table, spec.keys, true);
	CheckCondition(&spec);

	SPI_connect();
	given = ReadColumns(spec.columns, &ngiven);
	columns = AddKeyColumns(table, given, ngiven, &n);
	RunStatement("%s", ViewStatement(&spec, table, view,
									 QualifiedName(RelationGetNamespace(rel), RelationGetRelationName(rel)),
									 columns, n));
	RunStatement("CREATE TRIGGER %s INSTEAD OF INSERT OR UPDATE OR DELETE ON %s "
				 "FOR EACH ROW EXECUTE FUNCTION dynamo.%s(%s)",
				 ENTITY_TRIGGER, view, FUNCTION_ENTITY_VIEW_WRITE,
				 quote_literal_cstr(PrintDefinition(&spec, columns, n)));
	SPI_finish();

	TableDefRelease(table);
	table_close(rel, NoLock);
	PG_RETURN_OID(get_relname_relid(spec.view_name, schema));
}
