/*
 * identity.c
 *	  The role, with its privileges and settings, that executes a request.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_database.h"
#include "catalog/pg_db_role_setting.h"
#include "catalog/pg_type.h"
#include "commands/prepare.h"
#include "commands/sequence.h"
#include "miscadmin.h"
#include "storage/lock.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/portal.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

#include "compat.h"
#include "http/identity.h"
#include "store/segment.h"
#include "http/settings.h"
#include "table/table.h"

/* The identity of the worker; the role is invalid before the first request. */
static Identity assumed;
static MemoryContext assumed_context;
static char *assumed_schemas;	/* the setting, which a reload can change */
static bool entered;

/* ---- reading ---- */

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
ReadSettings(Identity *identity, Relation rel, Oid database)
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
IdentityRead(Identity *identity, Oid role)
{
	Relation	rel;
	const char *problem;

	memset(identity, 0, sizeof(*identity));
	problem = ReadRole(identity, role);
	if (problem != NULL)
		return problem;
	rel = table_open(DbRoleSettingRelationId, AccessShareLock);
	/* those for this database are applied last */
	ReadSettings(identity, rel, InvalidOid);
	ReadSettings(identity, rel, MyDatabaseId);
	table_close(rel, AccessShareLock);
	return NULL;
}

/* ---- assuming ---- */

bool
IdentityIsAssumed(const Identity *identity)
{
	if (identity->role != assumed.role || identity->superuser != assumed.superuser ||
		identity->nsettings != assumed.nsettings || strcmp(assumed_schemas, http_schemas) != 0)
		return false;
	for (int i = 0; i < identity->nsettings; i++)
	{
		if (strcmp(identity->settings[i], assumed.settings[i]) != 0)
			return false;
	}
	return true;
}

/*
 * Removes what code of the last role may have left in the session, like most of
 * DISCARD ALL.  Plans remain: each plan depends on its role.
 */
static void
DiscardSession(void)
{
	Oid			temporary;
	Oid			temporary_toast;

	PortalHashTableDeleteAll();
	ResetAllOptions();
	DropAllPreparedStatements();
	SegmentsHold();
	LockReleaseAll(USER_LOCKMETHOD, true);
	SegmentsHoldAgain();
	GetTempNamespaceState(&temporary, &temporary_toast);
	if (OidIsValid(temporary))
	{
		PushActiveSnapshot(GetTransactionSnapshot());
		ResetTempTableNamespace();
		PopActiveSnapshot();
	}
	ResetSequenceCaches();
}

/*
 * Applies the settings of a role like the start of a session, but so that they can be
 * reset.  Settings cannot change the role itself.
 */
static void
ApplySettings(const Identity *identity)
{
	for (int i = 0; i < identity->nsettings; i++)
	{
		char	   *name;
		char	   *value;

		ParseLongOption(identity->settings[i], &name, &value);
		if (value != NULL && strcmp(name, "role") != 0 &&
			strcmp(name, "session_authorization") != 0)
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
RememberIdentity(const Identity *identity)
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
	assumed_schemas = pstrdup(http_schemas);
	MemoryContextSwitchTo(old);
}

void
IdentityAssume(const Identity *identity)
{
	/* if this fails, the next request assumes its role from the start */
	assumed.role = InvalidOid;
	StartTransactionCommand();
	DiscardSession();
	SetSessionAuthorization(identity->role, identity->superuser);
	ApplySettings(identity);
	ApplySchemas();
	CommitTransactionCommand();
	SetUserIdAndSecContext(identity->role, 0);
	RememberIdentity(identity);
}

void
IdentityEnter(void)
{
	SetUserIdAndSecContext(assumed.role, SECURITY_LOCAL_USERID_CHANGE);
	entered = true;
}

void
IdentityLeave(void)
{
	SetUserIdAndSecContext(GetSessionUserId(), 0);
	entered = false;
}

bool
IdentityIsEntered(void)
{
	return entered;
}
