/*
 * index_sql.c
 *	  The SQL functions of secondary indexes.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "index/build.h"
#include "index/index.h"
#include "table/table_name.h"

/* Arguments of both overloads of create_index. */
enum
{
	ARG_TABLE,
	ARG_INDEX,
	ARG_PARTITION,
	ARG_SORT,
	ARG_PARTITION_TYPE,
	ARG_SORT_TYPE,
	ARG_PROJECTION,
	ARG_NON_KEY,
	ARG_LOCAL,
	ARG_STORAGE,
	ARG_SHARDS,
	ARG_SHARD_BY
};

static char *
OptionalText(FunctionCallInfo fcinfo, int arg)
{
	return PG_ARGISNULL(arg) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(arg));
}

/* Creates an index whose key is already set.  Returns whether it is built. */
static bool
CreateIndex(FunctionCallInfo fcinfo, CreateIndexSpec *spec)
{
	char	   *table_name = RequiredTableArgument(fcinfo, ARG_TABLE);
	char	  **non_key;
	int			n;

	spec->name = RequiredText(fcinfo, ARG_INDEX, "index_name");
	spec->local = !PG_ARGISNULL(ARG_LOCAL) && PG_GETARG_BOOL(ARG_LOCAL);
	non_key = TextArrayArgument(fcinfo, ARG_NON_KEY, &n);
	SetProjection(spec, OptionalText(fcinfo, ARG_PROJECTION), non_key, n);
	SetStorage(spec, OptionalText(fcinfo, ARG_STORAGE),
			   PG_ARGISNULL(ARG_SHARDS) ? SHARDS_NOT_GIVEN : PG_GETARG_INT32(ARG_SHARDS),
			   OptionalText(fcinfo, ARG_SHARD_BY));
	return IndexCreate(table_name, spec);
}

static int
OneAttribute(FunctionCallInfo fcinfo, int name_arg, int type_arg, CreateIndexSpec *spec)
{
	char	   *name = OptionalText(fcinfo, name_arg);
	char	   *type = OptionalText(fcinfo, type_arg);

	return AppendKeyPart(spec, &name, name != NULL ? 1 : 0, &type, type != NULL ? 1 : 0);
}

static int
SeveralAttributes(FunctionCallInfo fcinfo, int name_arg, int type_arg, CreateIndexSpec *spec)
{
	int			n;
	int			ntypes;
	char	  **names = TextArrayArgument(fcinfo, name_arg, &n);
	char	  **types = TextArrayArgument(fcinfo, type_arg, &ntypes);

	return AppendKeyPart(spec, names, n, types, ntypes);
}

static bool
CreateIndexOnOne(FunctionCallInfo fcinfo)
{
	CreateIndexSpec spec = {0};

	spec.key.npartition = OneAttribute(fcinfo, ARG_PARTITION, ARG_PARTITION_TYPE, &spec);
	spec.key.nsort = OneAttribute(fcinfo, ARG_SORT, ARG_SORT_TYPE, &spec);
	return CreateIndex(fcinfo, &spec);
}

static bool
CreateIndexOnSeveral(FunctionCallInfo fcinfo)
{
	CreateIndexSpec spec = {0};

	spec.key.npartition = SeveralAttributes(fcinfo, ARG_PARTITION, ARG_PARTITION_TYPE, &spec);
	spec.key.nsort = SeveralAttributes(fcinfo, ARG_SORT, ARG_SORT_TYPE, &spec);
	return CreateIndex(fcinfo, &spec);
}

void
ReportBackgroundBuild(const char *table_name, const char *index_name)
{
	ereport(NOTICE,
			(errmsg("index \"%s\" is being built in the background and cannot be read until it is built",
					index_name),
			 errhint("See dynamo.index_progress for progress; CALL dynamo.build_indexes(%s) to wait.",
					 quote_literal_cstr(TableNameForCall(table_name)))));
}

/* Creates an index, and reports if it is being built in the background. */
static void
CreateAndReport(FunctionCallInfo fcinfo, bool (*create) (FunctionCallInfo fcinfo))
{
	if (!create(fcinfo))
		ReportBackgroundBuild(TableArgument(fcinfo, ARG_TABLE), OptionalText(fcinfo, ARG_INDEX));
}

DYNAMO_FUNCTION(dynamo_create_index);

Datum
dynamo_create_index(PG_FUNCTION_ARGS)
{
	CreateAndReport(fcinfo, CreateIndexOnOne);
	PG_RETURN_VOID();
}

DYNAMO_FUNCTION(dynamo_create_index_multi);

Datum
dynamo_create_index_multi(PG_FUNCTION_ARGS)
{
	CreateAndReport(fcinfo, CreateIndexOnSeveral);
	PG_RETURN_VOID();
}

static void
CreateAndWait(FunctionCallInfo fcinfo, bool (*create) (FunctionCallInfo fcinfo))
{
	Oid			relid;

	CheckMayCommit(fcinfo, "create_index_and_wait");
	SPI_connect_ext(SPI_OPT_NONATOMIC);
	(void) create(fcinfo);
	relid = TableNameResolve(TableArgument(fcinfo, ARG_TABLE), false);
	BuildAndWait(relid);
	SPI_finish();
}

DYNAMO_FUNCTION(dynamo_create_index_and_wait);

Datum
dynamo_create_index_and_wait(PG_FUNCTION_ARGS)
{
	CreateAndWait(fcinfo, CreateIndexOnOne);
	PG_RETURN_VOID();
}

DYNAMO_FUNCTION(dynamo_create_index_and_wait_multi);

Datum
dynamo_create_index_and_wait_multi(PG_FUNCTION_ARGS)
{
	CreateAndWait(fcinfo, CreateIndexOnSeveral);
	PG_RETURN_VOID();
}

DYNAMO_FUNCTION(dynamo_drop_index);

Datum
dynamo_drop_index(PG_FUNCTION_ARGS)
{
	IndexDrop(TableArgument(fcinfo, 0), text_to_cstring(PG_GETARG_TEXT_PP(1)));
	PG_RETURN_VOID();
}

DYNAMO_FUNCTION(dynamo_reindex);

Datum
dynamo_reindex(PG_FUNCTION_ARGS)
{
	IndexRebuild(TableArgument(fcinfo, 0), text_to_cstring(PG_GETARG_TEXT_PP(1)), true);
	PG_RETURN_VOID();
}

/* ---- changing ---- */

/* Arguments: table_name, index_name, shards, shard_by. */
DYNAMO_FUNCTION(dynamo_reshard_index);

Datum
dynamo_reshard_index(PG_FUNCTION_ARGS)
{
	IndexChange change = {0};

	change.shards = PG_ARGISNULL(2) ? -1 : PG_GETARG_INT32(2);
	if (change.shards < 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("number of shards must be between 1 and %d", MAX_SHARDS)));
	change.shard_by = OptionalText(fcinfo, 3);
	IndexAlter(RequiredTableArgument(fcinfo, 0), RequiredText(fcinfo, 1, "index_name"),
			   &change);
	PG_RETURN_VOID();
}

/*
 * Arguments: table_name, index_name, projection, non_key_attributes, storage,
 * shards, shard_by.
 */
DYNAMO_FUNCTION(dynamo_change_index);

Datum
dynamo_change_index(PG_FUNCTION_ARGS)
{
	IndexChange change = {0};

	change.projection = OptionalText(fcinfo, 2);
	change.non_key = TextArrayArgument(fcinfo, 3, &change.nnon_key);
	change.storage = OptionalText(fcinfo, 4);
	change.shards = PG_ARGISNULL(5) ? -1 : PG_GETARG_INT32(5);
	change.shard_by = OptionalText(fcinfo, 6);
	IndexAlter(RequiredTableArgument(fcinfo, 0), RequiredText(fcinfo, 1, "index_name"),
			   &change);
	PG_RETURN_VOID();
}

/* ---- sizing ---- */

/*
 * The service's own limits for write sharding: a partition serves 3000 read
 * units of 4 KB per second.
 */
#define READ_UNIT_BYTES			4096
#define READ_UNITS_PER_PARTITION	3000

static double
ItemsPerReadUnit(int item_bytes)
{
	if (item_bytes <= READ_UNIT_BYTES)
		return READ_UNIT_BYTES / item_bytes;
	return 1.0 / ((item_bytes + READ_UNIT_BYTES - 1) / READ_UNIT_BYTES);
}

DYNAMO_FUNCTION(dynamo_recommend_shards);

Datum
dynamo_recommend_shards(PG_FUNCTION_ARGS)
{
	int64		items = PG_GETARG_INT64(0);
	int32		item_bytes = PG_GETARG_INT32(1);
	float8		fraction = PG_GETARG_FLOAT8(2);
	float8		padding = PG_GETARG_FLOAT8(3);
	double		shards;

	if (items < 0 || item_bytes < 1 || item_bytes > ITEM_MAX_SIZE ||
		!(fraction >= 0 && fraction <= 1) || !(padding >= 0 && padding <= 100))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid workload"),
				 errdetail("The parameter items must not be negative; item_bytes must be between 1 and %d, fraction between 0 and 1, padding between 0 and 100.",
						   ITEM_MAX_SIZE)));
	shards = items * fraction * (1 + padding) /
		(READ_UNITS_PER_PARTITION * ItemsPerReadUnit(item_bytes));

	/* Ignore rounding errors: 12.000000001 is 12. */
	shards = ceil(shards - 1e-6);
	if (shards > PG_INT32_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("integer out of range")));
	PG_RETURN_INT32(Max((int32) shards, 1));
}
