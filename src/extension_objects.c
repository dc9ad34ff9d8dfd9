/*
 * extension_objects.c
 *	  The extension's own objects in the system catalogs.
 *
 * They are looked up without checking the caller's USAGE privilege on the
 * schema, because plain SQL on a dynamo table must work for every role with
 * privileges on the table.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/namespace.h"
#include "catalog/partition.h"
#include "catalog/pg_class.h"
#include "catalog/pg_partitioned_table.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/guc_tables.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/rls.h"
#include "utils/syscache.h"

#include "compat.h"
#include "extension_objects.h"

Oid
ExtensionFunctionOid(const char *schema_name, const char *name, const Oid *types, int n)
{
	Oid			schema = get_namespace_oid(schema_name, true);

	if (!OidIsValid(schema))
		return InvalidOid;
	return GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid,
						   CStringGetDatum(name),
						   PointerGetDatum(buildoidvector(types, n)),
						   ObjectIdGetDatum(schema));
}

Oid
SystemFunctionOid(const char *name)
{
	return ExtensionFunctionOid(SYSTEM_SCHEMA, name, NULL, 0);
}

Oid
InternalFunctionOid(const char *name)
{
	return ExtensionFunctionOid(INTERNAL_SCHEMA, name, NULL, 0);
}

/* The OID of a type of the extension; InvalidOid if missing. */
static Oid
ExtensionTypeOid(const char *name)
{
	Oid			schema = get_namespace_oid(DYNAMO_SCHEMA, true);

	if (!OidIsValid(schema))
		return InvalidOid;
	return GetSysCacheOid2(TYPENAMENSP, Anum_pg_type_oid,
						   CStringGetDatum(name), ObjectIdGetDatum(schema));
}

Oid
ItemTypeOid(void)
{
	return ExtensionTypeOid("item");
}

Oid
ValueTypeOid(void)
{
	return ExtensionTypeOid("value");
}

Oid
RelationOwner(Oid relid)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relid));
	Oid			owner;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for relation %u", relid);
	owner = ((Form_pg_class) GETSTRUCT(tuple))->relowner;
	ReleaseSysCache(tuple);
	return owner;
}

Oid
PartitionRoot(Oid relid)
{
	List	   *ancestors = get_rel_relispartition(relid) ? get_partition_ancestors(relid) : NIL;

	return ancestors != NIL ? llast_oid(ancestors) : relid;
}

bool
IsPartitionedByExpression(Oid relid)
{
	HeapTuple	tuple = SearchSysCache1(PARTRELID, ObjectIdGetDatum(relid));
	bool		isnull;

	if (!HeapTupleIsValid(tuple))
		return false;
	(void) SysCacheGetAttr(PARTRELID, tuple, Anum_pg_partitioned_table_partexprs, &isnull);
	ReleaseSysCache(tuple);
	return !isnull;
}

TransactionId
CatalogRowWriter(int cache, Oid oid)
{
	HeapTuple	tuple = SearchSysCache1(cache, ObjectIdGetDatum(oid));
	TransactionId xid;

	if (!HeapTupleIsValid(tuple))
		return InvalidTransactionId;
	xid = HeapTupleHeaderGetXmin(tuple->t_data);
	ReleaseSysCache(tuple);
	return xid;
}

bool
MaySeeAllRows(Oid relid)
{
	return pg_class_aclcheck(relid, GetUserId(), ACL_SELECT) == ACLCHECK_OK &&
		check_enable_rls(relid, InvalidOid, true) != RLS_ENABLED;
}

bool
HasTriggerOf(Relation rel, Oid function)
{
	for (int i = 0; rel->trigdesc != NULL && i < rel->trigdesc->numtriggers; i++)
	{
		if (rel->trigdesc->triggers[i].tgfoid == function)
			return true;
	}
	return false;
}

/* ---- who creates the extension ---- */

static const struct config_generic *
SettingOfSession(const char *name)
{
	int			n;
	struct config_generic **settings = SettingsOfSession(&n);

	for (int i = 0; i < n; i++)
	{
		if (strcmp(settings[i]->name, name) == 0)
			return settings[i];
	}
	elog(ERROR, "there is no setting \"%s\"", name);
}

/*
 * creator_hears_notices() returns boolean: for the install script, which drops it.
 *
 * CREATE EXTENSION raises client_min_messages to warning while it executes the script, and
 * sets search_path at the same level.  If client_min_messages has a value to be restored at
 * this level, that is the caller's; otherwise it is as the caller has set it.
 */
DYNAMO_FUNCTION(dynamo_creator_hears_notices);

Datum
dynamo_creator_hears_notices(PG_FUNCTION_ARGS)
{
	const GucStack *messages = SettingOfSession("client_min_messages")->stack;
	const GucStack *path = SettingOfSession("search_path")->stack;

	PG_RETURN_BOOL(messages != NULL && path != NULL && messages->nest_level == path->nest_level &&
				   messages->prior.val.enumval <= NOTICE);
}
