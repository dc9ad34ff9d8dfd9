/*
 * owner.c
 *	  Acting as the owner of a relation.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/guc.h"

#include "catalog/owner.h"
#include "compat.h"

static void
SwitchUser(OwnerScope *scope, Oid owner, int context)
{
	GetUserIdAndSecContext(&scope->role, &scope->context);
	SetUserIdAndSecContext(owner, scope->context | SECURITY_LOCAL_USERID_CHANGE |
						   SECURITY_NOFORCE_RLS | context);
}

void
OwnerScopeEnter(OwnerScope *scope, Oid owner)
{
	SwitchUser(scope, owner, SECURITY_RESTRICTED_OPERATION);
	scope->guc_level = NewGUCNestLevel();
	RestrictSearchPath();
}

void
OwnerScopeEnterForCascade(OwnerScope *scope, Oid owner)
{
	SwitchUser(scope, owner, 0);
	scope->guc_level = 0;
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
