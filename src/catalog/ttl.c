/*
 * ttl.c
 *	  Time to live: keeping the column of expiry times.
 */
#include "postgres.h"

#include <math.h>

#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"

#include "catalog/ddl.h"
#include "catalog/names.h"
#include "catalog/objects.h"
#include "catalog/owner.h"
#include "catalog/ttl.h"
#include "errors.h"
#include "item/number.h"

/* Far beyond any time; the column holds whole seconds. */
#define SECONDS_LIMIT	1e18

bool
TtlSeconds(ValueRef value, int64 *seconds)
{
	Slice		payload;
	Datum		number;

	if (ValueIsMissing(value) || ValueTypeOf(value) != VALUE_N)
		return false;
	payload = ValuePayload(value);
	if (NumberToInt64((const uint8 *) payload.data, payload.len, seconds))
		return true;
	number = NumericGetDatum(NumberToNumeric((const uint8 *) payload.data, payload.len));
	if (fabs(DatumGetFloat8(DirectFunctionCall1(numeric_float8, number))) > SECONDS_LIMIT)
		return false;
	number = DirectFunctionCall1(numeric_floor, number);
	*seconds = DatumGetInt64(DirectFunctionCall1(numeric_int8, number));
	return true;
}

/* ---- enabling and disabling ---- */

static char *
TableOf(Oid relid)
{
	return QualifiedName(get_rel_namespace(relid), get_rel_name(relid));
}

static void
CheckAttribute(Slice attribute)
{
	if (attribute.len == 0 || attribute.len > KEY_MAX_NAME ||
		memchr(attribute.data, '\0', attribute.len) != NULL)
		InvalidParameter("The time to live attribute must have a name of 1 to %d bytes without U+0000",
						 KEY_MAX_NAME);
}

/*
 * Rows are updated by the ordinary path, whose trigger sets the column; all of
 * them, also where row security is forced on the owner.  The triggers and
 * expressions of another's table are not to run as the user.
 */
static void
FillExpiry(Oid relid, const char *table, const char *attribute)
{
	OwnerScope	scope;

	OwnerScopeEnter(&scope, RelationOwner(relid));
	RunStatement("UPDATE %s SET item = item WHERE item OPERATOR(%s.?) %s",
				 table, DYNAMO_SCHEMA, quote_literal_cstr(attribute));
	OwnerScopeLeave(&scope);
}

/*
 * The index comes before the rows are changed: after, it would stand over
 * broken chains of row versions and be unusable for older snapshots.
 */
void
TtlEnable(const char *table_name, Slice attribute)
{
	Oid			relid;
	TableDef   *def = LockDefinition(table_name, &relid);
	char	   *table = TableOf(relid);
	char	   *name;

	CheckAttribute(attribute);
	name = pnstrdup(attribute.data, attribute.len);
	def->ttl = (Slice) {name, attribute.len};
	SPI_connect();
	RunStatement("ALTER TABLE %s ADD COLUMN %s pg_catalog.int8", table, TTL_COLUMN);
	RunStatement("CREATE INDEX ON %s USING btree (%s) WHERE %s IS NOT NULL",
				 table, TTL_COLUMN, TTL_COLUMN);
	StoreDefinition(relid, def);
	FillExpiry(relid, table, name);
	SPI_finish();
}

void
TtlDisable(const char *table_name)
{
	Oid			relid;
	TableDef   *def = LockDefinition(table_name, &relid);

	def->ttl = (Slice) {NULL, 0};
	SPI_connect();
	StoreDefinition(relid, def);
	RunStatement("ALTER TABLE %s DROP COLUMN %s", TableOf(relid), TTL_COLUMN);
	SPI_finish();
}

/* The attribute in use; data NULL for none.  palloc'd. */
static Slice
CurrentAttribute(const char *table_name)
{
	Oid			relid;
	TableDef   *def = LockDefinition(table_name, &relid);

	return def->ttl;
}

void
TtlCheckChange(const char *table_name, Slice attribute, bool enable)
{
	Slice		current = CurrentAttribute(table_name);

	if (current.data == NULL && !enable)
		InvalidRequest("TimeToLive is already disabled");
	if (current.data != NULL && SliceCompare(current, attribute) != 0)
		InvalidRequest("TimeToLive is active on a different AttributeName: current AttributeName is %s",
					   current.data);
	if (current.data != NULL && enable)
		InvalidRequest("TimeToLive is already enabled");
}

DYNAMO_FUNCTION(dynamo_update_time_to_live);

Datum
dynamo_update_time_to_live(PG_FUNCTION_ARGS)
{
	char	   *table_name = text_to_cstring(PG_GETARG_TEXT_PP(0));
	const text *name = PG_GETARG_TEXT_PP(1);
	Slice		attribute = SliceOfVarlena(name);
	bool		enable = PG_GETARG_BOOL(2);

	TtlCheckChange(table_name, attribute, enable);
	if (enable)
		TtlEnable(table_name, attribute);
	else
		TtlDisable(table_name);
	PG_RETURN_VOID();
}
