/*
 * expire.c
 *	  dynamo.delete_expired: deleting items whose time to live has passed.
 *
 * A scheduler calls it, or the worker beside the HTTP endpoint, as often as
 * they like and from as many sessions: rows that another transaction holds
 * are passed over.  Items are deleted by plain DELETE statements under the
 * caller's privileges, so that indexes, triggers and row security have their
 * say.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "nodes/parsenodes.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/rel.h"
#include "utils/timestamp.h"

#include "catalog/ddl.h"
#include "catalog/names.h"
#include "catalog/table_list.h"
#include "compat.h"
#include "op/op.h"
#include "stream/stream.h"

/* Items deleted by one statement. */
#define BATCH_ITEMS		1000

/* Values longer ago are taken for something else than a time of expiry. */
#define OLDEST_SECONDS	INT64CONST(157680000)	/* five years of 365 days */

static int64
UnixSeconds(void)
{
	return GetCurrentTimestamp() / USECS_PER_SEC +
		(POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * (int64) SECS_PER_DAY;
}

/* The columns of the primary key: "PK", "SK". */
static char *
KeyColumns(const TableDef *def)
{
	StringInfoData out;

	initStringInfo(&out);
	for (int i = 0; i < def->key.npartition + def->key.nsort; i++)
		appendStringInfo(&out, "%s%s", i > 0 ? ", " : "",
						 quote_identifier(def->attributes[def->key_attributes[i]].column));
	return out.data;
}

/*
 * The statement that deletes one batch.  Rows of a plain table are found
 * again by their place, others by their key.
 */
static char *
DeleteStatement(Relation rel, const TableDef *def)
{
	char	   *table = QualifiedName(RelationGetNamespace(rel), RelationGetRelationName(rel));
	char	   *key = KeyColumns(def);
	const char *expired =
		"WHERE " TTL_COLUMN " OPERATOR(pg_catalog.>=) $1 "
		"AND " TTL_COLUMN " OPERATOR(pg_catalog.<=) $2 "
		"ORDER BY " TTL_COLUMN " LIMIT $3 FOR UPDATE SKIP LOCKED";

	if (rel->rd_rel->relkind == RELKIND_RELATION && !rel->rd_rel->relhassubclass)
		return psprintf("DELETE FROM %s WHERE ctid OPERATOR(pg_catalog.=) "
						"ANY (ARRAY(SELECT ctid FROM %s %s))", table, table, expired);
	return psprintf("DELETE FROM %s WHERE (%s) OPERATOR(pg_catalog.=) ANY (SELECT %s FROM %s %s)",
					table, key, key, table, expired);
}

/* Deletes up to so many items; SPI must be connected. */
static int64
DeleteBatches(const char *sql, int64 max_items)
{
	Oid			types[] = {INT8OID, INT8OID, INT8OID};
	int64		now = UnixSeconds();
	int64		total = 0;

	while (total < max_items)
	{
		int64		limit = Min(max_items - total, BATCH_ITEMS);
		Datum		values[3];

		CHECK_FOR_INTERRUPTS();
		values[0] = Int64GetDatum(now - OLDEST_SECONDS);
		values[1] = Int64GetDatum(now);
		values[2] = Int64GetDatum(limit);
		if (SPI_execute_with_args(sql, 3, types, values, NULL, false, 0) != SPI_OK_DELETE)
			elog(ERROR, "could not delete expired items");
		if (SPI_processed == 0)
			break;
		total += (int64) SPI_processed;
	}
	return total;
}

/* The same, with the streams told why. */
static int64
DeleteAsExpired(Oid relid, const char *sql, int64 max_items)
{
	Oid			outer = StreamGetExpiring();
	int64		total = 0;

	StreamSetExpiring(relid);
	PG_TRY();
	{
		total = DeleteBatches(sql, max_items);
	}
	PG_FINALLY();
	{
		StreamSetExpiring(outer);
	}
	PG_END_TRY();
	return total;
}

/* SPI must be connected. */
static int64
DeleteExpired(Oid relid, int64 max_items)
{
	Relation	rel = try_table_open(relid, AccessShareLock);
	TableDef   *def;
	char	   *sql;

	if (rel == NULL)
		return 0;
	def = TableDefAcquire(rel);
	sql = def->ttl.data != NULL ? DeleteStatement(rel, def) : NULL;
	TableDefRelease(def);
	table_close(rel, NoLock);
	return sql != NULL ? DeleteAsExpired(relid, sql, max_items) : 0;
}

static bool
MayDeleteFrom(Oid relid)
{
	return pg_class_aclcheck(relid, GetUserId(), ACL_DELETE) == ACLCHECK_OK &&
		pg_class_aclcheck(relid, GetUserId(), ACL_SELECT) == ACLCHECK_OK &&
		pg_class_aclcheck(relid, GetUserId(), ACL_UPDATE) == ACLCHECK_OK;
}

/* All tables with a time to live that the caller may delete from. */
static int64
DeleteExpiredEverywhere(int64 max_items)
{
	List	   *relids = TablesWithFeature(FEATURE_TIME_TO_LIVE);
	int64		total = 0;
	ListCell   *cell;

	foreach(cell, relids)
	{
		if (total < max_items && MayDeleteFrom(lfirst_oid(cell)))
			total += DeleteExpired(lfirst_oid(cell), max_items - total);
	}
	return total;
}

int64
ExpireItems(Oid relid, int64 max_items)
{
	int64		total;

	SPI_connect();
	total = DeleteExpired(relid, max_items);
	SPI_finish();
	return total;
}

DYNAMO_FUNCTION(dynamo_delete_expired);

Datum
dynamo_delete_expired(PG_FUNCTION_ARGS)
{
	int64		max_items = PG_ARGISNULL(1) ? PG_INT64_MAX : PG_GETARG_INT64(1);
	int64		total;

	if (max_items < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("max_items must not be negative")));
	SPI_connect();
	if (PG_ARGISNULL(0))
		total = DeleteExpiredEverywhere(max_items);
	else
		total = DeleteExpired(TableNameLock(text_to_cstring(PG_GETARG_TEXT_PP(0)), AccessShareLock, false),
							  max_items);
	SPI_finish();
	PG_RETURN_INT64(total);
}
