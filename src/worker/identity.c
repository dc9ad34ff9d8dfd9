/*
 * identity.c
 *	  The role, with its privileges and settings, as which a worker acts.
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/pg_authid.h"
#include "commands/prepare.h"
#include "commands/sequence.h"
#include "miscadmin.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/portal.h"
#include "utils/resowner.h"
#include "utils/snapmgr.h"

#include "compat.h"
#include "store/segment.h"
#include "table/table.h"
#include "worker/endpoint.h"
#include "worker/identity.h"

/* The identity of the worker; the role is invalid before the first request. */
static Identity assumed;
static MemoryContext assumed_context;
static char *assumed_schemas;	/* the setting, which a reload can change; NULL if it does not count */
static bool entered;
static int	settings_level;		/* of what code of other users sets; 0 outside its transactions */

static bool
HasSameSchemas(bool for_requests)
{
	if (!for_requests || assumed_schemas == NULL)
		return !for_requests && assumed_schemas == NULL;
	return strcmp(assumed_schemas, http_schemas) == 0;
}

bool
IdentityIsAssumed(const Identity *identity, bool for_requests)
{
	if (identity->role != assumed.role || identity->superuser != assumed.superuser ||
		identity->nsettings != assumed.nsettings || !HasSameSchemas(for_requests))
		return false;
	for (int i = 0; i < identity->nsettings; i++)
	{
		if (strcmp(identity->settings[i], assumed.settings[i]) != 0)
			return false;
	}
	return true;
}

/*
 * Removes what code of the last role may have left in the session and LeaveSession
 * has not removed.  With it, this is most of DISCARD ALL.  Plans remain: each plan
 * depends on its role.
 */
static void
DiscardSession(void)
{
	Oid			temporary;
	Oid			temporary_toast;

	ResetAllOptions();
	GetTempNamespaceState(&temporary, &temporary_toast);
	if (OidIsValid(temporary))
	{
		PushActiveSnapshot(GetTransactionSnapshot());
		ResetTempTableNamespace();
		PopActiveSnapshot();
	}
}

/*
 * Applies the settings of a role like the start of a session, but so that they can be
 * reset.  Settings cannot change the role itself, nor what the worker has fixed (permanent.c).
 */
static void
ApplyRoleSettings(const Identity *identity)
{
	for (int i = 0; i < identity->nsettings; i++)
	{
		char	   *name;
		char	   *value;

		ParseLongOption(identity->settings[i], &name, &value);
		if (value != NULL && strcmp(name, "role") != 0 &&
			strcmp(name, "session_authorization") != 0 && strcmp(name, "transaction_timeout") != 0)
			(void) set_config_option(name, value, PGC_SUSET, PGC_S_SESSION,
									 GUC_ACTION_SET, true, WARNING, false);
	}
}

/*
 * Administrators vouch for all tables in the schemas that they name.  In those of
 * the search path only some tables can be meant (creators.h).
 */
static void
ApplySchemas(void)
{
	bool		given = http_schemas[0] != '\0';

	if (given)
		(void) set_config_option("search_path", http_schemas, PGC_USERSET, PGC_S_SESSION,
								 GUC_ACTION_SET, true, WARNING, false);
	TableNamesComeFromHttp(given);
}

static void
RememberIdentity(const Identity *identity, bool for_requests)
{
	MemoryContext old;

	if (assumed_context == NULL)
		assumed_context = AllocSetContextCreate(TopMemoryContext, "dynamo identity",
												ALLOCSET_SMALL_SIZES);
	MemoryContextReset(assumed_context);
	old = MemoryContextSwitchTo(assumed_context);
	assumed = *identity;
	if (identity->nsettings > 0)
		assumed.settings = palloc(identity->nsettings * sizeof(char *));
	for (int i = 0; i < identity->nsettings; i++)
		assumed.settings[i] = pstrdup(identity->settings[i]);
	assumed_schemas = for_requests ? pstrdup(http_schemas) : NULL;
	MemoryContextSwitchTo(old);
}

void
IdentityAssume(const Identity *identity, bool for_requests)
{
	/* if this fails, the next request assumes its role from the start */
	assumed.role = InvalidOid;
	StartTransactionCommand();
	DiscardSession();
	SetSessionAuthorization(identity->role, identity->superuser);
	ApplyRoleSettings(identity);
	if (for_requests)
		ApplySchemas();
	CommitTransactionCommand();
	SetUserIdAndSecContext(identity->role, 0);
	RememberIdentity(identity, for_requests);
}

void
IdentityAssumeSuperuser(void)
{
	const Identity superuser = {.role = BOOTSTRAP_SUPERUSERID, .superuser = true};

	if (!IdentityIsAssumed(&superuser, false))
		IdentityAssume(&superuser, false);
}

/*
 * Gives settings their values back after the commit, which obeys them.  A rollback does so
 * by itself.
 */
static void
AtTransactionEnd(ResourceReleasePhase phase, bool is_commit, bool is_top_level, void *arg)
{
	if (phase != RESOURCE_RELEASE_AFTER_LOCKS || !is_top_level || settings_level == 0)
		return;
	if (is_commit)
		AtEOXact_GUC(false, settings_level);
	settings_level = 0;
}

void
IdentityEnter(void)
{
	static bool registered = false;

	if (!registered)
		RegisterResourceReleaseCallback(AtTransactionEnd, NULL);
	registered = true;
	settings_level = NewGUCNestLevel();
	SetUserIdAndSecContext(assumed.role, SECURITY_LOCAL_USERID_CHANGE);
	entered = true;
}

/*
 * Removes what transactions leave in the session beside settings; advisory locks also where
 * they fail.  A new start of the role removes temporary objects.
 */
static void
LeaveSession(void)
{
	if (MyXactFlags & XACT_FLAGS_ACCESSEDTEMPNAMESPACE)
		assumed.role = InvalidOid;
	SegmentsReleaseOthers();
	PortalHashTableDeleteAll();
	DropAllPreparedStatements();
	ResetSequenceCaches();
}

void
IdentityLeave(void)
{
	SetUserIdAndSecContext(GetSessionUserId(), 0);
	entered = false;
	LeaveSession();
}

bool
IdentityIsEntered(void)
{
	return entered;
}
