/*
 * ttl.c
 *	  Enables and disables time to live.  The column of expiry times is set by
 *	  the key trigger and has an index, like the key columns of an index.
 */
#include "postgres.h"

#include "executor/spi.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "ddl/ddl.h"
#include "errors.h"
#include "index/index.h"
#include "index/ttl.h"
#include "table/object_names.h"
#include "table/table_name.h"

static char *
QualifiedTableName(Oid relid)
{
	return QualifiedName(get_rel_namespace(relid), get_rel_name(relid));
}

static void
CheckTtlAttribute(Slice attribute)
{
	if (attribute.len == 0 || attribute.len > KEY_MAX_NAME ||
		memchr(attribute.data, '\0', attribute.len) != NULL)
		InvalidParameter("The time to live attribute must have a name of 1 to %d bytes without U+0000",
						 KEY_MAX_NAME);
}

/*
 * Creates the index before the rows are changed.  If it were created later, it
 * would be built over broken HOT chains, and older snapshots could not use it.
 */
void
TtlEnable(const char *table_name, Slice attribute)
{
	Oid			relid;
	TableDef   *def = LockAnyDefinition(table_name, AccessExclusiveLock, &relid);
	char	   *table = QualifiedTableName(relid);
	char	   *name;
	int			level;

	CheckTtlAttribute(attribute);
	name = pnstrdup(attribute.data, attribute.len);
	def->ttl = (Slice) {name, attribute.len};
	SPI_connect();
	level = DistributedDdlBegin(relid);
	RunStatement("ALTER TABLE %s ADD COLUMN %s pg_catalog.int8", table, TTL_COLUMN);
	RunStatement("CREATE INDEX ON %s USING btree (%s) WHERE %s IS NOT NULL",
				 table, TTL_COLUMN, TTL_COLUMN);
	StoreDefinition(relid, def);
	FillExpiry(relid);
	DistributedDdlEnd(level);
	SPI_finish();
}

void
TtlDisable(const char *table_name)
{
	Oid			relid;
	TableDef   *def = LockAnyDefinition(table_name, AccessExclusiveLock, &relid);
	int			level;

	def->ttl = (Slice) {NULL, 0};
	SPI_connect();
	level = DistributedDdlBegin(relid);
	StoreDefinition(relid, def);
	RunStatement("ALTER TABLE %s DROP COLUMN %s", QualifiedTableName(relid), TTL_COLUMN);
	DistributedDdlEnd(level);
	SPI_finish();
}

/* Returns the current attribute, palloc'd; data is NULL if there is none. */
static Slice
CurrentAttribute(const char *table_name)
{
	Oid			relid;
	TableDef   *def = LockAnyDefinition(table_name, AccessExclusiveLock, &relid);

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
	char	   *table_name = TableArgument(fcinfo, 0);
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
