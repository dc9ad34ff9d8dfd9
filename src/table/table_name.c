/*
 * table_name.c
 *	  The form of table names: parts, quotes, and relations given by OID.
 */
#include "postgres.h"

#include "catalog/pg_type_d.h"
#include "catalog/namespace.h"
#include "commands/dbcommands.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "errors.h"
#include "table/object_names.h"
#include "table/table_name.h"

/* The first byte of the text of an OID, which no other name has. */
#define OID_MARK		'\001'

/* The alias of the session's temporary schema. */
#define TEMPORARY_SCHEMA	"pg_temp"

/* ---- relations by OID ---- */

char *
TableNameOfOid(Oid relid)
{
	return psprintf("%c%u", OID_MARK, relid);
}

bool
TableNameIsOid(const char *name, Oid *relid)
{
	if (name[0] != OID_MARK)
		return false;
	*relid = (Oid) strtoul(name + 1, NULL, 10);
	return true;
}

const char *
TableNameForMessage(const char *name)
{
	Oid			relid;
	char	   *relation;

	if (!TableNameIsOid(name, &relid))
		return name;
	relation = get_rel_name(relid);
	return relation != NULL ? relation : name + 1;
}

const char *
TableNameForCall(const char *name)
{
	Oid			relid;

	return TableNameIsOid(name, &relid) ? TableNameOfRelation(relid) : name;
}

/* ---- arguments ---- */

/*
 * Whether the argument is a regclass.  The types of the arguments of the call are
 * those of the function; calls without an expression are rare.
 */
static bool
IsRegclass(FunctionCallInfo fcinfo, int n)
{
	Oid			type = get_fn_expr_argtype(fcinfo->flinfo, n);

	if (type != TEXTOID && type != REGCLASSOID && fcinfo->flinfo != NULL)
	{
		Oid		   *types;
		int			ntypes;

		(void) get_func_signature(fcinfo->flinfo->fn_oid, &types, &ntypes);
		type = n < ntypes ? types[n] : InvalidOid;
	}
	return type == REGCLASSOID;
}

char *
TableArgument(FunctionCallInfo fcinfo, int n)
{
	char	   *name;

	if (IsRegclass(fcinfo, n))
		return TableNameOfOid(PG_GETARG_OID(n));
	name = text_to_cstring(PG_GETARG_TEXT_PP(n));
	if (name[0] == OID_MARK)
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_VALIDATION),
				 errmsg("invalid name of a table: it begins with the character U+0001")));
	return name;
}

char *
RequiredTableArgument(FunctionCallInfo fcinfo, int n)
{
	if (PG_ARGISNULL(n))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("table_name must not be null")));
	return TableArgument(fcinfo, n);
}

/* ---- quotes ---- */

static void
AppendQuoted(StringInfo out, const char *identifier)
{
	appendStringInfoChar(out, '"');
	for (const char *c = identifier; *c != '\0'; c++)
	{
		if (*c == '"')
			appendStringInfoChar(out, '"');
		appendStringInfoChar(out, *c);
	}
	appendStringInfoChar(out, '"');
}

char *
TableNameInQuotes(const char *schema, const char *table)
{
	StringInfoData out;

	initStringInfo(&out);
	if (schema != NULL)
	{
		AppendQuoted(&out, schema);
		appendStringInfoChar(&out, '.');
	}
	AppendQuoted(&out, table);
	return out.data;
}

char *
TableNameOfRelation(Oid relid)
{
	const char *name = get_rel_name(relid);
	const char *schema = get_namespace_name(get_rel_namespace(relid));

	if (name == NULL || schema == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("an object was dropped while it was used")));
	return TableNameInQuotes(schema, name);
}

static void FailInvalidName(const char *name) pg_attribute_noreturn();

static void
FailInvalidName(const char *name)
{
	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_VALIDATION),
			 errmsg("invalid name of a table: %s", name),
			 errhint("In quotes, a name is \"table\" or \"schema\".\"table\"; a quote in a name is written twice.")));
}

/*
 * Reads a quoted or unquoted identifier up to the next dot; returns its end, NULL
 * if it is invalid.
 */
static const char *
ReadIdentifier(const char *at, char **identifier)
{
	StringInfoData out;

	initStringInfo(&out);
	if (*at != '"')
	{
		size_t		len = strcspn(at, ".\"");

		appendBinaryStringInfo(&out, at, (int) len);
		at += len;
	}
	else
	{
		for (at++; *at != '\0' && (*at != '"' || at[1] == '"'); at++)
		{
			at += *at == '"';
			appendStringInfoChar(&out, *at);
		}
		if (*at++ != '"')
			return NULL;
	}
	*identifier = out.data;
	return out.len > 0 && (*at == '\0' || *at == '.') ? at : NULL;
}

static void
SplitQuoted(const char *name, TableNameParts *parts)
{
	char	   *first;
	char	   *second = NULL;
	const char *at = ReadIdentifier(name, &first);

	if (at != NULL && *at == '.')
		at = ReadIdentifier(at + 1, &second);
	if (at == NULL || *at != '\0')
		FailInvalidName(name);
	parts->schema = second != NULL ? first : NULL;
	parts->table = second != NULL ? second : first;
	parts->quoted = true;
}

/* ---- dots ---- */

bool
TableNameMayHaveParts(const char *name)
{
	return strpbrk(name, ".\"") != NULL;
}

static bool
SchemaExists(const char *name)
{
	return strcmp(name, TEMPORARY_SCHEMA) == 0 || OidIsValid(get_namespace_oid(name, true));
}

/*
 * Splits a name at the next dot after the name of a schema.  Whether the user may
 * use the schema does not matter: otherwise the meaning would depend on rights.
 */
static const char *
SplitAtSchema(const char *name, const char *from, TableNameParts *parts)
{
	const char *dot;

	for (dot = strchr(from, '.'); dot != NULL; dot = strchr(dot + 1, '.'))
	{
		size_t		len = dot - name;

		if (len == 0 || len >= NAMEDATALEN || dot[1] == '\0')
			continue;
		parts->schema = pnstrdup(name, len);
		if (SchemaExists(parts->schema))
			break;
	}
	if (dot == NULL)
		parts->schema = NULL;
	parts->table = dot == NULL ? name : dot + 1;
	parts->quoted = false;
	return dot;
}

bool
TableNameSplit(const char *name, TableNameParts *parts, TableNameParts *other)
{
	const char *dot;

	if (strchr(name, '"') != NULL)
	{
		SplitQuoted(name, parts);
		return true;
	}
	dot = SplitAtSchema(name, name, parts);
	return dot == NULL || SplitAtSchema(name, dot + 1, other) == NULL;
}

void
TableNameIsAmbiguous(const char *name, const TableNameParts *one, const TableNameParts *other)
{
	ereport(ERROR,
			(errcode(ERRCODE_DYNAMO_VALIDATION),
			 errmsg("Table name %s is ambiguous: it may mean %s or %s", name,
					TableNameInQuotes(one->schema, one->table), TableNameInQuotes(other->schema, other->table)),
			 errhint("Functions accept the name in this form, with the quotes.")));
}

TableNameParts
TableNameToCreate(const char *name)
{
	TableNameParts parts;
	TableNameParts other;

	if (!TableNameSplit(name, &parts, &other))
		TableNameIsAmbiguous(name, &parts, &other);
	return parts;
}

Oid
SchemaToCreateIn(void)
{
	List	   *path = fetch_search_path(false);

	if (path == NIL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_SCHEMA),
				 errmsg("no schema has been selected to create in")));
	return linitial_oid(path);
}
