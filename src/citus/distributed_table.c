/*
 * distributed_table.c
 *	  Tables and shards in the catalogs of Citus.
 */
#include "postgres.h"

#include "common/string.h"
#include "nodes/nodes.h"
#include "nodes/primnodes.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "citus/citus_catalog.h"
#include "citus/distributed_table.h"
#include "extension_objects.h"
#include "table/link.h"

/* How the sessions of Citus on other nodes are named. */
#define CITUS_APPLICATION	"citus_internal"

/* ---- servers ---- */

bool
ServerIsWorkerOfCitus(void)
{
	CitusRow	row;
	int			group;

	FindCitusRow(&row, "pg_dist_local_group", NULL, NULL, InvalidOid, (Datum) 0);
	group = DatumGetInt32(CitusColumn(&row, "groupid"));
	EndCitusRow(&row);
	return group > 0;
}

bool
SessionIsOfCitus(void)
{
	return application_name != NULL &&
		strncmp(application_name, CITUS_APPLICATION, strlen(CITUS_APPLICATION)) == 0;
}

/* ---- tables ---- */

static void
FindDistPartition(CitusRow *row, Oid relid)
{
	FindCitusRow(row, "pg_dist_partition", "pg_dist_partition_logical_relid_index", "logicalrelid",
				 F_OIDEQ, ObjectIdGetDatum(relid));
}

bool
TableIsOfCitus(Oid relid)
{
	CitusRow	row;
	bool		found;

	FindDistPartition(&row, relid);
	found = HeapTupleIsValid(row.tuple);
	EndCitusRow(&row);
	return found;
}

bool
SchemaIsOfCitus(Oid schema)
{
	CitusRow	row;
	bool		found;

	FindCitusRow(&row, "pg_dist_schema", "pg_dist_schema_pkey", "schemaid", F_OIDEQ,
				 ObjectIdGetDatum(schema));
	found = HeapTupleIsValid(row.tuple);
	EndCitusRow(&row);
	return found;
}

static const char *
FindDistributionColumn(Oid table)
{
	CitusRow	row;
	Datum		key;
	const Node *column = NULL;

	FindDistPartition(&row, table);
	key = CitusColumn(&row, "partkey");
	if (key != (Datum) 0)
		column = stringToNode(TextDatumGetCString(key));
	EndCitusRow(&row);
	return column != NULL && IsA(column, Var) ?
		get_attname(table, castNode(Var, unconstify(Node *, column))->varattno, true) : NULL;
}

const char *
DistributionColumn(Oid table, bool hashed)
{
	CitusRow	row;
	char		method;

	if (hashed)
	{
		FindDistPartition(&row, table);
		method = DatumGetChar(CitusColumn(&row, "partmethod"));
		EndCitusRow(&row);
		if (method != 'h')
			return NULL;
	}
	return FindDistributionColumn(table);
}

uint32
ColocationOf(Oid table)
{
	CitusRow	row;
	uint32		colocation;

	FindDistPartition(&row, table);
	colocation = DatumGetUInt32(CitusColumn(&row, "colocationid"));
	EndCitusRow(&row);
	return colocation;
}

bool
TablesAreColocated(Oid table, Oid other)
{
	uint32		colocation = ColocationOf(table);

	return colocation != 0 && ColocationOf(other) == colocation;
}

/* ---- shards ---- */

int64
ShardNumber(const char *name)
{
	const char *digits = strrchr(name, '_');
	char	   *end;
	int64		number;

	if (digits == NULL || digits[1] < '1' || digits[1] > '9')
		return 0;
	errno = 0;
	number = strtoi64(digits + 1, &end, 10);
	return errno == 0 && *end == '\0' ? number : 0;
}

/*
 * Whether a relation has the name of a shard of a table.  Citus cuts names that
 * become too long, and puts a hash before the number.
 */
static bool
HasNameOfShard(const char *name, Oid schema, Oid table)
{
	const char *table_name = get_rel_name(table);
	int			len = strrchr(name, '_') - name;

	if (table_name == NULL || get_rel_namespace(table) != schema)
		return false;
	if (strlen(name) == NAMEDATALEN - 1 && len > 9)
		return strncmp(name, table_name, len - 9) == 0;
	return strlen(table_name) == (size_t) len && strncmp(name, table_name, len) == 0;
}

Oid
TableOfShard(Oid relid, const char *name, Oid schema)
{
	int64		number = ShardNumber(name);
	CitusRow	row;
	Oid			table;

	if (number == 0)
		return InvalidOid;
	FindCitusRow(&row, "pg_dist_shard", "pg_dist_shard_shardid_index", "shardid", F_INT8EQ,
				 Int64GetDatum(number));
	table = DatumGetObjectId(CitusColumn(&row, "logicalrelid"));
	EndCitusRow(&row);
	return OidIsValid(table) && HasNameOfShard(name, schema, table) &&
		HaveSameOwner(table, relid) ? table : InvalidOid;
}
