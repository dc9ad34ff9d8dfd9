/*
 * nodes.c
 *	  Runs statements on other nodes through functions of Citus.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_type_d.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "citus/citus_catalog.h"
#include "citus/nodes.h"
#include "table/distribution.h"

#define COUNT_STATEMENT \
	"SELECT pg_catalog.format('%%s %%s', coalesce(pg_catalog.sum(greatest(c.reltuples, 0)), 0)::pg_catalog.int8, " \
	"coalesce(pg_catalog.sum(c.relpages), 0)) " \
	"FROM pg_catalog.pg_dist_shard s " \
	"JOIN pg_catalog.pg_dist_placement p ON p.shardid OPERATOR(pg_catalog.=) s.shardid " \
	"JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) " \
	"pg_catalog.to_regclass(pg_catalog.shard_name(pg_catalog.to_regclass(%s), s.shardid, false)) " \
	"WHERE s.logicalrelid OPERATOR(pg_catalog.=) pg_catalog.to_regclass(%s) " \
	"AND p.groupid OPERATOR(pg_catalog.=) (SELECT groupid FROM pg_catalog.pg_dist_local_group)"

bool
CoordinatorIsKnown(void)
{
	CitusRow	row;
	bool		known;

	if (!ServerIsWorker())
		return false;
	FindCitusRow(&row, "pg_dist_node", NULL, "groupid", F_INT4EQ, Int32GetDatum(0));
	known = HeapTupleIsValid(row.tuple);
	EndCitusRow(&row);
	return known;
}

/* Runs a query of Citus with a statement as its parameter; SPI is connected. */
static void
RunThrough(const char *query, const char *statement)
{
	Oid			types[] = {TEXTOID};
	Datum		values[] = {CStringGetTextDatum(statement)};
	int			code = SPI_execute_with_args(query, 1, types, values, NULL, false, 0);

	if (code != SPI_OK_SELECT)
		elog(ERROR, "SPI_execute_with_args failed: %s", SPI_result_code_string(code));
}

/* Reads the result of a node; returns whether the statement succeeded there. */
static bool
ReadNodeResult(uint64 row, char **result)
{
	char	   *success = SPI_getvalue(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, 1);

	*result = SPI_getvalue(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, 2);
	return success != NULL && strcmp(success, "t") == 0 && *result != NULL;
}

/* Runs a statement on the coordinator; false, with a reason or NULL, if that failed. */
static bool
AskCoordinator(const char *statement, char **result)
{
	MemoryContext caller = CurrentMemoryContext;
	bool		success;

	*result = NULL;
	SPI_connect();
	RunThrough("SELECT success, result FROM pg_catalog.run_command_on_coordinator($1)", statement);
	success = SPI_processed == 1 && ReadNodeResult(0, result);
	if (*result != NULL)
		*result = MemoryContextStrdup(caller, *result);
	SPI_finish();
	return success;
}

char *
RunOnCoordinator(const char *statement)
{
	char	   *result;

	if (!AskCoordinator(statement, &result))
		ereport(ERROR,
				(errcode(ERRCODE_CONNECTION_FAILURE),
				 errmsg("the Citus coordinator did not execute a request"),
				 result != NULL ? errdetail_internal("%s", result) : 0));
	return result;
}

char *
TryOnCoordinator(const char *statement)
{
	char	   *result;

	return AskCoordinator(statement, &result) ? result : NULL;
}

static char *
QualifiedLiteral(Oid relid)
{
	return quote_literal_cstr(quote_qualified_identifier(get_namespace_name(get_rel_namespace(relid)),
														 get_rel_name(relid)));
}

void
CountOnNodes(Oid table, Oid relid, int64 *rows, int64 *bytes)
{
	char	   *statement = psprintf(COUNT_STATEMENT, QualifiedLiteral(relid), QualifiedLiteral(table));

	*rows = 0;
	*bytes = 0;
	SPI_connect();
	RunThrough("SELECT success, result FROM pg_catalog.run_command_on_all_nodes($1, give_warning_for_connection_errors => false)",
			   statement);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		char	   *result;
		long long	rows_there;
		long long	pages_there;

		if (ReadNodeResult(i, &result) && sscanf(result, "%lld %lld", &rows_there, &pages_there) == 2)
		{
			*rows += rows_there;
			*bytes += pages_there * BLCKSZ;
		}
	}
	SPI_finish();
}
