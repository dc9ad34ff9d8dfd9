/*
 * distribute_by.c
 *	  Statements that have Citus distribute tables.
 */
#include "postgres.h"

#include "catalog/pg_type_d.h"
#include "executor/spi.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "citus/distribute_by.h"
#include "table/ddl_statement.h"

void
RunOnTable(const char *sql, Oid relid, int nargs, Oid *types, Datum *values, const char *nulls)
{
	int			code;

	types[0] = REGCLASSOID;
	values[0] = ObjectIdGetDatum(relid);
	code = SPI_execute_with_args(sql, nargs, types, values, nulls, false, 0);
	if (code < 0)
		elog(ERROR, "SPI_execute_with_args failed: %s", SPI_result_code_string(code));
}

void
DistributeByColumn(Oid relid, const char *column, int shards, const char *colocate)
{
	Oid			types[] = {InvalidOid, TEXTOID, INT4OID, TEXTOID};
	Datum		values[] = {
		(Datum) 0, CStringGetTextDatum(column), Int32GetDatum(shards), CStringGetTextDatum(colocate)
	};

	RunOnTable("SELECT pg_catalog.create_distributed_table($1, $2, shard_count => $3, colocate_with => $4)",
			   relid, 4, types, values, shards > 0 ? NULL : "  n ");
}

void
DistributeBeside(Oid relid, const char *column, Oid table)
{
	DistributeByColumn(relid, column, 0, QualifiedName(get_rel_namespace(table), get_rel_name(table)));
}

void
TruncateCopied(Oid relid)
{
	Oid			types[1];
	Datum		values[1];

	RunOnTable("SELECT pg_catalog.truncate_local_data_after_distributing_table($1)", relid, 1, types,
			   values, NULL);
}
