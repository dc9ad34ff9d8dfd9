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

/* ---- names resolved before ---- */

/*
 * Most statements of an application name the same few tables.  What a name
 * means is a function of the relations there are and of the search path's
 * schemas, which hold only those that the user may use.
 */
#define REMEMBERED_NAMES	8

static struct
{
	uint64		changes;		/* relation_changes then */
	SearchPath *path;			/* NULL: nothing remembered */
	uint32		n;				/* ever remembered, the last of them in names */
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

/* changes: those before the name was looked up. */
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
 * Whether a relation can be opened as a table, if only to find that it is none
 * of ours.  Indexes and composite types have names as tables have, and those
 * of our tables' indexes may be asked for by mistake.
 */
static bool
MayBeTable(Oid relid)
{
	char		kind = get_rel_relkind(relid);

	return kind != RELKIND_INDEX && kind != RELKIND_PARTITIONED_INDEX &&
		kind != RELKIND_COMPOSITE_TYPE;
}

/* Seen through search_path; names no relation can have are mapped. */
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

/* schema.table at the first dot for which there is such a schema. */
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
 * What may have been meant.  Clients of background workers are not shown hints,
 * and ask often for tables that are not there yet.
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
 * As RangeVarGetRelidExtended: a name may come to mean another relation while
 * we wait for the lock, so look again until it is stable.
 *
 * A lock that this transaction had already accepts no invalidation messages,
 * and one index may have taken another's place beneath it: accept them here.
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
