/*
 * entity_attributes.c
 *	  Reads the attributes of dynamo.create_entity, and writes them into the definition.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "parser/parse_type.h"
#include "utils/builtins.h"
#include "utils/json.h"
#include "utils/lsyscache.h"

#include "design/entity_attributes.h"
#include "entity/entity.h"
#include "errors.h"
#include "table/ddl_statement.h"
#include "view/declared_types.h"

/* ---- reading ---- */

/*
 * Returns the stored type of a part with this SQL type; NULL if it may have
 * any, or the type is unknown.
 */
static const char *
FindStoredType(Oid type)
{
	switch (getBaseType(type))
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case NUMERICOID:
		case FLOAT4OID:
		case FLOAT8OID:
			return "N";
		case TEXTOID:
		case VARCHAROID:
		case BPCHAROID:
			return "S";
		case UUIDOID:
			return "uuid";
	}
	return NULL;
}

bool
DeclaredTypeIsTime(Oid type)
{
	Oid			base = getBaseType(type);

	return base == TIMESTAMPTZOID || base == TIMESTAMPOID || base == DATEOID;
}

#define MEMBER(name) \
"  CASE WHEN k.kind OPERATOR(pg_catalog.=) 'object' THEN (e.value OPERATOR(pg_catalog.->) '" name "')::pg_catalog.text END, "
#define TEXT_MEMBER(name) \
"  CASE WHEN k.kind OPERATOR(pg_catalog.=) 'object' AND pg_catalog.json_typeof(e.value OPERATOR(pg_catalog.->) '" name "') " \
"      OPERATOR(pg_catalog.=) 'string' THEN e.value OPERATOR(pg_catalog.->>) '" name "' END, "

/* Reads attributes in the given order, which jsonb would not keep. */
static const char attributes_query[] =
"SELECT e.key, k.kind, "
"  CASE WHEN k.kind OPERATOR(pg_catalog.=) 'string' THEN e.value OPERATOR(pg_catalog.#>>) '{}' "
"    WHEN k.kind OPERATOR(pg_catalog.=) 'object' THEN e.value OPERATOR(pg_catalog.->>) 'type' END, "
MEMBER("required") MEMBER("constant") MEMBER("default") MEMBER("enum") MEMBER("read_only")
MEMBER("default_function") MEMBER("computed") TEXT_MEMBER("default_function") TEXT_MEMBER("computed")
"  CASE WHEN k.kind OPERATOR(pg_catalog.=) 'object' THEN (SELECT m FROM pg_catalog.json_object_keys(e.value) m "
"    WHERE m OPERATOR(pg_catalog.<>) ALL ('{type,required,constant,default,enum,read_only,default_function,computed}'::pg_catalog.text[]) LIMIT 1) END "
"FROM pg_catalog.json_each($1) e, pg_catalog.json_typeof(e.value) k(kind)";

/* Columns of the query. */
enum
{
	COLUMN_NAME = 1,
	COLUMN_KIND,
	COLUMN_TYPE,
	COLUMN_REQUIRED,
	COLUMN_CONSTANT,
	COLUMN_DEFAULT,
	COLUMN_ENUM,
	COLUMN_READ_ONLY,
	COLUMN_FUNCTION_JSON,
	COLUMN_COMPUTED_JSON,
	COLUMN_FUNCTION,
	COLUMN_COMPUTED,
	COLUMN_UNKNOWN
};

static bool
ReadFlag(const char *json, const char *member, const char *attribute)
{
	if (json != NULL && strcmp(json, "true") != 0 && strcmp(json, "false") != 0)
		InvalidArgument("member \"%s\" of attribute \"%s\" is not a boolean", member, attribute);
	return json != NULL && strcmp(json, "true") == 0;
}

/* Returns a member that must be a string; NULL if it is absent. */
static char *
ReadTextMemberOf(char *json, char *text, const char *member, const char *attribute)
{
	if (json != NULL && strcmp(json, "null") != 0 && text == NULL)
		InvalidArgument("member \"%s\" of attribute \"%s\" is not a string", member, attribute);
	return text;
}

static void
ReadRules(HeapTuple tuple, TupleDesc desc, DeclaredAttribute *a)
{
	DefaultFunction function;

	a->allowed = SPI_getvalue(tuple, desc, COLUMN_ENUM);
	a->read_only = ReadFlag(SPI_getvalue(tuple, desc, COLUMN_READ_ONLY), "read_only", a->name);
	a->function = ReadTextMemberOf(SPI_getvalue(tuple, desc, COLUMN_FUNCTION_JSON), SPI_getvalue(tuple, desc, COLUMN_FUNCTION),
							 "default_function", a->name);
	a->computed = ReadTextMemberOf(SPI_getvalue(tuple, desc, COLUMN_COMPUTED_JSON), SPI_getvalue(tuple, desc, COLUMN_COMPUTED),
							 "computed", a->name);
	if (a->function != NULL && !DefaultFunctionFromName(SliceOf(a->function), &function))
		InvalidArgument("the default function of attribute \"%s\" is \"%s\", not \"uuid\" or \"now\"", a->name, a->function);
}

static void
ReadDeclaredAttribute(HeapTuple tuple, TupleDesc desc, DeclaredAttribute *a)
{
	char	   *kind = SPI_getvalue(tuple, desc, COLUMN_KIND);
	char	   *unknown = SPI_getvalue(tuple, desc, COLUMN_UNKNOWN);

	a->name = SPI_getvalue(tuple, desc, COLUMN_NAME);
	a->type = SPI_getvalue(tuple, desc, COLUMN_TYPE);
	a->constant = SPI_getvalue(tuple, desc, COLUMN_CONSTANT);
	a->initial = SPI_getvalue(tuple, desc, COLUMN_DEFAULT);
	if (strcmp(kind, "string") != 0 && strcmp(kind, "object") != 0)
		InvalidArgument("attribute \"%s\" must be described by a type or by an object", a->name);
	if (unknown != NULL)
		InvalidArgument("attribute \"%s\" has an unknown member \"%s\"", a->name, unknown);
	a->required = ReadFlag(SPI_getvalue(tuple, desc, COLUMN_REQUIRED), "required", a->name);
	ReadRules(tuple, desc, a);
	if (a->type == NULL)
		return;
	ParseTypeName(a->type, &a->type_oid, &a->typmod);
	a->holds = FindStoredType(a->type_oid);
}

void
DeclaredAttributesRead(DeclaredAttributes *attributes, Datum json)
{
	Oid			types[1] = {JSONOID};

	if (SPI_execute_with_args(attributes_query, 1, types, &json, NULL, true, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not read the attributes of an entity");
	attributes->given = true;
	attributes->count = (int) SPI_processed;
	attributes->list = palloc0(sizeof(DeclaredAttribute) * Max(attributes->count, 1));
	for (int i = 0; i < attributes->count; i++)
		ReadDeclaredAttribute(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, &attributes->list[i]);
}

const DeclaredAttribute *
DeclaredAttributeFind(const DeclaredAttributes *attributes, Slice name)
{
	for (int i = 0; i < attributes->count; i++)
	{
		if (SliceIs(name, attributes->list[i].name))
			return &attributes->list[i];
	}
	return NULL;
}

/* ---- the definition as JSON ---- */

void
AppendEntityMember(StringInfo out, const char *name, const char *value)
{
	appendStringInfo(out, "%s\"%s\": ", out->data[out->len - 1] == '{' ? "" : ", ", name);
	escape_json(out, value);
}

void
DeclaredAttributesAppend(StringInfo out, const DeclaredAttributes *attributes)
{
	if (!attributes->given)
		return;
	appendStringInfoString(out, ", \"attributes\": [");
	for (int i = 0; i < attributes->count; i++)
	{
		const DeclaredAttribute *a = &attributes->list[i];
		char	   *qualified = a->type == NULL ? NULL : DeclaredTypeName(a->type, a->type_oid, a->typmod);

		appendStringInfoString(out, i == 0 ? "{" : ", {");
		AppendEntityMember(out, "name", a->name);
		if (a->type != NULL)
			AppendEntityMember(out, "type", a->type);
		if (qualified != NULL)
			AppendEntityMember(out, "qualified", qualified);
		if (a->holds != NULL)
			AppendEntityMember(out, "holds", a->holds);
		if (a->required)
			appendStringInfoString(out, ", \"required\": true");
		if (a->constant != NULL)
			appendStringInfo(out, ", \"constant\": %s", a->constant);
		if (a->initial != NULL)
			appendStringInfo(out, ", \"default\": %s", a->initial);
		if (a->allowed != NULL)
			appendStringInfo(out, ", \"enum\": %s", a->allowed);
		if (a->function != NULL)
			AppendEntityMember(out, "default_function", a->function);
		if (a->read_only)
			appendStringInfoString(out, ", \"read_only\": true");
		if (a->computed != NULL)
			AppendEntityMember(out, "computed", a->computed);
		appendStringInfoChar(out, '}');
	}
	appendStringInfoChar(out, ']');
}
