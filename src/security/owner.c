/*
 * owner.c
 *	  Runs code as the owner of a relation.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/table.h"
#include "catalog/indexing.h"
#include "catalog/namespace.h"
#include "catalog/pg_depend.h"
#include "catalog/pg_namespace.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/fmgroids.h"
#include "utils/guc.h"

#include "compat.h"
#include "security/owner.h"

/* ---- temporary objects ---- */

/* Whether a schema has any objects: each depends on it. */
static bool
SchemaHasObjects(Oid schema)
{
	Relation	depend = table_open(DependRelationId, AccessShareLock);
	ScanKeyData keys[2];
	SysScanDesc scan;
	bool		found;

	ScanKeyInit(&keys[0], Anum_pg_depend_refclassid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(NamespaceRelationId));
	ScanKeyInit(&keys[1], Anum_pg_depend_refobjid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(schema));
	scan = systable_beginscan(depend, DependReferenceIndexId, true, NULL, 2, keys);
	found = HeapTupleIsValid(systable_getnext(scan));
	systable_endscan(scan);
	table_close(depend, AccessShareLock);
	return found;
}

/*
 * Refuses to run code of the owner where it could find temporary objects of
 * somebody who does not have the owner's rights: PostgreSQL looks for a table
 * without a schema among the session's temporary ones, whatever search_path is,
 * and their triggers would run as the owner.
 */
static void
RefuseStrangersObjects(Oid owner)
{
	Oid			schema;
	Oid			toast_schema;

	GetTempNamespaceState(&schema, &toast_schema);
	if (OidIsValid(schema) && !has_privs_of_role(GetSessionUserId(), owner) && SchemaHasObjects(schema))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("cannot act as role \"%s\" in a session with temporary objects",
						GetUserNameFromId(owner, false)),
				 errdetail("Code of the role could find them in place of its own."),
				 errhint("Drop them, for example with DISCARD TEMPORARY, or use another session.")));
}

/* ---- scopes ---- */

static void
Enter(OwnerScope *scope, Oid owner, int context)
{
	GetUserIdAndSecContext(&scope->role, &scope->context);
	SetUserIdAndSecContext(owner, scope->context | SECURITY_LOCAL_USERID_CHANGE |
						   SECURITY_RESTRICTED_OPERATION | context);
	scope->guc_level = NewGUCNestLevel();
	RestrictSearchPath();
}

void
OwnerScopeEnter(OwnerScope *scope, Oid owner)
{
	RefuseStrangersObjects(owner);
	Enter(scope, owner, SECURITY_NOFORCE_RLS);
}

void
OwnerScopeEnterForMaintenance(OwnerScope *scope, Oid owner)
{
	GetUserIdAndSecContext(&scope->role, &scope->context);
	scope->guc_level = 0;
	if (scope->role != owner && has_privs_of_role(scope->role, owner))
		OwnerScopeEnter(scope, owner);
}

void
OwnerScopeEnterForView(OwnerScope *scope, Oid owner)
{
	RefuseStrangersObjects(owner);
	Enter(scope, owner, 0);
}

void
OwnerScopeEnterForExtension(OwnerScope *scope, Oid owner)
{
	Enter(scope, owner, SECURITY_NOFORCE_RLS);
}

void
OwnerScopeLeave(const OwnerScope *scope)
{
	if (scope->guc_level > 0)
		AtEOXact_GUC(false, scope->guc_level);
	SetUserIdAndSecContext(scope->role, scope->context);
}

void
OwnerAssume(Oid owner)
{
	SetSessionAuthorization(owner, superuser_arg(owner));
}
