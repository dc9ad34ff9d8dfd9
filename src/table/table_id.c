/*
 * table_id.c
 *	  The id of a table, by which rows of the extension's own tables belong to it.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/guc.h"
#include "utils/rel.h"

#include "security/settings_owner.h"
#include "table/table.h"
#include "table/table_id.h"
#include "table/table_list.h"

/* Returns an id for a table without one; always the same. */
static char *
DerivedId(Oid relid)
{
	Oid			identity[2] = {MyDatabaseId, relid};
	uint64		high = hash_bytes_extended((unsigned char *) identity, sizeof(identity), 1);
	uint64		low = hash_bytes_extended((unsigned char *) identity, sizeof(identity), 2);

	/*
	 * This is version 8, for ids made by other rules than the standard's;
	 * variant 10.
	 */
	return psprintf("%08x-%04x-8%03x-%04x-%012llx",
					(uint32) (high >> 32), (uint32) (high >> 16) & 0xFFFF,
					(uint32) high & 0xFFF, 0x8000 | ((uint32) (low >> 48) & 0x3FFF),
					(unsigned long long) (low & UINT64CONST(0xFFFFFFFFFFFF)));
}

char *
NewTableId(void)
{
	Datum		uuid = DirectFunctionCall1(gen_random_uuid, (Datum) 0);

	return DatumGetCString(DirectFunctionCall1(uuid_out, uuid));
}

/*
 * Returns the table whose settings have an id; InvalidOid if there are none.
 * SPI must be connected.
 */
static Oid
ClaimantOf(const char *id)
{
	Oid			type = TEXTOID;
	Datum		value = CStringGetTextDatum(id);
	bool		isnull;

	ExecuteAsSettingsOwner("SELECT relation FROM dynamo_internal.table_settings "
						   "WHERE table_id OPERATOR(pg_catalog.=) $1", 1, &type, &value, NULL);
	return SPI_processed == 0 ? InvalidOid :
		DatumGetObjectId(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull));
}

/*
 * Whether a table has this id in its definition.  The table may belong to any
 * user, or not exist.
 */
static bool
HasId(Oid relid, const char *id)
{
	const char *text = TableDefinitionText(relid);
	const TableDef *def = text != NULL ? TableDefTryParse(text) : NULL;

	return def != NULL && def->id != NULL && strcmp(def->id, id) == 0;
}

/*
 * Whether the id in a table's definition belongs to another table.  After a
 * restore the recorded OID is of no such table.
 */
static bool
IsCopied(Oid relid, const char *id)
{
	Oid			claimant = ClaimantOf(id);

	return OidIsValid(claimant) && claimant != relid && HasId(claimant, id);
}

char *
TableIdOf(Relation rel)
{
	TableDef   *def = TableDefAcquire(rel);
	char	   *id = def->id != NULL ? pstrdup(def->id) : NULL;
	bool		own;

	TableDefRelease(def);
	if (id == NULL)
		return DerivedId(RelationGetRelid(rel));
	SPI_connect();
	own = !IsCopied(RelationGetRelid(rel), id);
	SPI_finish();
	return own ? id : DerivedId(RelationGetRelid(rel));
}

static const char *const claim_id =
"INSERT INTO dynamo_internal.table_settings AS s (table_id, relation, on_demand) VALUES ($1, $2, true) "
"ON CONFLICT (table_id) DO UPDATE SET relation = EXCLUDED.relation "
"WHERE s.relation OPERATOR(pg_catalog.<>) EXCLUDED.relation";

/* A dump contains the rows; they are restored before or after the triggers. */
static const char *const claim_restored_id =
"UPDATE dynamo_internal.table_settings SET relation = $2 "
"WHERE table_id OPERATOR(pg_catalog.=) $1 AND relation OPERATOR(pg_catalog.<>) $2";

bool
TableIdClaim(Oid relid, const char *id)
{
	Oid			types[2] = {TEXTOID, OIDOID};
	Datum		values[2] = {CStringGetTextDatum(id), ObjectIdGetDatum(relid)};

	if (IsCopied(relid, id))
		return false;
	ExecuteAsSettingsOwner(check_function_bodies ? claim_id : claim_restored_id, 2, types, values,
						   NULL);
	return true;
}
