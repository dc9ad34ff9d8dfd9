/*
 * role.c
 *	  Reads the role that executes a request.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_database.h"
#include "catalog/pg_db_role_setting.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "compat.h"
#include "http/role.h"
#include "worker/endpoint.h"

static const char *
ReadRole(Identity *identity, Oid role)
{
	HeapTuple	tuple = SearchSysCache1(AUTHOID, ObjectIdGetDatum(role));
	Form_pg_authid form;
	bool		login;

	if (!HeapTupleIsValid(tuple))
		return "does not exist";
	form = (Form_pg_authid) GETSTRUCT(tuple);
	identity->role = role;
	identity->superuser = form->rolsuper;
	login = form->rolcanlogin;
	ReleaseSysCache(tuple);
	if (!login)
		return "is not permitted to log in";
	if (DatabaseAclCheck(MyDatabaseId, role, ACL_CONNECT) != ACLCHECK_OK)
		return "has no CONNECT privilege for the database";
	if (identity->superuser && !http_allow_superuser)
		return "is a superuser, and \"dynamo.http_allow_superuser\" is off";
	return NULL;
}

/* Adds the settings of a role, in one database or in all. */
static void
ReadRoleSettings(Identity *identity, Relation rel, Oid database)
{
	ScanKeyData keys[2];
	SysScanDesc scan;
	HeapTuple	tuple;

	ScanKeyInit(&keys[0], Anum_pg_db_role_setting_setdatabase, BTEqualStrategyNumber,
				F_OIDEQ, ObjectIdGetDatum(database));
	ScanKeyInit(&keys[1], Anum_pg_db_role_setting_setrole, BTEqualStrategyNumber,
				F_OIDEQ, ObjectIdGetDatum(identity->role));
	scan = systable_beginscan(rel, DbRoleSettingDatidRolidIndexId, true, NULL, 2, keys);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		bool		isnull;
		Datum		array = heap_getattr(tuple, Anum_pg_db_role_setting_setconfig,
										 RelationGetDescr(rel), &isnull);
		Datum	   *elements;
		int			n;

		if (isnull)
			continue;
		deconstruct_array(DatumGetArrayTypeP(array), TEXTOID, -1, false, TYPALIGN_INT,
						  &elements, NULL, &n);
		identity->settings = identity->settings == NULL ?
			palloc(n * sizeof(char *)) :
			repalloc(identity->settings, (identity->nsettings + n) * sizeof(char *));
		for (int i = 0; i < n; i++)
			identity->settings[identity->nsettings++] = TextDatumGetCString(elements[i]);
	}
	systable_endscan(scan);
}

const char *
RoleRead(Identity *identity, Oid role)
{
	Relation	rel;
	const char *problem;

	memset(identity, 0, sizeof(*identity));
	problem = ReadRole(identity, role);
	if (problem != NULL)
		return problem;
	rel = table_open(DbRoleSettingRelationId, AccessShareLock);
	/* those for this database are applied last */
	ReadRoleSettings(identity, rel, InvalidOid);
	ReadRoleSettings(identity, rel, MyDatabaseId);
	table_close(rel, AccessShareLock);
	return NULL;
}
