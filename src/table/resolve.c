/*
 * resolve.c
 *	  Resolves DynamoDB table names to relations.
 *
 * Names are resolved at every call, like names in a SQL statement: through
 * search_path, with the caller's privileges on schemas.  A dot is valid in a
 * DynamoDB name and separates a schema in SQL, so that a name with a dot is
 * first looked up as a whole.
 *
 * The meaning of a name can change at any time until the relation is locked.
 * The functions here therefore resolve and lock together.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "storage/lmgr.h"
#include "storage/sinval.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/relcache.h"
#include "utils/syscache.h"

#include "errors.h"
#include "table/object_names.h"
#include "table/table.h"
#include "table/table_list.h"

uint64		relation_changes = 1;

static void
NoteRelationChange(Datum arg, int cacheid, uint32 hash)
{
	relation_changes++;
}

void
TableNamesInit(void)
{
	CacheRegisterSyscacheCallback(RELNAMENSP, NoteRelationChange, (Datum) 0);
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
	remembered.n = 0;
}

/* changes is the value of relation_changes before the name was looked up. */
static void
RememberName(const char *name, Oid relid, uint64 changes)
{
	uint32		i;

	if (strlen(name) >= NAMEDATALEN || changes != relation_changes)
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
	relid = RelnameGetRelid(RelationNameFor(name));
	if (!OidIsValid(relid) || !MayBeTable(relid))
		return InvalidOid;
	RememberName(name, relid, changes);
	return relid;
}

/*
 * Resolves schema.table, at the first dot that follows the name of a schema.
 */
static Oid
ResolveQualified(const char *name)
{
	for (const char *dot = strchr(name, '.'); dot != NULL; dot = strchr(dot + 1, '.'))
	{
		int			len = dot - name;
		Oid			relid;

		if (len == 0 || len >= NAMEDATALEN || dot[1] == '\0')
			continue;
		relid = RangeVarGetRelid(makeRangeVar(pnstrdup(name, len),
											  RelationNameFor(dot + 1), -1),
								 NoLock, true);
		if (OidIsValid(relid) && MayBeTable(relid))
			return relid;
	}
	return InvalidOid;
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

Oid
TableNameResolve(const char *name, bool missing_ok)
{
	Oid			relid = ResolvePlain(name);

	if (!OidIsValid(relid) && strchr(name, '.') != NULL)
		relid = ResolveQualified(name);
	if (!OidIsValid(relid) && !missing_ok)
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_RESOURCE_NOT_FOUND),
				 errmsg("Requested resource not found"),
				 errdetail("Table \"%s\" does not exist in the search path.", name),
				 OtherCaseHint(name)));
	return relid;
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
