/*
 * resolve.c
 *	  Resolves DynamoDB table names to relations.
 *
 * Names are resolved at every call, like names in a SQL statement: through
 * search_path, with the caller's privileges on schemas.  A dot is valid in a
 * DynamoDB name and separates a schema in SQL: table_name.h tells which it is.
 *
 * Others may create relations in some schemas of a search path, and schemas.  A
 * name with a dot whose beginning is a schema is therefore looked up there and
 * nowhere else, as in SQL.  A relation with the whole name never takes its place;
 * if it may be what is meant, the name is refused.
 *
 * The meaning of a name can change at any time until the relation is locked.
 * The functions here therefore resolve and lock together.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_namespace.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "storage/sinval.h"
#include "utils/acl.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/relcache.h"
#include "utils/syscache.h"

#include "compat.h"
#include "errors.h"
#include "extension_objects.h"
#include "security/creators.h"
#include "table/object_names.h"
#include "table/table.h"
#include "table/table_list.h"
#include "table/table_name.h"

uint64		relation_changes = 1;

/* Schemas of a search path beyond these are not searched. */
#define MAX_SCHEMAS		128

static void
NoteRelationChange(Datum arg, int cacheid, uint32 hash)
{
	relation_changes++;
}

void
TableNamesInit(void)
{
	CacheRegisterSyscacheCallback(RELNAMENSP, NoteRelationChange, (Datum) 0);
	/* who may create where, which matters over HTTP */
	CacheRegisterSyscacheCallback(NAMESPACEOID, NoteRelationChange, (Datum) 0);
	CacheRegisterSyscacheCallback(AUTHMEMROLEMEM, NoteRelationChange, (Datum) 0);
	CacheRegisterSyscacheCallback(AUTHOID, NoteRelationChange, (Datum) 0);
}

/* ---- over HTTP ---- */

static enum
{
	NAMES_OF_SESSION,			/* PostgreSQL's rules for search_path */
	NAMES_OF_SCHEMAS,			/* the search path, without temporary tables */
	NAMES_OF_ROLE				/* and without those that cannot be meant */
}			source = NAMES_OF_SESSION;

void
TableNamesComeFromHttp(bool any_owner)
{
	source = any_owner ? NAMES_OF_SCHEMAS : NAMES_OF_ROLE;
	relation_changes++;
}

/* ---- remembered names ---- */

/*
 * Most statements of an application use the same few tables.  The meaning of a
 * name depends only on the existing relations and on the schemas of the search
 * path that the user may use.
 */
#define REMEMBERED_NAMES	8

static struct
{
	uint64		changes;		/* relation_changes at that time */
	SearchPath *path;			/* NULL if no name is remembered */
	Oid			role;			/* the user, which matters over HTTP */
	uint32		n;				/* number of names added; names is a ring */
	struct
	{
		char		name[NAMEDATALEN];
		Oid			relid;
	}			names[REMEMBERED_NAMES];
}			remembered;

static bool
RememberedAreCurrent(void)
{
	return remembered.path != NULL && remembered.changes == relation_changes &&
		(source != NAMES_OF_ROLE || remembered.role == GetUserId()) &&
		SearchPathIsCurrent(remembered.path);
}

static Oid
RecallName(const char *name)
{
	if (!RememberedAreCurrent())
		return InvalidOid;
	for (uint32 i = 0; i < Min(remembered.n, REMEMBERED_NAMES); i++)
	{
		if (strcmp(remembered.names[i].name, name) == 0)
			return remembered.names[i].relid;
	}
	return InvalidOid;
}

static void
ForgetNames(void)
{
	if (remembered.path != NULL)
	{
		list_free(remembered.path->schemas);
		pfree(remembered.path);
		remembered.path = NULL;
	}
	remembered.path = CurrentSearchPath(TopMemoryContext);
	remembered.changes = relation_changes;
	remembered.role = GetUserId();
	remembered.n = 0;
}

/*
 * Remembers a name without parts.  changes is the value of relation_changes
 * before the name was looked up.
 */
static void
RememberName(const char *name, Oid relid, uint64 changes)
{
	uint32		i;

	if (strlen(name) >= NAMEDATALEN || changes != relation_changes || TableNameMayHaveParts(name))
		return;
	if (!RememberedAreCurrent())
		ForgetNames();
	i = remembered.n++ % REMEMBERED_NAMES;
	strcpy(remembered.names[i].name, name);
	remembered.names[i].relid = relid;
}

/* ---- resolving ---- */

/*
 * Whether a relation can be opened as a table, even if it is not a dynamo
 * table.  Indexes and composite types share the namespace of tables, and a
 * user may give the name of an index by mistake.
 */
static bool
MayBeTable(Oid relid)
{
	char		kind = get_rel_relkind(relid);

	return kind != RELKIND_INDEX && kind != RELKIND_PARTITIONED_INDEX &&
		kind != RELKIND_COMPOSITE_TYPE;
}

bool
NameMayMean(Oid relid)
{
	return source == NAMES_OF_SESSION ||
		(!isTempNamespace(get_rel_namespace(relid)) && (source != NAMES_OF_ROLE || CanBeMeant(relid, GetUserId())));
}

/*
 * Looks in the schemas of the search path.  The session's temporary tables are
 * not among them.
 */
static Oid
LookInSchemas(const char *relation)
{
	Oid			schemas[MAX_SCHEMAS];
	int			n = Min(fetch_search_path_array(schemas, MAX_SCHEMAS), MAX_SCHEMAS);

	for (int i = 0; i < n; i++)
	{
		Oid			relid = get_relname_relid(relation, schemas[i]);

		if (OidIsValid(relid) && NameMayMean(relid))
			return relid;
	}
	return InvalidOid;
}

Oid
RelationInSearchPath(const char *relation)
{
	return source == NAMES_OF_SESSION ? RelnameGetRelid(relation) : LookInSchemas(relation);
}

static Oid
TableOrNone(Oid relid)
{
	return OidIsValid(relid) && MayBeTable(relid) ? relid : InvalidOid;
}

/*
 * Resolves a name through search_path; a name that no relation can have is
 * mapped.
 */
static Oid
ResolvePlain(const char *name)
{
	Oid			relid = RecallName(name);
	uint64		changes = relation_changes;

	if (OidIsValid(relid))
		return relid;
	relid = TableOrNone(RelationInSearchPath(RelationNameFor(name)));
	if (OidIsValid(relid))
		RememberName(name, relid, changes);
	return relid;
}

/*
 * Looks in the schema that a name begins with.  Raises an error if the user may
 * not use it, and only returns none if silent.
 */
static Oid
LookInSchema(const TableNameParts *parts, bool silent)
{
	Oid			schema = LookupNamespaceNoError(parts->schema);

	if (OidIsValid(schema) && SchemaAclCheck(schema, GetUserId(), ACL_USAGE) != ACLCHECK_OK)
	{
		if (!silent)
			aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_SCHEMA, parts->schema);
		return InvalidOid;
	}
	return OidIsValid(schema) ? TableOrNone(get_relname_relid(RelationNameFor(parts->table), schema)) : InvalidOid;
}

/*
 * Finds a relation of the search path with the whole name, dots included, that
 * may be meant by a name that begins with a schema.  If the schema has such a
 * table, that is one of a schema where only its owner may create: anybody else
 * could otherwise withdraw the table of the schema by creating a relation.
 */
static bool
FindOtherMeaning(const char *name, bool in_schema, TableNameParts *other)
{
	Oid			plain = TableOrNone(LookInSchemas(RelationNameFor(name)));

	if (!OidIsValid(plain) || (in_schema && !SchemaIsClosed(get_rel_namespace(plain))))
		return false;
	other->schema = get_namespace_name(get_rel_namespace(plain));
	other->table = name;
	return true;
}

/* Resolves a name that begins with a schema; see FindOtherMeaning. */
static Oid
ResolveQualified(const char *name, const TableNameParts *parts, bool silent)
{
	Oid			relid = LookInSchema(parts, silent);
	TableNameParts other;

	if (parts->quoted || !FindOtherMeaning(name, OidIsValid(relid), &other))
		return relid;
	if (!silent)
		TableNameIsAmbiguous(name, parts, &other);
	return InvalidOid;
}

static Oid
ResolveWithParts(const char *name, bool silent)
{
	TableNameParts parts;
	TableNameParts other;

	if (!TableNameSplit(name, &parts, &other))
	{
		if (!silent)
			TableNameIsAmbiguous(name, &parts, &other);
		return InvalidOid;
	}
	if (parts.schema != NULL)
		return ResolveQualified(name, &parts, silent);
	return parts.quoted ? ResolvePlain(parts.table) : TableOrNone(LookInSchemas(RelationNameFor(name)));
}

static Oid
ResolveName(const char *name, bool silent)
{
	Oid			relid = RecallName(name);

	if (OidIsValid(relid))
		return relid;
	if (TableNameIsOid(name, &relid))
		return TableOrNone(relid);
	return TableNameMayHaveParts(name) ? ResolveWithParts(name, silent) : ResolvePlain(name);
}

/*
 * Suggests a table whose name differs in case.  Background workers do not show
 * hints, and their clients often ask for tables that do not exist yet.
 */
static int
OtherCaseHint(const char *name)
{
	char	   *other = MyBackendType == B_BACKEND ? TableNameInOtherCase(name) : NULL;

	return other != NULL ?
		errhint("Table names are case-sensitive: there is a table \"%s\".", other) : 0;
}

/*
 * A relation that could be meant if its schema were closed, over HTTP: clients see
 * no details.
 */
const char *
TableNameAdvice(const char *name)
{
	List	   *path = source == NAMES_OF_ROLE && !TableNameMayHaveParts(name) ? fetch_search_path(false) : NIL;
	ListCell   *cell;

	foreach(cell, path)
	{
		Oid			relid = TableOrNone(get_relname_relid(RelationNameFor(name), lfirst_oid(cell)));
		const char *schema = get_namespace_name(lfirst_oid(cell));

		if (OidIsValid(relid) && schema != NULL)
			return psprintf(": table %s of role %s in schema %s is found as %s.%s only (see dynamo.http_schemas)", name,
							GetUserNameFromId(RelationOwner(relid), true), schema, schema, name);
	}
	return "";
}

int
TableNameMissingDetail(const char *name)
{
	TableNameParts parts;
	TableNameParts other;
	Oid			relid;

	if (TableNameIsOid(name, &relid))
		return errdetail("There is no table with the OID %u.", relid);
	if (!TableNameSplit(name, &parts, &other) || parts.schema == NULL)
		return errdetail("Table \"%s\" does not exist in the search path.", name);
	return errdetail("Schema \"%s\" has no table \"%s\".", parts.schema, parts.table);
}

Oid
TableNameResolve(const char *name, bool missing_ok)
{
	Oid			relid = ResolveName(name, false);

	if (!OidIsValid(relid) && !missing_ok)
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_RESOURCE_NOT_FOUND),
				 errmsg("Requested resource not found%s", TableNameAdvice(name)),
				 TableNameMissingDetail(name),
				 OtherCaseHint(name)));
	return relid;
}

Oid
TableNameTryResolve(const char *name)
{
	return ResolveName(name, true);
}

/* ---- resolving and locking ---- */

/*
 * Resolves a name and locks the relation.  As in RangeVarGetRelidExtended, the
 * name may refer to another relation after the wait for the lock, so this is
 * repeated until it does not change.
 *
 * If the transaction already had the lock, no invalidation messages have been
 * accepted, but one index may have replaced another meanwhile.  They are
 * therefore accepted here.
 */
Oid
TableNameLock(const char *name, LOCKMODE lockmode, bool missing_ok)
{
	Oid			locked = InvalidOid;

	for (;;)
	{
		uint64		inval_count = SharedInvalidMessageCounter;
		Oid			relid = TableNameResolve(name, missing_ok);

		if (OidIsValid(locked) && relid != locked)
			UnlockRelationOid(locked, lockmode);
		if (relid == locked || !OidIsValid(relid))
		{
			locked = relid;
			break;
		}
		LockRelationOid(relid, lockmode);
		locked = relid;
		if (inval_count == SharedInvalidMessageCounter)
			break;
	}
	AcceptInvalidationMessages();
	return locked;
}

Relation
TableNameOpen(const char *name, LOCKMODE lockmode, bool missing_ok)
{
	Oid			relid = TableNameLock(name, lockmode, missing_ok);

	return OidIsValid(relid) ? table_open(relid, NoLock) : NULL;
}
