/*
 * owner.c
 *	  Runs code as the owner of a relation.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/guc.h"

#include "compat.h"
#include "table/owner.h"

/* Saves the current user, and changes nothing yet. */
static void
SaveUser(OwnerScope *scope)
{
	GetUserIdAndSecContext(&scope->role, &scope->context);
	scope->guc_level = 0;
}

static void
SwitchUser(const OwnerScope *scope, Oid owner, int context)
{
	SetUserIdAndSecContext(owner, scope->context | SECURITY_LOCAL_USERID_CHANGE | context);
}

void
OwnerScopeEnter(OwnerScope *scope, Oid owner)
{
	OwnerScopeEnterForLock(scope, owner);
	scope->guc_level = NewGUCNestLevel();
	RestrictSearchPath();
}

void
OwnerScopeEnterForStatement(OwnerScope *scope, Oid owner)
{
	int			sees_all = has_bypassrls_privilege(GetUserId()) ? SECURITY_NOFORCE_RLS : 0;

	SaveUser(scope);
	if (scope->role == owner || !has_privs_of_role(scope->role, owner))
		return;
	SwitchUser(scope, owner, SECURITY_RESTRICTED_OPERATION | sees_all);
	scope->guc_level = NewGUCNestLevel();
}

void
OwnerScopeEnterForView(OwnerScope *scope, Oid owner)
{
	SaveUser(scope);
	SwitchUser(scope, owner, SECURITY_RESTRICTED_OPERATION);
	scope->guc_level = NewGUCNestLevel();
	RestrictSearchPath();
}

void
OwnerScopeEnterForCascade(OwnerScope *scope, Oid owner)
{
	SaveUser(scope);
	SwitchUser(scope, owner, SECURITY_NOFORCE_RLS);
}

void
OwnerScopeEnterForLock(OwnerScope *scope, Oid owner)
{
	SaveUser(scope);
	SwitchUser(scope, owner, SECURITY_RESTRICTED_OPERATION | SECURITY_NOFORCE_RLS);
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
