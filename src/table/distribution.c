/*
 * distribution.c
 *	  Tables that Citus distributes, and what is refused on them.
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

#include "extension_objects.h"
#include "table/citus_catalog.h"
#include "table/distribution.h"
#include "table/index_relation.h"
#include "table/link.h"

/* How the sessions of Citus on other nodes are named. */
#define CITUS_APPLICATION	"citus_internal"

static void
FindPartition(CitusRow *row, Oid relid)
{
	FindCitusRow(row, "pg_dist_partition", "pg_dist_partition_logical_relid_index", "logicalrelid",
				 F_OIDEQ, ObjectIdGetDatum(relid));
}

bool
RelationIsDistributed(Oid relid)
{
	CitusRow	row;
	bool		found;

	FindPartition(&row, relid);
	found = HeapTupleIsValid(row.tuple);
	EndCitusRow(&row);
	return found;
}

bool
ServerIsWorker(void)
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

bool
StatementIsOfCitus(void)
{
	return SessionIsOfCitus() && ServerIsWorker();
}

/* Whether Citus keeps all tables of a schema on one node of its choice. */
static bool
SchemaIsDistributed(Oid schema)
{
	CitusRow	row;
	bool		found;

	FindCitusRow(&row, "pg_dist_schema", "pg_dist_schema_pkey", "schemaid", F_OIDEQ,
				 ObjectIdGetDatum(schema));
	found = HeapTupleIsValid(row.tuple);
	EndCitusRow(&row);
	return found;
}

/* ---- shards ---- */

/* The number that follows the last "_" of a name; 0 if there is none. */
static int64
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

/*
 * The table whose shard a relation is, by its name in a schema; or InvalidOid.  A shard has the
 * owner of its table: anybody can create a table whose shard would have the name of somebody's
 * table.
 */
static Oid
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

Oid
DistributedTableOf(Relation rel)
{
	return TableOfShard(RelationGetRelid(rel), RelationGetRelationName(rel), RelationGetNamespace(rel));
}

bool
RelationIsShard(Oid relid)
{
	const char *name = get_rel_name(relid);

	return name != NULL && OidIsValid(TableOfShard(relid, name, get_rel_namespace(relid)));
}

int64
ShardNumberOf(Relation rel)
{
	return OidIsValid(DistributedTableOf(rel)) ? ShardNumber(RelationGetRelationName(rel)) : 0;
}

/* The column that decides on the shard of a row; NULL if there is none. */
static const char *
DistributionColumn(Oid table)
{
	CitusRow	row;
	Datum		key;
	const Node *column = NULL;

	FindPartition(&row, table);
	key = CitusColumn(&row, "partkey");
	if (key != (Datum) 0)
		column = stringToNode(TextDatumGetCString(key));
	EndCitusRow(&row);
	return column != NULL && IsA(column, Var) ?
		get_attname(table, castNode(Var, unconstify(Node *, column))->varattno, true) : NULL;
}

const char *
HashDistributionColumn(Oid table)
{
	CitusRow	row;
	bool		hashed;

	FindPartition(&row, table);
	hashed = DatumGetChar(CitusColumn(&row, "partmethod")) == 'h';
	EndCitusRow(&row);
	return hashed ? DistributionColumn(table) : NULL;
}

void
CheckStaysInShard(Relation rel, const char *column)
{
	Oid			table = DistributedTableOf(rel);
	const char *distribution = OidIsValid(table) ? DistributionColumn(table) : NULL;

	if (distribution != NULL && strcmp(distribution, column) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot change key attribute \"%s\" of an item of distributed table \"%s\"",
						column, get_rel_name(table)),
				 errdetail("Citus finds the item by this attribute, and would look for it in another shard."),
				 errhint("Delete the item, and put it with its new key.")));
}

/* ---- refusals ---- */

void
DistributedError(Oid relid, const char *what)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("%s is not supported on distributed tables", what),
			 errdetail("Citus distributes table \"%s\".", get_rel_name(relid)),
			 errhint("Call undistribute_table to make it a table of one server.")));
}

void
RefuseShard(Relation rel, const char *what)
{
	Oid			table = DistributedTableOf(rel);

	if (OidIsValid(table))
		DistributedError(table, what);
}

void
RequireCoordinator(const char *message)
{
	if (ServerIsWorker())
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("%s", message),
				 errdetail("This server is a worker node.")));
}

void
RefuseDistributed(Relation rel, const char *what)
{
	if (RelationIsDistributed(RelationGetRelid(rel)))
		DistributedError(RelationGetRelid(rel), what);
	RefuseShard(rel, what);
}

Oid
FindChangeTable(Oid table)
{
	Oid			relid = FindLinked(table, CHANGES_LABEL);

	return OidIsValid(relid) && HaveSameOwner(relid, table) ? relid : InvalidOid;
}

const char *
FindIndexProblem(const TableDef *def, const IndexDef *index)
{
	if (index->storage != STORAGE_TABLE)
		return NULL;
	if (index->vector != NULL)
		return "a vector index";
	if (index->local)
		return "a local index in an index table";
	if (index->shards > 0)
		return "a sharded index";
	return NULL;
}

/* The problem of an index table of a distributed table; or NULL. */
static const char *
FindIndexTableProblem(const TableDef *def, const IndexDef *index)
{
	Oid			relid = index->storage == STORAGE_TABLE ? FindIndexRelation(def, index) : InvalidOid;

	if (index->storage != STORAGE_TABLE)
		return NULL;
	return !OidIsValid(relid) || !RelationIsDistributed(relid) ||
		!OidIsValid(FindChangeTable(def->relid)) ? "an index table of one server" : NULL;
}

/* The colocation group of a table of Citus; 0 if it has none. */
static uint32
ColocationOf(Oid table)
{
	CitusRow	row;
	uint32		colocation;

	FindPartition(&row, table);
	colocation = DatumGetUInt32(CitusColumn(&row, "colocationid"));
	EndCitusRow(&row);
	return colocation;
}

static bool
HasColocatedStream(Oid table, const char *relation)
{
	Oid			stream = FindLinked(table, relation);
	uint32		colocation = ColocationOf(table);

	return OidIsValid(stream) && HaveSameOwner(stream, table) && colocation != 0 &&
		ColocationOf(stream) == colocation;
}

/* Whether the stream of a distributed table, if it has one, is not distributed with it. */
static bool
HasStreamOfOneServer(Relation rel)
{
	Oid			function = DynamoFunctionOid(FUNCTION_CAPTURE_CHANGES);
	const char *relation = NULL;

	for (int i = 0; rel->trigdesc != NULL && i < rel->trigdesc->numtriggers; i++)
	{
		const Trigger *trigger = &rel->trigdesc->triggers[i];

		if (trigger->tgfoid == function)
			relation = trigger->tgnargs > 0 ? pstrdup(trigger->tgargs[0]) : "";
	}
	return relation != NULL && !HasColocatedStream(RelationGetRelid(rel), relation);
}

const char *
FindUndistributable(Relation rel, const TableDef *def)
{
	bool		distributed = RelationIsDistributed(RelationGetRelid(rel));

	for (int i = 0; i < def->nindexes; i++)
	{
		const char *problem = FindIndexProblem(def, &def->indexes[i]);

		if (problem == NULL && distributed)
			problem = FindIndexTableProblem(def, &def->indexes[i]);
		if (problem != NULL)
			return problem;
		if (def->indexes[i].status != INDEX_ACTIVE)
			return "an index that is being built";
	}
	if (distributed && HasStreamOfOneServer(rel))
		return "a stream of one server";
	if (HasTriggerOf(rel, DynamoFunctionOid(FUNCTION_CHECK_REFERENCE)) ||
		HasTriggerOf(rel, DynamoFunctionOid(FUNCTION_CHECK_REFERENCED)))
		return "a reference between items";
	if (HasTriggerOf(rel, DynamoFunctionOid(FUNCTION_KEEP_COPIES)))
		return "a copy or total";
	return NULL;
}

void
CheckTableCanBeCreated(Oid schema)
{
	if (ServerIsWorker())
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot create a dynamo table on a worker node of Citus"),
				 errdetail("The other nodes would not know the table."),
				 errhint("Create the table on the coordinator.")));
	if (SchemaIsDistributed(schema))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot create a dynamo table in distributed schema \"%s\"",
						get_namespace_name(schema)),
				 errdetail("Citus would not move the table with its schema."),
				 errhint("Create the table in another schema.")));
}

void
CheckSettingsAreHere(Relation rel)
{
	if (ServerIsWorker() && RelationIsDistributed(RelationGetRelid(rel)))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot access the settings of distributed table \"%s\" on a worker node of Citus",
						RelationGetRelationName(rel)),
				 errhint("Send the request to the coordinator.")));
}

void
CheckTokensAreHere(const Oid *tables, int n)
{
	if (!ServerIsWorker())
		return;
	for (int i = 0; i < n; i++)
	{
		if (RelationIsDistributed(tables[i]))
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("cannot use ClientRequestToken for distributed table \"%s\" on a worker node of Citus",
							get_rel_name(tables[i])),
					 errdetail("The coordinator keeps the tokens, so that a request is executed once."),
					 errhint("Send the request to the coordinator.")));
	}
}

void
RequireLocalRows(Relation rel, const char *hint)
{
	if (RelationIsDistributed(RelationGetRelid(rel)))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("table \"%s\" of the extension dynamo must not be distributed",
						RelationGetRelationName(rel)),
				 errdetail("The extension reads and writes the rows of this table on this server."),
				 errhint("%s", hint)));
}
