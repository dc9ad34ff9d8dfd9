/*
 * settings_owner.c
 *	  Executes statements on the extension's own tables, as their owner.
 */
#include "postgres.h"

#include "catalog/namespace.h"
#include "datatype/timestamp.h"
#include "executor/spi.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "extension_objects.h"
#include "security/owner.h"
#include "security/settings_owner.h"

int64
SettingsTime(void)
{
	return GetCurrentTimestamp() + EPOCH_SHIFT;
}

Oid
OwnTableOid(const char *name)
{
	Oid			schema = get_namespace_oid(INTERNAL_SCHEMA, true);

	return OidIsValid(schema) ? get_relname_relid(name, schema) : InvalidOid;
}

static Oid
SettingsOwner(void)
{
	Oid			relid = OwnTableOid("table_settings");

	if (!OidIsValid(relid))
		elog(ERROR, "table dynamo_internal.table_settings is missing");
	return RelationOwner(relid);
}

void
ExecuteAsSettingsOwner(const char *sql, int n, Oid *types, Datum *values, const char *nulls)
{
	OwnerScope	scope;
	int			result;

	OwnerScopeEnterForExtension(&scope, SettingsOwner());
	result = SPI_execute_with_args(sql, n, types, values, nulls, false, 0);
	OwnerScopeLeave(&scope);
	if (result < 0)
		elog(ERROR, "statement failed: %s: %s", SPI_result_code_string(result), sql);
}

void
ExecuteLatestAsSettingsOwner(const char *sql, int n, Oid *types, Datum *values, const char *nulls)
{
	OwnerScope	scope;
	SPIPlanPtr	plan;
	int			result;

	OwnerScopeEnterForExtension(&scope, SettingsOwner());
	plan = SPI_prepare(sql, n, types);
	if (plan == NULL)
		elog(ERROR, "statement failed: %s: %s", SPI_result_code_string(SPI_result), sql);
	result = SPI_execute_snapshot(plan, values, nulls, GetLatestSnapshot(), InvalidSnapshot,
								  false, true, 0);
	OwnerScopeLeave(&scope);
	if (result < 0)
		elog(ERROR, "statement failed: %s: %s", SPI_result_code_string(result), sql);
}
