/*
 * each_shard.c
 *	  Runs a statement for each shard of a table.
 *
 * On other nodes it runs over the connections of Citus, on this one in the session, unless
 * Citus has accessed this node over a connection before.
 */
#include "postgres.h"

#include "catalog/pg_type_d.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "citus/each_shard.h"
#include "citus/remote.h"
#include "citus/session.h"
#include "citus/shards.h"
#include "table/distribution.h"

static void
RunHere(const ShardStatement *statement, const char *shard)
{
	Oid			types[] = {TEXTOID, TEXTOID};
	Datum		values[] = {CStringGetTextDatum(shard), CStringGetTextDatum(statement->argument)};
	int			code;

	if (statement->writes)
		CitusSessionWrites();
	SPI_connect();
	code = SPI_execute_with_args(statement->sql, lengthof(types), types, values, NULL, !statement->writes, 0);
	if (code != SPI_OK_SELECT || SPI_processed != 1)
		elog(ERROR, "SPI_execute_with_args failed: %s", SPI_result_code_string(code));
	statement->take(statement->arg, SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1));
	SPI_finish();
}

static void
RunElsewhere(const ShardStatement *statement, int64 id, const char *shard)
{
	const char *const args[] = {shard, statement->argument};
	Slice		result = NodeValue(RemoteExecute(id, statement->writes, statement->sql, lengthof(args), args));

	statement->take(statement->arg, result.data == NULL ? NULL : pnstrdup(result.data, result.len));
}

void
RunOnShards(TableDef *def, const ShardStatement *statement, const char *what)
{
	const ShardMap *map = ShardsOfTable(def);
	bool		session = CitusSessionIsLocal();
	int			group;

	if (map == NULL || !RemoteIsPossible())
		DistributedError(def->relid, what);
	RemoteCheckNesting();
	for (int i = 0; i < CountShards(map); i++)
	{
		int64		id = GetShardPlace(map, i, &group);

		CHECK_FOR_INTERRUPTS();
		if (session && OidIsValid(GetShardRelation(map, i)))
			RunHere(statement, GetShardName(def, id));
		else
			RunElsewhere(statement, id, GetShardName(def, id));
	}
}
