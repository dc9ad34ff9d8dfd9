/*
 * resolve.c
 *	  From a DynamoDB table name to a relation.
 *
 * Names are resolved at every call, as PostgreSQL resolves a name in a
 * statement: through search_path, under the schema privileges of the caller.
 * A dot is legal in a DynamoDB name and means a schema in SQL, so that a
 * name with a dot is tried as it is first.
 */
#include "postgres.h"

#include "catalog/namespace.h"
#include "nodes/makefuncs.h"

#include "catalog/names.h"
#include "catalog/table.h"
#include "errors.h"

/* Seen through search_path; names no relation can have are mapped. */
static Oid
ResolvePlain(const char *name)
{
	return RelnameGetRelid(RelationNameFor(name));
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
		if (OidIsValid(relid))
			return relid;
	}
	return InvalidOid;
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
				 errdetail("There is no table \"%s\" in the search path.", name)));
	return relid;
}
