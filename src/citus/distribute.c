/*
 * distribute.c
 *	  The SQL functions dynamo.distribute_table and dynamo.undistribute_table.
 *
 * Citus does the work.  These functions check the extension's conditions, choose
 * the partition key, and change the settings that Citus requires.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/pg_type_d.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "citus/distribute.h"
#include "compat.h"
#include "errors.h"
#include "table/citus_catalog.h"
#include "table/distribution.h"
#include "table/object_names.h"
#include "table/objects.h"

#define MAX_CITUS_SHARDS	64000		/* Citus's own limit */

/* ---- checks ---- */

static void
CheckCoordinator(void)
{
	CitusRow	row;
	bool		present;

	FindCitusRow(&row, "pg_dist_partition", NULL, NULL, InvalidOid, (Datum) 0);
	present = row.catalog != NULL;
	EndCitusRow(&row);
	if (!present)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("extension \"citus\" is not installed in this database"),
				 errhint("Load citus before dynamo on every node, and run CREATE EXTENSION citus.")));
	if (ServerIsWorker())
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("tables are distributed on the Citus coordinator"),
				 errdetail("This server is a worker node.")));
}

static Relation
OpenOwnTable(const char *name)
{
	Relation	rel = TableNameOpen(name, AccessExclusiveLock, true);

	if (rel == NULL || !RelationIsDynamoTable(rel))
		ereport(ERROR,
				(errcode(ERRCODE_DYNAMO_RESOURCE_NOT_FOUND),
				 errmsg("Requested resource not found: Table: %s not found", name)));
	if (!RelationOwnercheck(RelationGetRelid(rel), GetUserId()))
		aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_TABLE, RelationGetRelationName(rel));
	return rel;
}

static void
CheckKind(Relation rel)
{
	if (rel->rd_rel->relkind != RELKIND_RELATION || rel->rd_rel->relispartition ||
		rel->rd_rel->relhassubclass)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot distribute partitioned table \"%s\"", RelationGetRelationName(rel))));
	if (rel->rd_rel->relpersistence == RELPERSISTENCE_TEMP)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot distribute temporary table \"%s\"", RelationGetRelationName(rel))));
}

static void
CheckCanBeDistributed(Relation rel, const TableDef *def)
{
	const char *what = FindUndistributable(rel, def);

	if (def->distributed)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("table \"%s\" is distributed already", RelationGetRelationName(rel))));
	CheckKind(rel);
	if (what != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot distribute table \"%s\", which has %s", RelationGetRelationName(rel), what),
				 errhint("Drop that first.")));
}

/* ---- statements ---- */

/* Runs a statement whose first parameter is a table. */
static void
RunOnTable(const char *sql, Oid relid, int nargs, Oid *types, Datum *values, const char *nulls)
{
	int			code;

	types[0] = REGCLASSOID;
	values[0] = ObjectIdGetDatum(relid);
	code = SPI_execute_with_args(sql, nargs, types, values, nulls, false, 0);
	if (code < 0)
		elog(ERROR, "SPI_execute_with_args failed: %s", SPI_result_code_string(code));
}

static void
DistributeByColumn(Oid relid, const char *column, int shards)
{
	Oid			types[] = {InvalidOid, TEXTOID, INT4OID};
	Datum		values[] = {(Datum) 0, CStringGetTextDatum(column), Int32GetDatum(shards)};

	RunOnTable("SELECT pg_catalog.create_distributed_table($1, $2, shard_count => $3, colocate_with => 'default')",
			   relid, 3, types, values, shards > 0 ? NULL : "  n");
	RunOnTable("SELECT pg_catalog.truncate_local_data_after_distributing_table($1)", relid, 1, types,
			   values, NULL);
}

/*
 * Lets Citus distribute tables with triggers: it considers every trigger unsafe,
 * also the one that derives the key columns.
 */
static int
AllowTriggers(void)
{
	int			level = NewGUCNestLevel();

	(void) set_config_option("citus.enable_unsafe_triggers", "on", PGC_USERSET, PGC_S_SESSION,
							 GUC_ACTION_SAVE, true, 0, false);
	return level;
}

/* ---- distributing ---- */

int			citus_new_table_shards;

void
CitusInit(void)
{
	DefineCustomIntVariable("dynamo.new_table_shards",
							"Number of shards of the tables that CreateTable requests create.",
							"0 creates tables that are not distributed.",
							&citus_new_table_shards, 0, 0, MAX_CITUS_SHARDS,
							PGC_USERSET, 0, NULL, NULL, NULL);
}

void
DistributeTable(Relation rel, int shards)
{
	Oid			relid = RelationGetRelid(rel);
	TableDef   *def = TableDefAcquire(rel);
	char	   *column;
	int			level;

	CheckCoordinator();
	CheckCanBeDistributed(rel, def);
	column = pstrdup(TableKeyAttribute(def, 0)->column);
	TableDefRelease(def);
	table_close(rel, NoLock);

	SPI_connect();
	level = AllowTriggers();
	DistributeByColumn(relid, column, shards);
	AtEOXact_GUC(true, level);
	SPI_finish();
}

/* ---- the functions ---- */

DYNAMO_FUNCTION(dynamo_distribute_table);
Datum
dynamo_distribute_table(PG_FUNCTION_ARGS)
{
	int			shards = PG_ARGISNULL(1) ? 0 : PG_GETARG_INT32(1);

	if (PG_ARGISNULL(0))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("table_name must not be null")));
	if (!PG_ARGISNULL(1) && (shards < 1 || shards > MAX_CITUS_SHARDS))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("shards must be between 1 and %d", MAX_CITUS_SHARDS)));
	CheckCoordinator();
	DistributeTable(OpenOwnTable(text_to_cstring(PG_GETARG_TEXT_PP(0))), shards);
	PG_RETURN_VOID();
}

DYNAMO_FUNCTION(dynamo_undistribute_table);
Datum
dynamo_undistribute_table(PG_FUNCTION_ARGS)
{
	Oid			types[1];
	Datum		values[1];
	Relation	rel;
	Oid			relid;
	int			level;

	CheckCoordinator();
	rel = OpenOwnTable(text_to_cstring(PG_GETARG_TEXT_PP(0)));
	relid = RelationGetRelid(rel);
	table_close(rel, NoLock);
	if (!RelationIsDistributed(relid))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("table \"%s\" is not distributed", get_rel_name(relid))));

	SPI_connect();
	level = AllowTriggers();
	RunOnTable("SELECT pg_catalog.undistribute_table($1)", relid, 1, types, values, NULL);
	AtEOXact_GUC(true, level);
	SPI_finish();
	PG_RETURN_VOID();
}
